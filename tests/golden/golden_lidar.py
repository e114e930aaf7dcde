#!/usr/bin/python3
"""golden_lidar.py - splines, scans and paths of study S001, by NumPy and SciPy.

Needs NumPy and SciPy only (made with SciPy 1.10), and runs alone.

    python3 tests/golden/golden_lidar.py
"""

import os

import numpy
from scipy import interpolate

import formula

# width, height of pictures of noise
SURFACES = [(4, 4), (5, 4), (4, 7), (6, 9), (31, 17), (64, 48)]

WIDTH, HEIGHT = 97, 70

# name, scans, options of the lidar
SCANS = [
    ("paper", 5, {}),
    ("raw", 5, {"round_density": False}),
    ("many", 2, {"beams": 63, "beam_samples": 40, "collision_samples": 200, "fine_samples": 11, "round_density": False}),
    ("few", 5, {"beams": 5, "beam_samples": 2, "collision_samples": 9, "fine_samples": 1, "round_density": False}),
    ("near_walls", 4, {"distribution_factor": 0.3, "round_density": False}),
    ("near_robot", 4, {"distribution_factor": 2.5, "round_density": False}),
    ("wide_border", 4, {"border": 12, "round_density": False}),
    ("no_border", 4, {"border": 0, "beam_length": 0.7, "collision_samples": 60, "round_density": False}),
    ("clipped", 4, {"clipped": True, "round_density": False}),
    ("clipped_long", 3, {"clipped": True, "beam_length": 1.5, "beam_samples": 90}),
]
OPTIONS = {"beams": 20, "beam_length": 0.2, "beam_samples": 25, "distribution_factor": 1.0,
           "collision_samples": 50, "fine_samples": 3, "border": 3, "clipped": False, "round_density": True}

# way-points, spline_res
PATHS = [(4, 3), (5, 30), (13, 7), (82, 30)]


def plan():
    """Rooms with doors, a round pillar, grey noise."""
    pixels = numpy.zeros((HEIGHT, WIDTH))
    pixels[:, 30:33] = 255
    pixels[35:37, :] = 255
    pixels[15:22, 30:33] = 0
    pixels[50:60, 30:33] = 0
    pixels[35:37, 60:70] = 0
    rows, columns = numpy.mgrid[:HEIGHT, :WIDTH]
    pixels[(rows - 18)**2 + (columns - 62)**2 < 30] = 255
    pixels[:, 90] = 255
    noise = numpy.floor((formula.noise("plan", HEIGHT * WIDTH).reshape(HEIGHT, WIDTH) + 1) * 20)
    return numpy.where(pixels > 0, pixels - noise, noise)


class Lidar:
    def __init__(self, pixels, options):
        image, b = pixels / 255, options["border"]
        if b > 0:
            image[:b], image[:, :b], image[-b:-1], image[:, -b:-1] = 1, 1, 1, 1
        self.ny, self.nx = image.shape
        self.xs = self.nx * numpy.linspace(-0.5, 0.5, self.nx)
        self.ys = self.ny * numpy.linspace(-0.5, 0.5, self.ny)
        self.spline = interpolate.RectBivariateSpline(self.xs, self.ys, image.T)
        self.options = options
        self.length = options["beam_length"] * max(self.nx, self.ny)

    def density(self, points):
        return self.spline.ev(points[:, 0], points[:, 1])

    def first_hit(self, points):
        return int(numpy.argmax(self.density(points) >= 0.5))

    def beam(self, at, vector):
        o = self.options
        even = at + numpy.linspace(0, 1, o["beam_samples"])[:, None] * vector
        if o["clipped"]:
            hit = self.first_hit(even)
            return even[:hit + 1] if hit > 0 else even
        coarse = at + numpy.linspace(0, 1, o["collision_samples"])[:, None] * vector
        hit = self.first_hit(coarse)
        if hit == 0:
            return even
        before, step = coarse[hit - 1], coarse[hit] - coarse[hit - 1]
        fine = before + numpy.linspace(0, 1, o["fine_samples"])[:, None] * step
        end = fine[self.first_hit(fine)]
        t = numpy.linspace(0, 1, o["beam_samples"])**o["distribution_factor"]
        return at + t[:, None] * (end - at)

    def scan(self, at):
        points = []
        for angle in numpy.linspace(-numpy.pi, numpy.pi, self.options["beams"], endpoint=False):
            points.append(self.beam(at, self.length * numpy.array([numpy.cos(angle), numpy.sin(angle)])))
        points = numpy.concatenate(points)
        density = self.density(points)
        if self.options["round_density"]:
            density = numpy.rint(density)
        return numpy.column_stack([points, density])

    def free_points(self, name, count):
        half = numpy.array([self.nx / 2, self.ny / 2])
        points = formula.noise(name, 200 * count).reshape(-1, 2) * half
        return points[self.density(points) < 0.5][:count]


def write_surfaces(out):
    for width, height in SURFACES:
        name = f"surface/{width}x{height}"
        image = formula.noise(name, width * height).reshape(height, width)
        spline = interpolate.RectBivariateSpline(numpy.arange(width), numpy.arange(height), image.T)
        points = formula.noise(name + "/points", 400).reshape(-1, 2)
        points = (points * 0.6 + 0.5) * [width - 1, height - 1]  # some are outside
        out.numbers(name + "/image", image)
        out.numbers(name + "/points", points, exact=True)
        out.numbers(name + "/values", spline.ev(points[:, 0], points[:, 1]), exact=True)
    out.text("surfaces", "\n".join(f"{width}x{height}" for width, height in SURFACES))


def write_scans(out):
    out.numbers("plan", plan())
    for name, count, changes in SCANS:
        options = {**OPTIONS, **changes}
        lidar = Lidar(plan(), options)
        points = lidar.free_points(name, count)
        assert len(points) == count
        scans = [lidar.scan(at) for at in points]
        out.text(f"scan/{name}/options", "\n".join(f"{k}: {str(v).lower()}" for k, v in options.items()))
        out.numbers(f"scan/{name}/points", points, exact=True)
        out.numbers(f"scan/{name}/counts", [len(s) for s in scans], exact=True)
        out.numbers(f"scan/{name}/rows", numpy.concatenate(scans), exact=True)
    out.text("scans", "\n".join(name for name, _, _ in SCANS))


def write_paths(out):
    for count, resolution in PATHS:
        name = f"path/{count}x{resolution}"
        points = formula.noise(name, 2 * count).reshape(-1, 2)
        at = numpy.linspace(0, count - 1, resolution * (count - 1))
        path = interpolate.interp1d(numpy.arange(count), points, kind="cubic", axis=0)(at)
        out.numbers(name + "/points", points, exact=True)
        out.numbers(name + "/path", path * [WIDTH / 2, HEIGHT / 2], exact=True)
    out.text("paths", "\n".join(f"{count}x{resolution}" for count, resolution in PATHS))


def write_lidar(path):
    out = formula.Writer(path)
    write_surfaces(out)
    write_scans(out)
    write_paths(out)
    out.close()


if __name__ == "__main__":
    write_lidar(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors", "lidar.bin"))
