#!/usr/bin/python3
"""golden_outer.py - local SGD with an outer optimiser (DiLoCo, SlowMo), worked out with NumPy in float64.

The rules are those of torchft's local_sgd.py (DiLoCo) and of Algorithm 1 of the SlowMo paper, with the steps of
torch.optim.SGD, Adam and AdamW written out: this file needs NumPy only, and runs alone.

    python3 tests/golden/golden_outer.py
"""

import math
import os

import numpy

import formula

WORKERS, DIM = 4, 12
LENGTHS = [1, 5, 10, 23, 40]  # rounds of the runs of a case; 23 is in the middle of a period


class SGD:
    """torch.optim.SGD; the momentum starts as the first gradient."""

    def __init__(self, lr, momentum=0.0, nesterov=False, weight_decay=0.0):
        self.lr, self.mu, self.nesterov, self.decay = lr, momentum, nesterov, weight_decay
        self.reset()

    def reset(self):
        self.v = None

    def step(self, x, g, lr=None):
        lr = self.lr if lr is None else lr
        g = g + self.decay * x
        if self.mu == 0:
            return x - lr * g
        self.v = g if self.v is None else self.mu * self.v + g
        return x - lr * (g + self.mu * self.v if self.nesterov else self.v)


class AdamW:
    """torch.optim.AdamW; without weight decay also torch.optim.Adam."""

    def __init__(self, lr, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.0):
        self.lr, self.b1, self.b2, self.epsilon, self.decay = lr, beta1, beta2, epsilon, weight_decay
        self.reset()

    def reset(self):
        self.m, self.s, self.t = 0.0, 0.0, 0

    def step(self, x, g, lr=None):
        lr = self.lr if lr is None else lr
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.s = self.b2 * self.s + (1 - self.b2) * g * g
        x = x * (1 - lr * self.decay)
        m, s = self.m / (1 - self.b1**self.t), self.s / (1 - self.b2**self.t)
        return x - lr * m / (numpy.sqrt(s) + self.epsilon)


class SlowMo:
    """u <- beta u + (x - mean) / gamma;  x <- x - alpha gamma u: as in the paper, with the workers' rate gamma."""

    def __init__(self, alpha, beta):
        self.lr, self.beta, self.u = alpha, beta, 0.0

    def step(self, x, displacement, lr=None, gamma=1.0):
        self.u = self.beta * self.u + displacement / gamma
        return x - self.lr * gamma * self.u


# name, Muster's algorithm, Muster's optimizer, inner, outer, more:
#     decays: the workers' rate is halved every 8 rounds; cosine: the outer rate falls; resets: inner memory is forgotten
CASES = [
    ("diloco", "{name: local-sgd, period: 5, outer: {name: sgd, lr: 0.7, momentum: 0.9, nesterov: true}}",
     "{name: sgd, lr: 0.05}", lambda: SGD(0.05), lambda: SGD(0.7, 0.9, True), {}),
    ("diloco_adamw", "{name: local-sgd, period: 5, outer: {name: sgd, lr: 0.7, momentum: 0.9, nesterov: true}}",
     "{name: adamw, lr: 0.02, beta2: 0.95, weight_decay: 0.1}", lambda: AdamW(0.02, beta2=0.95, weight_decay=0.1),
     lambda: SGD(0.7, 0.9, True), {}),
    ("heavy_ball", "{name: local-sgd, period: 5, outer: {name: sgd, lr: 0.5, momentum: 0.8, weight_decay: 0.01}}",
     "{name: sgd, lr: 0.05}", lambda: SGD(0.05), lambda: SGD(0.5, 0.8, weight_decay=0.01), {}),
    ("outer_adam", "{name: local-sgd, period: 5, outer: {name: adam, lr: 0.1, epsilon: 1.0e-3}}",
     "{name: sgd, lr: 0.05}", lambda: SGD(0.05), lambda: AdamW(0.1, epsilon=1e-3), {}),
    ("slowmo", "{name: local-sgd, period: 5, optimizer_state: reset, outer_scale: lr, "
     "outer: {name: sgd, lr: 1, momentum: 0.7}}",
     "{name: sgd, lr: 0.04, momentum: 0.5}", lambda: SGD(0.04, 0.5), lambda: SlowMo(1.0, 0.7),
     {"decays": True, "resets": True}),
    ("outer_cosine", "{name: local-sgd, period: 5, outer: {name: sgd, lr: 0.7, momentum: 0.9, nesterov: true}, "
     "outer_schedule: cosine}",
     "{name: sgd, lr: 0.05}", lambda: SGD(0.05), lambda: SGD(0.7, 0.9, True), {"cosine": True}),
]


def run(case, rounds, a, b):
    inners = [case[3]() for _ in range(WORKERS)]
    outer, more, period = case[4](), case[5], 5
    theta = formula.noise("outer/start", DIM, 2.0)
    x = [theta.copy() for _ in range(WORKERS)]
    for k in range(rounds):
        gamma = inners[0].lr * (0.5 ** (k // 8) if more.get("decays") else 1.0)
        for i in range(WORKERS):
            x[i] = inners[i].step(x[i], a[i] * (x[i] - b[i]), gamma)
        if (k + 1) % period != 0 and k + 1 < rounds:
            continue
        displacement = theta - sum(x) / WORKERS
        if isinstance(outer, SlowMo):
            theta = outer.step(theta, displacement, gamma=gamma)
        else:
            share = (1 + math.cos(math.pi * k / rounds)) / 2 if more.get("cosine") else 1.0
            theta = outer.step(theta, displacement, outer.lr * share)
        x = [theta.copy() for _ in range(WORKERS)]
        for inner in inners if more.get("resets") else []:
            inner.reset()
    return theta


def write_outer(path):
    out = formula.Writer(path)
    a = formula.noise("outer/curvature", WORKERS * DIM, 0.7, 1.2).reshape(WORKERS, DIM)
    b = formula.noise("outer/centre", WORKERS * DIM, 2.0).reshape(WORKERS, DIM)
    out.text("cases", "\n".join(case[0] for case in CASES))
    out.numbers("lengths", LENGTHS, exact=True)
    for case in CASES:
        points = [run(case, rounds, a, b) for rounds in LENGTHS]
        out.text(f"{case[0]}/algorithm", case[1])
        out.text(f"{case[0]}/optimizer", case[2])
        out.numbers(f"{case[0]}/decays", [case[5].get("decays", False)], exact=True)
        out.numbers(f"{case[0]}/points", points, exact=True)
        print(f"  {case[0]}: {points[0][0]:.6f} to {points[-1][0]:.6f}")
    out.close()


if __name__ == "__main__":
    write_outer(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors", "outer.bin"))
