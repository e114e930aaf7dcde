"""Writes a small ImageNet32: small_imagenet.py DIR [FIRST CLASSES]

Four training files of 40 images and one validation file, in the form of the published ones. A class has a colour of its
own. With a number of first classes, writes DIR/count instead: a line "CLASS TRAIN TEST" for each of them that has
images, counted by NumPy from the pickles, and DIR/images, DIR/labels: the training images of these classes as bytes,
row by row.
"""
import pickle
import sys
from pathlib import Path

import numpy as np

LABELS = np.array([1, 2, 3, 7, 499, 500, 501, 502, 1000])
root = Path(sys.argv[1])
train, val = root / "Imagenet32_train", root / "Imagenet32_val"
draw = np.random.default_rng(5)


def write(path, count, protocol, has_mean):
    labels = draw.choice(LABELS, count)
    colours = np.stack([labels * 67 % 256, labels * 31 % 256, labels * 151 % 256], 1)
    images = np.clip(colours[:, :, None] + draw.normal(0, 12, (count, 3, 1024)), 0, 255).astype(np.uint8)
    content = {"data": images.reshape(count, 3072), "labels": [int(k) for k in labels]}
    if has_mean:
        content["mean"] = content["data"].mean(0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol))


def read(files):
    parts = [pickle.loads(f.read_bytes()) for f in files]
    return np.concatenate([p["data"] for p in parts]), np.concatenate([p["labels"] for p in parts])


if len(sys.argv) == 2:
    for k in range(1, 5):
        write(train / f"train_data_batch_{k}", 40, 4 if k % 2 else 2, True)
    write(val / "val_data", 30, 3, False)
else:
    first = int(sys.argv[2])
    images, labels = read([train / f"train_data_batch_{k}" for k in range(1, 5)])
    _, tests = read([val / "val_data"])
    lines = [(k - 1, (labels == k).sum(), (tests == k).sum()) for k in range(1, first + 1)]
    (root / "count").write_text("".join(f"{k} {a} {b}\n" for k, a, b in lines if a + b > 0))
    kept = images[labels <= first].reshape(-1, 3, 1024).transpose(0, 2, 1)
    (root / "images").write_bytes(np.ascontiguousarray(kept).tobytes())
    (root / "labels").write_bytes(bytes(int(k) % 256 for k in labels[labels <= first]))
