# lib_workers.sh - for scripts about several workers: quick runs, their files, and how they differ.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
HERE=$(cd "$SOURCE_DIR/tests/e2e" && pwd)

# 80 samples for each of three workers.
FIGURES="--dataset figures --figures.train-count 240 --figures.test-count 40 --name x"

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
# rows: metrics.jsonl, run: those of the whole run, per: those of single workers, workers: workers.json.
expect_run() {
    local folder=$1
    shift
    python3 - "$folder/x" "$@" <<'P' || fail "$folder: not so: $*"
import json, os, sys
folder = sys.argv[1]
rows = [json.loads(line) for line in open(f"{folder}/metrics.jsonl")]
run = [r for r in rows if r["worker"] == -1]
per = [r for r in rows if r["worker"] >= 0]
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

# Starts a run, waits until it has written ROWS rows, and stops it: stopped SIGNAL ROWS FOLDER ARGUMENT...
stopped() {
    local signal=$1 rows=$2 folder=$3
    shift 3
    rm -rf "$folder"
    "$MUSTER" train $FIGURES --out "$folder" "$@" >/dev/null 2>"$WORK/.err" &
    local pid=$!
    for _ in $(seq 1000); do
        [ "$(wc -l 2>/dev/null <"$folder/x/metrics.jsonl" || echo 0)" -ge "$rows" ] && break
        sleep 0.01
    done
    kill "-$signal" $pid
    wait $pid 2>/dev/null
    code=$?
    err=$(cat "$WORK/.err")
}

# Three processes, of which one gets a signal when the run has written four rows:
# stopped_mpi PROCESS FOLDER ARGUMENT...
stopped_mpi() {
    local process=$1 folder=$2
    shift 2
    rm -rf "$folder"
    bash "$HERE/../conform/under_mpirun.sh" 3 "$MUSTER" train $FIGURES --out "$folder" "$@" >/dev/null 2>"$WORK/.err" &
    local launcher=$!
    for _ in $(seq 1000); do
        [ "$(wc -l 2>/dev/null <"$folder/x/metrics.jsonl" || echo 0)" -ge 4 ] && break
        sleep 0.01
    done
    kill -INT "$(pgrep -P $launcher | sort -n | sed -n "$((process + 1))p")"
    wait $launcher
    code=$?
    err=$(cat "$WORK/.err")
}
