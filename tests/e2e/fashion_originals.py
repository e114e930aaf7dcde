"""fashion_originals.py FOLDER - the four files of Fashion-MNIST as they are downloaded.

Debian's package has the same compressed bytes after gzip headers without a name and a date. The dates
below give the published SHA-256.
"""

import pathlib
import struct
import sys

DEBIAN = pathlib.Path("/usr/share/datasets/fashion-mnist")
DATES = {
    "train-images-idx3-ubyte": 1504176606,
    "train-labels-idx1-ubyte": 1504176606,
    "t10k-images-idx3-ubyte": 1504176627,
    "t10k-labels-idx1-ubyte": 1504176627,
}

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, date in DATES.items():
    header = struct.pack("<BBBBIBB", 0x1F, 0x8B, 8, 8, date, 0, 3) + name.encode() + b"\0"
    (folder / f"{name}.gz").write_bytes(header + (DEBIAN / f"{name}.gz").read_bytes()[10:])
