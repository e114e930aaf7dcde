"""results_pt.py - what torch.load would give: {name: [(storage, offset, shape), ...]}, without torch."""
import collections, io, pickle, struct, sys, zipfile


def load(path):
    archive = zipfile.ZipFile(path)

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            if (module, name) == ("collections", "OrderedDict"):
                return collections.OrderedDict
            if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
                return self.tensor
            assert module == "torch" and name in ("FloatStorage", "LongStorage", "DoubleStorage", "BoolStorage"), (module, name)
            return name

        def persistent_load(self, what):
            kind, storage, number, place, size = what
            assert kind == "storage" and place == "cpu"
            code = {"FloatStorage": "f", "LongStorage": "q", "DoubleStorage": "d", "BoolStorage": "?"}[storage]
            return struct.unpack(f"<{size}{code}", archive.read(f"archive/data/{number}"))

        @staticmethod
        def tensor(values, offset, shape, strides, *_):
            if not shape:
                return values[offset]
            return [Reader.tensor(values, offset + i * strides[0], shape[1:], strides[1:]) for i in range(shape[0])]

    return Reader(io.BytesIO(archive.read("archive/data.pkl"))).load()
