#!/usr/bin/env python3
"""Compares the tensors of two safetensors files.

    weights.py A B      prints the largest relative difference: per tensor, the largest difference of two
                        elements over the largest element; ends with 1 when names or shapes differ
"""
import array
import json
import struct
import sys

CODES = {"F32": "f", "F64": "d", "I64": "q"}


def load(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, item in header.items():
        begin, end = item["data_offsets"]
        tensors[name] = (item["shape"], array.array(CODES[item["dtype"]], data[begin:end]))
    return tensors


def difference(a, b):
    largest = max((abs(x) for x in a), default=0)
    apart = max((abs(x - y) for x, y in zip(a, b)), default=0)
    return 0.0 if apart == 0 else apart / largest if largest > 0 else float("inf")


def main(first, second):
    a, b = load(first), load(second)
    if {n: t[0] for n, t in a.items()} != {n: t[0] for n, t in b.items()}:
        sys.exit(f"{first} and {second} have different tensors")
    worst = max(a, key=lambda name: difference(a[name][1], b[name][1]))
    print(f"{difference(a[worst][1], b[worst][1]):.3g} {worst}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
