#!/usr/bin/env python3
"""allocations.py MUSTER LIBRARY [--all] [--numbers] - allocations fail, one at a time.

LIBRARY is fail_allocation.c, built; it is preloaded. Sites in the program or in its libraries that allocate fail
once, a spread of them or --all; with --numbers also the n-th allocation for every n, alone and with all that follow.
Then: the program ends by itself and says that memory ran out, or it does without; and what a user does next leads to
the results of an unbroken run. A temporary file may be left in the meantime, as by a program that was killed.
"""

import os
import re

import runs

# How many sites a short test has.
SAMPLE = {"train": 30, "resume": 20, "graph": 15, "async": 10, "study": 8, "jobs": 4, "gzip": 15, "evaluate": 20,
          "export": 15, "show": 15}


def preloaded(library, **variables):
    return ["env", f"LD_PRELOAD={os.path.abspath(library)}", *(f"{k}={v}" for k, v in variables.items())]


def record(options, scenario):
    """(names of sites, number of allocations) of a run without a fault."""
    with runs.Sandbox(options.muster) as box:
        box.prepare(scenario)
        made = box.run(scenario.command, preloaded(options.library, FAULT_RECORD="sites"))
        assert made.code == 0, made.err
        lines = [line.split() for line in (box.folder / "sites").read_text().splitlines()]
        sites = dict.fromkeys(name for name, _ in lines if name != "all")
        return list(sites), max(int(number) for name, number in lines if name == "all")


def check(options, scenario, variables):
    expected = runs.unbroken(options.muster, scenario)
    with runs.Sandbox(options.muster) as box:
        box.prepare(scenario)
        outcome = box.run(scenario.command, preloaded(options.library, **variables))
        found = runs.check_end(outcome)
        if outcome.code == 0 and not found:
            found = runs.differences(scenario, box.folder / "run", expected)
        elif not found and not re.search("memory|threads could be started", outcome.err):
            found = [f"ended with {outcome.code}, and not for lack of memory: {outcome.err.strip()[-300:]}"]
        return found + runs.check_again(box, scenario, expected)


def faults(options, scenario, sample):
    sites, count = record(options, scenario)
    for site in sites if options.all else runs.spread(sites, sample):
        yield "a site fails once", {"FAULT_SITE": site}
    if options.numbers:
        for number in range(1, count + 1):
            yield "the n-th fails", {"FAULT_NUMBER": number}
            yield "all from the n-th fail", {"FAULT_FROM": number}


def make_cases(options):
    for name, sample in SAMPLE.items():
        scenario = runs.SCENARIOS[name]
        if options.only not in name:
            continue
        runs.unbroken(options.muster, scenario)
        for what, variables in faults(options, scenario, sample):
            command = " ".join([*preloaded(options.library, **variables), "muster", scenario.command])
            yield runs.Case(f"{name}: {what}", command, lambda a=(scenario, variables): check(options, *a))


def main():
    parser = runs.arguments("make allocations of a run fail")
    parser.add_argument("library", help="fail_allocation.so")
    parser.add_argument("--numbers", action="store_true", help="also the n-th allocation, for every n")
    options = parser.parse_args()
    runs.report(list(make_cases(options)), options)


if __name__ == "__main__":
    main()
