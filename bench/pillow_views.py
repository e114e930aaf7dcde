#!/usr/bin/env python3
"""pillow_views.py FOLDER SIZE SECONDS - Pillow's side of bench/loader: pictures of a folder become crops of SIZE x SIZE.

The same steps as muster_loader's, by torchvision's rules: a random part of 8 to 100 % of the area with a shape of 3:4 to
4:3, resized (bilinear), half of them mirrored. Prints one line of JSON.
"""

import json
import math
import random
import sys
import time
from pathlib import Path

import PIL
from PIL import Image


def random_part(width, height):
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        aspect = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < w <= width and 0 < h <= height:
            x, y = random.randint(0, width - w), random.randint(0, height - h)
            return x, y, x + w, y + h
    return 0, 0, width, height


def view(path, size):
    picture = Image.open(path).convert("RGB")
    result = picture.crop(random_part(*picture.size)).resize((size, size), Image.BILINEAR)
    return result.transpose(Image.FLIP_LEFT_RIGHT) if random.random() < 0.5 else result


def main():
    folder, size, seconds = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    paths = sorted(str(p) for p in folder.rglob("*.jp*g"))
    random.seed(1)
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        view(paths[count % len(paths)], size)
        count += 1
    print(json.dumps({"views_per_s": count / (time.perf_counter() - start), "version": PIL.__version__}))


main()
