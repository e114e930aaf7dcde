"""A small drawing of each type of graph. Places and links are those of the program's own drawing."""

import re
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path

from pictures.program import json_of
from pictures.svg import WIDTH, Picture

NODES = 8
ARGUMENTS = {  # of types that need some, or show more with others
    "torus": ["--nodes", "9"],
    "geometric": ["--nodes", "16"],
    "disk": ["--nodes", "16"],
    "file": ["--nodes", "4", "--file.links", "0 1, 1 2, 2 0, 2 3"],
}
ROUNDS = {"one_peer_exponential": 3}  # graphs that change, and how many rounds of them are shown

COLUMNS = 4
PANEL, PANEL_HEIGHT, TOP = (WIDTH - 14) / COLUMNS, 220, 64
SIDE, DRAWN = 128, 640  # of a small drawing; of the program's
NODE = 4.5


def read_drawing(path):
    """(places of nodes, (points, thickness) of links, have they directions), in a unit square.

    A link has two points, or four of a cubic curve."""
    top = -58  # above it are the program's two lines of text
    nodes, links, is_directed = [], [], False
    for element in tree.parse(path).iter():
        kind = element.get("class", "").split(" ")[0]

        def at(x, y):
            return float(element.get(x)) / DRAWN, (float(element.get(y)) + top) / DRAWN

        if kind == "node":
            nodes.append(at("cx", "cy"))
        elif kind == "link":
            thickness = float(element.get("stroke-width"))
            curve = [float(n) for n in re.findall(r"-?[0-9.]+", element.get("d", ""))]
            points = [(x / DRAWN, (y + top) / DRAWN) for x, y in zip(curve[::2], curve[1::2])]
            links.append((points or [at("x1", "y1"), at("x2", "y2")], thickness))
        elif kind == "tip":
            is_directed = True
    return nodes, links, is_directed


def nearest(nodes, point):
    return min(nodes, key=lambda n: (n[0] - point[0]) ** 2 + (n[1] - point[1]) ** 2)


def draw_graph(picture, x, y, drawing):
    nodes, links, is_directed = drawing

    def place(node):
        return x + SIDE * node[0], y + SIDE * node[1]

    for points, thickness in links:
        if len(points) == 4:
            picture.curve("link", *map(place, points), width=max(0.5 * thickness, 0.6))
            continue
        (x0, y0), (x1, y1) = (place(nearest(nodes, point)) for point in points)
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        rim = (x1 - (x1 - x0) / length * NODE, y1 - (y1 - y0) / length * NODE)
        picture.line("link", (x0, y0), rim, width=max(0.5 * thickness, 0.6))
        if is_directed:
            picture.tip("tip", (x0, y0), rim)
    for node in nodes:
        picture.circle("blue", *place(node), NODE)


def draw_panel(picture, x, y, title, summary, about, drawing):
    picture.text(x, y, title, 12.5, "ink strong")
    draw_graph(picture, x + (PANEL - 14 - SIDE) / 2, y + 6, drawing)
    below = y + SIDE + 18
    lines = picture.paragraph(x, below, summary, PANEL - 6, 11, "ink")
    picture.text(x, below + 14.3 * lines, about, 11, "faint")


def make(program, folder, name, number):
    """(measures, drawing) of a type in a round"""
    arguments = ["graph", "--type", name, "--round", str(number)]
    arguments += ARGUMENTS.get(name, ["--nodes", str(NODES)])
    path = Path(folder) / f"{name}_{number}.svg"
    return json_of(program, *arguments, "--svg", str(path)), read_drawing(path)


def draw(program):
    types = json_of(program, "graph")["graphs"]
    shown = [(t, r) for t in types for r in range(ROUNDS.get(t["name"], 1))]
    rows = -(-len(shown) // COLUMNS)
    picture = Picture(
        "The types of graphs",
        f"Small drawings of the graphs that muster graph knows: {', '.join(t['name'] for t in types)}.",
        TOP + PANEL_HEIGHT * rows - 20,
    )
    words = (
        "Seed 1. A link is as thick as its mixing weight (metropolis; with directions: equal shares). "
        "Gap: the spectral gap, which says how fast values mix."
    )
    picture.paragraph(14, 20, words, WIDTH - 28)
    with tempfile.TemporaryDirectory() as folder:
        for i, (kind, number) in enumerate(shown):
            measures, drawing = make(program, folder, kind["name"], number)
            gap = measures["spectral_gap"][measures["weights"]]
            about = f"{measures['nodes']} nodes, gap {abs(gap):.2f}"
            if kind["name"] in ROUNDS:
                about = f"round {number}: {about}"
            x, y = 14 + i % COLUMNS * PANEL, TOP + i // COLUMNS * PANEL_HEIGHT
            draw_panel(picture, x, y, kind["name"], kind["summary"], about, drawing)
    return {"graphs.svg": picture.to_text()}
