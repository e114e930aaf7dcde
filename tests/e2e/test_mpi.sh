# Several workers under mpirun: the same as on threads, one run, one message, and nobody left behind.
. "$(dirname "$0")/lib_workers.sh"

under_mpirun 1 --version
if [ "$code" -eq 77 ]; then
    echo "$out"
    exit 77
fi

# The folder of a run is on the command line of all its processes; another test may use the same name elsewhere.
expect_nobody_left() {
    local left
    left=$(for p in $(pgrep -f -- "--out $1"); do
        [ "$(readlink "/proc/$p/cwd")" != "$WORK" ] || echo "$p"
    done)
    [ -z "$left" ] || fail "processes are left: $left"
}

expect_one_warning() {
    [ "$(grep -c '^warning:' <<<"$err")" -eq 1 ] || fail "not one warning: $err"
    expect_err "$1"
}

UNEVEN="--epochs 2 --batch-size 16 --momentum 0.9 --partition dirichlet"
case_ "5 workers on mpi have the bits of threads, however many threads each has"
for algorithm in sync ps-sync; do # test_algorithms.sh has all of them, with 3 workers
    trained threads $UNEVEN --model psgd_cnn --algorithm $algorithm --workers 5 --threads 2
    trained_mpi processes 5 $UNEVEN --model psgd_cnn --algorithm $algorithm --threads 1
    expect_same_model threads processes
    expect_same_rows threads processes
done

case_ "5 workers in 2 and in 3 processes have the bits of threads"
for algorithm in sync ps-sync "dsgd --graph cycle"; do
    trained threads $UNEVEN --model psgd_cnn --algorithm $algorithm --workers 5 --threads 1
    for processes in 2 3; do
        trained_mpi processes $processes $UNEVEN --model psgd_cnn --algorithm $algorithm --workers 5 --threads 1
        expect_same_model threads processes
        expect_same_rows threads processes
    done
done
trained_mpi own 3 $UNEVEN --model psgd_cnn --algorithm ps-sync --workers 5 --threads 1 --server own
trained threads $UNEVEN --model psgd_cnn --algorithm ps-sync --workers 5 --threads 1
expect_same_model threads own

case_ "asynchronous workers share processes"
for algorithm in ps-async hogwild "ad-psgd --graph cycle"; do
    trained_mpi several 2 --model psgd_cnn --epochs 1 --algorithm $algorithm --workers 5
    expect_run several 'len([w for w in workers if w["updates"] > 0]) == 5'
done

case_ "a run resumes in another number of processes, with the bits of an unbroken one"
for algorithm in sync "dsgd --graph cycle"; do
    RUN="--model psgd_cnn --batch-size 16 --momentum 0.9 --algorithm $algorithm --workers 4 --epochs"
    trained whole $RUN 2
    trained_mpi begun 4 $RUN 1
    under_mpirun 2 train --resume begun --epochs 2 --quiet
    expect_code 0
    expect_same_model whole begun
done

case_ "processes share the blocks of an evaluation, and its numbers have the bits of one process"
for how in "sync --statistics average" "sync --statistics local" "local-sgd --statistics recalibrate" "dsgd --graph cycle"; do
    RUN="--model mnist_bn --batch-size 16 --epochs 2 --validation 0.3 --partition dirichlet --algorithm $how"
    trained threads --workers 3 $RUN
    trained_mpi mpi 3 $RUN
    expect_same_rows threads mpi
    expect_same threads/x/confusion.json mpi/x/confusion.json
done

case_ "snapshots of processes have the bits of those of threads, and a landscape is drawn of them"
WEIGHTS="--epochs 2 --batch-size 16 --model mnist_conv --lr 0.05 --saves-per-epoch 3 --no-report"
for algorithm in sync dsgd; do
    trained threads $WEIGHTS --algorithm $algorithm --workers 2
    trained_mpi processes 2 $WEIGHTS --algorithm $algorithm
    for run in threads processes; do
        muster export $run --snapshots npy --out $run.npy
        expect_code 0
        muster landscape $run --grid 3 --samples 40
        expect_code 0
        expect_out "plane: PCA of 7 snapshots"
        expect_file $run/x/landscape.html
    done
    expect_same threads.npy processes.npy
    for file in landscape.npy landscape_path.npy; do
        expect_same threads/x/$file processes/x/$file
    done
done
for run in threads processes; do # of dsgd, whose nodes differ
    muster landscape $run --between --grid 3 --samples 40
    expect_code 0
    expect_out "node 1"
done
expect_same threads/x/between.npy processes/x/between.npy

case_ "mpirun alone makes one run with as many workers as processes"
rm -rf runs
under_mpirun 3 train $FIGURES --quiet --max-steps 3 --json
expect_code 0
[ "$(echo "$out" | json_field workers)" = 3 ] || fail "workers: $out"
[ "$(ls runs | wc -l)" -eq 2 ] || fail "not one run, and the link to it: $(ls runs)"
[ "$(grep -c . <<<"$out")" -eq 1 ] || fail "more than one result: $out"
grep -q '"transport": "mpi"' runs/latest/environment.json || fail "another transport"

case_ "what is no training is done and told by one process"
for command in "--version" "help train" "train --help" "models lenet5" "algorithms" "graph --type cycle --nodes 5" \
    "data partition --dataset figures --workers 3" "evaluate"; do
    muster $command
    expect_code 0
    alone=$out
    under_mpirun 2 $command
    expect_code 0
    [ "$out" = "$alone" ] || fail "$command: $out"
done
under_mpirun 2 evaluate nothing
expect_one_error "nothing"
under_mpirun 2 evalaute nothing
expect_one_error "did you mean 'evaluate'"

case_ "a number of workers that contradicts mpirun is one error from one process"
under_mpirun 3 train $FIGURES --quiet --workers 2 --out refused
expect_code 2
expect_one_error "mpirun -n 2"
under_mpirun 3 train $FIGURES --quiet --transport threads --out refused
expect_code 2
expect_one_error "threads"
under_mpirun 2 train $FIGURES --quiet --budget much --out refused
expect_code 2
expect_one_error "samples:N"
expect_no_file refused

case_ "processes end by a budget of bytes with the round with which threads do, and by one of seconds"
for algorithm in dsgd "local-sgd --local-sgd.period 5" ps-sync; do
    trained threads --model mnist_conv --algorithm $algorithm --workers 2 --budget bytes:4M
    trained_mpi processes 2 --model mnist_conv --algorithm $algorithm --budget bytes:4M --log-every 3
    expect_same_model threads processes
done
for algorithm in dsgd ps-async ad-psgd; do
    trained_mpi processes 2 --model mnist_conv --algorithm $algorithm --budget seconds:0.1
    expect_run processes 'run[-1]["seconds"] >= 0.1' '"test_loss" in run[-1]'
    [ "$(json_field ended_by <processes/x/result.json)" = seconds:0.1 ] || fail "$algorithm did not end by its budget"
done

case_ "a server may have a process of its own"
trained_mpi beside 3 --epochs 1 --model mnist_bn --algorithm ps-sync
trained_mpi own 4 --epochs 1 --model mnist_bn --algorithm ps-sync --server own
expect_same_model beside own
trained_mpi own 3 --epochs 1 --model mnist_conv --algorithm ps-async --server own --staleness 2 --validation 0.1 --trace
expect_run own 'len(workers) == 2' 'round(run[-1]["epoch"]) == 1' 'all(w["updates"] > 0 for w in workers)'
expect_file own/x/trace.json

case_ "hogwild shares its model between the processes of a host"
trained_mpi hogwild 3 --epochs 4 --model mnist_bn --batch-size 16 --algorithm hogwild
expect_run hogwild '[w["updates"] for w in workers] == [20, 20, 20]' \
    'run[-1]["test_loss"] < run[0]["train_loss"]' 'run[-1]["samples"] == 4 * 240'

case_ "processes end with their own rounds, or with those of all"
for algorithm in ps-async hogwild ad-psgd; do
    trained_mpi own 3 --epochs 3 --model mnist_bn --batch-size 16 --algorithm $algorithm --slow-worker 1:10ms
    expect_run own '[w["updates"] for w in workers] == [15, 15, 15]'
    trained_mpi total 3 --epochs 3 --model mnist_bn --batch-size 16 --algorithm $algorithm --slow-worker 1:10ms --ends total
    expect_run total 'sum(w["updates"] for w in workers) == 45'
done
stopped_mpi 0 part --batch-size 16 --epochs 3 --log-every 9 --model mnist_bn --algorithm ps-async --slow-worker 1:100ms
expect_code 75 # two workers may have left
muster train --resume part --quiet
expect_code 0
expect_run part '[w["updates"] for w in workers] == [15, 15, 15]'

case_ "a run stopped on mpi goes on to the same bits on threads, and the other way round"
SLOW="--batch-size 16 --epochs 3 --delay 10ms --log-every 1 --model mnist_bn --optimizer adam"
for algorithm in ps-sync local-sgd; do # with a server and without
    trained whole $SLOW --workers 3 --algorithm $algorithm
    stopped INT 4 part $SLOW --workers 3 --algorithm $algorithm
    expect_code 75
    under_mpirun 3 train --resume part --quiet
    expect_code 0
    expect_same_model whole part
    stopped_mpi 0 back $SLOW --algorithm $algorithm
    expect_code 75
    expect_one_warning "muster train --resume back/x"
    muster train --resume back --quiet
    expect_code 0
    expect_same_model whole back
done

case_ "a signal to any one process stops a run with a server, and it goes on"
for algorithm in ps-sync ps-async; do
    stopped_mpi 2 part --batch-size 16 --epochs 3 --delay 40ms --log-every 1 --model mnist_bn --algorithm $algorithm
    expect_code 75
    expect_one_warning "another process"
    muster train --resume part --quiet
    expect_code 0
    expect_run part 'run[-1]["epoch"] == 3' 'run[-1]["samples"] == 720'
done

case_ "more processes than the run had workers are refused, and what would be right is named"
under_mpirun 4 train --resume whole --quiet
expect_code 2
expect_one_error "use mpirun -n 3 or fewer"

case_ "a signal to any one process of hogwild stops them all, and the run goes on"
stopped_mpi 2 part --batch-size 16 --epochs 3 --delay 30ms --log-every 1 --model mnist_bn --algorithm hogwild
expect_code 75
expect_one_warning "another process"
muster train --resume part --quiet
expect_code 0
expect_run part '[w["updates"] for w in workers] == [15, 15, 15]'

SECONDS=0
under_mpirun 3 train $FIGURES --quiet --model mnist_conv --max-steps 1 --out start
start=$SECONDS # what a busy machine takes for a run of nothing
for algorithm in sync ps-async hogwild; do # one of each kind
    case_ "a worker that diverges ends all processes at once with one message: $algorithm"
    SECONDS=0
    under_mpirun 3 train $FIGURES --quiet --model mnist_conv --lr 1e6 --algorithm $algorithm --epochs 50 --out nan_$algorithm
    expect_code 5
    expect_one_error "training diverged"
    [ $SECONDS -le $((start + 5)) ] || fail "it took $SECONDS s, and $start s to start"
    expect_nobody_left nan_$algorithm
done

# Process 1 adds the arguments of the first word, the others those of the second.
odd_one() {
    mkdir -p "$WORK/odd"
    ln -sf "$(dirname "$MUSTER")/libmuster_mpi.so" "$WORK/odd/"
    cat >"$WORK/odd/muster" <<P
#!/bin/sh
[ "\$OMPI_COMM_WORLD_RANK" = 1 ] && exec "$MUSTER" "\$@" $1
exec "$MUSTER" "\$@" $2
P
    chmod +x "$WORK/odd/muster"
}

case_ "processes that would train different things are refused with one error"
odd_one "--lr 0.5" ""
MUSTER="$WORK/odd/muster" under_mpirun 3 train $FIGURES --quiet --out apart
expect_code 2
expect_one_error "process 1 has other settings than process 0"
expect_no_file apart
odd_one "--threads 2" "--threads 1"
MUSTER="$WORK/odd/muster" under_mpirun 2 train $FIGURES --quiet --max-steps 1 --out apart
expect_code 0

case_ "data that differ between hosts are refused"
python3 - <<'P'
import os, struct
for folder, first in ("one", 0), ("two", 7):
    os.mkdir(folder)
    for part in "train", "t10k":
        pixels = bytes([first if part == "train" else 0]) + bytes(20 * 784 - 1)
        with open(f"{folder}/{part}-images-idx3-ubyte", "wb") as f:
            f.write(struct.pack(">IIII", 0x803, 20, 28, 28) + pixels)
        with open(f"{folder}/{part}-labels-idx1-ubyte", "wb") as f:
            f.write(struct.pack(">II", 0x801, 20) + bytes(i % 10 for i in range(20)))
P
odd_one "--data-dir two" "--data-dir one"
MUSTER="$WORK/odd/muster" under_mpirun 2 train --dataset mnist --quiet --max-steps 1 --out odd_data
expect_code 2
expect_one_error "process 1 has other data than process 0"

case_ "an error that one process alone has is told all the same"
odd_one --no-such-flag ""
MUSTER="$WORK/odd/muster" under_mpirun 2 train $FIGURES --quiet --out odd_flag
expect_code 2
expect_one_error "unknown flag --no-such-flag"

case_ "data that is not there is told once"
mkdir empty
under_mpirun 3 train --dataset mnist --data-dir empty --quiet --out nothing
expect_code 3
expect_one_error "mnist not found"
expect_nobody_left nothing

cat >study.yaml <<'YAML'
seed: [1, 2]
data: {name: figures, train_count: 240, test_count: 40}
train: {epochs: 1, batch_size: 16}
runs:
  sync: {algorithm: sync}
  server: {algorithm: ps-sync}
  dsgd: {algorithm: dsgd, graph: cycle}
YAML

case_ "an experiment of many runs is the same on threads and under mpirun, with one table"
muster run study.yaml --quiet --workers 3 --out many_threads
expect_code 0
under_mpirun 3 run study.yaml --quiet --out many_mpi
expect_code 0
[ "$(grep -c '^run ' <<<"$out")" -eq 1 ] || fail "not one table: $out"
for cell in {sync,server,dsgd}_seed={1,2}; do
    expect_same many_threads/$cell/model.safetensors many_mpi/$cell/model.safetensors
    grep -q "transport: mpi" many_mpi/$cell/effective.yaml && fail "mpi was not asked for"
    grep -q '"transport": "mpi"' many_mpi/$cell/environment.json || fail "$cell: another transport"
done
expect_nobody_left many_mpi

case_ "under mpirun what is finished is skipped, and what was removed runs again"
rm -r many_mpi/server_seed=2
under_mpirun 3 run study.yaml --out many_mpi
expect_code 0
expect_err "5 of 6 runs had already finished"
[ "$(grep -c '^training ' <<<"$err")" -eq 1 ] || fail "not one run: $err"
expect_same many_threads/server_seed=2/model.safetensors many_mpi/server_seed=2/model.safetensors

case_ "results of another number of processes are not taken for one's own, and those of as many threads are"
cp -r many_mpi before_mpi
under_mpirun 2 run study.yaml --out many_mpi
expect_code 2
expect_one_error "many_mpi/sync_seed=1: was run with transport.workers 3, not 2"
muster run study.yaml --out many_mpi
expect_code 2
expect_err "was run with transport.workers 3, not 1"
diff -r before_mpi many_mpi >/dev/null || fail "the folder has changed"
muster run study.yaml --workers 3 --out many_mpi
expect_code 0
expect_err "6 of 6 runs had already finished"
under_mpirun 3 run study.yaml --out many_threads
expect_code 0
expect_err "6 of 6 runs had already finished"

case_ "killed under mpirun at any point and called again, an experiment has the results of an unbroken one"
for delay in 0.3 0.5 0.6 0.7 0.8; do
    setsid bash "$HERE/../conform/under_mpirun.sh" 3 "$MUSTER" run study.yaml --quiet --out killed_mpi >/dev/null 2>&1 &
    pid=$!
    sleep $delay
    kill -9 -- -$pid 2>/dev/null
    wait $pid 2>/dev/null
done
for _ in $(seq 50); do # while those who lost their launcher have yet to notice, they hold the folder
    under_mpirun 3 run study.yaml --quiet --out killed_mpi
    [ "$code" -eq 3 ] || break
    grep -qF "the folder is in use by" <<<"$err" || break
    sleep 0.1
done
expect_code 0
python3 - <<'PYTHON' || fail "other results than those of an unbroken one"
import json
def told(folder):
    results = json.load(open(folder + "/results.json"))
    return [{k: v for k, v in x.items() if not k.startswith(("train_seconds", "samples_per_s", "run_dir"))}
            for x in results["cases"] + results["runs"]]
assert told("many_mpi") == told("killed_mpi"), (told("many_mpi"), told("killed_mpi"))
PYTHON
for cell in {sync,server,dsgd}_seed={1,2}; do
    expect_same many_threads/$cell/model.safetensors killed_mpi/$cell/model.safetensors
done
expect_nobody_left killed_mpi

case_ "under mpirun a second call in the same folder is one error that names the process at work"
under_mpirun 3 run study.yaml --quiet --out held_mpi --epochs 100000 &
for _ in $(seq 400); do
    [ -s held_mpi/sync_seed=1/metrics.jsonl ] && break
    sleep 0.02
done
holder=$(sed 's/^process \([0-9]*\) .*/\1/' held_mpi/.lock)
under_mpirun 3 run study.yaml --quiet --out held_mpi --epochs 100000
expect_code 3
expect_one_error "held_mpi: the folder is in use by process $holder on $(hostname)"
kill -INT "$holder"
wait
expect_nobody_left held_mpi

case_ "under mpirun a run that fails is told once, and the others go on"
under_mpirun 3 run study.yaml --quiet --out part_mpi --only '*_seed=1' --lr 1e6
expect_code 5
[ "$(grep -c 'training diverged' <<<"$err")" -eq 3 ] || fail "not three messages: $err"
expect_err "3 of 3 runs failed"
expect_nobody_left part_mpi

case_ "runs that contradict the number of processes are one error before anything starts"
under_mpirun 3 run study.yaml --workers 2 --out not_mpi
expect_code 2
expect_one_error "2 workers: too few for the 3 processes that the launcher started"
expect_no_file not_mpi

case_ "quadratics have the same bits on threads and on processes"
for a in sync dsgt local-sgd; do
    muster train --problem quadratic --algorithm $a --workers 3 --epochs 2 --quiet --out "quadratic_$a"
    expect_code 0
    under_mpirun 3 train --problem quadratic --algorithm $a --epochs 2 --quiet --out "quadratic_mpi_$a"
    expect_code 0
    expect_same "quadratic_$a/quadratic/model.safetensors" "quadratic_mpi_$a/quadratic/model.safetensors"
done

case_ "epochs that go file by file have the same bits on threads and on processes"
python3 "$HERE/small_imagenet.py" small
export XDG_DATA_HOME=$WORK/home
SMALL="--dataset imagenet32 --data-dir small --model mlp --batch-size 4 --epochs 2 --data.order files --quiet --name x"
for partition in strided split; do
    muster train $SMALL --partition $partition --workers 3 --out "files_$partition"
    expect_code 0
    under_mpirun 3 train $SMALL --partition $partition --out "files_mpi_$partition"
    expect_code 0
    expect_same_model "files_$partition" "files_mpi_$partition"
done

case_ "broken pictures are counted over all processes, and the log names those that another process has met"
python3 "$HERE/picture_folder.py" pictures
printf x >pictures/train/light/04.png
printf x >pictures/train/dark/07.PNG
BROKEN="--dataset folder:pictures --model mlp --input-size 16 --batch-size 6 --epochs 3 --data.broken skip:5 --quiet --name x"
muster train $BROKEN --workers 3 --out broken
expect_code 0
under_mpirun 3 train $BROKEN --out broken_mpi
expect_code 0
expect_same_model broken broken_mpi
for folder in broken broken_mpi; do
    python3 - $folder/x/result.json "$WORK" <<'P' || fail "$folder: $(cat $folder/x/result.json)"
import json, sys
run = json.load(open(sys.argv[1]))
assert run["replaced_samples"] == 6, run["replaced_samples"]
assert run["broken_samples"] == [f"{sys.argv[2]}/pictures/train/{name}" for name in ("dark/07.PNG", "light/04.png")]
P
    for name in dark/07.PNG light/04.png; do
        [ "$(grep -c "warning: .*$name" $folder/log.txt)" -eq 1 ] || fail "$folder: not one warning about $name"
    done
done

case_ "--stop ends processes as it ends threads, also when they are resumed"
STOP="--model mnist_conv --batch-size 16 --stop plateau:loss,2,10"
for a in sync dsgd ps-sync; do
    trained stop $STOP --epochs 5 --workers 2 --algorithm $a
    trained_mpi stop_mpi 2 $STOP --epochs 5 --algorithm $a
    expect_same_model stop stop_mpi
    trained_mpi parts_mpi 2 $STOP --epochs 2 --algorithm $a
    under_mpirun 2 train --resume parts_mpi --epochs 5 --quiet
    expect_code 0
    expect_same_model stop parts_mpi
done
for a in ps-async hogwild ad-psgd; do
    trained_mpi stop_mpi 2 $STOP --epochs 300 --algorithm $a
    [ "$(json_field ended_by <stop_mpi/x/result.json)" = plateau:loss,2,10 ] || fail "$a did not end so"
    rounds=$(json_field rounds <stop_mpi/x/result.json)
    under_mpirun 2 train --resume stop_mpi --epochs 400 --quiet
    expect_code 0
    [ "$(json_field rounds <stop_mpi/x/result.json)" = "$rounds" ] || fail "$a went on"
done
expect_nobody_left stop_mpi

case_ "all processes agree on the settings that a case is tuned to"
cat >tuned.yaml <<'YAML'
seed: [1, 2]
data: {name: figures, train_count: 600, test_count: 300}
model: mnist_conv
algorithm: sync
optimizer: {momentum: 0.9}
train: {batch_size: 4, epochs: 3}
tune: {optimizer.lr: [0.0005, 0.01], folds: 2}
YAML
muster run tuned.yaml --workers 2 --out tuned --quiet --no-report
expect_code 0
under_mpirun 2 run tuned.yaml --out tuned_mpi --quiet --no-report
expect_code 0
expect_same tuned/seed=2/model.safetensors tuned_mpi/seed=2/model.safetensors

case_ "the best command and best.yaml of a search have the number of workers that mpirun started"
under_mpirun 2 search --dataset figures --figures.train-count 600 --figures.test-count 100 --model mnist_conv \
    --momentum 0.9 --batch-size 8 --vary lr=0.01,0.02 --validation 0.2 --quiet --out search_mpi
expect_code 0
grep -q "^best: .* --workers 2$" <<<"$out" || fail "no number of workers: $out"
grep -q "^  workers: 2$" search_mpi/best.yaml || fail "no number of workers: $(cat search_mpi/best.yaml)"

finish
