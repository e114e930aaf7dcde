# lib_workers.sh - for scripts about several workers: quick runs, their files, and how they differ.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
HERE=$(cd "$SOURCE_DIR/tests/e2e" && pwd)

# 80 samples for each of three workers.
FIGURES="--dataset figures --figures.train-count 240 --figures.test-count 40 --name x"

# The algorithms that a condition on an entry `a` of `muster algorithms --json` selects, into the array `selected`, each
# with the options that it declares for tests: select_algorithms 'a["kind"] == "server-based"'
select_algorithms() {
    mapfile -t selected < <("$MUSTER" algorithms --json | python3 "$HERE/algorithms.py" where "$1")
    [ ${#selected[@]} -gt 0 ] || fail "no algorithm has: $1"
}
SEVERAL='not a["one_worker_only"] and not a["needs_graph"]' # workers without a graph

# Trains into folder $1 in a moment, and expects that it ends well: trained FOLDER ARGUMENT...
trained() {
    local folder=$1
    shift
    rm -rf "$folder"
    muster train $FIGURES --quiet --out "$folder" "$@"
    [ "$code" -eq 0 ] || fail "exit code $code of: $*: $err"
}

# The same under mpirun: trained_mpi FOLDER PROCESSES ARGUMENT...
trained_mpi() {
    local folder=$1 processes=$2
    shift 2
    rm -rf "$folder"
    under_mpirun "$processes" train $FIGURES --quiet --out "$folder" "$@"
    [ "$code" -eq 0 ] || fail "exit code $code of $processes processes: $*: $err"
}

under_mpirun() {
    local processes=$1
    shift
    timeout 60 bash "$HERE/../conform/under_mpirun.sh" "$processes" "$MUSTER" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

# What mpirun itself says of a failure is not ours to count.
expect_one_error() {
    local count
    count=$(grep -cE '^(error|muster):' <<<"$err")
    [ "$count" -eq 1 ] || fail "$count messages instead of one: $err"
    case $(grep -E '^(error|muster):' <<<"$err") in
    *"$1"*) ;;
    *) fail "the message has no '$1': $err" ;;
    esac
}

expect_same_model() { expect_same "$1/x/model.safetensors" "$2/x/model.safetensors"; }

# The largest relative difference of two models is at most $3, or more: expect_near FOLDER FOLDER LIMIT
apart() { python3 "$HERE/weights.py" "$1/x/model.safetensors" "$2/x/model.safetensors"; }
is_above() { python3 -c 'import sys; sys.exit(not float(sys.argv[1].split()[0]) > float(sys.argv[2]))' "$1" "$2"; }
expect_near() { is_above "$(apart "$1" "$2")" "$3" && fail "$1 and $2 are $(apart "$1" "$2") apart, more than $3"; }
expect_far() { is_above "$(apart "$1" "$2")" "$3" || fail "$1 and $2 are within $3"; }

# Statements about a run's rows and workers, in Python: expect_run FOLDER STATEMENT...
# rows: metrics.jsonl, logs: its log rows, run: others of the whole run, per: others of single workers,
# workers: workers.json.
expect_run() {
    local folder=$1
    shift
    python3 - "$folder/x" "$@" <<'P' || fail "$folder: not so: $*"
import json, os, sys
folder = sys.argv[1]
rows = [json.loads(line) for line in open(f"{folder}/metrics.jsonl")]
is_log = lambda r: "lr" in r and "train_loss" not in r
logs = [r for r in rows if is_log(r)]
run = [r for r in rows if r["worker"] == -1 and not is_log(r)]
per = [r for r in rows if r["worker"] >= 0 and not is_log(r)]
path = f"{folder}/workers.json"
workers = json.load(open(path)) if os.path.exists(path) else None
for statement in sys.argv[2:]:
    assert eval(statement), statement
P
}

# What is measured, without what depends on the clock.
without_times() {
    sed -E 's/"(seconds|computing|waiting|transferring|sleeping)": [^,}]*,? ?//g' "$1/x/metrics.jsonl"
}

expect_same_rows() {
    [ "$(without_times "$1")" = "$(without_times "$2")" ] || fail "the rows of $1 and $2 differ"
}

# Waits until run $1 has written $2 rows, or process $3 is gone. Log rows of single workers do not count.
await_rows() {
    local rows=0
    while kill -0 "$3" 2>/dev/null && [ "$rows" -lt "$2" ]; do
        sleep 0.01
        [ -e "$1/x/metrics.jsonl" ] && rows=$(grep -cv '"lr": .*"computing"' "$1/x/metrics.jsonl")
    done
}

# A run that came to its end before the signal, because the machine is busy, is tried again with delays so many times as
# long, which change nothing else.
SLOWER="1 5 25"

# The arguments, with all milliseconds in them $1 times as many, into `slowed`: slow_down TIMES ARGUMENT...
slow_down() {
    local times=$1 argument
    shift
    slowed=()
    for argument in "$@"; do
        [[ $argument =~ ^(.*:)?([0-9]+)ms$ ]] && argument=${BASH_REMATCH[1]}$((BASH_REMATCH[2] * times))ms
        slowed+=("$argument")
    done
}

# Starts a run, waits until it has written ROWS rows, and stops it: stopped SIGNAL ROWS FOLDER ARGUMENT...
stopped() {
    local signal=$1 rows=$2 folder=$3 slower
    shift 3
    for slower in $SLOWER; do
        slow_down "$slower" "$@"
        rm -rf "$folder"
        "$MUSTER" train $FIGURES --out "$folder" "${slowed[@]}" >/dev/null 2>"$WORK/.err" &
        local pid=$!
        await_rows "$folder" "$rows" $pid
        kill "-$signal" $pid 2>/dev/null
        wait $pid 2>/dev/null
        code=$?
        err=$(cat "$WORK/.err")
        [ $code -ne 0 ] && return
    done
}

# The process with this rank among the children of mpirun. Numbers of processes start again from the beginning now and
# then, so that they say nothing about ranks: process_of LAUNCHER RANK
process_of() {
    local pid
    for pid in $(pgrep -P "$1"); do
        tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2" && echo "$pid"
    done
}

# Three processes, of which one gets a signal when the run has written four rows:
# stopped_mpi RANK FOLDER ARGUMENT...
stopped_mpi() {
    local rank=$1 folder=$2 slower
    shift 2
    for slower in $SLOWER; do
        slow_down "$slower" "$@"
        rm -rf "$folder"
        bash "$HERE/../conform/under_mpirun.sh" 3 "$MUSTER" train $FIGURES --out "$folder" "${slowed[@]}" \
            >/dev/null 2>"$WORK/.err" &
        local launcher=$!
        await_rows "$folder" 4 $launcher
        kill -INT "$(process_of $launcher "$rank")" 2>/dev/null
        wait $launcher
        code=$?
        err=$(cat "$WORK/.err")
        [ $code -ne 0 ] && return
    done
}

# Processes, other than zombies, of the run whose folder in $WORK is on their command line.
processes_of() {
    pgrep -f -- "--out $WORK/$1" | while read -r p; do
        grep -q '^State:\tZ' "/proc/$p/status" 2>/dev/null || echo "$p"
    done
}
expect_none_left() {
    for _ in $(seq 200); do
        [ -z "$(processes_of "$1")" ] && return
        sleep 0.1
    done
    fail "processes are left: $(processes_of "$1")"
}

# Waits for a file, at most half a minute.
await_file() {
    for _ in $(seq 300); do
        [ -e "$1" ] && return
        sleep 0.1
    done
    fail "no $1"
}
