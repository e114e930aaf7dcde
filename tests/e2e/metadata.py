#!/usr/bin/env python3
"""metadata.py FILE KEY [VALUE] - changes or removes a text of a safetensors file's metadata.

The checksums of Muster are removed with it: a file of another program has none.
"""
import json
import struct
import sys

path, key = sys.argv[1:3]
with open(path, "rb") as file:
    (length,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(length))
    data = file.read()
texts = header["__metadata__"]
for name in "format", "crc32c", "header_crc32c", key:
    texts.pop(name, None)
if len(sys.argv) > 3:
    texts[key] = sys.argv[3]
encoded = json.dumps(header).encode()
encoded += b" " * (-len(encoded) % 8)
with open(path, "wb") as file:
    file.write(struct.pack("<Q", len(encoded)) + encoded + data)
