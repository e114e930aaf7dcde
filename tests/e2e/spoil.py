"""Changes one number that a worker keeps in a checkpoint, and makes the checksums right again.

    spoil.py CHECKPOINT WORKER    the last but some float of what that worker alone has gets 1 more
"""
import json
import struct
import sys

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


def main(path, worker):
    content = open(path, "rb").read()
    length = struct.unpack("<Q", content[:8])[0]
    text, data = content[8:8 + length], bytearray(content[8 + length:])
    header = json.loads(text)
    end = header[f"worker.{worker}"]["data_offsets"][1]
    place = end - 8 * 4
    (value,) = struct.unpack_from("<f", data, place)
    struct.pack_into("<f", data, place, value + 1)
    marks = header["__metadata__"]
    zeros = b"0" * 8
    text = text.replace(marks["crc32c"].encode(), b"%08x" % crc32c(data))
    at = text.index(b"header_crc32c") + len(b"header_crc32c")
    at = text.index(marks["header_crc32c"].encode(), at)
    blank = text[:at] + zeros + text[at + 8:]
    text = blank[:at] + b"%08x" % crc32c(blank) + blank[at + 8:]
    open(path, "wb").write(content[:8] + text + data)


main(sys.argv[1], int(sys.argv[2]))
