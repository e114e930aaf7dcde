"""The data flow of a run, as the section "A run" of ARCHITECTURE.md says it."""

from pictures.svg import WIDTH, Picture

HIGH = 50  # of a box


def draw_start(picture, y):
    """From the flags to the endpoints."""
    picture.box(14, y, 150, HIGH, "settings", "flags, experiment.yaml")
    picture.box(200, y, 130, HIGH, "run config", "all settings")
    picture.box(366, y, 130, HIGH, "world", "all endpoints")
    picture.box(532, y, 154, HIGH, "build", "plan, memory, threads")
    for x0, x1 in (164, 200), (330, 366), (496, 532):
        picture.arrow((x0, y + HIGH / 2), (x1, y + HIGH / 2))


def draw_data(picture, y):
    """From the data set to a batch."""
    boxes = [
        (28, 100, "data set", "all samples"),
        (154, 110, "split", "training part"),
        (290, 114, "partition", "of one worker"),
        (430, 100, "sampler", "their order"),
        (556, 122, "gather", "a batch of floats"),
    ]
    for x, width, *lines in boxes:
        picture.box(x, y, width, HIGH, *lines)
    for (x, width, *_), (following, *_) in zip(boxes, boxes[1:]):
        picture.arrow((x + width, y + HIGH / 2), (following, y + HIGH / 2))


def draw_problem(picture, y):
    """From a batch to its gradient."""
    picture.rect("group", 172, y - 28, 508, HIGH + 38, corner=8)
    picture.text(184, y - 10, "problem", 13, "ink strong")
    picture.box(562, y, 110, HIGH, "model", "forward")
    picture.box(420, y, 90, HIGH, "loss")
    picture.box(284, y, 96, HIGH, "model", "backward")
    picture.arrow((617, y - 68), (617, y))
    picture.arrow((562, y + HIGH / 2), (510, y + HIGH / 2))
    picture.arrow((420, y + HIGH / 2), (380, y + HIGH / 2))
    picture.box(28, y, 110, HIGH, "gradient", "a flat vector")
    picture.arrow((284, y + HIGH / 2), (138, y + HIGH / 2))


def draw_round(picture, y):
    """From a gradient to new weights."""
    picture.box(28, y, 110, HIGH, "algorithm", "one round")
    picture.box(284, y, 124, HIGH, "optimiser", "one step")
    picture.box(562, y, 110, HIGH, "state", "the weights")
    picture.arrow((83, y - 58), (83, y))
    picture.arrow((138, y + HIGH / 2), (284, y + HIGH / 2))
    picture.arrow((408, y + HIGH / 2), (562, y + HIGH / 2))
    picture.arrow((617, y), (617, y - 58))
    picture.box(28, y + 82, 110, HIGH, "transport", "threads, MPI")
    picture.arrow((76, y + HIGH), (76, y + 82))
    picture.arrow((90, y + 82), (90, y + HIGH))
    picture.arrow((138, y + 100), (204, y + 100))
    picture.arrow((204, y + 114), (138, y + 114))
    picture.text(212, y + 111, "other endpoints: workers, a server", 12, "faint")


def draw_record(picture, y):
    picture.box(14, y, 160, HIGH + 8, "record", "the run directory")
    picture.text(190, y + 16, "metrics.jsonl, live.json, workers.json,", 12, "ink code")
    picture.text(190, y + 34, "model.safetensors, checkpoints/, result.json, ...", 12, "ink code")
    picture.text(190, y + 52, "evaluate, export, studies and reports read these files only", 12, "faint")


def draw():
    picture = Picture(
        "Data flow of a run",
        "Settings become a run config, a world of endpoints, and a build. On every endpoint samples go "
        "from the data set through split, partition, sampler and gather to a batch; the problem makes "
        "a gradient of it by a forward pass, a loss and a backward pass; a round of the algorithm "
        "exchanges vectors through the transport, and the optimiser changes the state. The training "
        "loop repeats this and writes the record.",
        632,
    )
    draw_start(picture, 14)
    picture.arrow((609, 64), (609, 88))
    picture.rect("group", 14, 88, WIDTH - 28, 450, corner=10)
    picture.text(28, 110, "on every endpoint", 13, "ink strong")
    draw_data(picture, 122)
    draw_problem(picture, 240)
    draw_round(picture, 348)
    words = "the training loop repeats this: schedule, sync, log, evaluate (off the clock), checkpoint, stop"
    picture.text(28, 524, words, 12, "faint")
    picture.arrow((94, 538), (94, 562))
    draw_record(picture, 562)
    return {"run.svg": picture.to_text()}
