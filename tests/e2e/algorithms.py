#!/usr/bin/env python3
"""Reads `muster algorithms --json` on stdin and prints algorithms with their flags, one per line.

    algorithms.py where CONDITION   those that a Python condition on an entry `a` holds for, each with the
                                    options that it declares for tests: local-sgd --local-sgd.period 4
    algorithms.py trials            the arguments of `check` in test_algorithms.sh: every algorithm for
                                    several workers, with its defaults and with its declared options
"""
import json
import sys


def flags(a, options):
    found = []
    for pair in filter(None, options.split(",")):
        key, value = pair.split(":")
        found.append(f"--{a['name']}.{key.strip().replace('_', '-')} {value.strip()}")
    return found


def where(algorithms, condition):
    for a in algorithms:
        if eval(condition, {"a": a}):
            print(a["name"], *flags(a, a["test_options"]))


def trials(algorithms):
    for a in algorithms:
        if a["one_worker_only"]:
            continue
        for options in dict.fromkeys(["", a["test_options"]]):
            is_declared = options == a["test_options"]
            numbers = [int(a["is_asynchronous"]), int(a["needs_graph"]), int(is_declared)]
            graph = ["--graph path"] if a["needs_graph"] else []
            print(a["kind"], *numbers, a["name"], *graph, *flags(a, options))


def main(arguments):
    algorithms = json.load(sys.stdin)["algorithms"]
    if arguments[:1] == ["where"]:
        where(algorithms, arguments[1])
    else:
        trials(algorithms)


main(sys.argv[1:])
