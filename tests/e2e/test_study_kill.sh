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

muster run base.yaml --out whole --quiet
expect_code 0
expect_whole() { python3 "$HERE/same_study.py" --stopped whole "$1" || fail "not the same as an unbroken one${2:+: $2}"; }

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
    expect_whole "by$signal$jobs"
done

case_ "a run that was killed between its end and its result tells the result of an unbroken one"
cp -r whole ended
rm ended/*/result.json
muster run base.yaml --out ended
expect_code 0
expect_whole ended
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
expect_whole finished

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
    expect_whole damaged "$damage"
done

case_ "an experiment that was killed when it made its folder begins in it"
mkdir early
touch early/.lock early/results.json.123.tmp
muster run base.yaml --out early --quiet
expect_code 0
expect_whole early

case_ "a run that was killed when it made its folder begins again with all its files"
cp -r whole begun
for file in begun/sync/*; do [ "${file##*/}" = experiment.yaml ] || rm -r "$file"; done
touch begun/sync/environment.json.123.tmp
muster run base.yaml --out begun --quiet
expect_code 0
expect_whole begun
finish
