# Signals: a run reacts to one soon, however long it has run before.
. "$(dirname "$0")/lib_workers.sh"
err=

# Epochs of 4000 rounds of five milliseconds and more, so that nothing but the time makes workers synchronise.
LONG="--dataset figures --figures.train-count 8000 --figures.test-count 40 --batch-size 1 --workers 2 --delay 5ms \
    --model mnist_conv --epochs 50 --quiet --name x"

# The round in live.json of the run in part; 0 without one.
round_of_part() {
    python3 -c 'import json; print(json.load(open("part/x/live.json"))["round"])' 2>/dev/null || echo 0
}

# Waits until the run in part is past round $1, so that it trains: with handlers, data and workers that have synchronised.
await_round() {
    local tries
    for tries in $(seq 200); do
        [ "$(round_of_part)" -gt "$1" ] && return
        sleep 0.1
    done
    fail "part does not come past round $1"
}

# Stops process $1 by SIGTERM; `took` are the milliseconds until it ended.
terminate() {
    local start
    start=$(date +%s%N)
    kill -TERM "$1"
    wait "$1"
    code=$?
    took=$((($(date +%s%N) - start) / 1000000))
}

# Starts a run in part, stops it past round $1, resumes it and stops it again: resumed_reacts ROUND ARGUMENT...
resumed_reacts() {
    local round=$1 pid before
    shift
    rm -rf part
    "$MUSTER" train "$@" --out part 2>"$WORK/.err" &
    pid=$!
    await_round "$round"
    terminate $pid
    expect_code 75
    before=$(round_of_part)
    "$MUSTER" train --resume part --quiet 2>"$WORK/.err" &
    pid=$!
    await_round "$before"
    terminate $pid
    expect_code 75
    [ $took -le 2000 ] || fail "$*: it took $took ms"
}

case_ "a resumed run of several workers reacts to a signal within two seconds"
for algorithm in sync local-sgd; do
    resumed_reacts 300 $LONG --algorithm $algorithm
done

# All end with the same round. Workers that never wait for each other are kept near the slowest.
case_ "so does a run whose workers wait for nobody, and one of which is a hundred times slower"
rm -rf part
"$MUSTER" train --dataset figures --figures.train-count 60000 --figures.test-count 40 --batch-size 8 --workers 3 \
    --slow-worker 1:30ms --model mnist_conv --algorithm psgd --epochs 3 --quiet --name x --out part 2>"$WORK/.err" &
pid=$!
await_round 60
terminate $pid
expect_code 75
[ $took -le 3000 ] || fail "it took $took ms"

case_ "so does one of a hundred workers"
resumed_reacts 20 --dataset figures --figures.train-count 8000 --figures.test-count 40 --batch-size 1 --workers 100 \
    --delay 5ms --model mnist_conv --algorithm dsgd --graph cycle --epochs 50 --quiet --name x

if [ -x "$(command -v mpirun)" ] && [ -z "$SANITIZED" ]; then
    case_ "and one under mpirun, where one process alone gets the signal"
    rm -rf part
    "$MUSTER" train $LONG --algorithm local-sgd --out part 2>"$WORK/.err" &
    pid=$!
    await_round 300
    terminate $pid
    before=$(round_of_part)
    bash "$HERE/../conform/under_mpirun.sh" 2 "$MUSTER" train --resume part --quiet >/dev/null 2>"$WORK/.err" &
    launcher=$!
    await_round "$before"
    start=$(date +%s%N)
    kill -TERM "$(process_of $launcher 1)"
    wait $launcher
    code=$?
    took=$((($(date +%s%N) - start) / 1000000))
    expect_code 75
    [ $took -le 3000 ] || fail "it took $took ms, some of which mpirun takes"
fi

case_ "a run survives the reader of its messages, and SIGUSR1 stops it with a checkpoint"
rm -rf part
"$MUSTER" train $LONG --algorithm sync --log-every 1 --out part 2> >(head -c 1 >/dev/null) &
pid=$!
await_round 20
kill -USR1 $pid
wait $pid
code=$?
expect_code 75
expect_file part/x/checkpoints/last.safetensors

case_ "a signal before the first round ends with 75, and the run can be resumed"
rm -rf part
"$MUSTER" train --dataset figures --figures.train-count 60000 --figures.test-count 40 --epochs 50 --quiet \
    --name x --out part 2>"$WORK/.err" &
pid=$!
until [ -e part ]; do sleep 0.01; done
kill -TERM $pid
wait $pid
code=$?
err=$(cat "$WORK/.err")
expect_code 75
expect_err "stopping after this round; a second signal stops at once"
muster train --resume part --epochs 1 --quiet
expect_code 0

finish
