"""formula.py - what both sides of the golden tests evaluate: noise from a name, and the file form.

golden.h is the same in C. A stream is named by a text; its i-th number is a hash of both, on
[-1, 1). Weights and inputs come from here, so that only results are stored.
"""

import math
import struct

import numpy

try:
    import torch
    torch.set_default_dtype(torch.float64)
except ImportError:  # golden_outer.py needs none
    torch = None

GAMMA = 0x9E3779B97F4A7C15


def stream_key(name):
    """FNV-1a, 64 bits."""
    key = 0xCBF29CE484222325
    for byte in name.encode():
        key = ((key ^ byte) * 0x100000001B3) % 2**64
    return key


def noise(name, count, scale=1.0, shift=0.0):
    """count numbers of the stream, rounded to float, as float64."""
    z = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(GAMMA)
    z += numpy.uint64(stream_key(name))
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    z ^= z >> numpy.uint64(31)
    h = (z >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-52 - 1.0
    return (h * scale + shift).astype(numpy.float32).astype(numpy.float64)


def tensor(name, shape, scale=1.0, shift=0.0):
    return torch.from_numpy(noise(name, math.prod(shape), scale, shift).reshape(shape))


def labels(name, count, classes):
    h = noise(name, count)
    return torch.from_numpy(((h + 1) / 2 * classes).astype(numpy.int64))


def fill_parameters(module, case):
    """Weights on +-sqrt(3/fan_in), biases and beta on +-0.1, gamma on 1 +- 0.1."""
    for index, (name, p) in enumerate(module.named_parameters()):
        scale, shift = 0.1, 0.0
        if p.dim() > 1:
            scale = math.sqrt(3.0 / (p.numel() // p.shape[0]))
        elif name.endswith("weight"):
            shift = 1.0
        with torch.no_grad():
            p.copy_(tensor(f"{case}/parameter/{index}", tuple(p.shape), scale, shift))


class Writer:
    """A file of named records: text, or numbers stored as float or double, little-endian.

    "MUSTGV1\\n", then per record: u32 length of the name, name, u32 kind (0 text, 1 f32, 2 f64),
    u64 count, the data.
    """

    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(b"MUSTGV1\n")

    def record(self, name, kind, count, data):
        raw = name.encode()
        self.file.write(struct.pack("<I", len(raw)) + raw + struct.pack("<IQ", kind, count) + data)

    def text(self, name, value):
        self.record(name, 0, len(value.encode()), value.encode())

    def numbers(self, name, values, exact=False):
        if torch is not None and isinstance(values, torch.Tensor):
            values = values.detach().numpy()
        values = numpy.asarray(values, dtype=numpy.float64).reshape(-1)
        data = values.astype("<f8" if exact else "<f4").tobytes()
        self.record(name, 2 if exact else 1, values.size, data)

    def close(self):
        self.file.close()
