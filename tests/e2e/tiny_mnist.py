"""tiny_mnist.py FOLDER - the four idx files of MNIST with 1000 and 200 random images, as torchvision lays them."""

import pathlib
import random
import struct
import sys

folder = pathlib.Path(sys.argv[1]) / "MNIST" / "raw"
folder.mkdir(parents=True)
numbers = random.Random(1)
for part, count in (("train", 1000), ("t10k", 200)):
    labels = bytes(i % 10 for i in range(count))
    images = b"".join(
        bytes(min(255, 25 * label + numbers.randrange(6)) for _ in range(784)) for label in labels
    )
    (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, count, 28, 28) + images)
    (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, count) + labels)
