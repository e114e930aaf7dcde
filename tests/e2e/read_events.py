"""read_events.py - reads TensorBoard's event files with nothing but Python's standard library.

    read_events.py FOLDER    all values of the event files of a run, as JSON lines

A reader of its own, so that what Muster writes is judged by the format and not by Muster's code:
records of length, masked CRC-32C and protobuf bytes. Any checksum that is wrong is an error.
"""

import base64
import glob
import json
import os
import struct
import sys
import zlib


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def masked_crc(data):
    """CRC-32C, rotated and shifted as TensorFlow does."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """The bytes of each record."""
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        (crc,) = struct.unpack_from("<I", data, at + 8)
        assert crc == masked_crc(data[at:at + 8]), f"offset {at}: wrong checksum of the length"
        body = data[at + 12:at + 12 + length]
        (crc,) = struct.unpack_from("<I", data, at + 12 + length)
        assert len(body) == length and crc == masked_crc(body), f"offset {at}: wrong checksum"
        yield body
        at += 16 + length


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """A protobuf message: its values by field number, in lists."""
    found, at = {}, 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = _varint(data, at)
        elif wire == 1:
            (value,), at = struct.unpack_from("<d", data, at), at + 8
        elif wire == 5:
            (value,), at = struct.unpack_from("<f", data, at), at + 4
        else:
            assert wire == 2, f"wire type {wire}"
            length, at = _varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "a message is cut short"
        found.setdefault(key >> 3, []).append(value)
    return found


def _doubles(data):
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def png_pixels(data):
    """Width, height, channels and the bytes of an 8-bit PNG without interlacing."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, head = 8, b"", None
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = head
    channels = {0: 1, 2: 3, 6: 4}[colour]
    assert depth == 8 and interlaced == 0
    return width, height, channels, _unfilter(zlib.decompress(packed), width * channels, height, channels)


def _paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def _unfilter(raw, row, height, step):
    pixels, above = bytearray(), bytearray(row)
    for y in range(height):
        kind, line = raw[y * (row + 1)], bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for x in range(row):
            left = line[x - step] if x >= step else 0
            corner = above[x - step] if x >= step else 0
            line[x] = line[x] + [0, left, above[x], (left + above[x]) // 2,
                                 _paeth(left, above[x], corner)][kind] & 0xFF
        pixels += line
        above = line
    return bytes(pixels)


def _setting(value):
    found = fields(value)
    if 2 in found:
        return found[2][0]
    return found[3][0].decode() if 3 in found else bool(found[4][0])


def _hparams(content):
    found = fields(content)
    assert found[1] == [0]
    if 2 in found:
        experiment = fields(found[2][0])
        return {"columns": [fields(i)[1][0].decode() for i in experiment[4]],
                "metrics": [fields(fields(i)[1][0])[2][0].decode() for i in experiment[5]]}
    if 3 in found:
        start = fields(found[3][0])
        entries = [fields(e) for e in start[1]]
        return {"start": {e[1][0].decode(): _setting(e[2][0]) for e in entries}}
    return {"status": fields(found[4][0])[1][0]}


def _value(value):
    """A summary's value as a map: kind, tag, and what there is."""
    out = {"tag": value[1][0].decode()}
    plugin = fields(fields(value[9][0])[1][0]) if 9 in value else {}
    name = plugin[1][0].decode() if plugin else None
    if 2 in value:
        return {**out, "kind": "scalar", "value": value[2][0]}
    if 4 in value:
        image = fields(value[4][0])
        png = image[4][0]
        width, height, channels, _ = png_pixels(png)
        assert [width, height, channels] == [image[2][0], image[1][0], image[3][0]]
        return {**out, "kind": "image", "width": width, "height": height, "channels": channels,
                "png": base64.b64encode(png).decode()}
    if 5 in value:
        h = fields(value[5][0])
        return {**out, "kind": "histogram", "min": h[1][0], "max": h[2][0], "count": h[3][0],
                "sum": h[4][0], "sum_squares": h[5][0], "limits": _doubles(h[6][0]),
                "counts": _doubles(h[7][0])}
    if name == "text":
        return {**out, "kind": "text", "text": fields(value[8][0])[8][0].decode()}
    assert name == "hparams", name
    return {**out, "kind": "hparams", **_hparams(plugin[2][0])}


def read_file(path):
    """All values of an event file, in order, each with its step."""
    with open(path, "rb") as file:
        events = [fields(r) for r in records(file.read())]
    assert events[0][3] == [b"brain.Event:2"], "the first record is not the version"
    values = []
    for event in events[1:]:
        for value in fields(event[5][0])[1]:
            values.append({"step": event.get(2, [0])[0], **_value(fields(value))})
    return values


def read_run(folder):
    """All values of all event files of a run, the oldest file first."""
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), "events.out.tfevents.*")),
                   key=lambda p: (os.stat(p).st_mtime_ns, p))
    assert paths, f"{folder} has no event file"
    return [value for path in paths for value in read_file(path)]


if __name__ == "__main__":
    for one in read_run(sys.argv[1]):
        print(json.dumps(one))
