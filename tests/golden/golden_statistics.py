#!/usr/bin/python3
"""golden_statistics.py - Student's t, paired tests and Holm's correction, by SciPy.

Needs NumPy and SciPy only (made with SciPy 1.17), and runs alone.

    python3 tests/golden/golden_statistics.py
"""

import math
import os

import numpy
from scipy import stats

import formula

DOFS = [1, 2, 3, 4, 9, 15, 29, 100, 1e3, 1e4]
# Nearer to 0 and 1/2 SciPy has fewer digits.
POINTS = [-1e6, -300, -40, -12.5, -5, -2.5, -1.1, -0.5, -1e-3, 0, 1e-3, 0.3, 1, 1.5, 1.96, 3, 8, 25, 1e4]
PROBABILITIES = [1e-15, 1e-9, 1e-4, 0.005, 0.025, 0.1, 0.24, 0.26, 0.4, 0.49, 0.5,
                 0.51, 0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 0.9995, 1 - 2**-30]

# name, pairs, mean difference, scale of the differences; "steps": differences are multiples of 1/64, so that
# many sums of signed differences are equal
PAIRS = [
    ("two", 2, 0.1, 0.3, {}),
    ("three", 3, 0.02, 0.01, {}),
    ("five", 5, -0.03, 0.05, {}),
    ("five_far", 5, 4.0, 0.01, {}),
    ("ten", 10, 0.01, 0.2, {}),
    ("ten_ties", 10, 0.2, 1.0, {"steps": True}),
    ("sixteen", 16, 0.3, 1.0, {}),
    ("sixteen_ties", 16, 0.1, 1.0, {"steps": True}),
    ("thirty", 30, 0.2, 1.0, {"drawn": True}),
]

HOLM = [
    ("one", [0.03]),
    ("ascending", [0.001, 0.01, 0.02, 0.04]),
    ("mixed", [0.04, 0.001, 0.9, 0.013, 0.013, 0.2]),
    ("kept_up", [0.02, 0.0201, 0.0202]),
    ("all_large", [0.7, 0.5, 0.9]),
]

# difference, deviation, level
NEEDED = [(1.0, 1.0, 0.95), (0.5, 1.0, 0.95), (-0.1, 1.0, 0.95), (0.021, 1.0, 0.95), (5.0, 1.0, 0.95),
          (100.0, 1.0, 0.95), (0.019, 1.0, 0.95), (0.5, 1.0, 0.99), (0.3, 2.0, 1 - 0.05 / 7), (1.0, 0.0, 0.95)]


def write_t(out):
    for dof in DOFS:
        t = stats.t(dof)
        out.numbers(f"dof/{dof:g}/cdf", t.cdf(POINTS), exact=True)
        out.numbers(f"dof/{dof:g}/two_sided", 2 * t.sf(numpy.abs(POINTS)), exact=True)
        out.numbers(f"dof/{dof:g}/quantile", t.ppf(PROBABILITIES), exact=True)
    out.numbers("dofs", DOFS, exact=True)
    out.numbers("points", POINTS, exact=True)
    out.numbers("probabilities", PROBABILITIES, exact=True)


def mean_difference(x, y):
    return numpy.mean(x) - numpy.mean(y)


def write_pairs(out):
    out.text("pairs", "\n".join(case[0] for case in PAIRS))
    for name, count, shift, scale, more in PAIRS:
        b = formula.noise(f"statistics/{name}/b", count)
        d = formula.noise(f"statistics/{name}/d", count, scale, shift)
        if more.get("steps"):
            b, d = numpy.round(b * 64) / 64, numpy.round(d * 64) / 64
        a = b + d
        test = stats.ttest_rel(a, b)
        interval = test.confidence_interval(0.95)
        draws = 200000 if more.get("drawn") else math.inf
        p = stats.permutation_test((a, b), mean_difference, permutation_type="samples", n_resamples=draws,
                                   rng=numpy.random.default_rng(1)).pvalue
        out.numbers(f"{name}/a", a, exact=True)
        out.numbers(f"{name}/b", b, exact=True)
        out.numbers(f"{name}/test", [numpy.mean(a - b), numpy.std(a - b, ddof=1), interval.low, interval.high,
                                     test.pvalue], exact=True)
        out.numbers(f"{name}/permutation", [p], exact=True)
        out.numbers(f"{name}/drawn", [more.get("drawn", False)], exact=True)
        print(f"  {name}: p {test.pvalue:.6g}, permutation {p:.6g}")


def holm(p):
    """By definition: reject p(1), p(2), ... while p(k) <= alpha / (m - k + 1)."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted = [0.0] * len(p)
    for rank, i in enumerate(order):
        adjusted[i] = min(1.0, max((len(p) - k) * p[order[k]] for k in range(rank + 1)))
    return adjusted


def write_holm(out):
    out.text("holm", "\n".join(case[0] for case in HOLM))
    for name, p in HOLM:
        out.numbers(f"holm_{name}/p", p, exact=True)
        out.numbers(f"holm_{name}/adjusted", holm(p), exact=True)


def needed(difference, deviation, level):
    for n in range(2, 10001):
        if stats.t.ppf(0.5 + level / 2, n - 1) * deviation / math.sqrt(n) < abs(difference):
            return n
    return -1


def write_statistics(path):
    out = formula.Writer(path)
    write_t(out)
    write_pairs(out)
    write_holm(out)
    out.numbers("needed", [(*case, needed(*case)) for case in NEEDED], exact=True)
    out.close()


if __name__ == "__main__":
    write_statistics(os.path.join(os.path.dirname(os.path.abspath(__file__)), "vectors", "statistics.bin"))
