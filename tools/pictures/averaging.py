"""sync, local-sgd and psgd over the same steps of the same workers: how often they meet."""

import random

from pictures.spans import LEFT, RIGHT, draw_legend, draw_row, draw_span, place
from pictures.svg import Picture

WORKERS, STEPS, PERIOD = 3, 12, 4
EXCHANGE = 0.45  # seconds of a sum over all workers
BAR, APART = 16, 21


def draw_times():
    """Seconds of each step of each worker."""
    draw = random.Random(4)
    return [[0.7 + 0.6 * draw.random() for _ in range(STEPS)] for _ in range(WORKERS)]


def simulate(times, exchanges):
    """Spans (worker, kind, from, to); workers meet after the steps that exchanges holds."""
    spans, clock = [], [0.0] * WORKERS
    for step in range(1, STEPS + 1):
        for worker in range(WORKERS):
            end = clock[worker] + times[worker][step - 1]
            spans.append((worker, "computing", clock[worker], end))
            clock[worker] = end
        if step not in exchanges:
            continue
        last = max(clock)
        for worker in range(WORKERS):
            spans.append((worker, "waiting", clock[worker], last))
            spans.append((worker, "averaging", last, last + EXCHANGE))
            clock[worker] = last + EXCHANGE
    return spans


def draw_run(picture, top, title, about, spans, length):
    picture.text(14, top - 26, title, 14, "ink strong")
    picture.text(14, top - 9, about, 12, "faint")
    for worker in range(WORKERS):
        draw_row(picture, top + APART * worker, f"worker {worker}", BAR)
    for worker, kind, start, end in spans:
        x0, x1 = place(start, length), place(end, length)
        if kind == "computing":
            x1 -= 1  # so that steps can be counted
        if x1 > x0:
            draw_span(picture, kind, x0, x1, top + APART * worker, BAR)
    end = max(span[3] for span in spans)
    bottom = top + APART * WORKERS
    picture.line("rule", (place(end, length), top - 4), (place(end, length), bottom), width=1.5)


def draw():
    times = draw_times()
    runs = [
        ("sync", "all add up their gradients in every round", range(1, STEPS + 1)),
        (
            f"local-sgd, period {PERIOD}",
            f"each steps alone; all take the mean of their models after every {PERIOD}th round",
            range(PERIOD, STEPS + 1, PERIOD),
        ),
        ("psgd", "each steps alone; one mean of the models after the last round", [STEPS]),
    ]
    simulated = [simulate(times, set(exchanges)) for _, _, exchanges in runs]
    length = max(span[3] for spans in simulated for span in spans)
    picture = Picture(
        "sync, local-sgd and psgd over time",
        f"Three workers make {STEPS} steps each. With sync they meet after every step and wait for the "
        f"slowest each time, with local-sgd after every {PERIOD} steps, with psgd once at the end. "
        "The less often they meet, the less they wait and the sooner they are done.",
        436,
    )
    for i, ((title, about, _), spans) in enumerate(zip(runs, simulated)):
        draw_run(picture, 48 + 124 * i, title, about, spans, length)
    y = 378
    picture.arrow((LEFT, y), (RIGHT, y))
    picture.text(RIGHT, y + 16, "time", 12, "faint", anchor="end")
    kinds = [("computing", "one step"), ("waiting", "waiting"), ("averaging", "sum or mean over all workers")]
    draw_legend(picture, y + 8, kinds)
    words = f"The same {STEPS} steps of each worker, of random length. The line at the right marks the end of a run."
    picture.text(14, y + 44, words, 12, "faint")
    return {"averaging.svg": picture.to_text()}
