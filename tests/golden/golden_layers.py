"""golden_layers.py - each layer and the residual block alone: output, dX, every gradient; losses."""

import torch
from torch import nn
from torch.nn import functional as F

import formula


class Sine(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return torch.sin(self.scale * x)


class Grid(nn.Module):
    def __init__(self, channels, height, width, extent):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, channels, height, width))
        self.extent = extent

    def forward(self, x):
        y = F.grid_sample(self.weight, x.reshape(1, 1, -1, 2) / self.extent, align_corners=True,
                          padding_mode="border")
        return y[0, :, 0].t()


class Residual(nn.Module):
    def __init__(self, body, shortcut=None, relu=True):
        super().__init__()
        self.body = body
        self.shortcut = shortcut if shortcut is not None else nn.Identity()
        self.relu = relu

    def forward(self, x):
        y = self.body(x) + self.shortcut(x)
        return F.relu(y) if self.relu else y


IDENTITY_BODY = nn.Sequential(
    nn.Conv2d(6, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(),
    nn.Conv2d(6, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6))
PROJECTION_BODY = nn.Sequential(
    nn.Conv2d(4, 9, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(9), nn.ReLU(),
    nn.Conv2d(9, 9, 3, padding=1, bias=False), nn.BatchNorm2d(9))
PROJECTION = nn.Sequential(nn.Conv2d(4, 9, 1, stride=2, bias=False), nn.BatchNorm2d(9))

# name, batch, shape of a sample (channels first), the net in Muster's form, the module
CASES = [
    ("conv_k5_pad2", 3, (2, 8, 9), "[{conv2d: {out: 6, kernel: 5, pad: 2}}]",
     nn.Conv2d(2, 6, 5, padding=2)),
    ("conv_k5", 3, (6, 9, 8), "[{conv2d: {out: 16, kernel: 5}}]", nn.Conv2d(6, 16, 5)),
    ("conv_k3_stride2_pad1", 3, (5, 9, 9), "[{conv2d: {out: 7, kernel: 3, stride: 2, pad: 1}}]",
     nn.Conv2d(5, 7, 3, stride=2, padding=1)),
    ("conv_k3_stride2_pad1_even", 2, (5, 8, 8),
     "[{conv2d: {out: 7, kernel: 3, stride: 2, pad: 1}}]",
     nn.Conv2d(5, 7, 3, stride=2, padding=1)),
    ("conv_k3_pad1", 2, (17, 7, 7), "[{conv2d: {out: 19, kernel: 3, pad: 1}}]",
     nn.Conv2d(17, 19, 3, padding=1)),
    ("conv_k1", 3, (5, 6, 6), "[{conv2d: {out: 18, kernel: 1}}]", nn.Conv2d(5, 18, 1)),
    ("conv_k1_stride2", 3, (5, 7, 6), "[{conv2d: {out: 18, kernel: 1, stride: 2}}]",
     nn.Conv2d(5, 18, 1, stride=2)),
    ("conv_no_bias", 2, (3, 7, 7), "[{conv2d: {out: 33, kernel: 3, pad: 1, bias: false}}]",
     nn.Conv2d(3, 33, 3, padding=1, bias=False)),
    ("conv_k7_stride2_pad3", 2, (3, 14, 14),
     "[{conv2d: {out: 8, kernel: 7, stride: 2, pad: 3, bias: false}}]",
     nn.Conv2d(3, 8, 7, stride=2, padding=3, bias=False)),
    ("conv_many_samples", 19, (1, 6, 6), "[{conv2d: {out: 3, kernel: 3}}]", nn.Conv2d(1, 3, 3)),
    ("dense", 5, (23,), "[{dense: {out: 37}}]", nn.Linear(23, 37)),
    ("dense_no_bias", 17, (40,), "[{dense: {out: 10, bias: false}}]",
     nn.Linear(40, 10, bias=False)),
    ("flatten_dense", 4, (3, 4, 5), "[flatten, {dense: {out: 7}}]",
     nn.Sequential(nn.Flatten(), nn.Linear(60, 7))),
    ("maxpool_k2", 3, (5, 6, 7), "[{maxpool: {kernel: 2}}]", nn.MaxPool2d(2)),
    ("maxpool_k3_stride2_pad1", 3, (5, 8, 9), "[{maxpool: {kernel: 3, stride: 2, pad: 1}}]",
     nn.MaxPool2d(3, stride=2, padding=1)),
    ("avgpool_k2", 3, (5, 6, 7), "[{avgpool: {kernel: 2}}]", nn.AvgPool2d(2)),
    ("avgpool_k3_stride2_pad1", 3, (5, 8, 9), "[{avgpool: {kernel: 3, stride: 2, pad: 1}}]",
     nn.AvgPool2d(3, stride=2, padding=1)),
    ("global_avgpool", 3, (9, 4, 5), "[global_avgpool]", nn.AdaptiveAvgPool2d(1)),
    ("relu", 4, (3, 5, 5), "[relu]", nn.ReLU()),
    ("tanh", 4, (3, 5, 5), "[tanh]", nn.Tanh()),
    ("sigmoid", 4, (3, 5, 5), "[sigmoid]", nn.Sigmoid()),
    ("sine", 4, (3, 5, 5), "[{sine: {scale: 3}}]", Sine(3.0)),
    ("grid", 40, (2,), "[{grid: {channels: 5, height: 4, width: 7}}]", Grid(5, 4, 7, 1.0)),
    ("grid_extent", 30, (2,), "[{grid: {channels: 3, height: 9, width: 2, extent: 2.5}}]",
     Grid(3, 9, 2, 2.5)),
    ("batchnorm", 11, (5, 4, 3), "[batchnorm]", nn.BatchNorm2d(5)),
    ("residual_identity", 3, (6, 5, 5),
     "[{residual: {body: [{conv2d: {out: 6, kernel: 3, pad: 1, bias: false}}, batchnorm, relu, "
     "{conv2d: {out: 6, kernel: 3, pad: 1, bias: false}}, batchnorm]}}]",
     Residual(IDENTITY_BODY)),
    ("residual_projection", 3, (4, 8, 8),
     "[{residual: {body: [{conv2d: {out: 9, kernel: 3, stride: 2, pad: 1, bias: false}}, "
     "batchnorm, relu, {conv2d: {out: 9, kernel: 3, pad: 1, bias: false}}, batchnorm], "
     "shortcut: [{conv2d: {out: 9, kernel: 1, stride: 2, bias: false}}, batchnorm]}}]",
     Residual(PROJECTION_BODY, PROJECTION)),
    ("residual_plain", 3, (4, 5, 5),
     "[{residual: {relu: false, body: [tanh, {conv2d: {out: 4, kernel: 1}}]}}]",
     Residual(nn.Sequential(nn.Tanh(), nn.Conv2d(4, 4, 1)), relu=False)),
]


def write_layer(out, case):
    name, batch, shape, net, module = case
    formula.fill_parameters(module, name)
    x = formula.tensor(f"{name}/input", (batch,) + shape, scale=2.0).requires_grad_()
    module.train()
    y = module(x)
    y.backward(formula.tensor(f"{name}/upstream", tuple(y.shape)))
    out.text(f"{name}/net", net)
    out.numbers(f"{name}/shape", (batch,) + shape, exact=True)
    out.numbers(f"{name}/output", y)
    out.numbers(f"{name}/dx", x.grad)
    for index, p in enumerate(module.parameters()):
        out.numbers(f"{name}/gradient/{index}", p.grad)
    buffers = [b for n, b in module.named_buffers() if "running" in n]
    for index, buffer in enumerate(buffers):
        out.numbers(f"{name}/buffer/{index}", buffer)


def write_layers(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case[0] for case in CASES))
    for case in CASES:
        write_layer(out, case)
    out.close()


def write_losses(path):
    """Mean over the batch (and over the outputs of a sample): value and gradient."""
    out = formula.Writer(path)
    batch, outputs = 11, 7
    z = formula.tensor("nll/output", (batch, outputs), scale=6.0)
    p = formula.tensor("bce/output", (batch, outputs), scale=0.499, shift=0.5)
    t = formula.tensor("bce/target", (batch, outputs), scale=0.5, shift=0.5)
    a = formula.tensor("mse/output", (batch, outputs), scale=3.0)
    b = formula.tensor("mse/target", (batch, outputs), scale=3.0)
    cases = {
        "nll": (z, lambda v: F.cross_entropy(v, formula.labels("nll/label", batch, outputs))),
        "bce": (p, lambda v: F.binary_cross_entropy(v, t)),
        "mse": (a, lambda v: F.mse_loss(v, b)),
        "l1": (a, lambda v: F.l1_loss(v, b)),
    }
    out.numbers("shape", (batch, outputs), exact=True)
    for name, (value, loss) in cases.items():
        value = value.clone().requires_grad_()
        result = loss(value)
        result.backward()
        out.numbers(f"{name}/loss", [result.item()], exact=True)
        out.numbers(f"{name}/gradient", value.grad)
    ends = torch.tensor([0.0, 0.0, 1.0, 1.0])
    targets = torch.tensor([0.0, 1.0, 0.0, 1.0])
    out.numbers("bce/clamped", F.binary_cross_entropy(ends, targets, reduction="none"))
    out.close()
