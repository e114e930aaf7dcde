#!/usr/bin/env python3
"""weights_files.py - named arrays in .safetensors, .pt and .npz files, read and written without Muster and torch.

    weights_files.py same A B...           ends with 1 unless all files have the same tensors, to the bit
    weights_files.py make KIND SOURCE FILE writes the tensors of SOURCE as another program would (make_KIND below), and
                                           FILE.held.npz with the values that are in it
    weights_files.py held FILE B           ends with 1 unless B has the values of FILE.held.npz
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
        kind = kind or {v: k for k, v in STORAGES.items() if k != "BFloat16Storage"}[values.dtype.str]
        self.storages.append(Storage(kind, values.reshape(-1), len(self.storages)))
        return self.storages[-1]

    def tensor(self, values, kind=None, is_parameter=False):
        steps, step = [], 1
        for size in reversed(values.shape):
            steps.insert(0, step)
            step *= size
        return Tensor(self.storage(values, kind), 0, values.shape, steps, is_parameter)

    def dict(self, tensors, **options):
        return collections.OrderedDict((name, self.tensor(values, **options)) for name, values in tensors.items())


def write_pt(path, build, folder="archive", compression=zipfile.ZIP_STORED):
    builder, file = Builder(), io.BytesIO()
    Pickler(file, 2).dump(build(builder))
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr(f"{folder}/data.pkl", file.getvalue())
        archive.writestr(f"{folder}/byteorder", "little")
        for s in builder.storages:
            archive.writestr(f"{folder}/data/{s.number}", s.values.tobytes())
        archive.writestr(f"{folder}/version", "3\n")


# --- files as other programs write them: of the tensors `t`; the answer is what they hold as Muster should read them ---

OPTIMIZER = {"state": {}, "param_groups": [{"lr": 0.1, "betas": (0.9, 0.999), "params": [0, 1]}]}


def to_type(tensors, kind):
    return {n: v.astype(kind) if v.dtype.kind == "f" else v for n, v in tensors.items()}


def to_bfloat16(tensors):
    return {n: (v.view("<u4") >> 16).astype("<u2") if v.dtype.kind == "f" else v for n, v in tensors.items()}


def from_bfloat16(tensors):
    return {n: (v.astype("<u4") << 16).view("<f4") if v.dtype.kind == "u" else v for n, v in tensors.items()}


def make_plain(path, t):
    write_pt(path, lambda b: b.dict(t))
    return t


def make_parameters(path, t):
    write_pt(path, lambda b: b.dict(t, is_parameter=True), folder="model")
    return t


def make_deflated(path, t):
    write_pt(path, lambda b: b.dict(t), compression=zipfile.ZIP_DEFLATED)
    return t


def make_state_dict(path, t):
    write_pt(path, lambda b: {"epoch": 3, "arch": "x", "state_dict": b.dict(t), "best_acc1": 0.5, "optimizer": OPTIMIZER})
    return t


def make_model(path, t):
    write_pt(path, lambda b: {"model": b.dict(t), "args": None, "sizes": [1, 2]})
    return t


def make_both(path, t):
    write_pt(path, lambda b: {"model": b.dict(t), "state_dict": b.dict(t)})
    return t


def make_nothing(path, t):
    write_pt(path, lambda b: {"epoch": 3, "net": b.dict(t)})
    return t


def make_prefix(path, t):
    write_pt(path, lambda b: b.dict({f"module.{n}": v for n, v in t.items()}))
    return {f"module.{n}": v for n, v in t.items()}


def make_double(path, t):
    write_pt(path, lambda b: b.dict(to_type(t, "<f8")))
    return t


def make_half(path, t):
    write_pt(path, lambda b: b.dict(to_type(t, "<f2")))
    return to_type(to_type(t, "<f2"), "<f4")


def make_bfloat16(path, t):
    rounded = to_bfloat16(t)
    write_pt(path, lambda b: {n: b.tensor(v, "BFloat16Storage" if v.dtype.kind == "u" else None)
                              for n, v in rounded.items()})
    return from_bfloat16(rounded)


def make_views(path, t):
    """Matrices are stored transposed, and all tensors in one storage."""
    def build(b):
        parts = {n: v.T if v.ndim == 2 else v for n, v in t.items() if v.dtype.kind == "f"}
        storage = b.storage(numpy.concatenate([numpy.ascontiguousarray(v).reshape(-1) for v in parts.values()]))
        views, offset = {}, 0
        for n, v in t.items():
            if v.dtype.kind != "f":
                views[n] = b.tensor(v)
                continue
            steps = [numpy.prod(v.shape[i + 1:], dtype=int) for i in range(v.ndim)]
            steps = [1, v.shape[0]] if v.ndim == 2 else [int(s) for s in steps]
            views[n] = Tensor(storage, offset, v.shape, steps)
            offset += v.size
        return views
    write_pt(path, build)
    return t


def make_safetensors_half(path, t):
    write_safetensors(path, to_type(t, "<f2"))
    return to_type(to_type(t, "<f2"), "<f4")


def make_safetensors_bfloat16(path, t):
    rounded = to_bfloat16(t)
    write_safetensors(path, rounded, {n: "BF16" for n, v in rounded.items() if v.dtype.kind == "u"})
    return from_bfloat16(rounded)


def make_npz(path, t):
    numpy.savez(path, **t)
    return t


def make_npz_fortran(path, t):
    numpy.savez_compressed(path, **{n: numpy.array(v.astype(">f8") if v.dtype.kind == "f" else v, order="F")
                                    for n, v in t.items()})
    return t


def make_every_half(path, t):
    """All values of both 16-bit types."""
    bits = numpy.arange(65536, dtype="<u2")
    write_safetensors(path, {"half": bits.view("<f2"), "bfloat16": bits}, {"bfloat16": "BF16"})
    return {"half": bits.view("<f2").astype("<f4"), "bfloat16": (bits.astype("<u4") << 16).view("<f4")}


def are_equal(a, b):
    """The same, but for the bits of NaN."""
    return set(a) == set(b) and all(
        a[n].dtype == b[n].dtype and a[n].shape == b[n].shape and
        ((a[n] == b[n]) & (numpy.signbit(a[n]) == numpy.signbit(b[n])) | (a[n] != a[n]) & (b[n] != b[n])).all()
        for n in a)


def main(command, *arguments):
    if command == "same":
        first = read(arguments[0])
        for other in arguments[1:]:
            if not are_same(first, read(other)):
                sys.exit(f"{arguments[0]} and {other} differ")
    elif command == "make":
        kind, source, target = arguments
        held = globals()[f"make_{kind}"](target, read(source))
        numpy.savez(f"{target}.held.npz", **held)
    elif command == "held":
        held, seen = read(f"{arguments[0]}.held.npz"), read(arguments[1])
        if not are_equal(held, seen):
            sys.exit(f"{arguments[1]} has other values than {arguments[0]}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
