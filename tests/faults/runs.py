"""runs.py - what the fault tests share: short runs, what must hold after a fault, and the report.

A scenario is a command that trains, with what must be there before it. A tool of this folder makes cases from
scenarios: the same command with one fault. After each case a check answers with a list of violations, which are
printed with the command that shows them again.
"""

import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
HANGS_AFTER_S = 120
EXIT_CODES = {0, 1, 2, 3, 4, 5, 75}  # docs/reference/exit-codes.md

FIGURES = "--dataset figures --figures.train-count 60 --figures.test-count 20 --batch-size 10 --model mnist_conv"
TRAIN = f"train {FIGURES} --validation 0.2 --name x --out run --quiet"
STUDY = """\
seed: [1, 2]
data: {name: figures, train_count: 60, test_count: 20}
model: mnist_conv
train: {epochs: 2, batch_size: 10}
runs:
  one: {algorithm: single}
  two: {algorithm: sync, transport: {workers: 2}}
"""

# `before` makes the folder that `command` then works in. `again` is what a user does after a failure. The results
# of a run that repeats are compared bit by bit with those of an unbroken run.
Scenario = collections.namedtuple("Scenario", "name before command again repeats")
RESUME = "train --resume run --quiet"
SCENARIOS = {s.name: s for s in (
    Scenario("train", "", f"{TRAIN} --epochs 2", RESUME, True),
    Scenario("resume", f"{TRAIN} --epochs 1", f"{RESUME} --epochs 3", f"{RESUME} --epochs 3", True),
    Scenario("sync", "", f"{TRAIN} --epochs 2 --algorithm sync --workers 2", RESUME, True),
    Scenario("graph", "", f"{TRAIN} --epochs 2 --algorithm dsgd --workers 3 --graph cycle --trace", RESUME, True),
    Scenario("async", "", f"{TRAIN} --epochs 2 --algorithm ps-async --workers 2", RESUME, False),
    Scenario("hogwild", "", f"{TRAIN} --epochs 2 --algorithm hogwild --workers 2", RESUME, False),
    Scenario("study", "", "run study.yaml --out run --quiet", "run study.yaml --out run --quiet", True),
    Scenario("gzip", "", f"train --dataset mnist --data-dir mnist --model mnist_conv --epochs 1 --name x --out run --quiet",
             RESUME, True),
    Scenario("evaluate", f"{TRAIN} --epochs 1", "evaluate run --split all --classes", "evaluate run --split all", True),
    Scenario("export", f"{TRAIN} --epochs 1", "export run --results npz --out made.npz", "export run --results npz --out again.npz", True),
    Scenario("show", f"{TRAIN} --epochs 1", "show run --json", "show run --json", True),
    Scenario("jobs", "", "run study.yaml --out run --quiet --jobs 2", "run study.yaml --out run --quiet", True),
)}

Outcome = collections.namedtuple("Outcome", "code err hung")

# --- running ---


def write_gzipped_mnist(folder, part, count):
    labels = bytes(i % 10 for i in range(count))
    images = b"".join(bytes([25 * label]) * 784 for label in labels)
    for name, content in (("images-idx3", struct.pack(">IIII", 0x803, count, 28, 28) + images),
                          ("labels-idx1", struct.pack(">II", 0x801, count) + labels)):
        (folder / f"{part}-{name}-ubyte.gz").write_bytes(gzip.compress(content))


class Sandbox:
    """A folder in which commands run. `with` removes it."""

    def __init__(self, muster):
        self.muster = os.path.abspath(muster)

    def __enter__(self):
        memory = "/dev/shm"  # where flushing to the disk costs nothing
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-faults-",
                                                    dir=memory if os.access(memory, os.W_OK) else None))
        (self.folder / "study.yaml").write_text(STUDY)
        (self.folder / "mnist").mkdir()
        for part in "train", "t10k":
            write_gzipped_mnist(self.folder / "mnist", part, 40)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, words, wrapper=(), environment=None):
        """Runs muster, with another program in front of it or not; nothing that it started may outlive it."""
        with open(self.folder / "standard output", "wb") as out:
            child = subprocess.Popen([*wrapper, self.muster, *words.split()], cwd=self.folder,
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                     env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **(environment or {})},
                                     start_new_session=True)
        try:
            err = child.communicate(timeout=HANGS_AFTER_S)[1]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return Outcome(None, child.communicate()[1].decode(errors="replace"), True)
        return Outcome(child.returncode, err.decode(errors="replace"), False)

    def prepare(self, scenario):
        if scenario.before:
            made = self.run(scenario.before)
            assert made.code == 0, made.err


# --- what a run came to ---

VARIES = re.compile(r"seconds|samples_per_s|_rate|time|computing|waiting|transferring|sleeping|run_dir|host|start|threads|transport")


def without_what_varies(value):
    if isinstance(value, dict):
        return {k: without_what_varies(v) for k, v in value.items() if not VARIES.search(k)}
    return [without_what_varies(v) for v in value] if isinstance(value, list) else value


RESULTS = ("model.safetensors", "metrics.jsonl", "result.json", "results.json", "confusion.json")


def read_result(path):
    try:
        if path.suffix == ".jsonl":
            return [without_what_varies(json.loads(line)) for line in path.read_text().splitlines()]
        if path.suffix == ".json":
            return without_what_varies(json.loads(path.read_text()))
        return path.read_bytes()
    except (OSError, ValueError) as error:
        return f"damaged: {error}"


def results(folder, names=RESULTS):
    """What a fault may not change, without what the clock says: {path: content}."""
    return {str(p.relative_to(folder)): read_result(p) for p in sorted(folder.rglob("*")) if p.name in names}


def differences(scenario, folder, expected, names=RESULTS):
    """How the results differ from those of an unbroken run."""
    found = results(folder, names)
    if found.keys() != expected.keys():
        return [f"other result files: {sorted(found.keys() ^ expected.keys())}"]
    if not scenario.repeats:
        return []
    return [f"{name} differs from that of an unbroken run" for name in sorted(found) if found[name] != expected[name]]


_unbroken = {}


def unbroken(muster, scenario):
    """The results of the scenario without a fault."""
    if scenario.name not in _unbroken:
        with Sandbox(muster) as box:
            box.prepare(scenario)
            made = box.run(scenario.command)
            assert made.code == 0, made.err
            _unbroken[scenario.name] = results(box.folder / "run")
    return _unbroken[scenario.name]


# --- what must hold ---


def check_end(outcome, needs_message=True):
    """The program ended by itself, with a documented code, and said why."""
    if outcome.hung:
        return [f"did not end within {HANGS_AFTER_S} s"]
    if outcome.code not in EXIT_CODES:
        return [f"ended with {outcome.code}: {outcome.err.strip()[-300:]}"]
    for word in ("Sanitizer", "runtime error:", "muster: bug"):
        if word in outcome.err:
            return [f"{word}: {outcome.err.strip()[-2000:]}"]
    if outcome.code != 0 and needs_message and not re.search(r"^(error|warning|muster): ", outcome.err, re.M):
        return [f"ended with {outcome.code} and without a message: {outcome.err!r}"]
    return []


def torn_file(path):
    try:
        if path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".jsonl":
            for line in path.read_text().splitlines():
                json.loads(line)
    except ValueError as error:
        return [f"{path.name} is torn: {error}"]
    return []


def check_files(folder):
    """No file is torn, and no temporary file is left."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(".tmp"):
            found.append(f"{path.name} is left")
        elif path.is_file():
            found += torn_file(path)
    return found


def check_again(box, scenario, expected):
    """What a user does after a failure leads to the results of an unbroken run."""
    folder = box.folder / "run"
    outcome = box.run(scenario.again)
    for _ in range(100):  # children that lost their parent stop, but not at once
        if "is at work in this folder" not in outcome.err:
            break
        time.sleep(0.1)
        outcome = box.run(scenario.again)
    found = check_end(outcome)
    if not found and outcome.code != 0:
        if any(folder.rglob("checkpoints/*")):
            return [f"cannot be resumed from its checkpoint: {outcome.err.strip()[-300:]}"]
        shutil.rmtree(folder, ignore_errors=True)  # nothing is lost by starting over
        box.prepare(scenario)
        outcome = box.run(scenario.command)
        found = check_end(outcome)
    if not found and outcome.code != 0:
        found = [f"{scenario.again}: ended with {outcome.code}: {outcome.err.strip()[-300:]}"]
    return found or differences(scenario, folder, expected) + check_files(folder)


# --- the cases and the report ---

# `check` makes the fault and answers with the violations; `command` shows it again.
Case = collections.namedtuple("Case", "group command check")


def spread(things, count):
    """`count` of the things, evenly over all of them."""
    things = list(things)
    return things if count >= len(things) else [things[i * len(things) // count] for i in range(count)]


def arguments(purpose):
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("muster", help="the program")
    parser.add_argument("--all", action="store_true", help="every case, not only a spread")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at a time")
    parser.add_argument("--only", default="", metavar="TEXT", help="groups of cases whose name contains TEXT")
    return parser


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def report(cases, options):
    """Runs the cases and prints TAP: a line for each group, with its violations above it. Ends the program."""
    cases = [c for c in cases if options.only in c.group]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        checked = list(pool.map(lambda case: case.check(), cases))
    groups = {}
    for case, found in zip(cases, checked):
        groups.setdefault(case.group, []).append((case.command, found))
    failed = 0
    for number, (group, entries) in enumerate(groups.items(), 1):
        bad = [(command, found) for command, found in entries if found]
        for command, found in bad:
            print(f"# {command}")
            for line in found:
                print(f"#   {line}".replace("\n", "\n#   "))
        failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {number} - {group}: {len(entries)} cases, {len(bad)} bad")
    print(f"1..{len(groups)}")
    sys.exit(1 if failed or not groups else 0)
