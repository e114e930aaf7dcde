"""golden_layerwise.py - 20 steps of the rules that look at the table of tensors.

PyTorch has neither LARS nor LAMB: both are written here from the papers, tensor by tensor. Weight decay
on weights alone is PyTorch's own, with two groups of parameters.
"""

import torch

import formula
import golden_optim

DIM, STEPS = golden_optim.DIM, golden_optim.STEPS

# kind, first element, elements: test_golden_optim.c has the same table
TENSORS = [("weight", 0, 5), ("bias", 5, 2), ("weight", 7, 3), ("norm", 10, 2)]


class Lars:
    """You, Gitman, Ginsburg: "Large batch training of convolutional networks", 2017, Alg. 1."""

    def __init__(self, momentum=0.9, trust=0.001, decay=0.0005, adapt_all=False):
        self.momentum, self.trust, self.decay, self.adapt_all = momentum, trust, decay, adapt_all
        self.velocity = [torch.zeros(count) for _, _, count in TENSORS]

    def step(self, parts, gradients, lr):
        for (kind, _, _), v, w, g in zip(TENSORS, self.velocity, parts, gradients):
            local, decay = 1.0, 0.0
            if kind == "weight" or self.adapt_all:
                decay = self.decay
                local = self.trust * w.norm() / (g.norm() + decay * w.norm())
            v.mul_(self.momentum).add_(lr * local * (g + decay * w))
            w.sub_(v)


class Lamb:
    """You et al.: "Large batch optimization for deep learning", 2020, Alg. 2, phi(z) = z."""

    def __init__(self, betas=(0.9, 0.999), epsilon=1e-6, decay=0.01, adapt_all=False):
        self.betas, self.epsilon, self.decay, self.adapt_all = betas, epsilon, decay, adapt_all
        self.m = [torch.zeros(count) for _, _, count in TENSORS]
        self.v = [torch.zeros(count) for _, _, count in TENSORS]
        self.t = 0

    def step(self, parts, gradients, lr):
        self.t += 1
        beta1, beta2 = self.betas
        for (kind, _, _), m, v, w, g in zip(TENSORS, self.m, self.v, parts, gradients):
            m.copy_(beta1 * m + (1 - beta1) * g)
            v.copy_(beta2 * v + (1 - beta2) * g * g)
            r = (m / (1 - beta1**self.t)) / ((v / (1 - beta2**self.t)).sqrt() + self.epsilon)
            if kind == "weight" or self.adapt_all:
                r = r + self.decay * w
                r = r * w.norm() / r.norm()
            w.sub_(lr * r)


class Grouped:
    """An optimiser of PyTorch, with weight decay on the weights alone."""

    def __init__(self, make, decay):
        self.make, self.decay, self.optimizer = make, decay, None

    def step(self, parts, gradients, lr):
        if self.optimizer is None:
            groups = [{"params": [w], "weight_decay": self.decay if kind == "weight" else 0.0}
                      for (kind, _, _), w in zip(TENSORS, parts)]
            self.optimizer = self.make(groups, lr)
        for w, g in zip(parts, gradients):
            w.grad = g
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.step()


def falling(lr, finish):
    """Muster's schedule `linear`."""
    return lambda step: lr + (finish - lr) * step / (STEPS - 1)


# name, Muster's section, rule, its learning rate at a step, Muster's schedule
CASES = [
    ("lars", "{name: lars, lr: 0.3, trust: 0.1}", lambda: Lars(trust=0.1), lambda step: 0.3,
     "{name: constant}"),
    ("lars_options", "{name: lars, lr: 0.5, trust: 0.2, momentum: 0.5, weight_decay: 0.1}",
     lambda: Lars(momentum=0.5, trust=0.2, decay=0.1), lambda step: 0.5, "{name: constant}"),
    ("lars_without_momentum", "{name: lars, lr: 0.3, trust: 0.3, momentum: 0}",
     lambda: Lars(momentum=0.0, trust=0.3), lambda step: 0.3, "{name: constant}"),
    ("lars_all", "{name: lars, lr: 0.5, trust: 0.1, weight_decay: 0.2, adapt_on: all}",
     lambda: Lars(trust=0.1, decay=0.2, adapt_all=True), lambda step: 0.5, "{name: constant}"),
    ("lars_falling", "{name: lars, lr: 0.4, trust: 0.2}", lambda: Lars(trust=0.2),
     falling(0.4, 0.01), "{name: linear, finish: 0.01}"),
    ("lamb", "{name: lamb, lr: 0.05}", Lamb, lambda step: 0.05, "{name: constant}"),
    ("lamb_options",
     "{name: lamb, lr: 0.1, beta1: 0.8, beta2: 0.99, epsilon: 1.0e-3, weight_decay: 0.3}",
     lambda: Lamb((0.8, 0.99), 1e-3, 0.3), lambda step: 0.1, "{name: constant}"),
    ("lamb_all", "{name: lamb, lr: 0.1, weight_decay: 0.3, adapt_on: all}",
     lambda: Lamb(decay=0.3, adapt_all=True), lambda step: 0.1, "{name: constant}"),
    ("lamb_falling", "{name: lamb, lr: 0.1}", Lamb, falling(0.1, 0.01),
     "{name: linear, finish: 0.01}"),
    ("sgd_weights",
     "{name: sgd, lr: 0.1, momentum: 0.9, weight_decay: 0.2, weight_decay_on: weights}",
     lambda: Grouped(lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9), 0.2),
     lambda step: 0.1, "{name: constant}"),
    ("adam_weights", "{name: adam, lr: 0.1, weight_decay: 0.2, weight_decay_on: weights}",
     lambda: Grouped(lambda p, lr: torch.optim.Adam(p, lr=lr), 0.2), lambda step: 0.1,
     "{name: constant}"),
    ("adamw_weights", "{name: adamw, lr: 0.1, weight_decay: 0.5, weight_decay_on: weights}",
     lambda: Grouped(lambda p, lr: torch.optim.AdamW(p, lr=lr), 0.5), lambda step: 0.1,
     "{name: constant}"),
]


def trajectory(rule, rate, objective):
    """The points after each step, and the losses before it."""
    start = formula.tensor("objective/start", (DIM,), 2.0)
    parts = [start[first:first + count].clone() for _, first, count in TENSORS]
    points, losses = [], []

    for step in range(STEPS):
        x = torch.cat(parts).requires_grad_()
        loss = objective(x, step)
        loss.backward()
        gradients = [x.grad[first:first + count].clone() for _, first, count in TENSORS]
        rule.step(parts, gradients, rate(step))
        points.append(torch.cat(parts).clone())
        losses.append(loss.item())
    return torch.stack(points), losses


def write_layerwise(path):
    out = formula.Writer(path)
    objective = golden_optim.Objective()
    out.text("optimizers", "\n".join(case[0] for case in CASES))
    for name, section, make, rate, schedule in CASES:
        points, losses = trajectory(make(), rate, objective)
        out.text(f"{name}/section", section)
        out.text(f"{name}/schedule", schedule)
        out.numbers(f"{name}/batches", [1], exact=True)
        out.numbers(f"{name}/points", points, exact=True)
        out.numbers(f"{name}/losses", losses, exact=True)
        out.numbers(f"{name}/calls", [STEPS], exact=True)
        print(f"  {name}: loss {losses[0]:.4f} to {losses[-1]:.6f}")
    out.close()
