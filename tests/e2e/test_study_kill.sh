# Experiments that are killed at any point and called again end as if nothing had happened.
. "$(dirname "$0")/lib_workers.sh"

cat >base.yaml <<'YAML'
data: {name: figures, train_count: 250, test_count: 40}
transport: {workers: 2}
train: {epochs: 3, batch_size: 16}
optimizer: {lr: 0.05, momentum: 0.9}
runs:
  sync: {algorithm: sync}
  local: {algorithm: {name: local-sgd, period: 4}, optimizer: adam, schedule: cosine}
  nodes: {algorithm: dsgd, graph: complete, train: {evaluate_rounds: 5}}
  served: {algorithm: ps-sync, model: mnist_bn}
  alone: {algorithm: solo, seed: [1, 2]}
YAML

cat >same.py <<'PYTHON'
import json, pathlib, sys
times = ("seconds", "samples_per_s", "computing", "waiting", "transferring", "sleeping", "run_dir", "folder")
def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items() if not any(t in k for t in times)}
    return [plain(v) for v in x] if isinstance(x, list) else x
whole, other = (pathlib.Path(a) for a in sys.argv[1:3])
def rows(folder):
    return [plain(json.loads(line)) for line in (folder / "metrics.jsonl").read_text().splitlines()]
def files(folder):  # TensorBoard's have the time in their names; a checkpoint of a stop stays until others are newer
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*")
                  if "tfevents" not in p.name and not p.name.startswith("round-"))
a, b = (plain(json.loads((f / "results.json").read_text())) for f in (whole, other))
assert a == b, ("results.json", a, b)
assert len(a["runs"]) == 6 and all(c["status"] == "finished" for c in a["runs"]), a
for cell in a["runs"]:
    one, two = whole / cell["name"], other / cell["name"]
    assert (one / "model.safetensors").read_bytes() == (two / "model.safetensors").read_bytes(), cell["name"]
    assert rows(one) == rows(two), cell["name"]
assert files(whole) == files(other), set(files(whole)) ^ set(files(other))
PYTHON

muster run base.yaml --out whole --quiet
expect_code 0

# Starts the experiment in folder $1 and ends it by signal $2 after $3 seconds, with all it started: $4 runs at a time.
end_after() {
    setsid "$MUSTER" run base.yaml --out "$1" --jobs "$4" >/dev/null 2>"$WORK/.err" &
    local pid=$!
    sleep "$3"
    kill "-$2" -- "-$pid" 2>/dev/null
    wait $pid 2>/dev/null
    code=$?
    err=$(cat "$WORK/.err")
}

RANDOM=7
for way in "KILL 1" "TERM 1" "KILL 2" "TERM 2"; do
    read -r signal jobs <<<"$way"
    case_ "ended by SIG$signal again and again with --jobs $jobs, it has the results, rows, models and files of an unbroken one"
    hits=0
    for i in $(seq 12); do
        end_after "by$signal$jobs" $signal "$(printf '0.%03d' $((RANDOM % (i * 40))))" "$jobs"
        case $code in
        0) ;;
        75 | 137 | 143) hits=$((hits + 1)) ;;
        *) fail "exit code $code: $err" ;;
        esac
    done
    [ $hits -ge 2 ] || fail "it was ended $hits times only"
    muster run base.yaml --out "by$signal$jobs"
    expect_code 0
    python3 same.py whole "by$signal$jobs" || fail "not the same as an unbroken one"
done

case_ "a run that was killed between its end and its result tells the result of an unbroken one"
cp -r whole ended
rm ended/*/result.json
muster run base.yaml --out ended
expect_code 0
python3 same.py whole ended || fail "not the same as an unbroken one"
python3 - <<'PYTHON' || fail "a run's own result differs"
import json
for name in ("sync", "nodes", "alone_seed=2"):
    a, b = (json.load(open(f"{folder}/{name}/result.json")) for folder in ("whole", "ended"))
    for worker in range(2):
        for key in ("updates", "samples", "bytes_sent", "test_loss", "test_accuracy"):
            assert a["each"][worker].get(key) == b["each"][worker].get(key), (name, worker, key)
PYTHON

case_ "what a killed process left half-written in a finished run is removed"
cp -r whole finished
touch finished/sync/result.json.123.tmp finished/served/live.json.4567.tmp
muster run base.yaml --out finished --quiet
expect_code 0
python3 same.py whole finished || fail "not the same as an unbroken one"

case_ "a damaged result is written again, and the other runs are not touched"
for damage in '' '{' '[]' '{"status": "finished", "test_accuracy": "x"}'; do
    rm -rf damaged
    cp -r whole damaged
    printf '%s' "$damage" >damaged/sync/result.json
    muster run base.yaml --out damaged
    expect_code 0
    expect_err "damaged/sync/result.json"
    expect_err "resuming the run writes it again"
    expect_err "5 of 6 runs had already finished"
    python3 same.py whole damaged || fail "not the same as an unbroken one: $damage"
done

case_ "an experiment that was killed when it made its folder begins in it"
mkdir early
touch early/.lock early/results.json.123.tmp
muster run base.yaml --out early --quiet
expect_code 0
python3 same.py whole early || fail "not the same as an unbroken one"

case_ "a run that was killed when it made its folder begins again with all its files"
cp -r whole begun
for file in begun/sync/*; do [ "${file##*/}" = experiment.yaml ] || rm -r "$file"; done
touch begun/sync/environment.json.123.tmp
muster run base.yaml --out begun --quiet
expect_code 0
python3 same.py whole begun || fail "not the same as an unbroken one"
finish
