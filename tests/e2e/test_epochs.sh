# Epochs: passes over the training samples, by one definition in rows, tables, files and what ends a run.
. "$(dirname "$0")/lib_workers.sh"

# Three nodes with 100 samples each; batches of 16 are 7 in an epoch, the last of 4.
NODES="--dataset figures --figures.train_count 300 --figures.test_count 60 --workers 3 --graph cycle"
EVEN="$NODES --partition split --batch-size 16"

# Rows of the last round, the result and the export agree with samples / 300 and a node's samples / 100.
expect_one_definition() { # FOLDER RUN_JSON PARTS ROUNDS EPOCHS ROUNDS_OF_EVALUATIONS
    "$MUSTER" export "$1" --results csv --out "$1.csv" >/dev/null 2>&1 || fail "no export of $1"
    python3 - "$@" <<'PYTHON' || fail "epochs of $1 are not of one definition"
import csv, json, sys

folder, told, parts, rounds, epochs, evaluations = sys.argv[1:]
told, parts = json.load(open(told)), [int(p) for p in parts.split(",")]
rows = [json.loads(line) for line in open(told["run_dir"] + "/metrics.jsonl")]
for r in rows:
    wanted = r["samples"] / (sum(parts) if r["worker"] < 0 else parts[r["worker"]])
    assert abs(r["epoch"] - wanted) < 1e-12, r
last = [r for r in rows if r["round"] == told["rounds"] and r["worker"] >= 0]
assert {r["worker"] for r in last} == set(range(len(parts))), last
mean = sum(r["epoch"] * parts[r["worker"]] for r in {r["worker"]: r for r in last}.values()) / sum(parts)
assert abs(told["epochs"] - mean) < 1e-12, (told["epochs"], mean)
exported = [r for r in csv.DictReader(open(folder + ".csv")) if r["metric"] == "current_epoch"]
for r in exported:
    same = [x["epoch"] for x in rows if x["round"] == int(r["round"]) and x["worker"] == int(r["node"])]
    assert float(r["value"]) in same, (r, same)
assert len(exported) >= 2 * len(parts), exported
if rounds != "-":
    assert told["rounds"] == int(rounds) and abs(told["epochs"] - float(epochs)) < 1e-12, told
    at = sorted({r["round"] for r in rows if r["worker"] < 0 and "test_loss" in r})
    assert at == [int(e) for e in evaluations.split(",")], at
PYTHON
}

run_epochs() { # FOLDER FLAGS...
    local folder=$1
    shift
    muster train "$@" --json --quiet --out "$folder"
    expect_code 0
    cp .out "$folder.json"
}

case_ "a round of five primal steps is five batches: 4 epochs of 7 batches are 6 rounds, and 4.32 passes"
run_epochs cadmm $EVEN --algorithm cadmm --cadmm.primal-iterations 5 --epochs 4
expect_one_definition cadmm cadmm.json 100,100,100 6 4.32 2,3,5,6
muster train $EVEN --algorithm cadmm --optimizer sgd --max-steps 1 --out told
expect_err " with adam, batches of 16" # whose steps they are

case_ "where a round is more than an epoch, the run ends with the round in which the last one ends"
run_epochs big $NODES --partition split --batch-size 100 --algorithm cadmm --cadmm.primal-iterations 5 --epochs 6
expect_one_definition big big.json 100,100,100 2 10 1,2

case_ "dsgt's gradient at the start is a batch more, and counts"
run_epochs dsgt $EVEN --algorithm dsgt --epochs 2
expect_one_definition dsgt dsgt.json 100,100,100 14 2.16 7,14

case_ "nodes with less data that begin it again have made more passes than the one with most"
run_epochs uneven $NODES --batch-size 16 --partition dirichlet --dirichlet.alpha 0.3 --algorithm dsgd --epochs 2
python3 - <<'PYTHON' || fail "all have made two passes"
import json
rows = [json.loads(line) for line in open(json.load(open("uneven.json"))["run_dir"] + "/metrics.jsonl")]
last = [r for r in rows if r["worker"] >= 0][-3:]
passes = sorted(r["epoch"] for r in last)
assert passes[0] >= 2 and passes[-1] > 2.1, last
PYTHON

case_ "asynchronous runs count alike, each node its own"
run_epochs adpsgd $EVEN --algorithm ad-psgd --epochs 3 --evaluate-rounds 5
expect_one_definition adpsgd adpsgd.json 100,100,100 - - -

case_ "the table of an experiment has the same epochs"
cat >two.yaml <<'YAML'
data: {name: figures, train_count: 300, test_count: 60}
partition: split
transport: {workers: 3}
graph: cycle
train: {epochs: 4, batch_size: 16}
algorithm: [{name: cadmm, primal_iterations: 5}, {name: dsgt}]
YAML
muster run two.yaml --out two --quiet --csv
python3 - <<'PYTHON' || fail "other epochs: $out"
import csv
rows = list(csv.DictReader(open(".out")))
assert [(float(r["epochs"]), r["rounds"]) for r in rows] == [(4.32, "6"), (4.16, "28")], rows
PYTHON

finish
