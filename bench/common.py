"""What bench/compare and bench/workers share: errors, finding and building both sides, tables."""

import argparse
import glob
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HOW_TO_GET_TORCH = "to get it: apt-get install python3-torch libopenblas0-pthread libtcmalloc-minimal4"


class Missing(Exception):
    """Something that must be installed or built first."""


class Failed(Exception):
    """One of the sides went wrong."""


def say(text):
    print(text, file=sys.stderr, flush=True)


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
