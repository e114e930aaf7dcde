#!/usr/bin/env python3
"""Edits a safetensors file, and makes its checksums right again.

    forge.py FILE EDIT...
        del:NAME               removes a tensor
        set:NAME:INDEX:VALUE   sets a value of a tensor
        add:NAME:INDEX:VALUE   adds to a float: the INDEX-th of the tensor's bytes, read as floats
        text:KEY[=VALUE]       removes or sets a text of the metadata
        strip                  leaves format and checksums out, as other programs do
"""
import json
import struct
import sys

CODES = {"F32": "f", "F64": "d", "I64": "q"}
MARKS = "format", "crc32c", "header_crc32c"
TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def load(path):
    """Texts, and tensors as name: [entry of the header, bytes]."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    texts = header.pop("__metadata__")
    items = sorted(header.items(), key=lambda item: item[1]["data_offsets"])
    return texts, {name: [entry, bytearray(data[slice(*entry["data_offsets"])])] for name, entry in items}


def header_of(texts, tensors):
    header, offset = {"__metadata__": texts}, 0
    for name, (entry, data) in tensors.items():
        header[name] = dict(entry, data_offsets=[offset, offset + len(data)])
        offset += len(data)
    encoded = json.dumps(header).encode()
    return encoded + b" " * (-len(encoded) % 8)


def save(path, texts, tensors):
    data = b"".join(item[1] for item in tensors.values())
    if "format" in texts:
        texts["crc32c"] = "%08x" % crc32c(data)
        texts["header_crc32c"] = "00000000"
        texts["header_crc32c"] = "%08x" % crc32c(header_of(texts, tensors))
    encoded = header_of(texts, tensors)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(encoded)) + encoded + data)


def put(tensors, name, index, value, code=None, adds=False):
    entry, data = tensors[name]
    code = code or CODES[entry["dtype"]]
    size = struct.calcsize(code)
    place = (int(index) % (len(data) // size)) * size
    number = int(value) if code == "q" else float(value)
    (before,) = struct.unpack_from("<" + code, data, place)
    struct.pack_into("<" + code, data, place, number + before if adds else number)


def main(path, edits):
    texts, tensors = load(path)
    for edit in edits:
        kind, *rest = edit.split(":")
        if kind == "del":
            del tensors[rest[0]]
        elif kind == "set":
            put(tensors, *rest)
        elif kind == "add":
            put(tensors, *rest, code="f", adds=True)
        elif kind == "text":
            key, found, value = rest[0].partition("=")
            texts.pop(key, None)
            if found:
                texts[key] = value
        elif kind == "strip":
            for mark in MARKS:
                texts.pop(mark, None)
        else:
            sys.exit(f"unknown edit {edit}")
    save(path, texts, tensors)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
