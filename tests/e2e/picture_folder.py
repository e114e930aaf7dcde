"""Writes a folder of pictures: picture_folder.py DIR [LAYOUT]

Three classes (dark, light, stripes) of PNG files of different sizes, and one JPEG file. LAYOUT is split (train/CLASS,
val/CLASS), one (CLASS alone), tiny (Tiny ImageNet's), or each:N (N classes with one picture in train and one in val).
"""
import random
import struct
import sys
import zlib
from pathlib import Path

CLASSES = ["dark", "light", "stripes"]
draw = random.Random(7)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, pixel):
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in pixel(x, y)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def picture(label):
    width, height = draw.randrange(24, 48), draw.randrange(24, 48)

    def pixel(x, _y):
        base = [40, 200, 220 if x // 4 % 2 else 20][label]
        return [min(255, max(0, base + draw.randrange(-20, 21))) for _ in range(3)]

    return png(width, height, pixel)


def write(folder, label, count):
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        (folder / f"{i:02d}.{'PNG' if i % 2 else 'png'}").write_bytes(picture(label))


root = Path(sys.argv[1])
layout = sys.argv[2] if len(sys.argv) > 2 else "split"
lines = []
if layout.startswith("each:"):
    for number in range(int(layout[5:])):
        for part in "train", "val":
            write(root / part / f"{number:04d}", number % 3, 1)
    sys.exit()
for label, name in enumerate(CLASSES):
    if layout == "split":
        write(root / "train" / name, label, 20)
        write(root / "val" / name, label, 6)
    elif layout == "one":
        write(root / name, label, 20)
    else:
        write(root / "train" / name / "images", label, 20)
        (root / "val" / "images").mkdir(parents=True, exist_ok=True)
        for i in range(6):
            file = f"val_{label}_{i}.png"
            (root / "val" / "images" / file).write_bytes(picture(label))
            lines.append(f"{file}\t{name}\t0\t0\t9\t9\n")
if lines:
    (root / "val" / "val_annotations.txt").write_text("".join(lines))
