# Results for other programs, and what --paranoid checks.
. "$(dirname "$0")/lib_workers.sh"

RING="--batch-size 16 --epochs 2 --workers 3 --model mnist_conv --algorithm dsgd --lr 0.05 --evaluate-rounds 4"

case_ "a run's results are written beside it, in three formats"
trained run $RING
for format in pt npz csv; do
    muster export run --results $format
    expect_code 0
    expect_out "run/x/x_results.$format: 4 evaluations of 3 nodes"
    expect_file run/x/x_results.$format
done

case_ "the numbers are those of metrics.jsonl"
python3 - run/x <<'P' || fail "other numbers in the CSV file"
import csv, json, sys
folder = sys.argv[1]
rows = [json.loads(line) for line in open(folder + "/metrics.jsonl")]
lines = list(csv.DictReader(open(folder + "/x_results.csv")))
value = {(l["metric"], int(l["round"]), l["node"]): float(l["value"]) for l in lines if not l["other"]}
names = {"validation_loss": "test_loss", "top1_accuracy": "test_accuracy", "forward_pass_count": "forward_passes",
         "current_epoch": "epoch", "gradient_count": "gradients", "bytes_sent": "bytes_sent"}
nodes = [r for r in rows if r["worker"] >= 0 and "test_loss" in r]
assert len(nodes) == 12
for r in nodes:
    for metric, key in names.items():
        assert value[metric, r["round"], str(r["worker"])] == r[key], (metric, r)
    if r["round"] > 0:
        assert value["train_loss_moving_average", r["round"], str(r["worker"])] == r["train_loss_moving"]
P

case_ "of a run that was killed while it wrote a row the whole rows are exported, with a warning"
cp -r run cut
lines=$(wc -l <cut/x/metrics.jsonl)
truncate -s -40 cut/x/metrics.jsonl
truncate -s -1 cut/x/consensus.jsonl # the end of the line alone: the row is whole
muster export cut --results csv
expect_code 0
expect_err "cut/x/metrics.jsonl:$lines: the last row is cut off"
[ "$(grep -c "cut off" <<<"$err")" -eq 1 ] || fail "told more than once: $err"
expect_out "4 evaluations of 3 nodes"
diff run/x/x_results.csv cut/x/x_results.csv | grep '^[<>]' >changes
grep -q '^<' changes && ! grep -q '^>' changes || fail "not only less than all: $(cat changes)"

case_ "distances between nodes that were measured and are lost are warned about"
cp -r run distances
rm distances/x/consensus.jsonl
muster export distances --results csv --out distances.csv
expect_code 0
expect_err "distances/x/consensus.jsonl: has the distances between nodes of 0 of 4 evaluations"
muster export run --results csv --out distances.csv
expect_code 0
expect_no_err "has the distances"

case_ "a broken row with others behind it is an error that names its line, and nothing is written"
cp -r run broken
rm broken/x/x_results.*
sed -i '3s/.\{20\}$//' broken/x/metrics.jsonl
muster export broken --results csv
expect_code 3
expect_err "broken/x/metrics.jsonl:3: is not a row of metrics"
expect_no_file broken/x/x_results.csv

case_ "numpy reads the arrays"
if python3 -c 'import numpy' 2>/dev/null; then
    python3 - run/x <<'P' || fail "other arrays"
import json, sys
import numpy
folder = sys.argv[1]
z = numpy.load(folder + "/x_results.npz")
rows = [json.loads(line) for line in open(folder + "/metrics.jsonl")]
losses = [[r["test_loss"] for r in rows if r["worker"] == w and "test_loss" in r] for w in range(3)]
assert (z["validation_loss"].T == numpy.array(losses)).all()
assert list(z["round"]) == [0, 4, 8, 10] and z["round"].dtype == numpy.int64
pairs = [json.loads(line)["normalized"] for line in open(folder + "/consensus.jsonl")]
c = z["consensus_error"]
assert c.shape == (4, 3, 3) and (c == c.transpose(0, 2, 1)).all() and (c[:, [0, 1, 2], [0, 1, 2]] == 0).all()
assert (c[:, [0, 0, 1], [1, 2, 2]] == numpy.array(pairs)).all()
assert z["edges"].tolist() == [[0, 1], [0, 2], [1, 2]]
P
fi

case_ "PyTorch reads a dict of lists over the evaluations"
if python3 -c 'import numpy, torch' 2>/dev/null; then
    python3 - run/x <<'P' || fail "other tensors"
import inspect, sys
import numpy, torch
folder = sys.argv[1]
z = numpy.load(folder + "/x_results.npz")
strict = [{}, {"weights_only": True}] if "weights_only" in inspect.signature(torch.load).parameters else [{}]
for options in strict:
    d = torch.load(folder + "/x_results.pt", **options)
    assert set(d) == set(z)
    for name in z:
        tensors = d[name] if name == "edges" else torch.stack(d[name])
        assert numpy.array_equal(tensors.numpy(), z[name], equal_nan=tensors.is_floating_point()), name
    for name in ("forward_pass_count", "validation_loss", "top1_accuracy", "consensus_error", "current_epoch",
                 "train_loss_moving_average"):
        assert len(d[name]) == 4, name
P
fi

case_ "right answers are recorded, resumed and exported"
ANSWERS="--batch-size 16 --workers 3 --model mnist_conv --algorithm dsgt --lr 0.05 --evaluate-rounds 3 --record-correct"
trained whole $ANSWERS --max-steps 9
trained part $ANSWERS --max-steps 4
muster train --resume part --max-steps 9 --quiet
expect_code 0
grep -v '"round":4,' part/x/correct.jsonl >resumed.jsonl # where the first part ended
expect_same resumed.jsonl whole/x/correct.jsonl
python3 - whole/x <<'P' || fail "not the answers that the accuracies are of"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1] + "/metrics.jsonl")]
accuracy = {(r["round"], r["worker"]): r["test_accuracy"] for r in rows if r["worker"] >= 0 and "test_accuracy" in r}
answers = [json.loads(line) for line in open(sys.argv[1] + "/correct.jsonl")]
assert len(answers) == len(accuracy) == 12
for r in answers:
    assert r["samples"] == 40 and len(r["correct"]) == 10
    assert bin(int(r["correct"], 16)).count("1") / 40 == accuracy[r["round"], r["worker"]], r
P
if python3 -c 'import numpy' 2>/dev/null; then
    muster export whole --results npz
    expect_code 0
    python3 - whole/x <<'P' || fail "other answers in the arrays"
import numpy, sys
z = numpy.load(sys.argv[1] + "/x_results.npz")
assert z["validation_as_vector"].dtype == bool and z["validation_as_vector"].shape == (4, 3, 40)
assert (z["validation_as_vector"].mean(axis=2) == z["top1_accuracy"]).all()
P
fi
sed -i '2s/"correct":"./"correct":"/' part/x/correct.jsonl
muster export part --results pt
expect_code 3
expect_err "part/x/correct.jsonl: a row is not of 40 samples"

case_ "answers are not recorded where workers have no models of their own, or where there are no classes"
muster train $FIGURES --workers 2 --algorithm sync --record-correct --out no
expect_code 2
expect_err "--record-correct: the workers of sync have no models of their own"
muster train --dataset sine --model mlp --workers 2 --algorithm dsgd --record-correct --out no
expect_code 2
expect_err "--record-correct: problem mlp predicts no classes"
expect_no_file no

case_ "a folder of runs gives a file for each, and one file goes where it is wanted"
mkdir many && cp -r run/x many/a && cp -r run/x many/b
muster export many --results npz
expect_code 0
expect_file many/a/a_results.npz
expect_file many/b/b_results.npz
muster export many/a --results csv --out here.csv
expect_code 0
expect_same here.csv run/x/x_results.csv
muster export many --results csv --out here.csv
expect_code 2
expect_err "--out: one file cannot hold 2 runs"
muster export many/a --results csv --out no/where.csv
expect_code 3
expect_err "--out: no/where.csv: cannot create the file"

case_ "of several runs one without an evaluation is told, and the others are exported"
mkdir few && cp -r run/x few/b && cp -r run/x few/d
for name in a c; do
    mkdir few/$name && grep -v test_loss run/x/metrics.jsonl >few/$name/metrics.jsonl
done
muster export few --results csv
expect_code 0
for name in a c; do
    expect_err "warning: few/$name: the run has not been evaluated yet"
    expect_no_file few/$name/${name}_results.csv
done
for name in b d; do
    expect_out "few/$name/${name}_results.csv: 4 evaluations of 3 nodes"
done
muster export few/a few/b --results npz
expect_code 0
expect_file few/b/b_results.npz

case_ "where nothing can be exported it is an error, and so is a broken file beside good ones"
muster export few/a --results csv
expect_code 2
expect_err "error: few/a: the run has not been evaluated yet"
muster export few/a few/c --results csv
expect_code 2
expect_err "none of these 2 runs has anything to export"
muster export few/b broken --results csv
expect_code 3
expect_err "broken/x/metrics.jsonl:3: is not a row of metrics"

case_ "runs whose model is one for all have one node"
trained one --batch-size 16 --epochs 2 --workers 3 --model mnist_conv --algorithm ps-async
muster export one --results csv
expect_code 0
expect_out "2 evaluations of 1 node"

case_ "a node alone in its graph has the entries of many: distances of zero, and no edges"
for algorithm in dsgd ad-psgd; do
    trained alone_$algorithm --batch-size 16 --epochs 2 --workers 1 --model mnist_conv --algorithm $algorithm --lr 0.05
    muster export alone_$algorithm --results csv
    expect_code 0
    expect_out "2 evaluations of 1 node"
    [ "$(grep -c ",consensus_distance,0,,0$" alone_$algorithm/x/x_results.csv)" -eq 2 ] || fail "no distances"
done
muster export alone_dsgd --results npz
muster export alone_dsgd --results pt
if python3 -c 'import numpy, torch' 2>/dev/null; then
    python3 - <<'P' || fail "other arrays"
import numpy, torch
z, t = numpy.load("alone_dsgd/x/x_results.npz"), torch.load("alone_dsgd/x/x_results.pt")
many = numpy.load("run/x/x_results.npz")
assert set(z) == set(t) == set(many)
assert z["consensus_error"].tolist() == [[[0]], [[0]]] and z["edges"].shape == (0, 2)
assert [e.tolist() for e in t["consensus_error"]] == [[[0]], [[0]]] and t["edges"].shape == (0, 2)
P
fi

case_ "what cannot be exported is told in one line"
muster export run
expect_code 2
expect_err "needs --format pt, npz or safetensors, --results pt, npz or csv"
muster export run --results xls
expect_code 2
expect_err "'xls' is not pt, npz or csv"
muster export nowhere --results csv
expect_code 2
expect_err "nowhere: there is no such run"

case_ "--paranoid takes rounding for no broken promise of sgp"
for graph in star wheel; do
    trained push_$graph --batch-size 16 --epochs 1 --workers 6 --model mnist_conv --algorithm sgp --graph $graph --paranoid
    expect_code 0
done

case_ "--paranoid is refused where workers hold different models at any time"
select_algorithms "$SEVERAL"' and a["is_asynchronous"]'
for algorithm in "${selected[@]}"; do
    muster train $FIGURES --workers 3 --algorithm $algorithm --paranoid --out none
    expect_code 2
    expect_err "paranoid"
    expect_err "hold different models at any time; leave it out"
    expect_no_file none
done

case_ "a file of another kind is replaced only with --force"
muster train --dataset figures --figures.train-count 100 --figures.test-count 40 --epochs 1 --quiet --name x --out kind
cp kind/x/model.safetensors model
muster export kind --results pt --out kind/x/model.safetensors
expect_code 2
expect_err "--out: kind/x/model.safetensors exists and is another kind of file"
expect_same kind/x/model.safetensors model
if strace -o /dev/null true 2>/dev/null; then # a file that cannot be read is not known to be of the right kind
    strace -f -o /dev/null -P "$PWD/model" -e inject=open,openat:error=EMFILE \
        "$MUSTER" export kind --results pt --out "$PWD/model" 2>/dev/null
    code=$?
    expect_code 2
    expect_same kind/x/model.safetensors model
fi
for format in pt npz csv; do
    for time in first second; do
        muster export kind --results $format --out file.$format
        expect_code 0
    done
    muster export kind --results $format --out kind/x/model.safetensors
    expect_code 2
done
muster export kind --results csv --out file.pt
expect_code 2
muster graph cycle --svg kind/x/model.safetensors
expect_code 2
muster data partition split --dataset figures --save kind/x/model.safetensors
expect_code 2
expect_same kind/x/model.safetensors model
muster export kind --results csv --out file.pt --force
expect_code 0
muster export kind --results csv --out /dev/null
expect_code 0

case_ "output.models writes the final models of all workers, of all runs or of those that it names"
cat >models.yaml <<'Y'
data: {name: figures, train_count: 80, test_count: 20}
model: mlp
transport: {workers: 2}
train: {max_steps: 2}
output: {models: all}
runs: {nodes: {algorithm: dsgd}, same: {algorithm: sync}}
Y
muster run models.yaml --quiet --out models
expect_code 0
PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - <<'P' || fail "other models"
import json, struct
from results_pt import load
def saved(run):
    data = open(f"models/{run}/model.safetensors", "rb").read()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    tensors = {n: t["data_offsets"] for n, t in json.loads(data[8:end]).items() if n != "__metadata__"}
    return {n: struct.unpack(f"<{(b - a) // 4}f", data[end + a:end + b]) for n, (a, b) in tensors.items()}
def flat(values):
    return [x for row in values for x in (row if isinstance(row, list) else [row])]
nodes, same = load("models/nodes_models.pt"), load("models/same_models.pt")
assert list(nodes) == [0, 1] and list(same) == [0], (list(nodes), list(same))
assert nodes[0].keys() == nodes[1].keys() == saved("nodes").keys() and nodes[0] != nodes[1]
assert {n: tuple(flat(t)) for n, t in same[0].items()} == saved("same")
P
sed -i 's/models: all/models: "same, nodes"/' models.yaml
muster run models.yaml --quiet --out models2
expect_code 0
for run in nodes same; do expect_same "models/${run}_models.pt" "models2/${run}_models.pt"; done
sed -i 's/models: .*/models: same}/' models.yaml
muster run models.yaml --quiet --out models3
expect_code 0
expect_no_file models3/nodes_models.pt
expect_file models3/same_models.pt
sed -i 's/models: .*/models: "same, other"}/' models.yaml
muster run models.yaml --quiet --out models4
expect_code 2
expect_err "models.yaml:5:10: output.models: unknown run other; use a name of \`runs\`, or all"

finish
