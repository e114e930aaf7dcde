# A signal in an evaluation ends the run at once: its checkpoint is from before, and the resumed run makes the evaluation.
. "$(dirname "$0")/lib_workers.sh"

under_mpirun 2 version
has_mpi=$((code != 77))

# A few rounds between long evaluations. One that is over before the signal comes, because the machine is busy, is tried
# again with more samples.
COUNTS="8000 30000 60000"
EPOCHS=2
set_count() { LONG="--dataset figures --figures.train-count 96 --figures.test-count $1 --name x --batch-size 16 --seed 3"; }
set_count 8000

launch() { # PROCESSES ARGUMENT...: in the background, with the messages in .err
    local processes=$1
    shift
    if [ "$processes" -gt 1 ]; then
        bash "$HERE/../conform/under_mpirun.sh" "$processes" "$MUSTER" "$@" >/dev/null 2>"$WORK/.err" &
    else
        "$MUSTER" "$@" >/dev/null 2>"$WORK/.err" &
    fi
}

# Sends SIGTERM when the first checkpoint is there, which is when the first evaluation begins:
# stopped_in_evaluation PROCESSES FOLDER ARGUMENT...
stopped_in_evaluation() {
    local processes=$1 folder=$2 pid
    shift 2
    rm -rf "$folder"
    launch "$processes" train $LONG --epochs $EPOCHS --out "$folder" "$@"
    pid=$!
    while kill -0 $pid 2>/dev/null && ! [ -e "$folder/x/checkpoints/last.safetensors" ]; do sleep 0.01; done
    if [ "$processes" -gt 1 ]; then
        kill -TERM $(pgrep -P $pid) 2>/dev/null # all processes, but not mpirun, which would kill them a second later
    else
        kill -TERM $pid
    fi
    wait $pid
    code=$?
    err=$(cat "$WORK/.err")
    ! grep -q test_loss "$folder/x/metrics.jsonl" || return 1
    [ "$processes" -gt 1 ] || expect_code 75
    expect_err "stopped by SIGTERM after round"
}

# A whole run, and one that was stopped in its first evaluation: whole_and_part PROCESSES ARGUMENT...
whole_and_part() {
    local processes=$1 count
    shift
    for count in $COUNTS; do
        set_count "$count"
        stopped_in_evaluation "$processes" part "$@" && break
    done
    [ "$count" = "${COUNTS##* }" ] && grep -q test_loss part/x/metrics.jsonl && fail "the evaluation was not stopped"
    rm -rf whole
    if [ "$processes" -gt 1 ]; then
        under_mpirun "$processes" train $LONG --epochs $EPOCHS --quiet --out whole "$@"
    else
        muster train $LONG --epochs $EPOCHS --quiet --out whole "$@"
    fi
    expect_code 0
    set_count 8000
}

resumed() { # PROCESSES FOLDER
    if [ "$1" -gt 1 ]; then
        under_mpirun "$1" train --resume "$2" --quiet
    else
        muster train --resume "$2" --quiet
    fi
    expect_code 0
}

# The same as a run that was never stopped: same_after_stop PROCESSES ARGUMENT...
same_after_stop() {
    whole_and_part "$@"
    resumed "$1" part
    expect_same_model part whole
    expect_same_rows part whole
}

case_ "one worker is stopped in an evaluation, and resumes to the same rows and bits"
same_after_stop 1

case_ "so are workers in lockstep, over a graph, whose models are joined, and of a server"
same_after_stop 1 --workers 2 --algorithm sync
same_after_stop 1 --workers 2 --algorithm dsgd --graph complete
same_after_stop 1 --workers 2 --algorithm local-sgd --local-sgd.period 2
same_after_stop 1 --workers 2 --algorithm ps-sync

case_ "an evaluation without a checkpoint before it is stopped too, and the checkpoint is written then"
rm -rf whole part
muster train $LONG --epochs $EPOCHS --quiet --out whole --save-every 0 --validation 0.2
expect_code 0
"$MUSTER" train $LONG --epochs $EPOCHS --out part --save-every 0 --validation 0.2 >/dev/null 2>"$WORK/.err" &
pid=$!
while kill -0 $pid 2>/dev/null && ! [ -e part/x/live.json ]; do sleep 0.01; done
kill -TERM $pid
wait $pid
code=$?
expect_code 75
expect_file part/x/checkpoints/last.safetensors
resumed 1 part
expect_same_model part whole
expect_same_rows part whole

case_ "a second signal leaves a folder that can be resumed"
muster train $LONG --epochs $EPOCHS --quiet --out unbroken
"$MUSTER" train $LONG --epochs $EPOCHS --out twice >/dev/null 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && ! [ -e twice/x/checkpoints/last.safetensors ]; do sleep 0.01; done
kill -KILL $pid # what a second signal does, and mpirun a second after the first
wait $pid 2>/dev/null
resumed 1 twice
expect_same_model twice unbroken
expect_same_rows twice unbroken

case_ "the evaluation at the end is stopped and made by the resumed run"
EPOCHS=1
same_after_stop 1

case_ "choco's search for gamma is stopped, and the run starts from the beginning when it is resumed"
"$MUSTER" train $FIGURES --model mlp --mlp.widths 8 --epochs 1 --workers 60 --algorithm choco --graph complete --out search \
    >/dev/null 2>"$WORK/.err" &
pid=$!
while kill -0 $pid 2>/dev/null && ! [ -e search/x/live.json ]; do sleep 0.01; done
kill -TERM $pid
wait $pid
code=$?
err=$(cat "$WORK/.err")
expect_code 75
expect_err "stopped by SIGTERM before the first round"
resumed 1 search
expect_file search/x/model.safetensors

# Independent workers and an asynchronous server take snapshots, which a stopped run leaves for the resumed one.
case_ "snapshots that were not evaluated when the run was stopped are evaluated when it is resumed"
EPOCHS=2
for arguments in "--algorithm ps-async --workers 1" "--algorithm hogwild --workers 1" "--algorithm ad-psgd --workers 1" \
    "--algorithm ps-async --workers 2" "--algorithm ad-psgd --workers 2" "--algorithm hogwild --workers 2"; do
    whole_and_part 1 $arguments
    resumed 1 part
    expect_no_err "lost"
    evaluations() { grep -c '"test_loss"' "$1/x/metrics.jsonl"; }
    [ "$(evaluations whole)" = "$(evaluations part)" ] ||
        fail "$arguments: $(evaluations part) evaluations instead of $(evaluations whole)"
    ls part/x/checkpoints/snapshot-* 2>/dev/null && fail "$arguments: snapshots are left"
    case $arguments in *"workers 1") expect_same_model part whole ;; esac
done

if [ $has_mpi -eq 1 ]; then
    case_ "processes share the evaluation and stop in it together"
    same_after_stop 2 --algorithm sync
    same_after_stop 2 --algorithm dsgd --graph complete
    same_after_stop 2 --algorithm ps-sync
fi

finish
