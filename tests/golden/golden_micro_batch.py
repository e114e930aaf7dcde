#!/usr/bin/python3
"""golden_micro_batch.py - gradients of batches in parts, accumulated by PyTorch in float64.

The usual loop of PyTorch: for each part of a batch, the summed loss of the part divided by the size of the batch is
differentiated, and .grad adds up. BatchNorm normalises each part by its own statistics and moves the running ones with
each part. Several batches follow each other without steps between them, so the statistics of the last are of all.

    python3 tests/golden/golden_micro_batch.py
"""

import os

import torch
from torch import nn
from torch.nn import functional as F

import formula

SHAPE, CLASSES = (2, 5, 5), 3

# name, Muster's layers, the same in Python, sizes of the batches, samples of a part
CASES = [
    ("micro_norm",
     "[{conv2d: {out: 6, kernel: 3, pad: 1, bias: false}}, batchnorm, relu, {maxpool: {kernel: 2}}, flatten, "
     "{dense: {out: 3}}]",
     lambda: nn.Sequential(nn.Conv2d(2, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2),
                           nn.Flatten(), nn.Linear(24, 3)),
     [11, 11, 7], 4),
    ("micro_norm_ones",
     "[{conv2d: {out: 6, kernel: 3, pad: 1}}, batchnorm, relu, flatten, {dense: {out: 3}}]",
     lambda: nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(),
                           nn.Linear(150, 3)),
     [5, 2], 1),
    ("micro_plain",
     "[{conv2d: {out: 4, kernel: 3}}, tanh, flatten, {dense: {out: 3}}]",
     lambda: nn.Sequential(nn.Conv2d(2, 4, 3), nn.Tanh(), nn.Flatten(), nn.Linear(36, 3)),
     [11, 3], 4),
    ("micro_dense",
     "[flatten, {dense: {out: 9}}, tanh, {dense: {out: 3}}]",
     lambda: nn.Sequential(nn.Flatten(), nn.Linear(50, 9), nn.Tanh(), nn.Linear(9, 3)),
     [11, 3], 4),
]


def accumulate(module, name, b, batch, part):
    """The loss summed over the batch, and how many answers are right."""
    inputs = formula.tensor(f"{name}/input/{b}", (batch,) + SHAPE)
    labels = formula.labels(f"{name}/label/{b}", batch, CLASSES)
    total, correct = 0.0, 0
    module.zero_grad()
    for x, y in zip(inputs.split(part), labels.split(part)):
        outputs = module(x)
        loss = F.cross_entropy(outputs, y, reduction="sum")
        (loss / batch).backward()
        total += loss.item()
        correct += (outputs.argmax(1) == y).sum().item()
    return total, correct


def write_micro_batch(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case[0] for case in CASES))
    for name, layers, make, batches, part in CASES:
        module = make().train()
        formula.fill_parameters(module, name)
        out.text(f"{name}/layers", layers)
        out.numbers(f"{name}/shape", (max(batches),) + SHAPE, exact=True)
        out.numbers(f"{name}/batches", batches, exact=True)
        out.numbers(f"{name}/part", [part], exact=True)
        for b, batch in enumerate(batches):
            result = accumulate(module, name, b, batch, part)
            out.numbers(f"{name}/result/{b}", result, exact=True)
            out.numbers(f"{name}/gradient/{b}", torch.cat([p.grad.reshape(-1) for p in module.parameters()]))
            print(f"  {name}: batch of {batch}: loss {result[0]:.6f}, {result[1]} right")
        kept = [v for k, v in module.named_buffers() if not k.endswith("num_batches_tracked")]
        counts = [v for k, v in module.named_buffers() if k.endswith("num_batches_tracked")]
        out.numbers(f"{name}/statistics", torch.cat(kept) if kept else [])
        out.numbers(f"{name}/tracked", [c.item() for c in counts], exact=True)
    out.close()


if __name__ == "__main__":
    write_micro_batch(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors", "micro_batch.bin"))
