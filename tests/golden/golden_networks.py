"""golden_networks.py - whole networks of the zoo: loss and gradient of one batch.

The networks are written here from the studies' descriptions, not from Muster's zoo.
"""

import torch
from torch import nn
from torch.nn import functional as F

import formula
from golden_layers import Grid, Residual, Sine

FULL_MAX = 100000  # parameters; larger networks are stored as a summary per tensor
SAMPLES, PROJECTIONS = 64, 4


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def cnn1():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10))


def cnn2():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(4096, 512), nn.ReLU(), nn.Linear(512, 10))


def lenet_tanh(channels, classes):
    return nn.Sequential(
        nn.Conv2d(channels, 6, 5), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(16, 120, 5), nn.Tanh(), nn.Flatten(),
        nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, classes))


def psgd_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 16, 5), nn.MaxPool2d(2), nn.ReLU(),
        nn.Conv2d(16, 32, 5), nn.MaxPool2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 256), nn.Linear(256, 10))


def mnist_conv():
    return nn.Sequential(
        nn.Conv2d(1, 3, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(432, 64), nn.ReLU(), nn.Linear(64, 10))


def mnist_bn():
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, padding=2), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 5, padding=2), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(1568, 10))


def fourier_density():
    return nn.Sequential(
        nn.Linear(2, 256), Sine(0.05), nn.ReLU(), nn.Linear(256, 64), nn.ReLU(),
        nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())


def grid_density():
    return nn.Sequential(
        Grid(8, 64, 64, 1080.0), nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())


def mlp():
    return nn.Sequential(
        nn.Flatten(), nn.Linear(60, 33), nn.Tanh(), nn.Linear(33, 18), nn.Tanh(),
        nn.Linear(18, 10))


def unit(inputs, outputs, kernel, stride=1):
    return [nn.Conv2d(inputs, outputs, kernel, stride=stride, padding=kernel // 2, bias=False),
            nn.BatchNorm2d(outputs)]


def basic_block(inputs, width, stride):
    body = nn.Sequential(*unit(inputs, width, 3, stride), nn.ReLU(), *unit(width, width, 3))
    projects = stride != 1 or inputs != width
    return Residual(body, nn.Sequential(*unit(inputs, width, 1, stride)) if projects else None)


def bottleneck(inputs, width, stride):
    body = nn.Sequential(*unit(inputs, width, 1), nn.ReLU(), *unit(width, width, 3, stride),
                         nn.ReLU(), *unit(width, 4 * width, 1))
    projects = stride != 1 or inputs != 4 * width
    return Residual(body, nn.Sequential(*unit(inputs, 4 * width, 1, stride)) if projects else None)


def resnet(stem, block, expansion, blocks, classes):
    layers, inputs = list(stem), 64
    for stage, count in enumerate(blocks):
        width = 64 << stage
        for i in range(count):
            layers.append(block(inputs, width, 2 if stage > 0 and i == 0 else 1))
            inputs = width * expansion
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(inputs, classes))


def cifar_stem():
    return unit(3, 64, 3) + [nn.ReLU()]


def imagenet_stem():
    return unit(3, 64, 7, 2) + [nn.ReLU(), nn.MaxPool2d(3, stride=2, padding=1)]


class Case:
    """rule "entries": gradients agree to 1e-4 of the largest entry; "direction": by cosine."""

    def __init__(self, name, model, module, batch, shape, outputs, rule="entries", loss="nll",
                 input_scale=1.0, count=None):
        self.name, self.model, self.module = name, model, module
        self.batch, self.shape, self.outputs = batch, shape, outputs
        self.rule, self.loss, self.input_scale, self.count = rule, loss, input_scale, count


CASES = [
    Case("lenet5", "{name: lenet5}", lenet5, 9, (1, 28, 28), 10, count=61706),
    Case("cnn1", "{name: cnn1, dropout: 0, dropout_dense: 0}", cnn1, 3, (1, 28, 28), 10,
         count=1199882),
    Case("cnn2", "{name: cnn2, dropout: 0, dropout_dense: 0}", cnn2, 3, (3, 32, 32), 10,
         count=2122186),
    Case("resnet18_cifar", "{name: resnet18_cifar}",
         lambda: resnet(cifar_stem(), basic_block, 1, [2, 2, 2, 2], 10), 4, (3, 32, 32), 10,
         rule="direction", count=11173962),
    Case("lenet_tanh", "{name: lenet_tanh}", lambda: lenet_tanh(3, 1000), 5, (3, 32, 32), 1000,
         count=146156),
    Case("psgd_cnn", "{name: psgd_cnn, dropout: 0}", psgd_cnn, 5, (1, 32, 32), 10, count=213194),
    Case("mnist_conv", "{name: mnist_conv}", mnist_conv, 5, (1, 28, 28), 10, count=28440),
    Case("mnist_bn", "{name: mnist_bn}", mnist_bn, 9, (1, 28, 28), 10, count=29034),
    Case("fourier_density", "{name: fourier_density}", fourier_density, 21, (2,), 1, loss="bce",
         input_scale=100.0, count=25601),
    Case("grid_density", "{name: grid_density}", grid_density, 21, (2,), 1, loss="bce",
         input_scale=1000.0, count=33089),
    Case("mlp", "{name: mlp, widths: [33, 18], activation: tanh}", mlp, 7, (3, 4, 5), 10,
         count=60 * 33 + 33 + 33 * 18 + 18 + 190),
    Case("resnet18", "{name: resnet18}",
         lambda: resnet(imagenet_stem(), basic_block, 1, [2, 2, 2, 2], 1000), 4, (3, 64, 64), 1000,
         rule="direction", count=11689512),
    Case("resnet50", "{name: resnet50}",
         lambda: resnet(imagenet_stem(), bottleneck, 4, [3, 4, 6, 3], 1000), 2, (3, 64, 64), 1000,
         rule="direction", count=25557032),
]


def summary(name, index, gradient):
    """Norm, largest entry, projections, and entries at even distances."""
    g = gradient.reshape(-1)
    count = g.numel()
    projections = [
        torch.dot(g, torch.from_numpy(formula.noise(f"{name}/projection/{index}/{k}", count))).item()
        for k in range(PROJECTIONS)]
    entries = min(SAMPLES, count)
    return ([g.norm().item(), g.abs().max().item()] + projections
            + [g[j * count // entries].item() for j in range(entries)])


def write_network(out, case):
    name = case.name
    module = case.module().train()
    assert sum(p.numel() for p in module.parameters()) == case.count, name
    formula.fill_parameters(module, name)
    y = module(formula.tensor(f"{name}/input", (case.batch,) + case.shape, case.input_scale))
    if case.loss == "nll":
        loss = F.cross_entropy(y, formula.labels(f"{name}/label", case.batch, case.outputs))
    else:
        target = formula.tensor(f"{name}/target", (case.batch, case.outputs), 0.5, 0.5)
        loss = F.binary_cross_entropy(y, target)
    loss.backward()

    out.text(f"{name}/model", case.model)
    out.text(f"{name}/rule", case.rule)
    out.text(f"{name}/loss_name", case.loss)
    out.numbers(f"{name}/shape", (case.batch,) + case.shape, exact=True)
    out.numbers(f"{name}/outputs", [case.outputs], exact=True)
    out.numbers(f"{name}/input_scale", [case.input_scale], exact=True)
    out.numbers(f"{name}/loss", [loss.item()], exact=True)
    for index, p in enumerate(module.parameters()):
        if case.count <= FULL_MAX:
            out.numbers(f"{name}/gradient/{index}", p.grad)
        else:
            out.numbers(f"{name}/summary/{index}", summary(name, index, p.grad))
    print(f"  {name}: loss {loss.item():.6f}")


def write_networks(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case.name for case in CASES))
    for case in CASES:
        write_network(out, case)
    out.close()
