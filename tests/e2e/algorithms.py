#!/usr/bin/env python3
"""Reads `muster algorithms --json` on stdin and prints algorithms with their flags, one per line.

    algorithms.py where CONDITION   those that a Python condition on an entry `a` holds for, each with the
                                    options that it declares for tests: local-sgd --local-sgd.period 4.
                                    Without those that need a network with a grid.
    algorithms.py trials            the arguments of `check` in test_algorithms.sh: every algorithm for
                                    several workers, with its defaults and with its declared sets of options
"""
import json
import re
import sys


def flags(a, options):
    """The flags of options: "period: 4, outer: {name: sgd}" is --NAME.period 4 --NAME.outer.name sgd."""
    found, path = [], [a["name"]]
    for token in re.findall(r"[\w.+-]+:?|\}", options):
        if token.endswith(":"):
            path.append(token[:-1].replace("_", "-"))
            continue
        if token != "}":
            found.append(f"--{'.'.join(path)} {token}")
        path.pop()
    return found


def where(algorithms, condition):
    for a in algorithms:
        if not a["needs_grid"] and eval(condition, {"a": a}):
            print(a["name"], *flags(a, a["test_options"]))


def trials(algorithms):
    for a in algorithms:
        if a["one_worker_only"]:
            continue
        for options in dict.fromkeys(["", a["test_options"], a["more_test_options"]]):
            is_declared = options != "" or a["test_options"] == ""
            numbers = [int(a["is_asynchronous"]), int(a["needs_graph"]), int(a["needs_grid"]), int(is_declared)]
            graph = ["--graph path"] if a["needs_graph"] else []
            print(a["kind"], *numbers, a["name"], *graph, *flags(a, options))


def main(arguments):
    algorithms = json.load(sys.stdin)["algorithms"]
    if arguments[:1] == ["where"]:
        where(algorithms, arguments[1])
    else:
        trials(algorithms)


main(sys.argv[1:])
