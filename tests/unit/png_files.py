#!/usr/bin/env python3
"""Writes and reads PNG files by their specification, with zlib and struct alone, to judge format/png.c.

    png_files.py write FOLDER      FOLDER/<kind>.png of every kind, and <kind>.raw: what must be read
    png_files.py read FILE RAW     what a PNG file of 8 bits holds

A .raw file is width, height and channels (little-endian, 32 bits each), then the pixels.
"""

import struct
import sys
import zlib
from pathlib import Path

SIGNATURE = b"\x89PNG\r\n\x1a\n"
WIDTH, HEIGHT = 13, 9
# Adam7: first column, first row, step of columns, step of rows of each pass.
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
PALETTE = [(255 - 10 * i, 3 * i, 7 * i) for i in range(16)]
ALPHA = [0, 80, 160]  # of the first colours; those after them are opaque


def chunk(name, data=b""):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def raw(channels, pixels):
    return struct.pack("<III", WIDTH, HEIGHT, channels) + bytes(v for p in pixels for v in p)


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def predicted(kind, a, b, c):
    return (0, a, b, (a + b) // 2, paeth(a, b, c))[kind]


# --- writing ---


def sample(x, y, channel, bits):
    return (x * 29 + y * 53 + channel * 71) * 257 % (1 << bits)


def packed(values, bits):
    if bits == 16:
        return struct.pack(f">{len(values)}H", *values)
    row = "".join(format(v, f"0{bits}b") for v in values)
    row += "0" * (-len(row) % 8)
    return bytes(int(row[i : i + 8], 2) for i in range(0, len(row), 8))


def filtered(rows, step):
    """One filter after the other: each of the five is used."""
    before = bytes(len(rows[0]))
    out = b""
    for y, row in enumerate(rows):
        kind = y % 5
        out += bytes([kind])
        for i, value in enumerate(row):
            a, c = (row[i - step], before[i - step]) if i >= step else (0, 0)
            out += bytes([(value - predicted(kind, a, before[i], c)) & 255])
        before = row
    return out


def image_rows(columns, lines, channels, bits):
    return [
        packed([sample(x, y, k, bits) for x in columns for k in range(channels)], bits) for y in lines
    ]


def image_data(channels, bits, interlaced):
    step = max(1, channels * bits // 8)
    if not interlaced:
        return filtered(image_rows(range(WIDTH), range(HEIGHT), channels, bits), step)
    out = b""
    for x, y, dx, dy in PASSES:
        columns, lines = range(x, WIDTH, dx), range(y, HEIGHT, dy)
        if columns and lines:
            out += filtered(image_rows(columns, lines, channels, bits), step)
    return out


def png(color, channels, bits, interlaced=False, before=b"", after=b""):
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, bits, color, 0, 0, int(interlaced))
    packed_data = zlib.compress(image_data(channels, bits, interlaced))
    half = len(packed_data) // 2
    return b"".join(
        (
            SIGNATURE,
            chunk(b"IHDR", header),
            before,
            chunk(b"IDAT", packed_data[:half]),
            chunk(b"IDAT", packed_data[half:]),
            after,
            chunk(b"IEND"),
        )
    )


def eight_bits(value, bits):
    return (value * 255 + (1 << bits) // 2 - 1) // ((1 << bits) - 1)


def pixels(channels, bits):
    return [
        tuple(eight_bits(sample(x, y, k, bits), bits) for k in range(channels))
        for y in range(HEIGHT)
        for x in range(WIDTH)
    ]


def colours(bits):
    return [PALETTE[sample(x, y, 0, bits)] for y in range(HEIGHT) for x in range(WIDTH)]


def colours_with_alpha():
    alpha = ALPHA + [255] * (len(PALETTE) - len(ALPHA))
    chosen = [sample(x, y, 0, 4) for y in range(HEIGHT) for x in range(WIDTH)]
    return [(*PALETTE[i], alpha[i]) for i in chosen]


def grey_as_rgba(pairs):
    return [(v, v, v, a) for v, a in pairs]


def kinds():
    """name, file, channels, pixels"""
    palette = chunk(b"PLTE", bytes(v for p in PALETTE for v in p))
    text = chunk(b"tEXt", b"Comment\0not for the pixels") + chunk(b"gAMA", struct.pack(">I", 100000))
    # A profile of this kind makes libpng complain; it does not concern the pixels.
    text += chunk(b"iCCP", b"nonsense\0\0" + zlib.compress(b"no profile"))
    yield "grey", png(0, 1, 8), 1, pixels(1, 8)
    yield "rgb", png(2, 3, 8), 3, pixels(3, 8)
    yield "rgba", png(6, 4, 8), 4, pixels(4, 8)
    yield "grey_1_bit", png(0, 1, 1), 1, pixels(1, 1)
    yield "grey_2_bits", png(0, 1, 2), 1, pixels(1, 2)
    yield "grey_4_bits", png(0, 1, 4), 1, pixels(1, 4)
    yield "grey_16_bits", png(0, 1, 16), 1, pixels(1, 16)
    yield "rgb_16_bits", png(2, 3, 16), 3, pixels(3, 16)
    yield "grey_alpha", png(4, 2, 8), 4, grey_as_rgba(pixels(2, 8))
    yield "palette", png(3, 1, 4, before=palette), 3, colours(4)
    yield "palette_alpha", png(3, 1, 4, before=palette + chunk(b"tRNS", bytes(ALPHA))), 4, colours_with_alpha()
    key = sample(3, 2, 0, 8)
    yield "grey_key", png(0, 1, 8, before=chunk(b"tRNS", struct.pack(">H", key))), 4, grey_as_rgba(
        [(v, 0 if v == key else 255) for (v,) in pixels(1, 8)]
    )
    yield "interlaced_grey", png(0, 1, 8, True), 1, pixels(1, 8)
    yield "interlaced_rgb", png(2, 3, 8, True), 3, pixels(3, 8)
    yield "other_chunks", png(2, 3, 8, before=text, after=chunk(b"tEXt", b"Title\0x")), 3, pixels(3, 8)


def write_all(folder):
    for name, file, channels, values in kinds():
        (folder / f"{name}.png").write_bytes(file)
        (folder / f"{name}.raw").write_bytes(raw(channels, values))


# --- reading ---


def chunks(file):
    assert file[:8] == SIGNATURE
    at = 8
    while at < len(file):
        (length,) = struct.unpack(">I", file[at : at + 4])
        name, data = file[at + 4 : at + 8], file[at + 8 : at + 8 + length]
        (crc,) = struct.unpack(">I", file[at + 8 + length : at + 12 + length])
        assert crc == zlib.crc32(name + data), name
        yield name, data
        at += 12 + length


def unfiltered(data, height, row_bytes, step):
    before, out = bytes(row_bytes), b""
    assert len(data) == height * (1 + row_bytes)
    for y in range(height):
        begin = y * (1 + row_bytes)
        kind, row = data[begin], bytearray(data[begin + 1 : begin + 1 + row_bytes])
        for i in range(row_bytes):
            a, c = (row[i - step], before[i - step]) if i >= step else (0, 0)
            row[i] = (row[i] + predicted(kind, a, before[i], c)) & 255
        before = bytes(row)
        out += before
    return out


def read(file):
    found = list(chunks(file))
    assert found[0][0] == b"IHDR" and found[-1] == (b"IEND", b"")
    width, height, bits, color, *rest = struct.unpack(">IIBBBBB", found[0][1])
    assert bits == 8 and rest == [0, 0, 0]
    channels = {0: 1, 2: 3, 6: 4}[color]
    data = zlib.decompress(b"".join(data for name, data in found if name == b"IDAT"))
    return struct.pack("<III", width, height, channels) + unfiltered(data, height, width * channels, channels)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write_all(Path(sys.argv[2]))
    else:
        Path(sys.argv[3]).write_bytes(read(Path(sys.argv[2]).read_bytes()))
