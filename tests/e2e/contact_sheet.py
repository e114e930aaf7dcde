"""contact_sheet.py PNG IMAGES LABELS CHANNELS SIDE [SAMPLE...] - whether a picture of `muster data show --png` has these samples.

IMAGES are bytes of samples, row by row, the channels of a pixel together; LABELS is a byte for each. Every pixel of an
image must be a square of the picture, in cells from the left to the right, with the same letters below images of the
same class, and others below those of another.
"""

import pathlib
import struct
import sys
import zlib


def paeth(a, b, c):
    nearest = min((abs(b - c), 0), (abs(a - c), 1), (abs(a + b - 2 * c), 2))[1]
    return (a, b, c)[nearest]


def read_png(path):
    """Rows of bytes, and the bytes of a pixel."""
    data = pathlib.Path(path).read_bytes()
    at, packed = 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", content[:10])
        packed += content if name == b"IDAT" else b""
        at += 12 + length
    assert depth == 8, depth
    step = {0: 1, 2: 3}[colour]
    raw, rows, above = zlib.decompress(packed), [], bytes(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        kind, line = raw[start], bytearray(raw[start + 1 : start + 1 + width * step])
        for x, value in enumerate(line):
            left, corner = (line[x - step], above[x - step]) if x >= step else (0, 0)
            guess = (0, left, above[x], (left + above[x]) // 2, paeth(left, above[x], corner))[kind]
            line[x] = (value + guess) % 256
        rows.append(bytes(line))
        above = rows[-1]
    return rows, step


path, images, labels, channels, side, *samples = sys.argv[1:]
images, labels = pathlib.Path(images).read_bytes(), pathlib.Path(labels).read_bytes()
channels, side, samples = int(channels), int(side), [int(s) for s in samples]
rows, step = read_png(path)
assert step == channels, step
scale = -(-84 // side)
across = next(n for n in range(1, 100) if n * n >= len(samples))
names = {}
for i, sample in enumerate(samples):
    left, top = 8 + i % across * (side * scale + 8), 8 + i // across * (side * scale + 18)
    image = images[sample * side * side * channels :]
    for y in range(side * scale):
        line = rows[top + y][left * step : (left + side * scale) * step]
        for x in range(side * scale):
            pixel = ((y // scale) * side + x // scale) * channels
            assert line[x * step : (x + 1) * step] == image[pixel : pixel + channels], (i, x, y)
    name = tuple(row[left * step : (left + side * scale) * step] for row in rows[top + side * scale + 3 :][:7])
    assert names.setdefault(labels[sample], name) == name, f"sample {i} has another name"
assert len(set(names.values())) == len(names), "two classes have one name"
assert all(0 in b"".join(name) for name in names.values()), "a name is empty"
down = -(-len(samples) // across)
assert (len(rows), len(rows[0]) // step) == (8 + down * (side * scale + 18), 8 + across * (side * scale + 8))
