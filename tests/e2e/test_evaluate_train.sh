# --evaluate-train: the final model on the whole training set, as `muster evaluate --split train` measures it.
. "$(dirname "$0")/lib_workers.sh"

under_mpirun 2 version
has_mpi=$((code != 77))

# A statement about result.json as `r`, in Python: expect_result FOLDER STATEMENT
expect_result() {
    python3 -c 'import json, sys
r = json.load(open(sys.argv[1] + "/x/result.json"))
assert eval(sys.argv[2]), r' "$1" "$2" || fail "$1: not so: $2"
}

# The numbers in result.json are those of the saved model, to the bit: expect_evaluated FOLDER
expect_evaluated() {
    muster evaluate "$1" --split train --json
    expect_code 0
    python3 -c 'import json, sys
r, told = json.load(open(sys.argv[1] + "/x/result.json")), json.load(open(".out"))["models"][0]["splits"]["train"]
assert told["samples"] == int(sys.argv[2]), told
assert r["final_train_loss"] == told["loss"] and r["final_train_accuracy"] == told["accuracy"], (r, told)' \
        "$1" "$2" || fail "$1: not what muster evaluate says: $out"
}

case_ "without the flag nothing is measured"
trained plain --epochs 1
expect_result plain '"final_train_loss" not in r and "final_train_accuracy" not in r'

case_ "the numbers are those of muster evaluate --split train, for every kind of algorithm"
for arguments in "" "--workers 3 --algorithm sync" "--workers 3 --algorithm local-sgd" "--workers 3 --algorithm psgd" \
    "--workers 3 --algorithm ps-sync" "--workers 3 --algorithm ps-async" "--workers 3 --algorithm hogwild" \
    "--workers 3 --algorithm fedavg" "--algorithm dsgd --workers 1"; do
    trained run --epochs 1 --evaluate-train --validation 0.25 $arguments
    expect_evaluated run 180
done
[ $has_mpi -eq 0 ] || for algorithm in sync ps-async; do
    trained_mpi run 2 --epochs 1 --evaluate-train --algorithm $algorithm
    expect_evaluated run 240
done

case_ "muster train prints them, and the seconds of the run are those of its last row"
muster train $FIGURES --epochs 1 --evaluate-train --out printed
expect_code 0
expect_out "final train loss "
python3 - <<'P' || fail "the clock counts the evaluation"
import json
rows = [json.loads(line) for line in open("printed/x/metrics.jsonl")]
assert json.load(open("printed/x/result.json"))["train_seconds"] == rows[-1]["seconds"]
P

# A training set that is the test set, too.
mkdir twins
python3 "$HERE/tiny_mnist.py" twins
for kind in images-idx3 labels-idx1; do
    cp "twins/MNIST/raw/t10k-$kind-ubyte" "twins/MNIST/raw/train-$kind-ubyte"
done
TWINS="--dataset mnist --data-dir twins --name x --epochs 1 --batch-size 8 --lr 0.02 --quiet --evaluate-train"

case_ "over graphs they are means over the nodes, like the test numbers of the table"
for arguments in "dsgd --graph cycle" "dsgt --graph complete" "ad-psgd --graph complete"; do
    rm -rf nodes
    muster train $TWINS --workers 3 --algorithm $arguments --out nodes
    expect_code 0
    expect_result nodes 'r["final_train_loss"] == r["test_loss_mean"] != r["test_loss"]'
    expect_result nodes 'r["final_train_accuracy"] == r["test_accuracy_mean"]'
done
if [ $has_mpi -eq 1 ]; then
    rm -rf nodes
    under_mpirun 2 train $TWINS --algorithm dsgd --graph complete --out nodes
    expect_code 0
    expect_result nodes 'r["final_train_loss"] == r["test_loss_mean"]'
fi

case_ "a finished run keeps the numbers when it is resumed, and one without gets them"
trained whole --epochs 1 --evaluate-train
cp -r whole again
muster train --resume again --quiet
expect_code 0
cp -r plain later
muster train --resume later --evaluate-train --quiet
expect_code 0
for run in again later; do
    expect_same_model $run whole
    expect_same_rows $run whole
    expect_evaluated $run 240
done
expect_result again "r['final_train_loss'] == $(json_field final_train_loss <whole/x/result.json)"

# The model is saved when the evaluation begins. One that is over before the signal comes is tried again with more samples.
case_ "a signal stops it, and the resumed run makes it"
for arguments in "" "--workers 2 --algorithm sync" "--workers 2 --algorithm ps-async" \
    "--workers 2 --algorithm dsgd --graph complete"; do
    for count in 20000 60000 200000; do
        rm -rf part
        LONG="--dataset figures --figures.train-count $count --figures.test-count 20 --name x --max-steps 2 --evaluate-train"
        "$MUSTER" train $LONG --out part $arguments >/dev/null 2>"$WORK/.err" &
        pid=$!
        while kill -0 $pid 2>/dev/null && ! [ -e part/x/model.safetensors ]; do sleep 0.01; done
        kill -TERM $pid 2>/dev/null
        wait $pid
        code=$?
        [ $code -eq 0 ] || break
    done
    err=$(cat "$WORK/.err")
    expect_code 75
    expect_err "stopped by SIGTERM after round"
    expect_result part '"final_train_loss" not in r and r["status"] == "interrupted"'
    muster train --resume part --quiet
    expect_code 0
    expect_result part 'r["status"] == "finished" and r["final_train_loss"] > 0'
    [[ $arguments == *dsgd* ]] || expect_evaluated part $count
done

case_ "the table of a study has the final train accuracy and the gap, also of runs that had finished without"
cat >study.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
optimizer: {name: sgd, lr: 0.01, momentum: [0, 0.9]}
train: {epochs: 1, batch_size: 16}
seed: [1, 2]
YAML
muster run study.yaml --out study --quiet
expect_code 0
grep -q "final train %" <<<"$out" && fail "there is a column of nothing: $out"
muster run study.yaml --out study --evaluate-train
expect_code 0
[ "$(grep -c "^resuming after round 15$" <<<"$err")" -eq 4 ] || fail "not all runs were only evaluated: $err"
expect_out "final train %"
expect_out "gap"
python3 - <<'P' || fail "not the numbers of the runs: $(cat study/results.csv)"
import csv, json
for row in csv.DictReader(open("study/results.csv")):
    runs = [json.load(open(f"study/momentum={row['momentum']}_seed={s}/result.json")) for s in (1, 2)]
    train = sum(r["final_train_accuracy"] for r in runs) / 2
    assert abs(float(row["final_train_accuracy"]) - train) < 1e-12
    assert abs(float(row["accuracy_gap"]) - (train - float(row["accuracy"]))) < 1e-12
P
muster run study.yaml --out study --evaluate-train
expect_err "4 of 4 runs had already finished"

finish
