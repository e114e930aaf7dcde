"""What workers do over time, as rows of spans; and what the colours and hatchings of spans mean."""

LEFT, RIGHT = 82, 688  # of the time line; names of rows are on the left
BAR = 22  # height of a span

# kind -> (class of the bar, is hatched, class of text in it)
KINDS = {
    "computing": ("blue", False, "on-blue"),
    "sleeping": ("orange", True, "on-orange"),
    "waiting": ("grey", False, "faint"),
    "averaging": ("red", False, "on-blue"),
}


def place(time, length):
    """Where a time is drawn, on a time line of this length."""
    return LEFT + (RIGHT - LEFT) * time / length


def draw_row(picture, y, name, height=BAR):
    picture.text(LEFT - 8, y + height / 2 + 4.5, name, 12, "ink", anchor="end")


def draw_span(picture, kind, x0, x1, y, height=BAR, text=""):
    fill, is_hatched, ink = KINDS[kind]
    picture.rect(fill, x0, y, x1 - x0, height)
    if is_hatched:
        picture.hatch(x0, y, x1 - x0, height)
    if text:
        picture.text((x0 + x1) / 2, y + height / 2 + 4.5, text, 12, ink, anchor="middle")


def draw_legend(picture, y, kinds):
    """(kind, words) after each other; returns where the next would begin."""
    x = LEFT
    for kind, words in kinds:
        draw_span(picture, kind, x, x + 24, y, 14)
        picture.text(x + 30, y + 11.5, words, 12)
        x += 30 + 7.2 * len(words) + 20
    return x
