"""Who gets which labels: a panel for each partition of the program, from what it deals."""

import math
import re

from pictures.program import json_of, output_of
from pictures.svg import WIDTH, Picture

WORKERS = 3  # with two, labels and labels_unscaled would look alike, and so would hetero and sorted
SAMPLES = 3000
COLOURS = ("blue", "orange", "green")
OPTIONS = {"dirichlet": ["--dirichlet.alpha", "0.5"]}
NOTES = {"dirichlet": "here: 0.5", "strided": "here: epoch 0"}

COLUMNS = 2
PANEL_WIDTH, PANEL_HEIGHT, TOP = 343, 152, 62
CELL, ROW = 22, 23


WITHOUT_PANEL = {"groups"}  # the data set of the panels has no groups


def names(program):
    listed = output_of(program, "help", "config")
    found = re.findall(r"^### partition: (\w+)$", listed, re.MULTILINE)
    return [name for name in found if name not in WITHOUT_PANEL]


def deal(program, name):
    """(what the program says of the partition, samples of each label and worker)"""
    arguments = ["data", "partition", "--dataset", "figures", "--figures.train-count", str(SAMPLES)]
    arguments += ["--figures.test-count", "1"]  # they take time, and are not dealt
    arguments += ["--workers", str(WORKERS), "--partition", name, *OPTIONS.get(name, [])]
    summary = output_of(program, *arguments).splitlines()[0].split(": ", 1)[1]
    return summary, json_of(program, *arguments)["labels"]


def draw_panel(picture, x, y, name, summary, labels):
    picture.text(x, y, name, 14, "ink strong code")
    picture.paragraph(x, y + 17, summary, PANEL_WIDTH - 4, 11.5)
    top, left = y + 40, x + 58
    full = SAMPLES / len(labels)
    for worker in range(WORKERS):
        middle = top + ROW * worker + ROW / 2
        picture.text(left - 6, middle + 4, f"worker {worker}", 11, anchor="end")
        for label, counts in enumerate(labels):
            side = (CELL - 2) * math.sqrt(counts[worker] / full)
            picture.rect("grey", left + CELL * label + CELL / 2 - 1, middle - 1, 2, 2)
            if counts[worker] > 0:
                x0 = left + CELL * label + (CELL - side) / 2
                picture.rect(COLOURS[worker], x0, middle - side / 2, side, side)
        total = sum(counts[worker] for counts in labels)
        picture.text(x + PANEL_WIDTH - 20, middle + 4, str(total), 11.5, "faint", anchor="end")
    for label in range(len(labels)):
        at = left + CELL * label + CELL / 2
        picture.text(at, top + ROW * WORKERS + 12, str(label), 11, "faint", anchor="middle")


def draw(program):
    listed = names(program)
    rows = -(-len(listed) // COLUMNS)
    picture = Picture(
        f"The partitions, for {WORKERS} workers",
        f"For each partition, {', '.join(listed)}: how many samples of each of ten labels each of "
        f"{WORKERS} workers gets.",
        TOP + PANEL_HEIGHT * rows - 20,
    )
    words = (
        f"{SAMPLES} samples of figures, {WORKERS} workers, seed 1. A column is a label, and a full square "
        "all of its samples; on the right is the number of samples that a worker gets."
    )
    picture.paragraph(14, 20, words, WIDTH - 28)
    for i, name in enumerate(listed):
        summary, labels = deal(program, name)
        note = f" ({NOTES[name]})" if name in NOTES else ""
        x, y = 14 + i % COLUMNS * (WIDTH / 2 - 3), TOP + i // COLUMNS * PANEL_HEIGHT
        draw_panel(picture, x, y, name, summary + note, labels)
    return {"partitions.svg": picture.to_text()}
