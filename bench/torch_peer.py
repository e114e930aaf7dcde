#!/usr/bin/python3
"""torch_peer.py - PyTorch as the other side of bench/compare.

Trains one of the studies' networks on data in memory: forward, backward, SGD with momentum. First it
writes a line of JSON that says what it is; then it answers each line "window SECONDS" on stdin with
{"samples": ..., "seconds": ...}, until stdin ends. `muster bench --serve` speaks the same.

Batches are slices cut beforehand, so that nothing but training is on the clock.
"""

import argparse
import gzip
import json
import os
import pathlib
import sys
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--model", required=True)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--input-size", type=int, default=0)
parser.add_argument("--layout", choices=["default", "channels_last"], default="default")
parser.add_argument("--data-dir", default="/usr/share/datasets/fashion-mnist")
ARGS = parser.parse_args()

# Both libraries read these when they are loaded.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(ARGS.threads)

try:
    import numpy
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError as missing:
    print(json.dumps({"error": f"PyTorch is not here: {missing}"}), flush=True)
    sys.exit(3)

torch.set_num_threads(ARGS.threads)

LR, MOMENTUM = 0.005, 0.9


# --- the networks, as nn/zoo/ of Muster has them ---


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )


def psgd_cnn():
    side = ((INPUT_SIZE - 4) // 2 - 4) // 2 // 2
    return nn.Sequential(
        nn.Conv2d(1, 16, 5), nn.MaxPool2d(2), nn.ReLU(),
        nn.Conv2d(16, 32, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Dropout(0.4), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * side * side, 512), nn.ReLU(),
        nn.Linear(512, 256), nn.Linear(256, 10),
    )


def mnist_conv():
    return nn.Sequential(
        nn.Conv2d(1, 3, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(432, 64), nn.ReLU(), nn.Linear(64, 10),
    )


def cnn1():  # the study has no ReLU after the second convolution
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.MaxPool2d(2), nn.Dropout(0.25),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10),
    )


def cnn2():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
        nn.Flatten(), nn.Linear(4096, 512), nn.ReLU(), nn.Dropout(0.5), nn.Linear(512, 10),
    )


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
            nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after),
        )
        self.shortcut = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x):
        return functional.relu(self.body(x) + self.shortcut(x))


def resnet18_cifar():
    layers = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    before = 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(before, width, stride), Block(width, width, 1)]
        before = width
    return nn.Sequential(*layers, nn.AvgPool2d(4), nn.Flatten(), nn.Linear(512, 10))


class FourierDensity(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 256)
        nn.init.uniform_(self.first.weight, -((6 / 256) ** 0.5), (6 / 256) ** 0.5)
        self.rest = nn.Sequential(
            nn.ReLU(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(),
            nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid(),
        )

    def forward(self, x):
        return self.rest(torch.sin(0.05 * self.first(x)))


# name: (what makes it, shape of a sample)
NETWORKS = {
    "lenet5": (lenet5, (1, 28, 28)),
    "psgd_cnn": (psgd_cnn, (1, 32, 32)),
    "mnist_conv": (mnist_conv, (1, 28, 28)),
    "cnn1": (cnn1, (1, 28, 28)),
    "cnn2": (cnn2, (3, 32, 32)),
    "mlp": (mlp, (1, 28, 28)),
    "resnet18_cifar": (resnet18_cifar, (3, 32, 32)),
    "fourier_density": (FourierDensity, (2,)),
}

if ARGS.model not in NETWORKS:
    print(json.dumps({"error": f"no network {ARGS.model}; there are {', '.join(NETWORKS)}"}), flush=True)
    sys.exit(2)
MAKE, SHAPE = NETWORKS[ARGS.model]
INPUT_SIZE = ARGS.input_size or (SHAPE[1] if len(SHAPE) == 3 else 0)


# --- data ---


def read_idx(name, skip):
    for path in (pathlib.Path(ARGS.data_dir) / name, pathlib.Path(ARGS.data_dir) / (name + ".gz")):
        if path.exists():
            opener = gzip.open if path.suffix == ".gz" else open
            with opener(path, "rb") as file:
                return numpy.frombuffer(file.read(), numpy.uint8, offset=skip).copy()
    return None


def samples():
    """(name, inputs, targets)"""
    if len(SHAPE) == 1:
        points = torch.rand(max(50000, 4 * ARGS.batch), 2) * 2000 - 1000
        walls = (torch.sin(points[:, :1] / 200) * torch.cos(points[:, 1:] / 200) > 0).float()
        return "points", points, walls
    pixels = read_idx("train-images-idx3-ubyte", 16) if SHAPE[0] == 1 else None
    if pixels is not None:
        x = torch.from_numpy(pixels.reshape(-1, 1, 28, 28)).float().div_(255).sub_(0.2860).div_(0.3530)
        y = torch.from_numpy(read_idx("train-labels-idx1-ubyte", 8).astype(numpy.int64))
        if INPUT_SIZE != 28:
            x = functional.interpolate(x, INPUT_SIZE, mode="bilinear", align_corners=False)
        return "fashion_mnist", x, y
    count = max(1024, 4 * ARGS.batch)
    return "noise", torch.randn(count, SHAPE[0], INPUT_SIZE, INPUT_SIZE), torch.arange(count) % 10


def batches(x, y):
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(1))
    x, y = x[order].contiguous(), y[order].contiguous()
    for first in range(0, len(x) - ARGS.batch + 1, ARGS.batch):
        part = x[first : first + ARGS.batch]
        if ARGS.layout == "channels_last" and part.dim() == 4:
            part = part.contiguous(memory_format=torch.channels_last)
        yield part, y[first : first + ARGS.batch]


# --- training ---


class Trainer:
    def __init__(self):
        torch.manual_seed(1)
        self.model = MAKE().train()
        if ARGS.layout == "channels_last":
            self.model = self.model.to(memory_format=torch.channels_last)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=LR, momentum=MOMENTUM)
        self.loss = functional.binary_cross_entropy if len(SHAPE) == 1 else functional.cross_entropy
        self.data, x, y = samples()
        self.batches = list(batches(x, y))
        self.next = 0

    def step(self):
        x, y = self.batches[self.next]
        self.next = (self.next + 1) % len(self.batches)
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.model(x), y).backward()
        self.optimizer.step()

    def window(self, seconds):
        steps, start = 0, time.perf_counter()
        while True:
            self.step()
            steps += 1
            elapsed = time.perf_counter() - start
            if elapsed >= seconds:
                return {"samples": steps * ARGS.batch, "seconds": elapsed}


def blas():
    """The matrix library that is loaded. Debian's default is the reference one, ten times slower."""
    loaded = pathlib.Path("/proc/self/maps").read_text()
    for name in ("mkl", "openblas", "blis", "atlas"):
        if name in loaded:
            return name
    return "reference" if "libblas" in loaded else "unknown"


def main():
    if blas() == "reference":
        print(json.dumps({"error": "a fast BLAS for PyTorch is not here, only the reference one"}), flush=True)
        sys.exit(3)
    trainer = Trainer()
    allocator = "tcmalloc" if "tcmalloc" in os.environ.get("LD_PRELOAD", "") else "system"
    ready = {
        "ready": True,
        "program": "pytorch",
        "version": torch.__version__,
        "model": ARGS.model,
        "data": trainer.data,
        "batch": ARGS.batch,
        "threads": ARGS.threads,
        "parameters": sum(p.numel() for p in trainer.model.parameters()),
        "layout": ARGS.layout,
        "allocator": allocator,
        "blas": blas(),
    }
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command != "window":
            sys.exit(f'torch_peer.py: stdin: "{line.strip()}" is not "window SECONDS"')
        print(json.dumps(trainer.window(float(argument))), flush=True)


if __name__ == "__main__":
    main()
