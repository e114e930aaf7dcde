#!/usr/bin/python3
"""golden_certainty.py - rounds of RAMEN and UDON, written out with NumPy in float64.

Four nodes, each with a start and a quadratic of its own, which leaves some coordinates alone. The first coordinates
are the grid of a map and have counts, which start at given numbers; the others are a decoder. The rules are written
as in the papers' programs, with weights W between rho / 1000 and rho, and around points
(W_i x_i + W_j x_j) / (W_i + W_j).

    python3 tests/golden/golden_certainty.py
"""

import os

import numpy

import formula
from golden_outer import SGD, AdamW

NODES, DIM, GRID, ROUNDS, STEPS = 4, 12, 9, 8, 3

COMPLETE = {i: [j for j in range(NODES) if j != i] for i in range(NODES)}
STAR = {0: [1, 2, 3], 1: [0], 2: [0], 3: [0]}


def table(what, scale, shift):
    return formula.noise(f"certainty/{what}", NODES * DIM, scale, shift).reshape(NODES, DIM)


def weights(u_i, u_j, rho):
    """W_i and W_j of a link, of all coordinates."""
    s = u_i + u_j
    if s.max() == s.min():
        return numpy.full(DIM, rho), numpy.full(DIM, rho)
    least = 0  # the programs have s.min(), which is 0 unless all places are seen, and else may give negative weights
    a = (rho - rho / 1000) / (s.max() - least)
    b = rho / 1000 - a * least
    decoder = numpy.full(DIM - GRID, rho)
    return [numpy.concatenate([a * u + b, decoder]) for u in (u_i, u_j)]


def trajectory(has_link_duals, make, case):
    curvature = table("curvature", 0.7, 1.2) * (table("seen", 1.0, 0.0) > -0.3)
    centre = table("centre", 2.0, 0.0)
    x = list(table("start", 2.0, 0.0))
    u = numpy.floor(table("counts", 10.0, case.get("seen", 10.0)))[:, :GRID]
    p = numpy.zeros((NODES, DIM))
    links = numpy.zeros((NODES, NODES, DIM))
    optimizers = [make() for _ in range(NODES)]
    rho = case.get("rho", 0.5)
    for round in range(ROUNDS):
        rho *= case.get("scaling", 1.0)
        near = case["graphs"][round % len(case["graphs"])]
        old, counts = [v.copy() for v in x], u.copy()
        for i in range(NODES):
            points = []
            for j in near[i]:
                w_i, w_j = weights(counts[i], counts[j], rho)
                change = 2 * w_i * w_j / (w_i + w_j) * (old[i] - old[j])
                p[i] += change
                links[i, j] += change
                points.append((w_i, (w_i * old[i] + w_j * old[j]) / (w_i + w_j)))
            dual = sum((links[i, j] for j in near[i]), numpy.zeros(DIM)) if has_link_duals else p[i]
            if not case.get("keeps", False):
                optimizers[i].reset()
            for _ in range(STEPS):
                loss_gradient = curvature[i] * (x[i] - centre[i])
                u[i] += loss_gradient[:GRID] != 0
                g = loss_gradient + dual + sum(2 * w * (x[i] - m) for w, m in points)
                x[i] = optimizers[i].step(x[i], g)
    return numpy.array(x), u


# name, Muster's algorithm but for the number of steps, Muster's graph, whether links have duals, optimiser, more
CASES = [
    ("ramen_sgd", "name: ramen, primal_optimizer: sgd", "complete", False, lambda: SGD(0.1), {"graphs": [COMPLETE]}),
    ("ramen_star", "name: ramen, primal_optimizer: sgd, rho_init: 0.3", "star", False, lambda: SGD(0.1),
     {"graphs": [STAR], "rho": 0.3}),
    ("ramen_adam", "name: ramen, rho_init: 0.7, rho_scaling: 1.1", "complete", False, lambda: AdamW(0.1),
     {"graphs": [COMPLETE], "rho": 0.7, "scaling": 1.1}),
    ("ramen_kept", "name: ramen, persistent_primal_opt: true", "complete", False, lambda: AdamW(0.1),
     {"graphs": [COMPLETE], "keeps": True}),
    ("ramen_seen_everywhere", "name: ramen, primal_optimizer: sgd", "complete", False, lambda: SGD(0.1),
     {"graphs": [COMPLETE], "seen": 17.0}),
    ("ramen_changing", "name: ramen, primal_optimizer: sgd", '{name: star, schedule: complete, switch_every: 1}', False,
     lambda: SGD(0.1), {"graphs": [STAR, COMPLETE]}),
    ("udon_sgd", "name: udon, primal_optimizer: sgd", "complete", True, lambda: SGD(0.1), {"graphs": [COMPLETE]}),
    ("udon_changing", "name: udon, primal_optimizer: sgd", '{name: star, schedule: complete, switch_every: 1}', True,
     lambda: SGD(0.1), {"graphs": [STAR, COMPLETE]}),
    ("udon_kept", "name: udon, persistent_primal_opt: true, rho_init: 0.2",
     '{name: complete, schedule: star, switch_every: 1}', True, lambda: AdamW(0.1),
     {"graphs": [COMPLETE, STAR], "rho": 0.2, "keeps": True}),
]


def write_certainty(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case[0] for case in CASES))
    for name, algorithm, graph, has_link_duals, make, more in CASES:
        x, counts = trajectory(has_link_duals, make, more)
        out.text(f"{name}/algorithm", f"{{{algorithm}, primal_iterations: {STEPS}}}")
        out.text(f"{name}/graph", graph)
        out.numbers(f"{name}/seen", [more.get("seen", 10.0)], exact=True)
        out.numbers(f"{name}/x", x, exact=True)
        out.numbers(f"{name}/counts", counts, exact=True)
        print(f"  {name}: {numpy.ptp(x, axis=0).max():.4f} apart, {numpy.abs(x).max():.4f}")
    out.close()


if __name__ == "__main__":
    write_certainty(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors", "certainty.bin"))
