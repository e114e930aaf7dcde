#!/usr/bin/env python3
"""Compares the folders of two studies of the same runs.

    same_study.py [--stopped] WHOLE OTHER [FAILED...]

Ends with 1 unless they have the same results, rows, settings, models and files, but for times. All
runs must be finished but the named ones, which must have failed. --stopped: OTHER was stopped, so it
may keep checkpoints that WHOLE has replaced.
"""
import json
import pathlib
import sys

TIMES = "seconds", "samples_per_s", "computing", "waiting", "transferring", "sleeping", "run_dir", "folder"


def without_times(x):
    if isinstance(x, dict):
        return {k: without_times(v) for k, v in x.items() if not any(t in k for t in TIMES)}
    return [without_times(v) for v in x] if isinstance(x, list) else x


def results(folder):
    return without_times(json.loads((folder / "results.json").read_text()))


def rows(folder):
    return [without_times(json.loads(line)) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def files(folder, is_stopped):
    """TensorBoard's have the time in their names."""
    return {str(p.relative_to(folder)) for p in folder.rglob("*")
            if "tfevents" not in p.name and not (is_stopped and p.name.startswith("round-"))}


def compare_run(name, one, two, is_failed):
    for file in "experiment.yaml", "effective.yaml":
        assert (one / file).read_text() == (two / file).read_text(), (name, file)
    if is_failed:
        return
    assert (one / "model.safetensors").read_bytes() == (two / "model.safetensors").read_bytes(), name
    assert rows(one) == rows(two), name


def main(arguments):
    is_stopped = arguments[0] == "--stopped"
    whole, other, *failed = arguments[1:] if is_stopped else arguments
    whole, other = pathlib.Path(whole), pathlib.Path(other)
    a, b = results(whole), results(other)
    for part in "cases", "runs":
        for one, two in zip(a[part], b[part]):
            assert one == two, {k: (v, two.get(k)) for k, v in one.items() if v != two.get(k)}
    assert a == b, ("results.json", a, b)
    assert a["runs"] and {run["name"] for run in a["runs"]} >= set(failed), a["runs"]
    for run in a["runs"]:
        name = run["name"]
        assert run["status"] == ("failed" if name in failed else "finished"), run
        compare_run(name, whole / name, other / name, name in failed)
    assert files(whole, is_stopped) == files(other, is_stopped), files(whole, is_stopped) ^ files(other, is_stopped)


main(sys.argv[1:])
