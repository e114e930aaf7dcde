"""torch_networks.py - the studies' networks in PyTorch, and the data they are measured on.

Shared by torch_peer.py (one process) and torch_workers.py (several). Who imports it has set the number of threads
in the environment: both OpenMP and OpenBLAS read it when they are loaded.
"""

import gzip
import pathlib

import numpy
import torch
from torch import nn
from torch.nn import functional

LR, MOMENTUM = 0.005, 0.9


# --- the networks, as nn/zoo/ of Muster has them ---


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )


def psgd_cnn(input_size):
    side = ((input_size - 4) // 2 - 4) // 2 // 2
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


class Network:
    """One of the networks for one size of input, with its loss, optimiser and batches."""

    def __init__(self, name, batch, input_size=0, layout="default"):
        self.name, self.batch, self.layout = name, batch, layout
        self.make, self.shape = NETWORKS[name]
        self.input_size = input_size or (self.shape[1] if len(self.shape) == 3 else 0)
        self.loss = functional.binary_cross_entropy if len(self.shape) == 1 else functional.cross_entropy

    def model(self):
        torch.manual_seed(1)
        model = (self.make(self.input_size) if self.make is psgd_cnn else self.make()).train()
        return model.to(memory_format=torch.channels_last) if self.layout == "channels_last" else model

    def samples(self, data_dir):
        """(name, inputs, targets)"""
        if len(self.shape) == 1:
            points = torch.rand(max(50000, 4 * self.batch), 2) * 2000 - 1000
            walls = (torch.sin(points[:, :1] / 200) * torch.cos(points[:, 1:] / 200) > 0).float()
            return "points", points, walls
        pixels = read_idx(data_dir, "train-images-idx3-ubyte", 16) if self.shape[0] == 1 else None
        if pixels is not None:
            x = torch.from_numpy(pixels.reshape(-1, 1, 28, 28)).float().div_(255).sub_(0.2860).div_(0.3530)
            y = torch.from_numpy(read_idx(data_dir, "train-labels-idx1-ubyte", 8).astype(numpy.int64))
            if self.input_size != 28:
                x = functional.interpolate(x, self.input_size, mode="bilinear", align_corners=False)
            return "fashion_mnist", x, y
        count = max(1024, 4 * self.batch)
        side = self.input_size
        return "noise", torch.randn(count, self.shape[0], side, side), torch.arange(count) % 10

    def batches(self, x, y):
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(1))
        x, y = x[order].contiguous(), y[order].contiguous()
        for first in range(0, len(x) - self.batch + 1, self.batch):
            part = x[first : first + self.batch]
            if self.layout == "channels_last" and part.dim() == 4:
                part = part.contiguous(memory_format=torch.channels_last)
            yield part, y[first : first + self.batch]


def optimizer(parameters):
    return torch.optim.SGD(parameters, lr=LR, momentum=MOMENTUM)


def read_idx(data_dir, name, skip):
    for path in (pathlib.Path(data_dir) / name, pathlib.Path(data_dir) / (name + ".gz")):
        if path.exists():
            opener = gzip.open if path.suffix == ".gz" else open
            with opener(path, "rb") as file:
                return numpy.frombuffer(file.read(), numpy.uint8, offset=skip).copy()
    return None


def blas():
    """The matrix library that is loaded. Debian's default is the reference one, ten times slower."""
    loaded = pathlib.Path("/proc/self/maps").read_text()
    for name in ("mkl", "openblas", "blis", "atlas"):
        if name in loaded:
            return name
    return "reference" if "libblas" in loaded else "unknown"
