"""A synchronous and an asynchronous parameter server with a slow worker, simulated by events."""

import heapq

from pictures.spans import BAR, LEFT, RIGHT, draw_legend, draw_row, draw_span, place
from pictures.svg import Picture

# Seconds, of a made-up machine. Worker 0 sleeps before it sends a gradient, as with --slow-worker.
COMPUTING = (3.0, 3.4, 4.0)
SLEEPING = (7.5, 0.0, 0.0)
TRANSFER = 0.6  # of a gradient or a model
UPDATE = 0.4  # a step of the server's optimiser
LENGTH = 38.0
WORKERS = range(len(COMPUTING))


class Run:
    """What the simulation saw."""

    def __init__(self):
        self.spans = []  # (worker, kind, from, to, version of the model)
        self.messages = []  # (worker, is_push, sent, arrived)
        self.updates = [0.0]  # when each version of the model was there
        self.applied = []  # (worker, version it was computed at, version it is applied to)


def simulate(waits_for_all):
    """The server steps when a gradient of each worker has arrived, or with each as it arrives."""
    run, events, version_of = Run(), [], {}
    gathered, server_free = [], 0.0

    def send_model(time, worker):
        version_of[worker] = len(run.updates) - 1
        run.messages.append((worker, False, time, time + TRANSFER))
        heapq.heappush(events, (time + TRANSFER, worker, "model"))

    def compute(time, worker):
        computed = time + COMPUTING[worker]
        sent = computed + SLEEPING[worker]
        run.spans.append((worker, "computing", time, computed, version_of[worker]))
        run.spans.append((worker, "sleeping", computed, sent, version_of[worker]))
        run.messages.append((worker, True, sent, sent + TRANSFER))
        heapq.heappush(events, (sent + TRANSFER, worker, "gradient"))

    for worker in WORKERS:
        send_model(0.0, worker)
    while events and events[0][0] < LENGTH:
        time, worker, what = heapq.heappop(events)
        if what == "model":
            compute(time, worker)
            continue
        gathered.append(worker)
        if waits_for_all and len(gathered) < len(WORKERS):
            continue
        server_free = max(time, server_free) + UPDATE
        run.applied += [(w, version_of[w], len(run.updates) - 1) for w in gathered]
        run.updates.append(server_free)
        for w in sorted(gathered):
            send_model(server_free, w)
        gathered = []
    add_waiting(run)
    return run


def add_waiting(run):
    """A worker waits from when it has sent a gradient until it has a model."""
    for worker in WORKERS:
        since = 0.0
        own = [m for m in run.messages if m[0] == worker]  # a worker's are in order
        for _, is_push, sent, arrived in own:
            if is_push:
                since = sent
            else:
                run.spans.append((worker, "waiting", since, arrived, None))
                since = None
        if since is not None:
            run.spans.append((worker, "waiting", since, LENGTH, None))


def share_of_waiting(run, workers):
    waiting = sum(
        min(end, LENGTH) - start
        for worker, kind, start, end, _ in run.spans
        if kind == "waiting" and worker in workers and start < LENGTH
    )
    return waiting / (LENGTH * len(workers))


# --- drawing ---

# Rows from top to bottom: the slow worker, the server, the others.
ROW = {0: 0, "server": 58, 1: 116, 2: 152}


def draw_workers(picture, top, run):
    for worker in WORKERS:
        draw_row(picture, top + ROW[worker], f"worker {worker}")
    for worker, kind, start, end, version in run.spans:
        x0, x1 = place(start, LENGTH), place(min(end, LENGTH), LENGTH)
        if x1 - x0 < 0.5:
            continue
        text = f"at {version}" if kind == "computing" and x1 - x0 > 30 else ""
        draw_span(picture, kind, x0, x1, top + ROW[worker], text=text)


def draw_server(picture, top, run):
    """The versions of the model, each as long as it was the newest."""
    y = top + ROW["server"]
    draw_row(picture, y, "server")
    ends = [*run.updates[1:], LENGTH]
    for version, (start, end) in enumerate(zip(run.updates, ends)):
        x0, x1 = place(start, LENGTH), place(min(end, LENGTH), LENGTH)
        if x1 - x0 < 1:
            continue
        picture.rect("box", x0, y, x1 - x0, BAR)
        if x1 - x0 > 9 * len(str(version)):
            picture.text((x0 + x1) / 2, y + BAR / 2 + 4.5, str(version), 12, anchor="middle")


def draw_messages(picture, top, run):
    for worker, is_push, sent, arrived in run.messages:
        if arrived > LENGTH:
            continue
        is_above = ROW[worker] < ROW["server"]
        at_worker = top + ROW[worker] + (BAR if is_above else 0)
        at_server = top + ROW["server"] + (0 if is_above else BAR)
        start, end = place(sent, LENGTH), place(arrived, LENGTH)
        if is_push:
            picture.arrow((start, at_worker), (end, at_server))
        else:
            picture.arrow((start, at_server), (end, at_worker), line="green-line", tip="green")


def draw_staleness(picture, top, run):
    """A gradient of the slow worker: the version that it was computed at, and the one it is applied to."""
    _, computed_at, applied_to = [a for a in run.applied if a[0] == 0][1]
    y = top + ROW["server"]
    middles = []
    for version in computed_at, applied_to:
        x0, x1 = place(run.updates[version], LENGTH), place(run.updates[version + 1], LENGTH)
        picture.rect("red-line", x0, y, x1 - x0, BAR)
        middles.append((x0 + x1) / 2)
    left, right = middles
    picture.line("red-line", (left, y), (left, y - 8), (right, y - 8), (right, y), width=1.6)
    stale = f"stale by {applied_to - computed_at}"
    picture.text((left + right) / 2, y - 14, stale, 13, "red strong", anchor="middle")
    words = (
        f"Stale by {applied_to - computed_at}: worker 0 computed this gradient at version {computed_at}, "
        f"and the server applies it to version {applied_to}."
    )
    picture.text(14, top + ROW[2] + BAR + 20, words, 12, "red")


def draw_run(picture, top, title, run):
    picture.text(14, top - 34, title, 14, "ink strong")
    done, idle = len(run.updates) - 1, share_of_waiting(run, (1, 2))
    about = (
        f"{done} updates from {len(run.applied)} gradients; "
        f"workers 1 and 2 wait for {100 * idle:.0f} % of the time"
    )
    picture.text(14, top - 16, about, 12, "faint")
    draw_messages(picture, top, run)  # first: those of worker 2 pass behind worker 1
    draw_workers(picture, top, run)
    draw_server(picture, top, run)


def draw():
    sync, asynchronous = simulate(True), simulate(False)
    picture = Picture(
        "A synchronous and an asynchronous parameter server with a slow worker",
        "Two time lines of a server and three workers, of which worker 0 sleeps before it sends a "
        f"gradient. The synchronous server waits for all and makes {len(sync.updates) - 1} updates. "
        f"The asynchronous one makes {len(asynchronous.updates) - 1} in the same time, but the "
        "gradients of worker 0 are stale: the model has changed since they were computed.",
        576,
    )
    draw_run(picture, 58, "ps-sync: the server steps when all gradients have arrived", sync)
    draw_run(picture, 306, "ps-async: the server steps with each gradient as it arrives", asynchronous)
    draw_staleness(picture, 306, asynchronous)
    y = 518
    picture.arrow((LEFT, y), (RIGHT, y))
    picture.text(RIGHT, y + 16, "time", 12, "faint", anchor="end")
    x = draw_legend(picture, y + 8, [(kind, kind) for kind in ("computing", "sleeping", "waiting")])
    picture.arrow((x, y + 15), (x + 24, y + 15))
    picture.text(x + 30, y + 19.5, "gradient", 12)
    picture.arrow((x + 106, y + 15), (x + 130, y + 15), line="green-line", tip="green")
    picture.text(x + 136, y + 19.5, "model", 12)
    words = "Server: the newest version of the model. Worker: the version that it computes at."
    picture.text(14, y + 44, words, 12, "faint")
    return {"servers.svg": picture.to_text()}
