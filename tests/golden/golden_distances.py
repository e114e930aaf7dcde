#!/usr/bin/python3
"""golden_distances.py - distance transforms and signed distance fields, by SciPy.

Needs NumPy and SciPy only (Debian's python3-scipy), and runs alone.

    python3 tests/golden/golden_distances.py
"""

import os

import numpy
from scipy import ndimage

import formula

# name, width, height, share of marked pixels
CASES = [
    ("few", 61, 47, 0.002),
    ("some", 40, 33, 0.05),
    ("half", 25, 31, 0.5),
    ("row", 83, 1, 0.04),
    ("column", 1, 83, 0.04),
    ("most", 17, 17, 0.98),
]


def marks(name, width, height, share):
    """A pixel is marked when its noise, on [-1, 1), is below 2 share - 1; the first one always is."""
    found = formula.noise(f"distances/{name}", width * height) < 2 * share - 1
    found[0] = True
    return found.reshape(height, width)


def edges(wall):
    """Wall pixels with a free pixel at a side; outside the picture there is wall."""
    around = numpy.pad(wall, 1, constant_values=True)
    inner = around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]
    return wall & ~inner


def write_distances(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case[0] for case in CASES))
    for name, width, height, share in CASES:
        wall = marks(name, width, height, share)
        distance = ndimage.distance_transform_edt(~wall)
        field = ndimage.distance_transform_edt(~edges(wall))
        out.numbers(f"{name}/size", [width, height, share], exact=True)
        out.numbers(f"{name}/distances", distance, exact=True)
        out.numbers(f"{name}/signed", numpy.where(wall, -field, field), exact=True)
        print(f"  {name}: {wall.sum()} marked, farthest {distance.max():.6g}")
    out.close()


if __name__ == "__main__":
    write_distances(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors", "distances.bin"))
