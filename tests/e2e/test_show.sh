# The record of a run: however it ended, and whatever its directory lost, it opens and says what there is.
. "$(dirname "$0")/lib_workers.sh"

# What `muster show --json` says of a run, in Python: shows RUN STATEMENT...
# `show`: all of it, `files`: the state of each file by its name, `last`: the last start.
shows() {
    local run=$1
    shift
    muster show "$run" --json
    expect_code 0
    python3 - "$WORK/.out" "$@" <<'P' || fail "$run: not so: $*: $out"
import json, sys
show = json.load(open(sys.argv[1]))
files = {f["name"]: f["state"] for f in show["files"]}
last = show["attempts"][-1] if show["attempts"] else None
for statement in sys.argv[2:]:
    assert eval(statement), statement
P
}
RING="--batch-size 16 --workers 3 --model mnist_conv --algorithm dsgd --evaluate-rounds 3"

case_ "a finished run: its state, start, last evaluation, workers and files"
trained run $RING --epochs 2
shows run 'show["state"] == "finished"' 'last["reason"] == "finished" and last["from_round"] == 0' \
    'last["to_round"] == show["last_evaluation"]["round"] == 10' '"test_accuracy_min" in show["last_evaluation"]' \
    '[w["updates"] for w in show["workers"]] == [10, 10, 10]' \
    'all(files[f] == "present" for f in ("effective.yaml", "environment.json", "metrics.jsonl", "workers.json",
        "graph.jsonl", "partition.json", "consensus.jsonl", "confusion.json", "result.json", "attempts.jsonl", "live.json", "model.safetensors"))' \
    'files["trace.json"] == "absent"' '"damaged" not in files.values()'
muster show run
expect_code 0
expect_out "run/x: finished"
expect_out "last evaluation: round 10"
muster show run/x
expect_out "run/x: finished"

case_ "what the files say is what Python reads in them"
python3 - run/x <<'P' || fail "the files do not agree"
import json, sys
folder = sys.argv[1]
load = lambda name: json.load(open(f"{folder}/{name}"))
partition, workers, live = load("partition.json"), load("workers.json"), load("live.json")
assert partition["workers"] == 3 and partition["samples"] == [80, 80, 80], partition
assert [sum(c) for c in partition["counts"]] == [80, 80, 80] and len(partition["counts"][0]) == partition["classes"] == 10
graph = json.loads(open(f"{folder}/graph.jsonl").readline())
links = {(w["worker"], l["to"]) for w in workers for l in w["links"]}
assert links == {(a, b) for e in graph["edges"] for a, b in (e, e[::-1])}, (links, graph)
confusion = load("confusion.json")
assert sum(map(sum, confusion["matrix"])) == 40 and confusion["part"] == "test" and confusion["round"] == 10, confusion
assert live["state"] == "finished" and live["round"] == live["rounds_total"] == 10, live
assert [w["samples"] for w in live["workers"]] == [w["samples"] for w in workers]
P

case_ "a run that was killed, one that was stopped, and one that goes on"
SLOW="$RING --epochs 6 --delay 10ms"
stopped KILL 8 killed $SLOW
shows killed 'show["state"] == "killed"' 'last["end"] is None' 'show["last_evaluation"] is not None' \
    'all(files[f] == "present" for f in ("metrics.jsonl", "workers.json", "partition.json", "graph.jsonl", "confusion.json"))' \
    'len(show["workers"]) == 3' 'files["result.json"] == "absent"' '"damaged" not in files.values()'
muster show killed
expect_out "killed/x: killed"
expect_out "updates"
stopped INT 8 part $SLOW
expect_code 75
shows part 'show["state"] == "interrupted"' 'last["reason"] == "interrupted" and last["to_round"] > 0'
muster train --resume part --quiet
expect_code 0
shows part 'show["state"] == "finished"' '[a["reason"] for a in show["attempts"]] == ["interrupted", "finished"]' \
    'show["attempts"][1]["from_round"] == show["attempts"][0]["to_round"]'
rm -rf going
"$MUSTER" train $FIGURES --quiet --out going $RING --epochs 1000 --delay 10ms >/dev/null 2>&1 &
pid=$!
await_rows going 8 $pid
shows going 'show["state"] == "running"' 'last["end"] is None'
kill -INT $pid
wait $pid

case_ "a resumed run knows its last evaluation, and every worker's counters, before its first round"
for algorithm in "sync" "hogwild --slow-worker 1:200ms"; do
    stopped INT 4 again --batch-size 16 --epochs 12 --workers 2 --model mnist_conv --delay 10ms --evaluate-rounds 3 --algorithm $algorithm
    expect_code 75
    cp again/x/workers.json before.json
    cp again/x/metrics.jsonl before.jsonl # snapshots may be evaluated only now
    "$MUSTER" train --resume again --quiet >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 400); do
        [ "$(wc -l <again/x/attempts.jsonl)" -eq 2 ] && grep -q '"pid": '$pid again/x/live.json && break
        sleep 0.01
    done
    cp again/x/live.json live.json
    kill -9 $pid
    wait $pid 2>/dev/null
    python3 - <<'P' || fail "$algorithm: live.json forgot what was done"
import json
before, live = json.load(open("before.json")), json.load(open("live.json"))
assert [w["samples"] for w in live["workers"]] >= [w["samples"] for w in before], (live, before)
assert all(b["samples"] <= w["samples"] for b, w in zip(before, live["workers"])), (live, before)
assert ("test_loss" not in open("before.jsonl").read()) or live["test_accuracy"] is not None, live
P
done

case_ "a run that diverged"
rm -rf bad
muster train $FIGURES --quiet --out bad $RING --epochs 2 --lr 1e5
expect_code 5
shows bad 'show["state"] == "diverged"' 'files["workers.json"] == files["result.json"] == "present"' 'last["reason"] == "diverged" and last["message"]'

case_ "files that are missing or damaged do not keep the others from being read"
cp -r run less
rm less/x/workers.json less/x/live.json less/effective.yaml
truncate -s -30 less/x/metrics.jsonl
truncate -s 20 less/x/partition.json
shows less 'show["state"] == "finished"' 'files["workers.json"] == files["live.json"] == files["effective.yaml"] == "absent"' \
    'files["partition.json"] == "damaged"' 'files["metrics.jsonl"] == "present"' 'show["workers"] == []'
muster show less
expect_out "less/x/partition.json:1:"

case_ "what is no run is an error"
mkdir empty
muster show empty
expect_code 2
muster show
expect_code 2
expect_err "runs/latest does not exist"

finish
