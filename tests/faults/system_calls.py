#!/usr/bin/env python3
"""system_calls.py MUSTER [--all] - system calls on the files of a run fail, one at a time.

strace makes the n-th call of a thread fail (a full disk, a broken one, no permission) for calls that touch the
folder of the run or the standard streams. Then: the program ends by itself with a documented exit code and a message
that has the file and the reason, or it ends well and warns where something is missing; no file is torn or left over;
and what a user does next leads to the results of an unbroken run.
"""

import errno
import os
import re
import shutil
import subprocess

import runs

# Which errors a call may meet; they take turns.
ERRORS = {
    "write": ("ENOSPC", "EIO"),
    "fsync": ("EIO", "ENOSPC"),
    "rename": ("EACCES", "ENOSPC"),
    "openat": ("EACCES", "EMFILE", "ENOSPC"),
    "mkdir": ("EACCES", "ENOSPC"),
    "unlink": ("EACCES",),
    "symlink": ("EPERM", "ENOSPC"),
    "read": ("EIO",),
    "clone3": ("EAGAIN",),
}
# How many cases of each call a short test has.
SAMPLE = {"train": 5, "resume": 5, "graph": 2, "async": 2, "study": 2, "jobs": 1}
HARMLESS = {"live.json", ".lock"}  # nothing is lost with these, nor by not finding left-overs in a folder


def strace(log, *options):
    return ["strace", "-f", "-y", "-qq", "-o", str(log), *options]


def calls(log, folder):
    """(number of the call in its thread, what it touches, the line) of calls on files in the folder."""
    numbers = {}
    for line in open(log, errors="replace"):
        thread, call = line.split(None, 1)
        if not re.match(r"\w+\(", call):
            continue  # a signal, or the rest of a call
        numbers[thread] = numbers.get(thread, 0) + 1
        touched = touched_path(call)
        if touched.startswith((str(folder), "pipe:")) or not touched.startswith("/"):
            yield numbers[thread], touched, call


def touched_path(call):
    """The path that a call names, or that of its descriptor; "" where it has none (clone3)."""
    descriptor = re.match(r"(?:write|fsync|read)\(\d+<([^>]*)>", call)
    if descriptor:
        return descriptor.group(1)
    strings = re.findall(r'"([^"]*)"', call)
    return strings[-1] if strings else ""  # of two paths the second is the one that is made


def record(muster, scenario, call):
    """The numbers of all calls that succeed without a fault."""
    with runs.Sandbox(muster) as box:
        box.prepare(scenario)
        log = box.folder / "trace"
        made = box.run(scenario.command, strace(log, "-e", f"trace={call}"))
        assert made.code == 0, made.err
        return sorted({number for number, _, line in calls(log, box.folder) if " = -1 " not in line})


def check_message(outcome, failed, folder, error):
    """A failure names a file and the reason; what went missing without a failure is warned about."""
    names = {re.sub(r"\.\d+\.tmp$", "", os.path.basename(path)) for path in failed}
    reason = os.strerror(getattr(errno, error))
    if outcome.code == 0:
        lost = [p for p in failed if os.path.basename(p) not in HARMLESS and not (folder / p).is_dir()
                and "last.safetensors" not in p]  # a hard link takes the place of a symbolic one
        return [f"ended well without a warning: {lost}"] if lost and "warning: " not in outcome.err else []
    if not failed or (any(name in outcome.err for name in names) and reason in outcome.err):
        return []
    return [f"the message has not the file {sorted(failed)} and the reason {reason}: {outcome.err.strip()[-300:]}"]


def check(muster, scenario, call, number, error):
    expected = runs.unbroken(muster, scenario)
    with runs.Sandbox(muster) as box:
        box.prepare(scenario)
        log = box.folder / "trace"
        outcome = box.run(scenario.command, strace(log, "-e", f"trace={call}", "-e",
                                                   f"inject={call}:error={error}:when={number}"))
        failed = {touched for _, touched, line in calls(log, box.folder) if "(INJECTED)" in line}
        log.unlink()
        if "error while loading shared libraries" in outcome.err:
            return []  # the system's loader failed: the program had not begun
        can_speak = not any(path.startswith("pipe:") for path in failed)  # stderr itself did not fail
        found = runs.check_end(outcome, needs_message=can_speak)
        if can_speak and not found:
            found = check_message(outcome, failed, box.folder, error)
        if outcome.code == 0 and not found:
            found = runs.differences(scenario, box.folder / "run", expected)
        return found + runs.check_files(box.folder) + runs.check_again(box, scenario, expected)


def make_cases(options):
    for name, sample in SAMPLE.items():
        scenario = runs.SCENARIOS[name]
        runs.unbroken(options.muster, scenario)
        for call, errors in ERRORS.items():
            group = f"{call} fails in {name}"
            if options.only not in group:
                continue
            numbers = record(options.muster, scenario, call)
            assert numbers or call not in ("write", "fsync", "rename", "openat"), f"{name} has no {call}"
            for number in numbers if options.all else runs.spread(numbers, sample):
                error = errors[number % len(errors)]
                command = f"strace -f -e inject={call}:error={error}:when={number} muster {scenario.command}"
                yield runs.Case(group, command, lambda a=(scenario, call, number, error): check(options.muster, *a))


def can_trace():
    probe = ["strace", "-f", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=9", "true"]
    return shutil.which("strace") and subprocess.run(probe, capture_output=True).returncode == 0


def main():
    options = runs.arguments("make system calls of a run fail").parse_args()
    if not can_trace():
        runs.skip("there is no strace, or it may not trace (a container needs the capability SYS_PTRACE)")
    runs.report(list(make_cases(options)), options)


if __name__ == "__main__":
    main()
