#!/usr/bin/env python3
"""signals.py MUSTER [--all] - a signal arrives at a chosen moment of a run.

strace sends the signal when a thread makes its n-th call of one kind on a file of the run, so every phase is met
without sleeping: loading, the first round, a row, an evaluation, a checkpoint, the end, the dry run of a study, between
its runs. Then: a stop ends with 75, or with 0 when the work was done; before the run has begun, and by a second signal or
one that cannot be caught, the program dies of the signal; and what a user does next leads to the results of an
unbroken run.
"""

import pathlib
import re
import shutil
import signal

import runs
import system_calls

CALLS = ("openat", "write", "rename", "fsync")
STOPS = ("TERM", "INT", "HUP", "USR1", "XCPU")
# once: a signal. twice: the same again at the next call.
KINDS = [(name, "once") for name in (*STOPS, "PIPE", "QUIT", "KILL")] + [(name, "twice") for name in STOPS[:2]]
SAMPLE = {"train": 20, "resume": 14, "graph": 12, "async": 12, "hogwild": 6, "study": 12, "jobs": 8}
SAMPLE_MPI = {"sync": 4, "async": 3, "hogwild": 2}  # for each of two processes
# Process 0 writes files, process 1 mostly waits.
CALLS_MPI = {0: ("rename",), 1: ("clock_nanosleep",)}
MPIRUN = ("mpirun --allow-run-as-root --oversubscribe --bind-to none --mca btl self,vader --mca mpi_yield_when_idle 1 "
          "-n 2").split()


def wrapper_of(trace, rank):
    """The words before the program: strace, or mpirun with strace around one of its processes."""
    if rank is None:
        return trace
    choose = f'[ "$OMPI_COMM_WORLD_RANK" = {rank} ] || shift {len(trace)}; exec "$@"'
    return [*MPIRUN, "sh", "-c", choose, "sh", *trace]


def moments(muster, scenario, call, rank):
    """(number of the call, what it touches) of all calls on files of the run."""
    with runs.Sandbox(muster) as box:
        box.prepare(scenario)
        log = box.folder / "trace"
        made = box.run(scenario.command, wrapper_of(system_calls.strace(log, "-e", f"trace={call}"), rank))
        assert made.code == 0, made.err
        return [(number, re.sub(r"\.\d+\.tmp$", "", touched).replace(f"{box.folder}/", ""))
                for number, touched, _ in system_calls.calls(log, box.folder) if "pipe:" not in touched]


def check_answer(outcome, scenario, kind, arrived, had_begun):
    """The exit code fits what arrived."""
    name = kind[0]
    death = {-getattr(signal, f"SIG{name}"), 128 + getattr(signal, f"SIG{name}")}  # mpirun answers the second
    if name == "PIPE" or arrived == 0:
        allowed = {0}
    elif name in ("QUIT", "KILL"):
        allowed = death
    elif arrived > 1:
        allowed = {0, 75, *death}
    else:
        allowed = {0, 75} if had_begun else {0, 75, *death}
    if scenario.name == "jobs":
        allowed.add(4)  # the child alone got it
    if outcome.hung or outcome.code in allowed:
        return []
    return [f"ended with {outcome.code}, not with one of {sorted(allowed)}: {outcome.err.strip()[-300:]}"]


def check(muster, scenario, call, number, kind, rank):
    expected = runs.unbroken(muster, scenario)
    name, times = kind
    with runs.Sandbox(muster) as box:
        box.prepare(scenario)
        log = box.folder / "trace"
        when = f"{number}..{number + 1}" if times == "twice" else number
        trace = system_calls.strace(log, "-e", f"trace={call}", "-e", f"inject={call}:signal=SIG{name}:when={when}")
        had_files = (box.folder / "run").exists()
        outcome = box.run(scenario.command, wrapper_of(trace, rank))
        arrived = len(re.findall(rf"--- SIG{name} ", log.read_text(errors="replace"))) if log.exists() else 0
        if name == "KILL":
            arrived = 1 if outcome.code != 0 else 0
        log.unlink(missing_ok=True)
        had_begun = not had_files and any((box.folder / "run").rglob("*.json*"))
        found = check_answer(outcome, scenario, kind, arrived, had_begun)
        if outcome.code in runs.EXIT_CODES:
            found += runs.check_end(outcome)
        if outcome.code == 0 and not found:
            found = runs.differences(scenario, box.folder / "run", expected)
        return found + runs.check_again(box, scenario, expected)


def make_cases(options, samples, rank):
    for name, sample in samples.items():
        scenario = runs.SCENARIOS[name]
        where = f"in {name}" + ("" if rank is None else f" on mpi, process {rank}")
        if options.only not in where:
            continue
        runs.unbroken(options.muster, scenario)
        calls = CALLS if rank is None else CALLS_MPI[rank]
        places = [(call, *moment) for call in calls for moment in moments(options.muster, scenario, call, rank)]
        chosen = [(*p, k) for p in places for k in KINDS] if options.all else [
            (*p, KINDS[i % len(KINDS)]) for i, p in enumerate(runs.spread(places, sample))]
        for call, number, touched, kind in chosen:
            command = f"{kind[0]} {kind[1]} at {call} {number} ({touched}) of: muster {scenario.command}"
            yield runs.Case(f"a signal {where}", command,
                            lambda a=(scenario, call, number, kind, rank): check(options.muster, *a))


def main():
    options = runs.arguments("send signals to a run").parse_args()
    if not system_calls.can_trace():
        runs.skip("there is no strace, or it may not trace (a container needs the capability SYS_PTRACE)")
    for number in signal.SIGHUP, signal.SIGQUIT:
        signal.signal(number, signal.SIG_DFL)  # a shell in the background ignores some, which children inherit
    cases = list(make_cases(options, SAMPLE, None))
    if shutil.which("mpirun") and (pathlib.Path(options.muster).parent / "libmuster_mpi.so").exists():
        for rank in CALLS_MPI:
            cases += make_cases(options, SAMPLE_MPI, rank)
    else:
        print("# SKIPPED: there is no mpirun, or the program has no transport mpi")
    runs.report(cases, options)


if __name__ == "__main__":
    main()
