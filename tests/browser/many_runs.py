"""many_runs.py FOLDER RUNS EVALUATIONS NODES - makes run directories of made-up numbers, as many as
a large study leaves, to see how its report fares."""

import json
import math
import sys
from pathlib import Path

ALGORITHMS = ["sync", "local-sgd", "dsgd", "dsgt", "dinno"]
SEEDS = 5


def noise(*numbers):
    """In [-1, 1), the same on every machine."""
    x = 0x9E3779B97F4A7C15
    for n in numbers:
        x = ((x ^ n) * 0xBF58476D1CE4E5B9) & (1 << 64) - 1
        x ^= x >> 31
    return (x >> 11) / (1 << 52) - 1


def accuracy(run, node, at, count):
    return 0.9 - 0.6 * math.exp(-8 * at / count) + 0.02 * noise(run, node, at)


def row(run, worker, at, count, nodes):
    value = accuracy(run, worker, at, count)
    samples = 32 * 20 * at * (nodes if worker < 0 else 1)
    head = {"round": 20 * at, "epoch": 20 * at / 200, "samples": samples, "gradients": samples // 32,
            "bytes_sent": 4096 * samples, "seconds": 0.01 * at + 0.001 * noise(run, at), "worker": worker}
    metrics = {"train_loss_moving": 2.3 * (1 - value), "test_loss": 2.2 * (1 - value), "test_accuracy": value,
               "consensus_error": math.exp(-at / count), "lr": 0.01}
    return json.dumps({**head, **metrics})


def make(folder, run, evaluations, nodes):
    case, seed = run // SEEDS, run % SEEDS + 1
    folder.mkdir(parents=True)
    workers = [-1] + list(range(nodes)) if nodes > 1 else [0]
    rows = [row(run, w, at, evaluations, nodes) for at in range(1, evaluations + 1) for w in workers]
    (folder / "metrics.jsonl").write_text("\n".join(rows) + "\n")
    (folder / "effective.yaml").write_text(
        f"seed: {seed}\nalgorithm:\n  name: {ALGORITHMS[case % len(ALGORITHMS)]}\n"
        f"optimizer:\n  name: sgd\n  lr: {0.001 * (1 + case // len(ALGORITHMS))}\n")
    last = json.loads(rows[-len(workers)])
    (folder / "result.json").write_text(json.dumps({
        "version": 1, "status": "finished", "name": folder.name, "rounds": last["round"],
        "test_accuracy": last["test_accuracy"], "test_loss": last["test_loss"], "train_seconds": last["seconds"]}))


def main():
    folder, runs, evaluations, nodes = Path(sys.argv[1]), *map(int, sys.argv[2:5])
    for run in range(runs):
        make(folder / f"run{run:04d}", run, evaluations, nodes)


if __name__ == "__main__":
    main()
