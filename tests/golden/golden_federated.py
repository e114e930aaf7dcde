"""golden_federated.py - rounds of FedAvg, FedProx and SCAFFOLD, written out with PyTorch's optimisers.

Five workers with 7, 12, 20, 0 and 9 rows, in batches of 4 in the order of the rows. A worker goes through its
rows again and again, and continues where it was when it is a client next time. One without rows never counts.
The loss of a batch is its mean logistic loss plus a quadratic around a point of the worker's own.
"""

import torch
from torch.nn import functional as F

import formula

SIZES, DIM, BATCH, ROUNDS = [7, 12, 20, 0, 9], 6, 4, 6

# The clients of each round that Muster draws with seed 1: the test checks that it does.
ALL = [list(range(len(SIZES)))] * ROUNDS
TWO = [[0, 1], [0, 4], [1, 2], [1, 2], [0, 2], [2, 4]]
THREE = [[0, 1, 2], [0, 2, 4], [0, 1, 2], [0, 1, 2], [0, 2, 4], [2, 3, 4]]


class Worker:
    def __init__(self, number):
        self.rows = formula.tensor(f"federated/rows/{number}", (max(SIZES[number], 1), DIM), 2.0)
        self.signs = torch.sign(formula.tensor(f"federated/signs/{number}", (max(SIZES[number], 1),)))
        self.centre = formula.tensor(f"federated/centre/{number}", (DIM,), 2.0)
        self.size = SIZES[number]
        self.batches = (self.size + BATCH - 1) // BATCH
        self.drawn = 0
        self.y = torch.zeros(DIM, requires_grad=True)
        self.optimizer = None
        self.control = torch.zeros(DIM)

    def loss(self):
        first = self.drawn % self.batches * BATCH
        self.drawn += 1
        rows = slice(first, min(first + BATCH, self.size))
        logistic = F.softplus(-self.signs[rows] * (self.rows[rows] @ self.y)).mean()
        return logistic + 0.4 * ((self.y - self.centre) ** 2).sum() / 2


def train(worker, case, x, common):
    """The local steps of a client from x; answers how many there were."""
    if worker.optimizer is None or not case.get("keeps", False):
        worker.optimizer = case["make"]([worker.y])
    with torch.no_grad():
        worker.y.copy_(x)
    steps = case["steps"] if "steps" in case else case["epochs"] * worker.batches
    for _ in range(steps):
        worker.optimizer.zero_grad()
        loss = worker.loss() + case.get("mu", 0.0) / 2 * ((worker.y - x) ** 2).sum()
        loss.backward()
        if "server_lr" in case:
            worker.y.grad += common - worker.control
        worker.optimizer.step()
    return steps


def trajectory(case):
    workers = [Worker(i) for i in range(len(SIZES))]
    x, common = formula.tensor("federated/start", (DIM,), 2.0), torch.zeros(DIM)
    points = []
    for clients in case["clients"]:
        moves, weights, changes = [], [], torch.zeros(DIM)
        for worker in (workers[i] for i in clients if SIZES[i] > 0):
            steps = train(worker, case, x, common)
            moves.append(worker.y.detach() - x)
            weights.append(1.0 if case.get("uniform", False) else float(worker.size))
            if "server_lr" in case:
                control = worker.control - common - moves[-1] / (steps * case["lr"])
                changes += control - worker.control
                worker.control = control
        if moves:
            mean = sum(w * m for w, m in zip(weights, moves)) / sum(weights)
            x = x + case.get("server_lr", 1.0) * mean
        common = common + changes / len(SIZES)
        points.append(x)
    return torch.stack(points)


def sgd(lr, **options):
    return lambda p: torch.optim.SGD(p, lr=lr, **options)


# name, Muster's algorithm and optimizer, the same in Python
CASES = [
    ("fedavg_epochs", "{name: fedavg, local_epochs: 2}", "{name: sgd, lr: 0.1}",
     {"epochs": 2, "make": sgd(0.1), "clients": ALL}),
    ("fedavg_steps", "{name: fedavg, local_steps: 5, weights: uniform}", "{name: sgd, lr: 0.1}",
     {"steps": 5, "make": sgd(0.1), "clients": ALL, "uniform": True}),
    ("fedavg_reset", "{name: fedavg, local_epochs: 1}", "{name: sgd, lr: 0.1, momentum: 0.9}",
     {"epochs": 1, "make": sgd(0.1, momentum=0.9), "clients": ALL}),
    ("fedavg_kept", "{name: fedavg, local_steps: 3, clients: 2, optimizer_state: local}",
     "{name: sgd, lr: 0.05, momentum: 0.9, nesterov: true, weight_decay: 0.01}",
     {"steps": 3, "make": sgd(0.05, momentum=0.9, nesterov=True, weight_decay=0.01), "clients": TWO, "keeps": True}),
    ("fedavg_adam", "{name: fedavg, local_epochs: 1, clients: 0.6}", "{name: adam, lr: 0.05}",
     {"epochs": 1, "make": lambda p: torch.optim.Adam(p, lr=0.05), "clients": THREE}),
    ("fedprox", "{name: fedprox, local_epochs: 3, mu: 0.5}", "{name: sgd, lr: 0.1}",
     {"epochs": 3, "make": sgd(0.1), "clients": ALL, "mu": 0.5}),
    ("fedprox_two", "{name: fedprox, local_steps: 7, mu: 1, clients: 2, weights: uniform}", "{name: sgd, lr: 0.1}",
     {"steps": 7, "make": sgd(0.1), "clients": TWO, "mu": 1.0, "uniform": True}),
    ("scaffold", "{name: scaffold, local_epochs: 2}", "{name: sgd, lr: 0.1}",
     {"epochs": 2, "lr": 0.1, "make": sgd(0.1), "clients": ALL, "uniform": True, "server_lr": 1.0}),
    ("scaffold_three", "{name: scaffold, local_steps: 4, clients: 3, server_lr: 0.7}",
     "{name: sgd, lr: 0.1, weight_decay: 0.05}",
     {"steps": 4, "lr": 0.1, "make": sgd(0.1, weight_decay=0.05), "clients": THREE, "uniform": True, "server_lr": 0.7}),
]


def write_federated(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case[0] for case in CASES))
    for name, algorithm, optimizer, case in CASES:
        points = trajectory(case)
        out.text(f"{name}/algorithm", algorithm)
        out.text(f"{name}/optimizer", optimizer)
        out.numbers(f"{name}/clients", [[i in clients for i in range(len(SIZES))] for clients in case["clients"]], exact=True)
        out.numbers(f"{name}/points", points, exact=True)
        print(f"  {name}: {float(points[0].norm()):.4f} to {float(points[-1].norm()):.6f}")
    out.close()
