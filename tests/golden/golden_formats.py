#!/usr/bin/env python3
"""golden_formats.py - small files of other programs, each with what it holds as text (FILE.txt).

Every interpreter writes the files that it can, with names that say what wrote them:

    python3 tests/golden/golden_formats.py                           # pickles, .npy, .npz, .csv
    PYTHONPATH=... python2.7 tests/golden/golden_formats.py          # pickles of Python 2

The committed files were made by Python 2.7 with NumPy 1.16, Python 3.11 with NumPy 1.24 and with
2.4, the latter with PyTorch 2.13. Files of PyTorch are written where it can be imported.
"""

from __future__ import print_function

import binascii
import collections
import csv
import io
import os
import pickle
import struct
import sys
import zipfile

import numpy

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors", "formats")
IS_PYTHON2 = sys.version_info[0] == 2
TEXT, INTEGERS = (type(u""), (int, long)) if IS_PYTHON2 else (str, int)  # noqa: F821
KINDS = ["b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


# --- what a file holds, as text; tests/golden/format_dump.h writes the same ---


def hexadecimal(data):
    return binascii.hexlify(bytes(data)).decode()


def integer(value):
    if -(2**63) <= value < 2**63:
        return "%d" % value
    digits = []
    while value not in (0, -1) or not digits or (digits[-1] >= 128) != (value == -1):
        digits.append(value & 255)
        value >>= 8
    return "long " + "".join("%02x" % d for d in digits)


def number(value):
    """What is printed of a float: the digits that restore it, the same by C's printf."""
    return "%.17g" % value


def shape_text(dims):
    return "(" + "".join("%d, " % d for d in dims) + ")"


def array(a):
    values = a.flatten(order="C")
    if a.dtype.kind == "f":
        items = ["%.9g" % float(numpy.float32(v)) for v in values]
    else:
        items = ["%d" % v for v in values]
    return "array %s%d %s [%s]" % (a.dtype.kind, a.dtype.itemsize, shape_text(a.shape), " ".join(items))


def dump(v):
    if isinstance(v, numpy.ndarray):
        return array(v)
    if isinstance(v, (numpy.bool_, numpy.number)):
        v = v.item()
    if v is None or isinstance(v, bool):
        return str(v)
    if isinstance(v, INTEGERS):
        return integer(v)
    if isinstance(v, float):
        return "float " + number(v)
    if isinstance(v, (bytes, bytearray)):
        return "bytes " + hexadecimal(v)
    if isinstance(v, TEXT):
        return "text " + hexadecimal(v.encode("utf-8"))
    if isinstance(v, dict):
        return "{" + "".join("%s: %s\n" % (dump(k), dump(w)) for k, w in v.items()) + "}"
    return ("[%s]" if isinstance(v, list) else "(%s)") % "".join(dump(w) + ", " for w in v)


def write(name, data, text):
    with open(os.path.join(FOLDER, name), "wb") as out:
        out.write(data)
    with open(os.path.join(FOLDER, name + ".txt"), "wb") as out:
        out.write((text + "\n").encode())


# --- pickles ---


def some_arrays():
    found = collections.OrderedDict()
    for kind in KINDS:
        for order in "<>":
            a = numpy.arange(-3, 3).astype(numpy.dtype(order + kind)).reshape(2, 3)
            if kind == "u8":
                a[0] = [0, 2**63 - 1, 5]
            found[order + kind] = a
    found["fortran"] = numpy.asfortranarray(numpy.arange(24, dtype="<i2").reshape(2, 3, 4))
    found["transposed"] = numpy.arange(24, dtype="<u2").reshape(2, 3, 4).transpose(2, 0, 1)
    found["empty"] = numpy.zeros((0, 4), "<f4")
    found["one"] = numpy.array(2.5)
    found["inf"] = numpy.array([numpy.inf, -numpy.inf, 6.1e-5, 6e-8, 65504], "<f2")
    return found


def some_values(protocol):
    v = collections.OrderedDict()
    v["none"] = None
    v["flags"] = [True, False]
    v["ints"] = [0, 1, 255, 256, 65535, 65536, -1, -(2**31), 2**31, 2**40, -(2**63), 2**63 - 1]
    v["floats"] = [0.0, -1.5, 1e-300, 0.1, float("inf")]
    v["bytes"] = [b"", b"a'\"\\\n\r\t\x00\x80\xff", bytes(bytearray(range(256)))]
    v[u"text"] = [u"", u"a'\"\\\n\r\t\0 \u00e4\u00ff\u0394\u6f22 \\u0041"]
    v["tuples"] = [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]
    v["lists"] = [[], [1], [[2, 3], {}], {"a": 1, "b": {b"c": (4,)}}]
    v["labels"] = [7 * i % 10 for i in range(1100)]  # more than one batch of APPENDS
    v["again"] = v["flags"]
    v["scalars"] = [numpy.float32(0.1), numpy.float64(-2), numpy.int64(-5), numpy.uint8(200), numpy.bool_(True)]
    if protocol >= 2:
        v["longs"] = [2**63, -(2**63) - 1, 2**64, 2**2100]
    if protocol >= 5:
        v["bytearray"] = bytearray(b"abc\xff")
    v["arrays"] = some_arrays()
    return v


def write_pickles():
    prefix = "python%d_numpy%s" % (sys.version_info[0], numpy.__version__.split(".")[0])
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        v = some_values(protocol)
        write("%s_protocol%d.pkl" % (prefix, protocol), pickle.dumps(v, protocol), dump(v))
    # What data sets are like: CIFAR and ImageNet32.
    for protocol in (2, 4) if not IS_PYTHON2 else (2,):
        v = {"data": (numpy.arange(48) * 5 % 251).astype("u1").reshape(4, 12), "labels": [1, 1000, 3, 4]}
        v["mean"] = numpy.arange(12) / 8.0
        write("%s_images%d.pkl" % (prefix, protocol), pickle.dumps(v, protocol), dump(v))


def write_python2_by_hand():
    """As Python 2 writes them, opcode by opcode."""
    data = bytes(bytearray(range(250, 256)))
    dtype = b"cnumpy\ndtype\n(U\x02u1K\x00K\x01tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    rebuilt = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR"
    image = rebuilt + b"(K\x01(K\x02K\x03t" + dtype + b"\x89T" + struct.pack("<i", len(data)) + data + b"tb"
    binary = b"\x80\x02}q\x01(U\x04dataq\x02" + image + b"U\x06labelsq\x03]q\x04(K\x06K\x09eu."
    lines = b"(dp1\nS'data'\np2\nS'\\x00\\'\\n'\np3\nsS'labels'\np4\n(lp5\nI6\naI9\nasS'n'\nL12L\ns."
    pixels = numpy.frombuffer(data, "u1").reshape(2, 3)
    held = collections.OrderedDict([(b"data", pixels), (b"labels", [6, 9])])
    write("by_hand_binary.pkl", binary, dump(held))
    held = collections.OrderedDict([(b"data", b"\0'\n"), (b"labels", [6, 9]), (b"n", 12)])
    write("by_hand_lines.pkl", lines, dump(held))


# --- .npy and .npz ---


def npy_bytes(a, version=None):
    out = io.BytesIO()
    numpy.lib.format.write_array(out, a, version=version, allow_pickle=False)
    return out.getvalue()


def write_npy():
    for name, a in some_arrays().items():
        name = name.replace("<", "little_").replace(">", "big_")
        write("%s.npy" % name, npy_bytes(a), array(a))
    for version in ((1, 0), (2, 0), (3, 0)):
        a = numpy.arange(6, dtype="<f4").reshape(3, 2).T
        write("version%d.npy" % version[0], npy_bytes(a, version), array(a))


def npz_text(arrays):
    return "\n".join("%s: %s" % (name, array(a)) for name, a in arrays.items())


def write_npz():
    arrays = some_arrays()
    arrays = {n.replace("<", "l").replace(">", "b"): arrays[n] for n in ("<f4", ">i2", "fortran", "empty", "one")}
    arrays["long"] = numpy.arange(3000) % 7
    out = io.BytesIO()
    numpy.savez(out, **{n: a for n, a in arrays.items() if n != "long"})
    write("stored.npz", out.getvalue(), npz_text({n: a for n, a in arrays.items() if n != "long"}))
    out = io.BytesIO()
    numpy.savez_compressed(out, **arrays)
    write("deflated.npz", out.getvalue(), npz_text(arrays))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.comment = b"a comment PK\5\6 with a signature"
        for name in ("lf4", "bi2"):
            with z.open(name + ".npy", "w", force_zip64=True) as member:
                member.write(npy_bytes(arrays[name]))
    write("zip64.npz", out.getvalue(), npz_text({n: arrays[n] for n in ("lf4", "bi2")}))


# --- .csv ---

TABLES = {
    "plain": ",".join("abc") + "\n1,2,3\n-4.5,1e3,.5\n",
    "crlf": "x;y\r\n1;2\r\n\r\n3;4",
    "tab": "1\t2\n3\t4\n",
    "quotes": 'name,"a ""b"", c"\n"two\nlines",5\n"",6\nfive"six,7\n',
    "bom": "\ufeffx,y\n1,2\n",
    "old_mac": "x,y\r1,2\r",
    "spaces": "x, y\n 1 , 2\n",
    "one_column": "7\n8\n\n9\n",
    "empty": "",
    "unicode": "\u00e4,\u6f22\n1,2\n",
}


def write_csv():
    for name, text in TABLES.items():
        plain = text.lstrip("\ufeff")
        separator = next((s for s in ",;\t" if s in plain.split("\n")[0]), ",")
        rows = [row for row in csv.reader(io.StringIO(plain, newline=""), delimiter=separator) if row]
        cells = ["".join("%s|" % hexadecimal(c.encode()) for c in row) for row in rows]
        write("%s.csv" % name, text.encode(), "\n".join(cells))


# --- PyTorch ---


def tensor_text(t, key):
    kinds = {"float32": "f4", "float64": "f8", "float16": "f2", "bfloat16": "bf16", "int64": "i8", "bool": "b1"}
    return "tensor %s %s %d %s %s of %d" % (
        kinds[str(t.dtype).split(".")[1]],
        key,
        t.storage_offset(),
        shape_text(t.shape),
        shape_text(t.stride()),
        t.untyped_storage().nbytes() // t.element_size(),
    )


def write_torch():
    try:
        import torch
    except ImportError:
        return
    base = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    state = collections.OrderedDict([("weight", base), ("part", base[1:, 1:3].t()), ("bias", torch.ones(3).double())])
    state._metadata = {"": {"version": 1}}
    whole = {"state": state, "epoch": 7, "lr": 0.1, "size": torch.Size([2, 3]), "betas": (0.9, 0.999)}
    whole["parameter"] = torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16))
    whole["counts"] = torch.tensor([5, 6])
    whole["half"] = torch.ones((), dtype=torch.float16)
    keys = {"weight": 0, "part": 0, "bias": 1, "parameter": 2, "counts": 3, "half": 4}

    def text(v, name=""):
        if isinstance(v, torch.Tensor):
            return tensor_text(v, keys[name])
        if isinstance(v, dict):
            return "{" + "".join("%s: %s\n" % (dump(k), text(w, k)) for k, w in v.items()) + "}"
        return dump(tuple(v) if isinstance(v, torch.Size) else v)

    out = io.BytesIO()
    torch.save(whole, out)
    with zipfile.ZipFile(out) as z:
        data = [n for n in z.namelist() if n.endswith("data.pkl")][0]
        write("torch_data.pkl", z.read(data), text(whole))
    values = "weight: " + " ".join("%.9g" % v for v in base.flatten().tolist())
    write("torch.pt", out.getvalue(), values)


def main():
    if not os.path.isdir(FOLDER):
        os.makedirs(FOLDER)
    write_pickles()
    if IS_PYTHON2:
        return
    write_python2_by_hand()
    write_npy()
    write_npz()
    write_csv()
    write_torch()


if __name__ == "__main__":
    main()
