#!/usr/bin/env python3
"""landscape.py DATA LANDSCAPE WEIGHTS... - a landscape of lenet5 against NumPy, to 1e-5.

DATA is the folder of an MNIST data set, LANDSCAPE that of landscape.npy, landscape_path.npy and landscape.json, WEIGHTS
what `muster export --snapshots npy` wrote of each run. PCA is by the singular value decomposition of all snapshots;
losses are of a network that is written out here, in float64. If LANDSCAPE has between.npy, only that is compared: the
losses on the lines between the last snapshots, and the barriers.
"""

import json
import sys
from pathlib import Path

import numpy as np

TOLERANCE = 1e-5
MEAN, DEVIATION = 0.1307, 0.3081  # of MNIST, as its set is normalised
SHAPES = [(6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120,), (84, 120), (84,), (10, 84), (10,)]


def read_idx(path, header):
    return np.frombuffer(path.read_bytes(), np.uint8, offset=header)


def read_part(folder, part):
    images = read_idx(folder / f"{part}-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28) / 255.0
    return images, read_idx(folder / f"{part}-labels-idx1-ubyte", 8)


def convolve(x, weight, bias):
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, weight, optimize=True) + bias[:, None, None]


def pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def unpack(vector):
    sizes = [int(np.prod(shape)) for shape in SHAPES]
    return [part.reshape(shape) for part, shape in zip(np.split(vector, np.cumsum(sizes)[:-1]), SHAPES)]


def loss(vector, images, labels):
    w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = unpack(vector)
    x = pool(np.maximum(convolve(np.pad(images, ((0, 0), (0, 0), (2, 2), (2, 2))), w1, b1), 0))
    x = pool(np.maximum(convolve(x, w2, b2), 0)).reshape(len(images), -1)
    x = np.maximum(x @ w3.T + b3, 0)
    x = np.maximum(x @ w4.T + b4, 0)
    x = x @ w5.T + b5
    x -= x.max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(x).sum(axis=1)) - x[np.arange(len(x)), labels]))


def near(ours, theirs, what):
    """Relative to the largest of them, and at least to 1."""
    scale = max(1.0, float(np.max(np.abs(theirs))))
    error = float(np.max(np.abs(np.asarray(ours) - np.asarray(theirs)))) / scale
    assert error < TOLERANCE, f"{what}: {error:.3g} apart"
    print(f"# {what}: {error:.2g}")


def test_samples(data, facts):
    samples = int(facts["data"].split()[0])
    images, labels = read_part(data, "t10k")
    return ((images - MEAN) / DEVIATION)[:samples], labels[:samples]


def check_between(data, folder, runs):
    facts = json.loads((folder / "between.json").read_text())
    images, labels = test_samples(data, facts)
    lines, row = np.load(folder / "between.npy"), 0
    shares = np.linspace(0, 1, lines.shape[1])
    for i in range(len(runs)):
        for j in range(i + 1, len(runs)):
            a, b = runs[i][-1], runs[j][-1]
            losses = np.array([loss((1 - t) * a + t * b, images, labels) for t in shares])
            near(lines[row], losses, f"line {i} {j}")
            rise = max(0, np.max(losses - ((1 - shares) * losses[0] + shares * losses[-1])))
            near([facts["barriers"][i][j], facts["barriers"][j][i]], [rise, rise], f"barrier {i} {j}")
            row += 1
    assert row == len(lines)


def check_landscape(data, folder, runs):
    states = np.concatenate(runs)
    grid, path = np.load(folder / "landscape.npy"), np.load(folder / "landscape_path.npy")
    facts = json.loads((folder / "landscape.json").read_text())
    images, labels = test_samples(data, facts)

    mean = states.mean(axis=0)
    u, s, v = np.linalg.svd(states - mean, full_matrices=False)
    for k in range(2):  # the coordinate of largest magnitude is positive
        v[k] *= np.sign(u[np.argmax(np.abs(u[:, k])), k])
    near(facts["explained"], (s ** 2 / np.sum(s ** 2))[:2], "explained variance")
    places = (states - mean) @ v[:2].T
    near(path[:, 2:4], places, "coordinates")
    projected = mean + places @ v[:2]
    near(path[:, 4], np.linalg.norm(states - projected, axis=1), "distances from the plane")
    near(path[:, 5], [loss(x, images, labels) for x in states], "losses of snapshots")
    near(path[:, 6], [loss(x, images, labels) for x in projected], "losses of projections")
    near(grid[2], [loss(mean + x * v[0] + y * v[1], images, labels) for x, y in grid[:2].T], "losses of the grid")


def main():
    data, folder = Path(sys.argv[1]), Path(sys.argv[2])
    runs = [np.load(path).astype(np.float64) for path in sys.argv[3:]]
    check = check_between if (folder / "between.npy").exists() else check_landscape
    check(data, folder, runs)


main()
