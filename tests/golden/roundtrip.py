#!/usr/bin/env python3
"""Weights between Muster and PyTorch, in both directions, for every network of the zoo.

    roundtrip.py MUSTER [NETWORK...]   MUSTER: the program, such as build/release/muster; NETWORK: all, if none is given

Muster trains a network for a few steps and exports its weights as .pt, .npz and .safetensors. PyTorch loads them with
strict=True into the network of golden_networks.py, which gets Muster's names here (a ResNet also into torchvision's, if
that package is there), and evaluates it on the same test samples. PyTorch saves the network, in the ways that programs
do it, and Muster reads the files back: every bit must be the same.
"""
import functools
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy
import safetensors.torch
import torch
from torch import nn
from torch.nn import functional as F

import golden_networks

MUSTER = pathlib.Path(sys.argv[1]).resolve()
TRAIN, TEST, CLASSES = 400, 200, 10
SIZES = {"cnn2": 32, "lenet_tanh": 32, "psgd_cnn": 32, "resnet18_cifar": 32, "resnet18": 64, "resnet50": 64}
COLOUR = ("cnn2", "lenet_tanh", "resnet18_cifar", "resnet18", "resnet50")
DENSITY = ("fourier_density", "grid_density")


def muster(*arguments):
    done = subprocess.run([MUSTER, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"muster {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


# --- data: the same bytes for both sides ---

def images(seed, count, channels, size):
    """A bright square for each class, somewhere in noise."""
    random = numpy.random.default_rng(seed)
    labels = numpy.arange(count) % CLASSES
    pixels = random.integers(0, 120, (count, channels, size, size), dtype=numpy.uint8)
    for pixel, label in zip(pixels, labels):
        y, x = 2 + 5 * (label // 5) * 2 + random.integers(0, 2), 1 + 5 * (label % 5) + random.integers(0, 2)
        pixel[label % channels, y:y + 5, x:x + 4] = 250
    return pixels, labels.astype(numpy.uint8)


def write_mnist(folder):
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for part, seed, count in (("train", 1, TRAIN), ("t10k", 2, TEST)):
        pixels, labels = images(seed, count, 1, 28)
        header = struct.pack(">IIII", 2051, count, 28, 28)
        (raw / f"{part}-images-idx3-ubyte").write_bytes(header + pixels.tobytes())
        (raw / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, count) + labels.tobytes())


def write_cifar(folder):
    home = folder / "cifar-10-batches-bin"
    home.mkdir()
    pixels, labels = images(1, TRAIN, 3, 32)
    records = [bytes([label]) + pixel.tobytes() for pixel, label in zip(pixels, labels)]
    for i in range(5):
        (home / f"data_batch_{i + 1}.bin").write_bytes(b"".join(records[i::5]))
    pixels, labels = images(2, TEST, 3, 32)
    (home / "test_batch.bin").write_bytes(
        b"".join(bytes([label]) + pixel.tobytes() for pixel, label in zip(pixels, labels)))


def test_samples(network):
    pixels, labels = images(2, TEST, *((3, 32) if network in COLOUR else (1, 28)))
    x = torch.tensor(pixels, dtype=torch.float64) / 255
    if network in SIZES and SIZES[network] != x.shape[-1]:
        x = F.interpolate(x, size=SIZES[network], mode="bilinear", align_corners=False)
    return x, torch.tensor(labels, dtype=torch.int64)


def settings(network, lr=None):
    if network in DENSITY:
        return ["--dataset", "rooms", "--rooms.train-count", "400", "--rooms.test-count", "200", "--model", network,
                "--optimizer", "adam", "--lr", lr or "1e-3"]
    data = ["--dataset", "cifar10" if network in COLOUR else "mnist", "--data-dir", "data", "--normalize", "none"]
    size = ["--input-size", SIZES[network]] if network in SIZES else []
    return data + size + ["--model", network, "--lr", lr or "0.01", "--momentum", "0.9"]


# --- networks of PyTorch under Muster's names ---

class Flat(nn.Module):
    def forward(self, x):
        return x.reshape(len(x), -1)


def module_of(network):
    """The network for ten classes, of golden_networks.py where it does not depend on the sizes."""
    g = golden_networks
    return {
        "lenet5": g.lenet5, "cnn1": g.cnn1, "cnn2": g.cnn2, "psgd_cnn": g.psgd_cnn, "mnist_conv": g.mnist_conv,
        "mnist_bn": g.mnist_bn, "fourier_density": g.fourier_density, "grid_density": g.grid_density,
        "lenet_tanh": lambda: g.lenet_tanh(3, CLASSES),
        "mlp": lambda: nn.Sequential(Flat(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, CLASSES)),
        "resnet18_cifar": lambda: g.resnet(g.cifar_stem(), g.basic_block, 1, [2, 2, 2, 2], CLASSES),
        "resnet18": lambda: g.resnet(g.imagenet_stem(), g.basic_block, 1, [2, 2, 2, 2], CLASSES),
        "resnet50": lambda: g.resnet(g.imagenet_stem(), g.bottleneck, 4, [3, 4, 6, 3], CLASSES),
    }[network]()


class Named(nn.Module):
    """A network whose layers have other names: those of `names`, in the order of its parameters."""

    def __init__(self, inner, names):
        super().__init__()
        self.__dict__["inner"] = inner
        layers = [m for m in inner.modules() if next(m.parameters(recurse=False), None) is not None]
        assert len(layers) == len(names), (len(layers), names)
        for name, layer in zip(names, layers):
            *path, last = name.split(".")
            home = self
            for part in path:
                if part not in home._modules:
                    home.add_module(part, nn.Module())
                home = home._modules[part]
            home.add_module(last, layer)

    def forward(self, x):
        return self.inner(x)


def layer_names(weights):
    """Of those that have parameters, in the order of the file."""
    names = dict.fromkeys(name.rpartition(".")[0] for name in weights if name.endswith((".weight", ".bias")))
    return list(names)


@functools.cache
def torchvision_models():
    """None where there is no torchvision."""
    try:
        for missing in ("nms", "qnms"):  # with a PyTorch for the CPU, PyPI's torchvision does not find its own
            torch.library.define(f"torchvision::{missing}", "(Tensor a, Tensor b, float c) -> Tensor")
        import torchvision
    except ImportError:
        return None
    return torchvision.models


# --- one network ---

def same_bits(a, b):
    return set(a) == set(b) and all(
        a[n].dtype == b[n].dtype and a[n].shape == b[n].shape and a[n].numpy().tobytes() == b[n].numpy().tobytes()
        for n in a)


def load_exports(network):
    weights = safetensors.torch.load_file(f"{network}/x/model.safetensors")
    for kind in ("pt", "npz", "safetensors"):
        muster("export", network, "--format", kind)
    loaded = torch.load(f"{network}/x/x_model.pt", weights_only=True)
    arrays = numpy.load(f"{network}/x/x_model.npz")
    assert same_bits(weights, loaded)
    assert same_bits(weights, {name: torch.from_numpy(arrays[name]) for name in arrays.files})
    assert same_bits(weights, safetensors.torch.load_file(f"{network}/x/x_model.safetensors"))
    return loaded


def judge(network, module, path):
    """What both sides say of the same weights on the same samples."""
    module.eval()
    if network in DENSITY:
        muster("evaluate", path, "--map", "map.npy", "--quiet")
        seen = numpy.load("map.npy")
        y, x = numpy.mgrid[0:seen.shape[0], 0:seen.shape[1]] * 8.0
        points = torch.tensor(numpy.stack([x - 1080, y - 810], -1).reshape(-1, 2))
        with torch.no_grad():
            mine = module.double()(points).reshape(seen.shape).numpy()
        apart = abs(mine - seen).max()
        assert apart < 1e-4, apart
        return f"map of {seen.size} points within {apart:.1e}"
    x, labels = test_samples(network)
    with torch.no_grad():
        y = module.double()(x)
    accuracy, loss = (y.argmax(1) == labels).double().mean().item(), F.cross_entropy(y, labels).item()
    its = json.loads(muster("evaluate", path, "--json"))["models"][0]["splits"]["test"]
    assert abs(its["loss"] - loss) < 1e-4 * max(1, loss), (its["loss"], loss)
    assert its["accuracy"] == accuracy, (its["accuracy"], accuracy)
    return f"accuracy {100 * accuracy:.1f} % = {100 * its['accuracy']:.1f} %, loss {loss:.6f} = {its['loss']:.6f}"


def saved_files(network, module):
    """The ways in which programs save a network: file, flags to read it, and what it should hold."""
    state = module.float().state_dict()
    files = {
        "state.pt": state,
        "nested.pth.tar": {"epoch": 3, "arch": network, "state_dict": state, "best_acc1": 0.5,
                           "optimizer": {"state": {}, "param_groups": [{"lr": 0.1, "params": [0]}]}},
        "model.pt": {"model": dict(state), "epoch": 3},
    }
    for name, content in files.items():
        torch.save(content, name)
    numpy.savez("saved.npz", **{n: t.numpy() for n, t in state.items()})
    safetensors.torch.save_file(state, "saved.safetensors")
    return state, [*files, "saved.npz", "saved.safetensors"]


def read_back(network, module):
    state, files = saved_files(network, module)
    for name in files:
        pathlib.Path("back.safetensors").unlink(missing_ok=True)
        muster("export", name, "--format", "safetensors", "--out", "back.safetensors")
        assert same_bits(state, safetensors.torch.load_file("back.safetensors")), name
    torch.save({f"module.{n}": t for n, t in state.items()}, "ddp.pt")
    torch.save({n: t.double() if t.is_floating_point() else t for n, t in state.items()}, "double.pt")
    for name, more in (("ddp.pt", ["--init-prefix", "module."]), ("double.pt", [])):
        muster("train", *settings(network, "0"), "--init", name, *more, "--max-steps", "1", "--batch-size", "4",
               "--name", "x", "--out", f"{network}_{name}", "--quiet")
        mine = safetensors.torch.load_file(f"{network}_{name}/x/model.safetensors")
        parameters = {n for n, _ in module.named_parameters()}
        assert all(torch.equal(mine[n], state[n]) for n in parameters), name
    return len(files) + 2


def check(network):
    muster("train", *settings(network), "--max-steps", "40", "--batch-size", "16", "--name", "x", "--out", network,
           "--quiet")
    weights = load_exports(network)
    module = Named(module_of(network).float(), layer_names(weights))
    module.load_state_dict(weights, strict=True)
    module.inner.eval()
    judged = judge(network, module, network)
    if network in ("resnet18", "resnet50"):
        if torchvision_models() is not None:
            theirs = getattr(torchvision_models(), network)(num_classes=CLASSES)
            theirs.float().load_state_dict(weights, strict=True)
            judge(network, theirs, network)
            judged += "; torchvision's network too"
    count = read_back(network, module)
    print(f"ok {network}: {len(weights)} tensors; {judged}; {count} files of PyTorch read back", flush=True)


def main():
    networks = sys.argv[2:] or [line.split()[0] for line in muster("models").split("\n\n")[0].splitlines()[1:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("data").mkdir()
        write_mnist(pathlib.Path("data"))
        write_cifar(pathlib.Path("data"))
        for network in networks:
            check(network)
    print(f"{len(networks)} networks: all bits are the same in both directions")


if __name__ == "__main__":
    main()
