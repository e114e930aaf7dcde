# Processes share the samples of an evaluation: every sample is evaluated once, however many there are, and the results
# are the same bits for any number of processes.
. "$(dirname "$0")/lib_workers.sh"
export PYTHONDONTWRITEBYTECODE=1
under_mpirun 1 --version
if [ "$code" -eq 77 ]; then
    echo "$out"
    exit 77
fi

SMALL="--folder.size 8 --model mlp --mlp.widths 8 --batch-size 16 --max-steps 2 --evaluate-rounds 1 --name x --quiet"

# Every class has one picture, so that the confusion matrix tells for each picture how often it was evaluated; and the
# weights before the first round are the same for any number of workers: expect_once FOLDER PICTURES [REFERENCE]
expect_once() {
    python3 - "$@" <<'P' || fail "$1: not each of $2 pictures once, or other results"
import json, sys
def start(folder):
    rows = [json.loads(line) for line in open(folder + "/x/metrics.jsonl")]
    row = next(r for r in rows if r["round"] == 0 and "test_loss" in r)
    return {k: v for k, v in row.items() if k.startswith(("test_", "validation_"))}
folder, count = sys.argv[1], int(sys.argv[2])
matrix = json.load(open(folder + "/x/confusion.json"))["matrix"]
assert len(matrix) == count and all(sum(row) == 1 for row in matrix), [sum(row) for row in matrix]
found = start(folder)
assert 0 < found["test_loss"] < 10 and 0 <= found["test_accuracy"] <= 1
if len(sys.argv) > 3:
    assert found == start(sys.argv[3]), (found, start(sys.argv[3]))
P
}

# One picture less than a block, a block, one more; fewer blocks than processes, and more.
for pictures in 3 63 64 65 150 257; do
    case_ "of $pictures pictures each is evaluated once, with the same bits, by 1, 2 and 3 processes and by threads"
    python3 "$HERE/picture_folder.py" "pictures$pictures" "each:$pictures"
    for processes in 1 2 3; do
        rm -rf "of$processes"
        under_mpirun $processes train --dataset "folder:pictures$pictures" --algorithm sync $SMALL --out "of$processes"
        expect_code 0
        expect_once "of$processes" "$pictures" of1
        rm -rf threads
        muster train --dataset "folder:pictures$pictures" --algorithm sync --workers $processes $SMALL --out threads
        expect_code 0
        expect_same_model threads "of$processes"
        expect_same threads/x/confusion.json "of$processes/x/confusion.json"
        expect_same_rows threads "of$processes"
    done
done

case_ "the accuracy and the loss are those that one process finds for the same model"
rm -rf of3
under_mpirun 3 train --dataset folder:pictures150 --algorithm local-sgd --local-sgd.period 2 $SMALL --out of3
expect_code 0
muster evaluate of3 --json --quiet
python3 - .out <<'P' || fail "other numbers: $out"
import json, sys
found = json.load(open(sys.argv[1]))["models"][0]["splits"]["test"]
(row,) = [r for r in map(json.loads, open("of3/x/metrics.jsonl")) if r["worker"] == -1 and r["round"] == 2 and "test_loss" in r]
assert found["samples"] == 150
assert all(found[k] == row["test_" + k] for k in ("loss", "accuracy", "accuracy5")), (found, row)
P

case_ "the server of other processes evaluates each sample once too"
rm -rf reference
muster train --dataset folder:pictures65 $SMALL --out reference
for algorithm in ps-sync ps-async; do
    rm -rf server
    under_mpirun 2 train --dataset folder:pictures65 --algorithm $algorithm $SMALL --out server
    expect_code 0
    expect_once server 65 reference
done

finish
