#!/usr/bin/env python3
"""weights_files.py - named arrays in .safetensors, .pt and .npz files, read and written without Muster and torch.

    weights_files.py same A B        ends with 1 unless both files have the same tensors, to the bit
    weights_files.py names A         prints the names
    weights_files.py make KIND FILE  writes a file of weights as another program would (KIND: see MAKERS)
"""
import collections
import io
import json
import pickle
import struct
import sys
import types
import zipfile

import numpy

SAFETENSORS = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8", "I64": "<i8"}
STORAGES = {"HalfStorage": "<f2", "BFloat16Storage": "<u2", "FloatStorage": "<f4", "DoubleStorage": "<f8",
            "LongStorage": "<i8"}


# --- reading ---

def read_safetensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data[slice(*t["data_offsets"])], SAFETENSORS[t["dtype"]]).reshape(t["shape"])
            for name, t in header.items()}


def read_pt(path):
    archive = zipfile.ZipFile(path)
    assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
    (pickled,) = [name for name in archive.namelist() if name.endswith("/data.pkl")]
    folder = pickled[:-len("data.pkl")]

    def rebuild(storage, offset, shape, strides, *_):
        steps = [storage.itemsize * s for s in strides]
        return numpy.lib.stride_tricks.as_strided(storage[offset:], shape, steps).copy()

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            allowed = {("collections", "OrderedDict"): collections.OrderedDict,
                       ("torch._utils", "_rebuild_tensor_v2"): rebuild}
            return name if module == "torch" and name in STORAGES else allowed[module, name]

        def persistent_load(self, what):
            kind, storage, number, place, size = what
            assert kind == "storage" and place == "cpu"
            values = numpy.frombuffer(archive.read(f"{folder}data/{number}"), STORAGES[storage])
            assert values.size == size
            return values

    return Reader(io.BytesIO(archive.read(pickled))).load()


def read(path):
    if path.endswith(".npz"):
        with numpy.load(path) as file:
            return {name: file[name] for name in file.files}
    return read_safetensors(path) if path.endswith(".safetensors") else read_pt(path)


def are_same(a, b):
    return set(a) == set(b) and all(
        a[n].dtype == b[n].dtype and a[n].shape == b[n].shape and a[n].tobytes() == b[n].tobytes() for n in a)


# --- writing ---

def write_safetensors(path, tensors, kinds=None):
    header, data = {}, b""
    for name, values in tensors.items():
        kind = (kinds or {}).get(name) or {v[1:]: k for k, v in SAFETENSORS.items()}[values.dtype.str[1:]]
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


class Storage:
    """A storage of torch: a flat array with a number."""

    def __init__(self, kind, values, number):
        self.kind, self.values, self.number = kind, values, number


class Tensor:
    """A tensor of torch: a view of a storage, pickled as torch does it."""

    def __init__(self, storage, offset, shape, strides, is_parameter=False):
        self.parts = (storage, offset, tuple(shape), tuple(strides), False, collections.OrderedDict())
        self.is_parameter = is_parameter

    def __reduce__(self):
        if self.is_parameter:
            inner = Tensor(*self.parts[:4])
            return torch_global("torch._utils", "_rebuild_parameter"), (inner, True, collections.OrderedDict())
        return torch_global("torch._utils", "_rebuild_tensor_v2"), self.parts


def torch_global(module, name):
    """Something that the pickle module writes as module.name."""
    for part in ("torch", "torch._utils"):
        sys.modules.setdefault(part, types.ModuleType(part))
    sys.modules["torch"]._utils = sys.modules["torch._utils"]
    home = sys.modules[module]
    if not hasattr(home, name):
        def stand_in():
            pass
        stand_in.__module__, stand_in.__name__, stand_in.__qualname__ = module, name, name
        setattr(home, name, stand_in)
    return getattr(home, name)


class Pickler(pickle.Pickler):
    def persistent_id(self, what):
        if isinstance(what, Storage):
            return ("storage", torch_global("torch", what.kind), str(what.number), "cpu", what.values.size)
        return None


class Builder:
    """Makes tensors, and keeps their storages."""

    def __init__(self):
        self.storages = []

    def storage(self, values, kind=None):
        kind = kind or {v: k for k, v in STORAGES.items()}[values.dtype.newbyteorder("<").str]
        self.storages.append(Storage(kind, values.reshape(-1), len(self.storages)))
        return self.storages[-1]

    def tensor(self, values, kind=None, is_parameter=False):
        strides = [s // values.itemsize for s in values.strides] if values.size else [0] * values.ndim
        flat = numpy.ascontiguousarray(values)
        strides = [s // flat.itemsize for s in flat.strides][:values.ndim]
        return Tensor(self.storage(flat, kind), 0, values.shape, strides, is_parameter)


def write_pt(path, build, folder="archive"):
    builder, file = Builder(), io.BytesIO()
    Pickler(file, 2).dump(build(builder))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{folder}/data.pkl", file.getvalue())
        archive.writestr(f"{folder}/byteorder", "little")
        for s in builder.storages:
            archive.writestr(f"{folder}/data/{s.number}", s.values.tobytes())
        archive.writestr(f"{folder}/version", "3\n")


def main(command, *arguments):
    if command == "same":
        a, b = read(arguments[0]), read(arguments[1])
        if not are_same(a, b):
            sys.exit(f"{arguments[0]} and {arguments[1]} differ")
    elif command == "names":
        print(*read(arguments[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
