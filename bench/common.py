"""What the programs of bench/ share: errors, finding and building both sides, tables."""

import argparse
import glob
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HOW_TO_GET_TORCH = "to get it: apt-get install python3-torch libopenblas0-pthread libtcmalloc-minimal4"
FIRST_STEPS = 100
PATIENCE = 120  # seconds that a window may take beyond its length


class Missing(Exception):
    """Something that must be installed or built first."""


class Failed(Exception):
    """One of the sides went wrong."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


# --- the sides ---


def run(command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{shlex.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def build_muster(*more):
    """The program, built; `more` are further targets that must be there."""
    say("building Muster (build/release) ...")
    run(["cmake", "--preset", "release"])
    run(["cmake", "--build", "--preset", "release", "--target", "muster", *more])
    return str(ROOT / "build" / "release" / "muster")


def find_torch(script):
    """A command that runs this script of bench/ with a Python that has PyTorch: this one, or Debian's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return shlex.join([python, str(HERE / script)])
    raise Missing(f"PyTorch is not here; {HOW_TO_GET_TORCH}")


def find_tcmalloc():
    places = ["/usr/lib/*/libtcmalloc_minimal.so.4", "/usr/lib/*/libtcmalloc.so.4", "/usr/lib*/libtcmalloc*.so.4"]
    found = [path for place in places for path in sorted(glob.glob(place))]
    return found[0] if found else None


def torch_variants(model):
    """(name, layout, environment) of every way to run PyTorch; the fastest counts."""
    preload = find_tcmalloc()
    tuned = {"LD_PRELOAD": preload} if preload else {}
    layouts = ["default"] if model in ("mlp", "fourier_density") else ["default", "channels_last"]
    variants = [("default", "default", {})] if preload else []
    return variants + [(layout + (" + tcmalloc" if preload else ""), layout, tuned) for layout in layouts]


# --- windows that are processes ---


def run_window(name, command, seconds, environment=None):
    """What the command says: one line of JSON at the end. Nothing of it is left when it takes too long."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds * 10 + PATIENCE)
    except BaseException as reason:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(reason, subprocess.TimeoutExpired):
            raise Failed(f"{name} did not end: {shlex.join(command)}") from None
        raise
    try:
        got = json.loads(out.strip().rsplit("\n", 1)[-1])
    except ValueError:
        got = {"error": f"it ended with code {process.returncode}\n{shlex.join(command)}\n{out[-500:]}{err[-1500:]}"}
    if "error" in got:
        if "not here" in got["error"]:
            raise Missing(f"{got['error']}; {HOW_TO_GET_TORCH}")
        raise Failed(f"{name}: {got['error']}")
    return got


class Training:
    """Runs of `muster train`; a window is a number of rounds that is found while warming up."""

    def __init__(self, name, seconds):
        self.name, self.seconds, self.steps, self.rates = name, seconds, FIRST_STEPS, []

    def command(self, out):
        """What trains for self.steps rounds into the folder `out`, and says --json."""
        raise NotImplementedError

    def is_as_asked(self, got):
        return True

    def train(self):
        with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
            got = run_window(f"Muster ({self.name})", self.command(f"{folder}/run"), self.seconds)
        if got["status"] != "finished" or not self.is_as_asked(got):
            raise Failed(f"Muster ({self.name}) did not do what was asked: {json.dumps(got)}")
        return got

    def warm_up(self):
        """Finds how many rounds fill a window. The number of parameters."""
        while True:
            got = self.train()
            times = self.seconds / got["train_seconds"]
            is_long_enough = times <= 4
            self.steps = max(1, round(self.steps * min(times, 50)))
            if is_long_enough:
                return got["parameters"]

    def window(self):
        got = self.train()
        self.rates.append(got["samples_per_s"])
        return got


# --- tables ---


def format_table(heads, rows):
    """Markdown, with columns that line up."""
    table = [heads] + rows
    widths = [max(len(row[i]) for row in table) for i in range(len(heads))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths)) + " |" for row in table]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def rate(value):
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}".replace(",", " ")


def reached(result):
    return f"{result['to_reach']:g}" + ("" if result["is_reached"] else "  (not reached)")


# --- flags ---


def positive(kind):
    def convert(text):
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text} is not above 0")
        return value

    return convert
