#!/usr/bin/env python3
"""Writes files of data sets by NumPy and CPython, to judge the readers of src/data.

    own_files.py npz FOLDER

Element i of an array of inputs, in the order in which a data set has it (channels last), is (7 i) % 251.
"""

import sys
from pathlib import Path

import numpy as np


def inputs(shape, dtype=np.uint8):
    return (np.arange(np.prod(shape)) * 7 % 251).astype(dtype).reshape(shape)


def write_npz(folder):
    labels = np.arange(12) % 3
    grey = inputs((12, 4, 5))
    np.savez(folder / "keras.npz", x_train=grey, y_train=labels.astype(np.uint8), x_test=grey[:2], y_test=labels[:2])
    colour = inputs((12, 4, 5, 3))
    np.savez_compressed(folder / "first.npz", X=np.ascontiguousarray(colour.transpose(0, 3, 1, 2)), y=labels[:, None] * 10)
    np.savez(folder / "last.npz", images=np.asfortranarray(colour), labels=labels.astype(">i4") - 7)
    table = inputs((12, 40), np.float64) / 4
    np.savez(folder / "table.npz", a=table, b=table[:, :2].astype(np.float32), c=table[:3], d=table[:3, :2])
    np.save(folder / "inputs.npy", table.astype(np.float16))
    np.save(folder / "labels.npy", labels.astype(bool))
    np.savez(folder / "wrong.npz", few=labels[:5], same=labels * 0, cube=inputs((12, 1, 1, 1, 2)), nan=table * np.nan,
             other=labels + 1, table=table, labels=labels, pairs=np.stack([labels, labels], 1))


if __name__ == "__main__":
    {"npz": write_npz}[sys.argv[1]](Path(sys.argv[2]))
