"""One SVG picture: shapes and text with classes, whose colours follow the viewer's light or dark scheme.

Colours are Okabe and Ito's, which colour-blind people can tell apart. Nothing is told by colour
alone: spans also differ in lightness or hatching, rows have names.
"""

import math
from xml.sax.saxutils import escape

WIDTH = 700
CHARACTER = 0.6  # mean width of a character, in font sizes; of a wide font, so that text fits

LIGHT = {
    "ground": "#ffffff", "ink": "#1c2733", "faint": "#55657a", "rule": "#c9d2dc",
    "box": "#eef3f9", "edge": "#7a8ca3", "blue": "#0072b2", "on_blue": "#ffffff",
    "orange": "#e69f00", "on_orange": "#1c2733", "green": "#009e73", "red": "#c24e00",
    "grey": "#dfe5ec",
}  # fmt: skip
DARK = {
    "ground": "#10161d", "ink": "#e8eef5", "faint": "#a3b3c6", "rule": "#3a4756",
    "box": "#1b2530", "edge": "#7f93ad", "blue": "#56b4e9", "on_blue": "#10161d",
    "orange": "#e69f00", "on_orange": "#10161d", "green": "#2bb58c", "red": "#ff9a66",
    "grey": "#303c49",
}  # fmt: skip

# class -> what it sets, with names of colours
CLASSES = {
    "ground": "fill: {ground}",
    "ink": "fill: {ink}",
    "faint": "fill: {faint}",
    "rule": "stroke: {rule}; fill: none",
    "box": "fill: {box}; stroke: {edge}",
    "group": "fill: none; stroke: {edge}; stroke-dasharray: 5 4",
    "blue": "fill: {blue}",
    "on-blue": "fill: {on_blue}",
    "orange": "fill: {orange}",
    "hatch": "stroke: {on_orange}; stroke-opacity: 0.35",
    "on-orange": "fill: {on_orange}",
    "green": "fill: {green}",
    "red": "fill: {red}",
    "grey": "fill: {grey}",
    "line": "stroke: {faint}; fill: none",
    "green-line": "stroke: {green}; fill: none",
    "red-line": "stroke: {red}; fill: none",
    "link": "stroke: {edge}; fill: none",
    "tip": "fill: {faint}",
}


def _rules(colours, indent):
    return "".join(
        f"{indent}.{name} {{ {rule.format(**colours)}; }}\n" for name, rule in CLASSES.items()
    )


STYLE = (
    "<style>\n"
    "  svg { color-scheme: light dark; }\n"
    "  text { font-family: system-ui, sans-serif; }\n"
    "  .strong { font-weight: 600; }\n"
    "  .code { font-family: ui-monospace, monospace; }\n"
    + _rules(LIGHT, "  ")
    + "  @media (prefers-color-scheme: dark) {\n"
    + _rules(DARK, "    ")
    + "  }\n</style>\n"
)


def number(value):
    """With one digit after the point at most."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def wrap(text, width, size):
    """The lines of a text that are no wider than this."""
    most, lines = int(width / (CHARACTER * size)), [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


class Picture:
    """Shapes are drawn over those before. The title and the description are read out to the blind."""

    def __init__(self, title, description, height):
        self.height = height
        self.parts = []
        self.title, self.description = title, description

    def rect(self, name, x, y, width, height, corner=0):
        rx = f' rx="{number(corner)}"' if corner else ""
        self.parts.append(
            f'<rect class="{name}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
            f'height="{number(height)}"{rx}/>'
        )

    def circle(self, name, x, y, radius):
        self.parts.append(
            f'<circle class="{name}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'
        )

    def line(self, name, *points, width=1.0):
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.parts.append(f'<path class="{name}" d="M{path}" stroke-width="{number(width)}"/>')

    def curve(self, name, *points, width=1.0):
        """A cubic curve: where it begins, two points that it bends to, where it ends."""
        start, *rest = (f"{number(x)} {number(y)}" for x, y in points)
        path = f"M{start}C{' '.join(rest)}"
        self.parts.append(f'<path class="{name}" d="{path}" stroke-width="{number(width)}"/>')

    def tip(self, name, before, at, size=6):
        """An arrow's tip at a point, in the direction from the point before."""
        dx, dy = at[0] - before[0], at[1] - before[1]
        length = math.sqrt(dx * dx + dy * dy)
        ux, uy = dx / length, dy / length
        corners = [at]
        for side in 0.45, -0.45:
            corners.append((at[0] - size * (ux + side * uy), at[1] - size * (uy - side * ux)))
        path = "L".join(f"{number(x)} {number(y)}" for x, y in corners)
        self.parts.append(f'<path class="{name}" d="M{path}Z"/>')

    def arrow(self, *points, line="line", tip="tip", width=1.4):
        """Along the points; the line ends within the tip."""
        (x0, y0), (x1, y1) = points[-2:]
        length = math.sqrt((x1 - x0) ** 2 + (y1 - y0) ** 2)
        short = (x1 - (x1 - x0) / length * 4, y1 - (y1 - y0) / length * 4)
        self.line(line, *points[:-1], short, width=width)
        self.tip(tip, (x0, y0), (x1, y1))

    def hatch(self, x, y, width, height, step=6):
        """Slanted lines within a rectangle."""
        start = -height
        while (start := start + step) < width:
            left, right = max(start, 0), min(start + height, width)
            bottom, top = y + height - (left - start), y + height - (right - start)
            self.line("hatch", (x + left, bottom), (x + right, top))

    def text(self, x, y, text, size=13, name="ink", anchor="start"):
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(
            f'<text class="{name}" x="{number(x)}" y="{number(y)}" font-size="{number(size)}"{where}>'
            f"{escape(text)}</text>"
        )

    def paragraph(self, x, y, text, width, size=12, name="faint"):
        """Lines below each other; returns how many."""
        lines = wrap(text, width, size)
        for i, line in enumerate(lines):
            self.text(x, y + i * 1.3 * size, line, size, name)
        return len(lines)

    def box(self, x, y, width, height, *lines, size=13):
        """Lines in the middle of a box: the first is the name, the others are smaller."""
        self.rect("box", x, y, width, height, corner=6)
        at = y + height / 2 - 7.5 * (len(lines) - 1) + 0.35 * size
        for i, line in enumerate(lines):
            style = ("ink strong", size) if i == 0 else ("faint", size - 1.5)
            self.text(x + width / 2, at + 15 * i, line, style[1], style[0], anchor="middle")

    def to_text(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(self.height)}" '
            f'width="{WIDTH}" height="{number(self.height)}" role="img" aria-labelledby="title desc">\n'
            f'<title id="title">{escape(self.title)}</title>\n'
            f'<desc id="desc">{escape(self.description)}</desc>\n{STYLE}'
            f'<rect class="ground" width="{WIDTH}" height="{number(self.height)}" rx="8"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )
