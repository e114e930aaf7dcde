# What is on the clock of training: neither evaluation nor what an algorithm finds out before it begins.
. "$(dirname "$0")/lib_workers.sh"

case_ "choco's search for gamma is setup, not training"
muster train --dataset figures --figures.train_count 400 --figures.test_count 40 --workers 30 --graph cycle \
    --algorithm choco --max-steps 1 --json --no-save --out choco
expect_code 0
expect_err "before training"
python3 - <<'PYTHON' || fail "its seconds: $out"
import json
r = json.load(open(".out"))
assert r["setup_seconds"] > 0.2 and r["train_seconds"] < r["setup_seconds"], r
assert abs(r["samples_per_s"] * r["train_seconds"] - r["samples"]) < 1e-6 * r["samples"], r
for worker in r["each"]:
    assert worker["computing"] + worker["waiting"] < r["setup_seconds"], worker
PYTHON

# Rounds of a few milliseconds, and evaluations that take many times as long. With local-sgd the workers' own models
# are evaluated as cores are free; those that are evaluated first must not count the time of the others' either.
for algorithm in "dsgd --graph cycle" local-sgd ps-sync; do # over a graph, with averages, with a server
    case_ "evaluations are not on the clock of $algorithm, nor in what its workers waited"
    muster train --dataset figures --figures.train_count 96 --figures.test_count 4000 --workers 6 --algorithm $algorithm \
        --batch-size 16 --partition split --max-steps 4 --epochs 8 --evaluate-rounds 1 --json --no-save --out "run_${algorithm%% *}" --trace
    expect_code 0
    python3 - <<'PYTHON' || fail "evaluation is in its seconds: $out"
import json
r = json.load(open(".out"))
events = json.load(open(r["run_dir"] + "/trace.json"))
events = events["traceEvents"] if isinstance(events, dict) else events
evaluating = sum(e["dur"] for e in events if e.get("name") == "evaluate") / 1e6 / max(1, len({e["tid"] for e in events if e.get("name") == "evaluate"}))
print("# trained", round(r["train_seconds"], 3), "evaluated", round(evaluating, 3))
limit = 0.12 if r["algorithm"] == "local-sgd" else 0.5
assert r["train_seconds"] < limit * evaluating, (r["train_seconds"], evaluating)
# One of the evaluations would be a quarter of their time. A worker whose core is busy sees the clock stop and start late.
for worker in r["each"]:
    assert worker["waiting"] <= r["train_seconds"] + 0.05 * evaluating, worker
PYTHON
done

finish
