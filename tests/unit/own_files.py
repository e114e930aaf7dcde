#!/usr/bin/env python3
"""Writes files of data sets by NumPy and CPython, to judge the readers of src/data.

    own_files.py npz|cifar|imagenet FOLDER

Element i of an array of inputs, in the order in which a data set has it (channels last), is (7 i) % 251.
"""

import pickle
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


def write_pickle(path, content, protocol=2):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol))


def planes(count, side, dtype=np.uint8):
    """Images of `inputs`, as rows of planes."""
    return np.ascontiguousarray(inputs((count, side, side, 3), dtype).transpose(0, 3, 1, 2)).reshape(count, -1)


def write_cifar(folder):
    """The keys are bytes, as those of Python 2 are when Python 3 reads them, or text."""
    ten, hundred = folder / "cifar-10-batches-py", folder / "cifar-100-python"
    for k in 1, 2:
        write_pickle(ten / f"data_batch_{k}", {b"data": planes(4, 32), b"labels": [9, k, 2, 3], b"batch_label": b"x"})
    write_pickle(ten / "test_batch", {"data": planes(2, 32), "labels": [5, 6]}, 4)
    fine = {b"fine_labels": [99, 1, 2], b"coarse_labels": [19, 1, 2]}
    write_pickle(hundred / "train", {b"data": planes(3, 32), **fine}, 3)
    write_pickle(hundred / "test", {b"data": np.asfortranarray(planes(3, 32)), **fine})
    wrong = folder / "wrong"
    for name, content in {
        "labels": {b"data": planes(2, 32), b"labels": [1, 10]},
        "counts": {b"data": planes(2, 32), b"labels": [1]},
        "nothing": {b"data": planes(2, 32)},
        "small": {b"data": planes(2, 16), b"labels": [1, 2]},
        "type": {b"data": planes(2, 32, np.float32), b"labels": [1, 2]},
    }.items():
        write_pickle(wrong / name / "data_batch_1", content)
        write_pickle(wrong / name / "test_batch", content)


def write_imagenet(folder):
    """Files 1 and 2 of training have 5 images each; the bytes of file 2 are text in the pickle, those of 1 are not."""
    for side in 32, 64:
        train, val = folder / f"Imagenet{side}_train", folder / f"Imagenet{side}_val"
        mean = np.arange(3 * side * side) / 16  # in planes
        labels = [1, 1000, 2, 3, 2]
        write_pickle(train / "train_data_batch_1", {"data": planes(5, side), "labels": labels, "mean": mean}, 4)
        write_pickle(train / "train_data_batch_2", {"data": planes(5, side), "labels": labels, "mean": mean + 1}, 2)
        write_pickle(val / "val_data", {"data": planes(3, side), "labels": [2, 3, 1]}, 3)
    (folder / "Imagenet32_train" / "map_clsloc.txt").write_text("n02119789 1 kit_fox\nn02100735 2 English_setter\n")
    write_pickle(folder / "wrong" / "train_data_batch_1", {"data": planes(1, 32), "labels": [0]})


if __name__ == "__main__":
    {"npz": write_npz, "cifar": write_cifar, "imagenet": write_imagenet}[sys.argv[1]](Path(sys.argv[2]))
