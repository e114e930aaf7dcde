#!/usr/bin/env python3
"""golden_images_pil.py - JPEG and PNG files, and what Pillow reads from them, resizes and crops.

Needs NumPy, Pillow 12.1 from PyPI, and cjpeg of Debian's libjpeg-turbo-progs for files that Pillow cannot
write. Runs alone. Pillow 13 resizes the height first if it shrinks much more than the width, which changes
some bytes by 1; here, as in all versions before, the width is always first.

    python3 -B tests/golden/golden_images_pil.py

Small results are stored whole, large ones as their CRC-32.
"""

import io
import math
import os
import subprocess
import sys
import zlib

import numpy
import PIL
from PIL import Image

import formula

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "unit"))
import png_files  # noqa: E402

WHOLE_BYTES = 4000


class Writer(formula.Writer):
    def bytes(self, name, data):
        self.record(name, 0, len(data), data)

    def picture(self, name, image):
        """Its size, and its bytes or their checksum."""
        assert image.mode == "RGB"
        data = image.tobytes()
        self.numbers(f"{name}/size", image.size, exact=True)
        self.numbers(f"{name}/crc", [zlib.crc32(data)], exact=True)
        if len(data) <= WHOLE_BYTES:
            self.bytes(f"{name}/pixels", data)


# --- pictures ---


def noise(name, shape):
    return formula.noise(name, int(numpy.prod(shape))).reshape(shape)


def photo(name, width, height):
    """Like a photograph: a smooth background, shapes with sharp edges, texture and noise."""
    y, x = numpy.mgrid[0:height, 0:width] / max(width, height)
    waves = noise(f"{name}/waves", (3, 6))
    out = numpy.empty((height, width, 3))
    for c in range(3):
        a, b, p, q, r, s = waves[c] * 6
        out[:, :, c] = 120 + 45 * numpy.sin(a * x + b * y + p) + 35 * numpy.cos(q * x * y + r * y + s)
    for cx, cy, radius, *colour in (noise(f"{name}/shapes", (9, 6)) + 1) / 2:
        inside = (x - cx) ** 2 + (y - cy) ** 2 < (0.03 + 0.15 * radius) ** 2
        out[inside] = 0.35 * out[inside] + 0.65 * 255 * numpy.array(colour)
    half = slice(height // 2, height)
    out[half] += 25 * numpy.sin(170 * x[half] + 90 * y[half])[:, :, None]
    out += 5 * noise(f"{name}/noise", (height, width, 3))
    return Image.fromarray(numpy.clip(numpy.rint(out), 0, 255).astype(numpy.uint8))


# --- files ---


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def jpeg(image, **options):
    return saved(image, "JPEG", **{"quality": 85, **options})


def cjpeg(image, *options):
    return subprocess.run(["cjpeg", *options], input=saved(image, "PPM"), capture_output=True, check=True).stdout


def cmyk(image):
    """Inks of every amount, also black, which Pillow's own conversion never makes."""
    k = ((noise("inks", image.size[::-1]) + 1) * 100).astype(numpy.uint8)
    return Image.fromarray(numpy.dstack([255 - numpy.asarray(image), k]), "CMYK")


def ycck(file):
    """The same data, said to be YCCK: the last byte of Adobe's segment."""
    at = file.index(b"Adobe") + 11
    assert file[at] == 0
    return file[:at] + b"\x02" + file[at + 1 :]


def without_adobe(file):
    at = file.index(b"Adobe") - 4
    return file[:at] + file[at + 16 :]


def rotated_exif(image):
    exif = Image.Exif()
    exif[0x0112] = 6
    return jpeg(image, exif=exif)


def with_thumbnail(image):
    """A whole JPEG file inside of another, before the pixels."""
    inside = jpeg(image.resize((8, 8)))
    file = jpeg(image)
    return file[:2] + b"\xff\xe5" + (len(inside) + 2).to_bytes(2, "big") + inside + file[2:]


def jpegs():
    small, odd = photo("small", 40, 30), photo("odd", 37, 29)
    yield "jpeg_444", jpeg(odd, subsampling="4:4:4")
    yield "jpeg_422", jpeg(odd, subsampling="4:2:2")
    yield "jpeg_420", jpeg(odd, subsampling="4:2:0")
    yield "jpeg_440", cjpeg(odd, "-quality", "85", "-sample", "1x2")
    yield "jpeg_411", cjpeg(odd, "-quality", "85", "-sample", "4x1")
    yield "jpeg_unusual_factors", cjpeg(odd, "-quality", "85", "-sample", "2x2,1x2,2x1")
    yield "jpeg_one_pixel", jpeg(photo("dot", 1, 1))
    yield "jpeg_one_row", jpeg(photo("row", 31, 1))
    yield "jpeg_grey", jpeg(odd.convert("L"))
    yield "jpeg_rgb", jpeg(odd, keep_rgb=True)
    yield "jpeg_low_quality", jpeg(odd, quality=8)
    yield "jpeg_best_quality", jpeg(small, quality=100, subsampling="4:4:4")
    yield "jpeg_progressive", jpeg(odd, progressive=True)
    yield "jpeg_progressive_grey", jpeg(odd.convert("L"), progressive=True)
    yield "jpeg_arithmetic", cjpeg(odd, "-arithmetic")
    yield "jpeg_restarts", jpeg(odd, restart_marker_blocks=2)
    yield "jpeg_cmyk", jpeg(cmyk(small))
    yield "jpeg_cmyk_progressive", jpeg(cmyk(small), progressive=True)
    yield "jpeg_cmyk_plain", without_adobe(jpeg(cmyk(small)))
    yield "jpeg_ycck", ycck(jpeg(cmyk(small)))
    yield "jpeg_exif_rotated", rotated_exif(odd)
    yield "jpeg_thumbnail", with_thumbnail(odd)
    yield "jpeg_more_at_the_end", jpeg(small) + b"not for the pixels"
    yield "jpeg_stray_bytes", jpeg(small)[:-2] + b"stray\xff\xd9"
    yield "jpeg_photo_420", jpeg(photo("landscape", 500, 375), subsampling="4:2:0")
    yield "jpeg_photo_444", jpeg(photo("portrait", 211, 333), subsampling="4:4:4", quality=70)
    yield "jpeg_photo_progressive", jpeg(photo("third", 320, 240), progressive=True, quality=75)


def pngs():
    for name, file, _, _ in png_files.kinds():
        yield f"png_{name}", file
    yield "png_rgba_16_bits", png_files.png(6, 4, 16)
    yield "png_grey_alpha_16_bits", png_files.png(4, 2, 16)
    dark = (numpy.arange(40 * 30).reshape(30, 40) % 300).astype(numpy.uint16)
    yield "png_grey_16_bits_dark", saved(Image.fromarray(dark % 256), "PNG")
    yield "png_grey_16_bits_key", saved(Image.fromarray(dark), "PNG", transparency=17)
    yield "png_photo", saved(photo("small", 40, 30), "PNG")


def decoded(file):
    return Image.open(io.BytesIO(file)).convert("RGB")


def is_read(file):
    try:
        decoded(file)
    except (OSError, SyntaxError, ValueError):
        return False
    return True


def write_files(out, files):
    out.text("files", "\n".join(files))
    for name, file in files.items():
        out.bytes(f"{name}/file", file)
        out.picture(name, decoded(file))
    # Pillow rejects every truncated file; so must we.
    for name in ("jpeg_420", "jpeg_progressive", "jpeg_grey", "jpeg_cmyk", "jpeg_thumbnail"):
        assert not any(is_read(files[name][:n]) for n in range(len(files[name]))), name


# --- resizing ---

# name, file, box (None: all), size
RESIZES = [
    ("photo_to_224", "jpeg_photo_420", None, (224, 224)),
    ("photo_to_64", "jpeg_photo_420", None, (64, 48)),
    ("photo_to_24", "jpeg_photo_444", None, (24, 38)),
    ("box_to_224", "jpeg_photo_420", (100, 50, 300, 250), (224, 224)),
    ("box_of_fractions", "jpeg_photo_420", (10.3, 7.7, 200.1, 150.9), (96, 80)),
    ("box_shrinks", "jpeg_photo_420", (10.3, 7.7, 480.6, 370.9), (31, 29)),
    ("larger", "png_photo", None, (97, 61)),
    ("wider_and_lower", "png_photo", None, (55, 11)),
    ("only_lower", "png_photo", None, (40, 11)),
    ("only_narrower", "png_photo", None, (13, 30)),
    ("shifted", "png_photo", (0.5, 0.5, 39.5, 29.5), (40, 30)),
    ("same", "png_photo", None, (40, 30)),
    ("to_one_pixel", "jpeg_photo_420", None, (1, 1)),
    ("to_six_pixels", "jpeg_photo_420", None, (3, 2)),
    ("from_one_pixel", "jpeg_one_pixel", None, (5, 4)),
    ("from_one_row", "jpeg_one_row", None, (10, 3)),
    ("inside_one_pixel", "png_photo", (3.2, 4.1, 3.7, 4.3), (6, 6)),
]
SWEEP_FILE, SWEEP = "png_photo", 400


def resized(image, box, size):
    return image.resize(size, Image.Resampling.BILINEAR, box=box)


def random_box(u, side):
    """At least a tenth of a pixel wide; every third one is of whole pixels."""
    a, b = sorted(u[:2] * side)
    if u[2] < 1 / 3:
        a, b = int(a), int(b) + 1
    a, b = numpy.float32(a), numpy.float32(min(max(b, a + 0.1), side))
    return (float(a), float(b)) if b > a else (0.0, float(side))


def sweep(image):
    """Rows of box, size and checksum."""
    for u in (noise("sweep", (SWEEP, 8)) + 1) / 2:
        left, right = random_box(u[:3], image.size[0])
        top, bottom = random_box(u[3:6], image.size[1])
        size = (1 + int(70 * u[6] ** 2), 1 + int(70 * u[7] ** 2))
        box = (left, top, right, bottom)
        yield [*box, *size, zlib.crc32(resized(image, box, size).tobytes())]


def write_resizes(out, files):
    out.text("resizes", "\n".join(case[0] for case in RESIZES))
    for name, source, box, size in RESIZES:
        image = decoded(files[source])
        box = box or (0, 0, *image.size)
        out.text(f"{name}/source", source)
        out.numbers(f"{name}/box", box, exact=True)
        out.picture(name, resized(image, box, size))
    rows = list(sweep(decoded(files[SWEEP_FILE])))
    out.text("sweep/source", SWEEP_FILE)
    out.numbers("sweep/rows", [number for row in rows for number in row], exact=True)


# --- random numbers: base/rng.h ---

RNG_AUGMENT, WORD = 21, 2**32 - 1


def philox(counter, key):
    """Philox4x32-10."""
    c, (k0, k1) = list(counter), key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & WORD, (p0 >> 32) ^ c[3] ^ k1, p0 & WORD]
        k0, k1 = (k0 + 0x9E3779B9) & WORD, (k1 + 0xBB67AE85) & WORD
    return c


class Draws:
    """The random numbers of one sample in one epoch."""

    def __init__(self, seed, sample, epoch):
        self.key = philox([seed & WORD, seed >> 32, RNG_AUGMENT, 0], (0, 0))[:2]
        self.sample, self.epoch = sample, epoch

    def bits(self, draw):
        words = philox([self.sample & WORD, self.sample >> 32, draw, self.epoch], self.key)
        return words[1] << 32 | words[0]

    def uniform(self, draw, low, high):
        return low + (self.bits(draw) >> 11) * 2.0**-53 * (high - low)

    def below(self, draw, bound):
        return self.bits(draw) * bound >> 64


# --- views, by the rules of torchvision 0.29 (transforms.py, functional.py) ---

SCALE, RATIO = (0.08, 1.0), (3.0 / 4.0, 4.0 / 3.0)


def random_part(width, height, draws):
    """RandomResizedCrop.get_params"""
    area = height * width
    for attempt in range(10):
        target_area = area * draws.uniform(4 * attempt, *SCALE)
        aspect_ratio = math.exp(draws.uniform(4 * attempt + 1, math.log(RATIO[0]), math.log(RATIO[1])))
        w = int(round(math.sqrt(target_area * aspect_ratio)))
        h = int(round(math.sqrt(target_area / aspect_ratio)))
        if 0 < w <= width and 0 < h <= height:
            i = draws.below(4 * attempt + 2, height - h + 1)
            j = draws.below(4 * attempt + 3, width - w + 1)
            return j, i, w, h
    in_ratio = float(width) / float(height)
    w, h = width, height
    if in_ratio < min(RATIO):
        h = int(round(w / min(RATIO)))
    elif in_ratio > max(RATIO):
        w = int(round(h * max(RATIO)))
    return (width - w) // 2, (height - h) // 2, w, h


def resized_size(width, height, size):
    """_compute_resized_output_size"""
    short, long = (width, height) if width <= height else (height, width)
    new_short, new_long = size, int(size * long / short)
    return (new_short, new_long) if width <= height else (new_long, new_short)


def middle(side, window):
    """center_crop: with padding on the left, if the picture is too small."""
    return -((window - side) // 2) if window > side else int(round((side - window) / 2.0))


def view_of(rule, width, height, draws):
    """Crop, size, window, flip: eleven numbers."""
    kind, out_width, out_height, number, flips = rule
    flip = flips and draws.uniform(40, 0, 1) < 0.5
    if kind == "resized":
        crop, size, corner = random_part(width, height, draws), (out_width, out_height), (0, 0)
    elif kind == "padded":
        crop, size = (0, 0, width, height), (width, height)
        y = draws.below(41, height + 2 * number - out_height + 1) - number
        x = draws.below(42, width + 2 * number - out_width + 1) - number
        corner = (x, y)
    else:
        crop = (0, 0, width, height)
        size = resized_size(width, height, number) if number else (width, height)
        corner = (middle(size[0], out_width), middle(size[1], out_height))
    return [*crop, *size, *corner, out_width, out_height, int(flip)]


def rendered(image, view):
    x, y, w, h, width, height, left, top, out_width, out_height, flip = view
    part = image.crop((x, y, x + w, y + h))
    part = resized(part, (0, 0, w, h), (width, height))
    part = part.crop((left, top, left + out_width, top + out_height))  # zeros outside
    return part.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if flip else part


KINDS = ["center", "padded", "resized"]
# kind, width and height of the views, short side or padding, flips
RULES = [
    ("center", 224, 224, 256, False),
    ("center", 24, 32, 0, False),
    ("center", 64, 64, 40, True),
    ("padded", 32, 32, 4, True),
    ("padded", 13, 9, 2, True),
    ("resized", 224, 224, 0, True),
    ("resized", 48, 20, 0, False),
]
SIZES = [(500, 375), (375, 500), (211, 333), (40, 30), (32, 32), (33, 47), (1000, 20), (20, 1000), (24, 35), (257, 256)]
# rule, file, sample
RENDERED = [
    (0, "jpeg_photo_420", 0),
    (0, "jpeg_photo_444", 1),
    (1, "png_photo", 0),
    (2, "png_photo", 5),
    (2, "png_photo", 6),
    (3, "png_photo", 3),
    (3, "png_photo", 4),
    (4, "png_palette", 7),
    (4, "png_palette", 8),
    (5, "jpeg_photo_420", 0),
    (5, "jpeg_photo_420", 1),
    (5, "jpeg_photo_progressive", 2),
    (6, "jpeg_photo_444", 0),
]
SEED, EPOCHS, SAMPLES = 2**40 + 12345, 3, 12


def fits(rule, width, height):
    return rule[0] != "padded" or (width + 2 * rule[3] >= rule[1] and height + 2 * rule[3] >= rule[2])


def view_rows():
    """Rows of rule, size, sample, epoch and the view."""
    for number, rule in enumerate(RULES):
        for width, height in SIZES:
            for sample in range(SAMPLES if rule[0] != "center" else 1):
                epoch = sample % EPOCHS
                if fits(rule, width, height):
                    view = view_of(rule, width, height, Draws(SEED, sample, epoch))
                    yield [number, width, height, sample, epoch, *view]


LAW_SIZE, STEPS = (500, 375), 2000


def part_law(width, height):
    """Mean and deviation of the area and of the log of the aspect of random parts, by integration.

    Over all areas and aspects that one attempt draws and that fit: the first one that fits is taken.
    That none of ten fits is left out; for this size it happens about once in 760 000 times.
    """
    u = (numpy.arange(STEPS) + 0.5) / STEPS
    scale = SCALE[0] + u * (SCALE[1] - SCALE[0])
    aspect = numpy.exp(math.log(RATIO[0]) + u * (math.log(RATIO[1]) - math.log(RATIO[0])))
    scale, aspect = numpy.meshgrid(scale * width * height, aspect)
    w, h = numpy.rint(numpy.sqrt(scale * aspect)), numpy.rint(numpy.sqrt(scale / aspect))
    fit = (w <= width) & (h <= height)
    area, log_aspect = (w * h)[fit] / (width * height), numpy.log(w / h)[fit]
    return [area.mean(), area.std(), log_aspect.mean(), log_aspect.std()]


def write_views(out, files):
    rules = [[KINDS.index(kind), *rest] for kind, *rest in RULES]
    out.numbers("views/seed", [SEED], exact=True)
    out.numbers("views/rules", [float(n) for rule in rules for n in rule], exact=True)
    out.numbers("views/rows", [float(n) for row in view_rows() for n in row])
    out.numbers("views/law_size", LAW_SIZE, exact=True)
    out.numbers("views/law", part_law(*LAW_SIZE), exact=True)
    out.text("rendered", "\n".join(f"rendered_{i}" for i in range(len(RENDERED))))
    for i, (rule, source, sample) in enumerate(RENDERED):
        image = decoded(files[source])
        view = view_of(RULES[rule], *image.size, Draws(SEED, sample, 1))
        out.text(f"rendered_{i}/source", source)
        out.numbers(f"rendered_{i}/case", [rule, sample, 1], exact=True)
        out.picture(f"rendered_{i}", rendered(image, view))


def main():
    assert int(PIL.__version__.split(".")[0]) < 13, "needs pillow<13: pip install pillow==12.1.1"
    out = Writer(os.path.join(HERE, "vectors", "images_pil.bin"))
    files = dict(jpegs()) | dict(pngs())
    write_files(out, files)
    write_resizes(out, files)
    write_views(out, files)
    out.close()


main()
