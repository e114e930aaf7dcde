#!/usr/bin/env python3
"""Golden numbers for the bilinear resizing of data/batch.c, from PyTorch in float64.

    /usr/bin/python3 tests/golden/resize.py > tests/golden/resize.h

Both sides make the picture from the same formula (pixel, below; test_batch.c has it too). Of a large
output every STEP-th number is kept.
"""
import torch


def pixel(y, x, c):
    return (7 * y * y + 13 * x + 31 * c + 3 * y * x) % 256


def resized(height, width, channels, new_height, new_width):
    x = torch.tensor(
        [[[pixel(y, x, c) for x in range(width)] for y in range(height)] for c in range(channels)],
        dtype=torch.float64,
    )
    y = torch.nn.functional.interpolate(
        x[None] / 255, size=(new_height, new_width), mode="bilinear", align_corners=False, antialias=False
    )
    return y[0].permute(1, 2, 0).flatten().tolist()  # channel-last


CASES = [  # name, height, width, channels, new height, new width, step
    ("3x3_to_5x4", 3, 3, 1, 5, 4, 1),
    ("8x8x3_to_5x5", 8, 8, 3, 5, 5, 1),
    ("28x28_to_32x32", 28, 28, 1, 32, 32, 13),
    ("4x6x2_to_1x9", 4, 6, 2, 1, 9, 1),
]


def main():
    print("/* resize.h - made by resize.py with PyTorch " + torch.__version__.split("+")[0] + "; do not edit. */")
    print("/* clang-format off */")
    for name, h, w, c, nh, nw, step in CASES:
        numbers = resized(h, w, c, nh, nw)[::step]
        print(f"static const double resize_{name}[{len(numbers)}] = {{")
        for i in range(0, len(numbers), 6):
            print("    " + " ".join(f"{v:.12f}," for v in numbers[i : i + 6]))
        print("};")
    print("/* clang-format on */")


main()
