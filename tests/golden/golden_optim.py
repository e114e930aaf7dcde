"""golden_optim.py - 20 steps of every optimiser, and the rates of every schedule."""

import numpy
import torch
from torch.nn import functional as F
from torch.optim import lr_scheduler

import formula

STEPS, DIM, ROWS, BATCHES = 20, 12, 24, 3
TICKS = 40


class Objective:
    """Logistic loss over rows a_j with signs b_j, and a quadratic c (x - e)^2 / 2.

    With batches, step k sees the rows j with j mod 3 = k mod 3.
    """

    def __init__(self):
        self.a = formula.tensor("objective/rows", (ROWS, DIM), 2.0)
        self.b = torch.sign(formula.tensor("objective/signs", (ROWS,)))
        self.c = formula.tensor("objective/curvature", (DIM,), 0.4, 0.5)
        self.e = formula.tensor("objective/centre", (DIM,))

    def __call__(self, x, step=None):
        rows = slice(None) if step is None else slice(step % BATCHES, None, BATCHES)
        logistic = F.softplus(-self.b[rows] * (self.a[rows] @ x)).mean()
        return logistic + (self.c * (x - self.e) ** 2).sum() / 2


# name, Muster's section, torch's optimiser, batches, schedule of Muster, schedule of torch
CASES = [
    ("sgd", "{name: sgd, lr: 0.3}", lambda p: torch.optim.SGD(p, lr=0.3), True),
    ("sgd_momentum", "{name: sgd, lr: 0.1, momentum: 0.9}",
     lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), True),
    ("sgd_nesterov", "{name: sgd, lr: 0.1, momentum: 0.9, nesterov: true, weight_decay: 0.05}",
     lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.05), True),
    ("sgd_decay", "{name: sgd, lr: 0.3, weight_decay: 0.1}",
     lambda p: torch.optim.SGD(p, lr=0.3, weight_decay=0.1), True),
    ("adam", "{name: adam, lr: 0.1}", lambda p: torch.optim.Adam(p, lr=0.1), True),
    ("adam_options",
     "{name: adam, lr: 0.05, beta1: 0.8, beta2: 0.99, epsilon: 1.0e-3, weight_decay: 0.1}",
     lambda p: torch.optim.Adam(p, lr=0.05, betas=(0.8, 0.99), eps=1e-3, weight_decay=0.1), True),
    ("adamw", "{name: adamw, lr: 0.1}", lambda p: torch.optim.AdamW(p, lr=0.1), True),
    ("adamw_options", "{name: adamw, lr: 0.05, beta1: 0.8, beta2: 0.99, weight_decay: 0.5}",
     lambda p: torch.optim.AdamW(p, lr=0.05, betas=(0.8, 0.99), weight_decay=0.5), True),
    ("lbfgs", "{name: lbfgs, lr: 0.2, max_iter: 3}",
     lambda p: torch.optim.LBFGS(p, lr=0.2, max_iter=3), False),
    ("lbfgs_batches", "{name: lbfgs, lr: 0.1, max_iter: 5, tolerance_grad: 0.1}",
     lambda p: torch.optim.LBFGS(p, lr=0.1, max_iter=5, tolerance_grad=0.1), True),
    ("lbfgs_short_history", "{name: lbfgs, lr: 0.1, max_iter: 2, history: 4}",
     lambda p: torch.optim.LBFGS(p, lr=0.1, max_iter=2, history_size=4), False),
    ("lbfgs_wolfe", "{name: lbfgs, max_iter: 1, line_search: strong_wolfe}",
     lambda p: torch.optim.LBFGS(p, max_iter=1, line_search_fn="strong_wolfe"), False),
    ("lbfgs_wolfe_far", "{name: lbfgs, lr: 30, max_iter: 1, line_search: strong_wolfe}",
     lambda p: torch.optim.LBFGS(p, lr=30, max_iter=1, line_search_fn="strong_wolfe"), False),
    ("lbfgs_wolfe_near", "{name: lbfgs, lr: 0.2, max_iter: 1, line_search: strong_wolfe}",
     lambda p: torch.optim.LBFGS(p, lr=0.2, max_iter=1, line_search_fn="strong_wolfe"), False),
    ("lbfgs_wolfe_batches",
     "{name: lbfgs, lr: 0.5, max_iter: 2, line_search: strong_wolfe, tolerance_grad: 1.0e-3}",
     lambda p: torch.optim.LBFGS(p, lr=0.5, max_iter=2, line_search_fn="strong_wolfe",
                                 tolerance_grad=1e-3), True),
    ("sgd_onecycle", "{name: sgd, lr: 0.1, momentum: 0.5}",
     lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.5), True,
     "{name: onecycle, peak: 0.3}",
     lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.3, total_steps=STEPS)),
    ("adam_onecycle", "{name: adam, lr: 0.1}", lambda p: torch.optim.Adam(p, lr=0.1), True,
     "{name: onecycle, peak: 0.3}",
     lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.3, total_steps=STEPS)),
]


def trajectory(case, objective):
    make, batches = case[2], case[3]
    x = formula.tensor("objective/start", (DIM,), 2.0).requires_grad_()
    optimizer = make([x])
    scheduler = case[5](optimizer) if len(case) > 5 else None
    points, losses, calls = [], [], 0

    for step in range(STEPS):
        def closure():
            nonlocal calls
            calls += 1
            optimizer.zero_grad()
            loss = objective(x, step if batches else None)
            loss.backward()
            return loss
        losses.append(float(optimizer.step(closure)))
        if scheduler is not None:
            scheduler.step()
        points.append(x.detach().clone())
    return torch.stack(points), losses, calls


def write_trajectories(out):
    objective = Objective()
    out.text("optimizers", "\n".join(case[0] for case in CASES))
    for case in CASES:
        name = case[0]
        points, losses, calls = trajectory(case, objective)
        out.text(f"{name}/section", case[1])
        out.text(f"{name}/schedule", case[4] if len(case) > 4 else "{name: constant}")
        out.numbers(f"{name}/batches", [case[3]], exact=True)
        out.numbers(f"{name}/points", points, exact=True)
        out.numbers(f"{name}/losses", losses, exact=True)
        out.numbers(f"{name}/calls", [calls], exact=True)
        print(f"  {name}: loss {losses[0]:.4f} to {losses[-1]:.6f}, {calls} evaluations")


LR = 0.4

SCHEDULES = [
    ("linear", "{name: linear, finish: 0.05}",
     lambda o: lr_scheduler.LinearLR(o, 1.0, 0.05 / LR, total_iters=TICKS - 1)),
    ("linear_epoch", "{name: linear, finish: 0.05, every: epoch}",
     lambda o: lr_scheduler.LinearLR(o, 1.0, 0.05 / LR, total_iters=TICKS - 1)),
    ("exponential", "{name: exponential}", lambda o: lr_scheduler.ExponentialLR(o, 0.9)),
    ("cosine", "{name: cosine}", lambda o: lr_scheduler.CosineAnnealingLR(o, TICKS)),
    ("cosine_minimum", "{name: cosine, minimum: 0.02, every: epoch}",
     lambda o: lr_scheduler.CosineAnnealingLR(o, TICKS, eta_min=0.02)),
    ("step", "{name: step, every_epochs: 7, gamma: 0.3}",
     lambda o: lr_scheduler.StepLR(o, 7, 0.3)),
    ("onecycle", "{name: onecycle}", lambda o: lr_scheduler.OneCycleLR(o, LR, total_steps=TICKS)),
    ("onecycle_options",
     "{name: onecycle, peak: 0.7, start_factor: 10, final_factor: 100, warmup: 0.43, "
     "momentum_min: 0.5, momentum_max: 0.8}",
     lambda o: lr_scheduler.OneCycleLR(o, 0.7, total_steps=TICKS, div_factor=10,
                                       final_div_factor=100, pct_start=0.43, base_momentum=0.5,
                                       max_momentum=0.8)),
]


def schedule_rates(make):
    x = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=LR, momentum=0.6)
    scheduler = make(optimizer)
    lrs, momenta = [], []
    for tick in range(TICKS):
        lrs.append(optimizer.param_groups[0]["lr"])
        momenta.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        if tick + 1 < TICKS:
            scheduler.step()
    return lrs, momenta


def write_schedules(out):
    names = [case[0] for case in SCHEDULES] + ["constant", "geometric"]
    out.text("schedules", "\n".join(names))
    out.numbers("base_lr", [LR], exact=True)
    for name, section, make in SCHEDULES:
        lrs, momenta = schedule_rates(make)
        out.text(f"{name}/section", section)
        out.numbers(f"{name}/lr", lrs, exact=True)
        out.numbers(f"{name}/momentum", momenta, exact=True)
    for name, section, lrs in [
            ("constant", "{name: constant}", numpy.full(TICKS, LR)),
            ("geometric", "{name: geometric, finish: 0.001}", numpy.geomspace(LR, 0.001, TICKS))]:
        out.text(f"{name}/section", section)
        out.numbers(f"{name}/lr", lrs, exact=True)
        out.numbers(f"{name}/momentum", numpy.full(TICKS, 0.6), exact=True)


def write_clip(out):
    for name, limit in [("clip/small", 0.5), ("clip/large", 100.0)]:
        x = torch.zeros(37, requires_grad=True)
        x.grad = formula.tensor("clip/gradient", (37,), 3.0)
        norm = torch.nn.utils.clip_grad_norm_([x], limit)
        out.numbers(name, [limit, norm.item()] + x.grad.tolist(), exact=True)


def write_optim(path):
    out = formula.Writer(path)
    write_trajectories(out)
    write_clip(out)
    out.close()


def write_schedule_file(path):
    out = formula.Writer(path)
    write_schedules(out)
    out.close()
