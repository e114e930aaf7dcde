"""golden_data.py - images of bytes, resized bilinearly and normalised."""

import torch
from torch.nn import functional as F

import formula

COUNT = 2
MEAN, STD = 0.25, 0.5

# name, shape of an image, size it gets
CASES = [
    ("mnist_to_32", (1, 28, 28), (32, 32)),
    ("smaller", (3, 16, 20), (7, 9)),
    ("wider_and_lower", (2, 9, 5), (4, 13)),
    ("to_one_row", (2, 4, 6), (1, 9)),
    ("same", (3, 6, 5), (6, 5)),
    ("one_pixel", (1, 1, 1), (3, 2)),
]


def write_images(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case[0] for case in CASES))
    out.numbers("normalize", [MEAN, STD], exact=True)
    for name, shape, size in CASES:
        h = formula.tensor(f"{name}/bytes", (COUNT,) + shape)
        x = torch.floor((h + 1) / 2 * 256) / 255
        y = (F.interpolate(x, size=size, mode="bilinear", align_corners=False) - MEAN) / STD
        out.numbers(f"{name}/shape", (COUNT,) + shape, exact=True)
        out.numbers(f"{name}/size", size, exact=True)
        out.numbers(f"{name}/output", y)
    out.close()
