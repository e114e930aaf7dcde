# --at and --target: what the table of an experiment says about the course of its runs.
. "$(dirname "$0")/lib_workers.sh"

cat >study.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 100}
model: mnist_conv
optimizer: {lr: 0.05, momentum: 0.9}
transport: {workers: 3}
seed: [1, 2]
runs: {sync: {algorithm: sync}, dsgd: {algorithm: dsgd}}
train: {batch_size: 8, epochs: 4}
YAML

case_ "without them the results have no such numbers"
muster run study.yaml --out study --quiet
expect_code 0
grep -q "_at\|to_target\|reached" study/results.csv study/results.json && fail "there are milestones"

# What metrics.jsonl says of a run, as the table should have it: expected AMOUNT-KEY LIMIT TARGET
cat >expected.py <<'PYTHON'
import json, sys
key, limit, target = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
results = json.load(open("study/results.json"))
for run in results["runs"]:
    rows = [json.loads(l) for l in open(run["run_dir"] + "/metrics.jsonl")]
    rows = [r for r in rows if r["worker"] == -1 and "test_loss" in r]
    accuracy = lambda r: r.get("test_accuracy_mean", r["test_accuracy"])
    before = [r for r in rows if r[key] <= limit]
    assert run["accuracy_at"] == (accuracy(before[-1]) if before else None), run
    assert run["used_at"] == (before[-1][key] if before else None), run
    reached = [r for r in rows if accuracy(r) >= target]
    for name, unit in (("rounds", "round"), ("samples", "samples"), ("seconds", "seconds"), ("bytes", "bytes_sent")):
        assert run[name + "_to_target"] == (reached[0][unit] if reached else None), run
for case in results["cases"]:
    runs = [r for r in results["runs"] if r["run"] == case["run"]]
    there = [r["rounds_to_target"] for r in runs if r["rounds_to_target"] is not None]
    assert case["reached"] == len(there) and case["rounds_to_target"] == (sum(there) / len(there) if there else None), case
    assert case["evaluated_at"] == sum(r["used_at"] is not None for r in runs), case
PYTHON

case_ "the table has the last evaluation at or before an amount, and the first that reaches a target, without training again"
for at in samples:500 epochs:2.5 rounds:21 bytes:9M; do
    muster run --resume study --quiet --at $at --target 20%
    expect_code 0
    [ -z "$err" ] || fail "it trained: $err"
    key=${at%%:*}
    case $key in epochs) key=epoch ;; rounds) key=round ;; bytes) key=bytes_sent ;; esac
    limit=${at#*:}
    python3 expected.py $key "${limit/M/e6}" 0.2 || fail "--at $at: other numbers"
done
expect_out "% at bytes:9M"
expect_out "rounds to 20 %"
expect_out "MB to 20 %"

case_ "what was not evaluated by then is -, and what was not reached is told and counted"
muster run --resume study --quiet --at rounds:2 --target 100%
expect_code 0
expect_out "not reached"
python3 expected.py round 2 1 || fail "other numbers"
best=$(python3 -c '
import json
runs = [[json.loads(l) for l in open(r["run_dir"] + "/metrics.jsonl")] for r in json.load(open("study/results.json"))["runs"] if r["run"] == "sync"]
print(max(r["test_accuracy"] for run in runs for r in run if r["worker"] == -1 and "test_accuracy" in r))')
muster run --resume study --quiet --target "$best" --only 'sync*' --json
expect_code 0
reached=$(python3 -c 'import json,sys; print(json.load(sys.stdin)["cases"][0]["reached"])' <<<"$out")
muster run --resume study --quiet --target "$best" --only 'sync*'
[ "$reached" -eq 2 ] || expect_out "($reached of 2)"

case_ "a loss is a target, too, and CSV has them all"
muster run --resume study --quiet --at rounds:21 --target-loss 99 --csv
expect_code 0
python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert all(float(r["rounds_to_target"]) == 10 and r["reached"] == "2" and r["evaluated_at"] == "2" for r in rows), rows
assert all(float(r["used_at"]) == 20 for r in rows), rows' <<<"$out" || fail "other numbers: $out"

case_ "what makes no sense is refused"
refused() {
    local message=$1
    shift
    muster run --resume study --quiet "$@"
    expect_code 2
    expect_err "$message"
}
refused '--target: "90" is not an accuracy, such as 0.9 or 90%' --target 90
refused "--target: \"x\" is not an accuracy" --target x
refused "conflicts with --target-loss" --target 0.9 --target-loss 1
refused '--target-loss: "low" is not a number' --target-loss low
refused '--at: "12" has no unit' --at 12
refused '--at: "1x" is not a number of bytes' --at bytes:1x

finish
