# Several workers: what a person reads when something is wrong, and how a run ends then.
. "$(dirname "$0")/lib_workers.sh"

# One line that names the flag or key, exit code 2, and no folder: refused TEXT ARGUMENT...
refused() {
    local text=$1
    shift
    muster train $FIGURES --quiet --out refused "$@"
    expect_code 2
    expect_one_error "$text"
    [ "$(wc -l <<<"$err")" -eq 1 ] || fail "more than a line: $err"
    expect_no_file refused
}

case_ "what does not go together is refused, and what does is named"
refused "algorithm sync does not use a graph" --workers 2 --graph cycle
refused "choose another optimizer" --workers 2 --optimizer lbfgs
select_algorithms 'not a["one_worker_only"]'
refused "is for one worker, but there are 2; for several choose ${selected[0]%% *}, ${selected[1]%% *}" --workers 2 --algorithm single
refused "or ${selected[-1]%% *}" --workers 2 --algorithm single
refused "sync has no server" --workers 2 --algorithm sync --server own
refused "mpirun -n 3" --workers 2 --algorithm ps-sync --server own
refused "staleness" --workers 2 --algorithm hogwild --staleness 3
refused "mpirun -n 2" --workers 2 --transport mpi

case_ "values that make no sense name the flag and what would be right"
refused "samples:N" --budget 100
refused "is not above 0" --budget samples:0
refused "samples:N" --workers 2 --budget epochs:3
refused "--delay" --workers 2 --delay 5parsecs
refused "--delay" --workers 2 --delay gaussian:30ms
refused "--delay" --workers 2 --delay -5ms
refused "workers are 0 to 1" --workers 2 --slow-worker 2:2.0
refused "--slow-worker" --workers 2 --slow-worker fast
refused "--uneven" --workers 2 --uneven maybe
refused "did you mean sync" --workers 2 --algorithm snyc
refused "threads, mpi" --workers 2 --transport tcp

case_ "more workers than samples are refused"
refused "240 samples cannot be divided among 300 workers" --workers 300

case_ "far too many workers are refused without the memory of their square"
(ulimit -v 8000000 && "$MUSTER" train $FIGURES --quiet --workers 100000 --out many >/dev/null 2>"$WORK/.err")
code=$?
err=$(cat "$WORK/.err")
expect_code 2
expect_one_error "use fewer workers"

select_algorithms "$SEVERAL"
for algorithm in "${selected[@]}"; do
    case_ "a worker that diverges ends the run at once with one message: $algorithm"
    SECONDS=0
    rm -rf nan
    muster train $FIGURES --quiet --model mnist_conv --lr 1e6 --workers 3 --algorithm $algorithm --epochs 50 --out nan
    expect_code 5
    expect_one_error "training diverged"
    expect_err "learning rate 1e+06"
    [ $SECONDS -le 5 ] || fail "it took $SECONDS s"
    expect_no_file nan/x/model.safetensors
    rows=nan/x/metrics.jsonl # not there when a worker diverged before the leader began
    [ ! -e $rows ] || python3 -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' $rows ||
        fail "$rows is not readable"
done

case_ "data that is not there is told once"
mkdir empty
muster train --dataset mnist --data-dir empty --workers 3 --quiet
expect_code 3
expect_one_error "mnist not found"

case_ "no memory for a worker ends the run with one message"
(ulimit -v 300000 && "$MUSTER" train $FIGURES --quiet --model cnn1 --workers 4 --algorithm psgd --optimizer adam \
    --batch-size 64 --out memory >/dev/null 2>"$WORK/.err")
code=$?
err=$(cat "$WORK/.err")
expect_code 1
expect_one_error "out of memory"

finish
