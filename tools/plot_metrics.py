#!/usr/bin/env python3
"""plot_metrics.py RUN... - loss and accuracy of runs over epochs, as an SVG picture on stdout.

RUN is a run's folder, or an experiment's folder with one run in it. All runs share the colours, so
that several seeds show their spread. There is no background, and every colour is of middle
lightness: the picture reads on white and on black. Only Python's standard library is needed.

    python3 tools/plot_metrics.py runs/* > curves.svg
"""

import json
import sys
from pathlib import Path

WIDTH, HEIGHT = 760, 300
TOP, BOTTOM = 44, 254
PANELS = {"loss": (52, 352), "accuracy": (436, 736)}  # left and right edge
DOTS_MAX = 30  # points of a curve that are still worth a dot each
INK, FAINT = "#7b828c", "#8a919b55"
COLOURS = {"train": "#d9822b", "validation": "#3f9b57", "test": "#3b82d6"}


def rows_of(folder):
    """The rows of a run; a torn last one, of a run that was killed, is left out."""
    folder = Path(folder)
    inside = sorted(folder.glob("*/metrics.jsonl"))
    path = folder / "metrics.jsonl"
    if not path.exists() and len(inside) == 1:
        path = inside[0]
    if not path.exists():
        sys.exit(f"{folder}: no metrics.jsonl here, nor in one folder below")
    rows = []
    for line in path.read_text().splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    of_run = [row for row in rows if row.get("worker", -1) == -1]  # not of one worker
    return of_run or [row for row in rows if row["worker"] == 0]


def points(rows, *keys):
    """(epoch, value) of every row that has one of the keys."""
    found = []
    for row in rows:
        value = next((row[key] for key in keys if row.get(key) is not None), None)
        if value is not None:
            found.append((row["epoch"], value))
    return found


def curves_of(rows, what):
    """part -> points. The training loss is the finer one where a run has it."""
    has_batches = any("batch_loss" in row for row in rows)
    first = "batch_loss" if what == "loss" and has_batches else f"train_{what}"
    keys = {"train": first, "validation": f"validation_{what}", "test": f"test_{what}"}
    curves = {part: points(rows, key) for part, key in keys.items()}
    return {part: curve for part, curve in curves.items() if curve}


def nice_step(span, most):
    """The smallest of 1, 2, 5 times a power of ten with at most `most` steps in the span."""
    power = 10.0 ** -12
    while True:
        for factor in (1, 2, 5):
            if span / (factor * power) <= most:
                return factor * power
        power *= 10


def ticks(low, high, most):
    step = nice_step(max(high - low, 1e-9), most)
    first, last = round(low / step + 0.499), round(high / step - 0.499)
    return [i * step for i in range(first, last + 1)]


class Panel:
    def __init__(self, what, runs):
        self.what = what
        self.left, self.right = PANELS[what]
        self.runs = [curves_of(rows, what) for rows in runs]
        every = [p for run in self.runs for curve in run.values() for p in curve]
        self.is_empty = not every
        if self.is_empty:
            return
        values = sorted(y for _, y in every)
        self.x_max = max(x for x, _ in every)
        # The first moments of training dwarf the rest: a few of the extreme points are cut off.
        cut = len(values) // 50
        self.low, self.high = values[0], values[-1 - cut]
        if what == "accuracy":
            self.low, self.high = values[cut], values[-1]
        room = 0.06 * max(self.high - self.low, 1e-3)
        self.low, self.high = max(0.0, self.low - room), self.high + room

    def x(self, epoch):
        return self.left + (self.right - self.left) * epoch / self.x_max

    def y(self, value):
        return BOTTOM - (BOTTOM - TOP) * (value - self.low) / (self.high - self.low)

    def axes(self):
        for value in ticks(self.low, self.high, 6):
            label = f"{100 * value:g} %" if self.what == "accuracy" else f"{value:g}"
            yield line(self.left, self.y(value), self.right, self.y(value), FAINT)
            yield text(self.left - 7, self.y(value) + 4, label, "end")
        for epoch in ticks(0, self.x_max, 8):
            yield text(self.x(epoch), BOTTOM + 18, f"{epoch:g}")
        yield line(self.left, BOTTOM, self.right, BOTTOM, INK)
        yield text((self.left + self.right) / 2, BOTTOM + 38, "epoch")
        yield text(self.left, TOP - 18, self.what, "start", "600")

    def curves(self):
        width = 2 if len(self.runs) == 1 else 1.5
        for run in self.runs:
            for part, curve in run.items():
                places = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in curve)
                yield (
                    f'<polyline points="{places}" fill="none" stroke="{COLOURS[part]}" '
                    f'stroke-width="{width}" stroke-linejoin="round"/>'
                )
                if len(curve) <= DOTS_MAX:
                    yield from (dot(self.x(x), self.y(y), COLOURS[part]) for x, y in curve)

    def legend(self):
        parts = [part for part in COLOURS if any(part in run for run in self.runs)]
        place = self.right - 62 * len(parts)
        for part in parts:
            yield line(place, TOP - 22, place + 16, TOP - 22, COLOURS[part], 3)
            yield text(place + 21, TOP - 18, part, "start")
            place += 90 if part == "validation" else 66

    def draw(self):
        if self.is_empty:
            return
        name = f"clip-{self.what}"
        yield (
            f'<clipPath id="{name}"><rect x="{self.left}" y="{TOP - 6}" '
            f'width="{self.right - self.left + 4}" height="{BOTTOM - TOP + 6}"/></clipPath>'
        )
        yield from self.axes()
        yield f'<g clip-path="url(#{name})">'
        yield from self.curves()
        yield "</g>"
        yield from self.legend()


def line(x1, y1, x2, y2, colour, width=1):
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{width}"/>'
    )


def dot(x, y, colour):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2" fill="{colour}"/>'


def text(x, y, words, anchor="middle", weight="400"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}" '
        f'fill="{INK}">{words}</text>'
    )


def main(folders):
    if not folders or folders[0] in ("-h", "--help"):
        sys.exit(__doc__)
    once = {Path(folder).resolve(): folder for folder in folders}  # runs/latest is one of runs/*, too
    runs = [rows_of(folder) for folder in once]
    panels = [Panel(what, runs) for what in PANELS]
    if all(panel.is_empty for panel in panels):
        sys.exit("none of the runs has a row with a loss")
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">'
    )
    print("<title>Loss and accuracy over epochs</title>")
    for panel in panels:
        print("\n".join(panel.draw()))
    print("</svg>")


if __name__ == "__main__":
    main(sys.argv[1:])
