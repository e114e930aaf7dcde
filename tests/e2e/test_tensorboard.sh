# The TensorBoard file: every number of metrics.jsonl, settings, pictures and histograms, read by a
# reader that shares no code with the program.
. "$(dirname "$0")/lib.sh"
export PYTHONPATH="$SOURCE_DIR/tests/e2e" PYTHONDONTWRITEBYTECODE=1

SMALL="--dataset figures --figures.train_count 400 --figures.test_count 100 --batch-size 20 --quiet"

# Runs Python with the run's values in `values`, and the names read_run, rows, near and of.
check() {
    { cat <<'PY'; cat; } | python3 - "$@" || fail "the event file is wrong"
import base64, json, math, struct, sys
from read_events import read_run, png_pixels
folder = sys.argv[1]
values = read_run(folder)
rows = [json.loads(line) for line in open(folder + "/metrics.jsonl")]
def of(kind, tag=None):
    return [v for v in values if v["kind"] == kind and tag in (None, v["tag"])]
def as_float(x):
    return math.nan if x is None else struct.unpack("f", struct.pack("f", x))[0]
def same(a, b):
    return a == as_float(b) or (math.isnan(a) and b is None)
PY
}

case_ "every number of every row is a scalar with the step of its round"
muster train $SMALL --epochs 2 --log-every 5 --validation 0.2 --momentum 0.9 --out a --name x
expect_code 0
check a/x <<'PY'
header = {"round", "epoch", "samples", "gradients", "bytes_sent", "seconds", "worker"}
expected = [(r["round"], k, v) for r in rows for k, v in r.items() if k not in header]
found = of("scalar")
assert len(found) == len(expected) > 20
for v, (step, name, number) in zip(found, expected):
    for part in ("train", "validation", "test"):
        if name.startswith(part + "_"):
            name = part + "/" + name[len(part) + 1:]
    assert (v["step"], v["tag"]) == (step, name) and same(v["value"], number), (v, name, number)
PY

case_ "the settings, the command, and the metrics that runs are compared by"
check a/x a/effective.yaml <<'PY'
(configuration,) = of("text", "configuration")
assert configuration["text"] == "~~~~\n" + open(sys.argv[2]).read() + "~~~~\n", configuration["text"]
(command,) = of("text", "command")
assert command["text"].startswith("~~~~\nmuster train --dataset figures "), command
columns, start, end = of("hparams")
assert columns["metrics"] == ["test/accuracy", "test/loss", "validation/accuracy", "validation/loss"]
scalars = {v["tag"] for v in of("scalar")}
assert set(columns["metrics"]) <= scalars
s = start["start"]
assert list(s) == columns["columns"]
assert s["algorithm"] == "single" and s["optimizer"] == "sgd" and s["optimizer.momentum"] == 0.9
assert s["optimizer.nesterov"] is False and s["model"] == "lenet5" and s["data"] == "figures"
assert s["seed"] == 1 and s["train.batch_size"] == 20 and s["transport.workers"] == 1
assert end["status"] == 1
PY

case_ "a sample of the training images, and the confusion matrix as a heat map"
check a/x <<'PY'
(sample,) = of("image", "training_images")
assert sample["step"] == 0 and (sample["width"], sample["height"]) == (8 * 30 - 2, 4 * 30 - 2)
matrix = json.load(open(folder + "/confusion.json"))
(image,) = of("image", "confusion_matrix")
assert image["step"] == matrix["round"] == rows[-1]["round"]
w, h, channels, pixels = png_pixels(base64.b64decode(image["png"]))
side = w // 10
shades = {}
for i, row in enumerate(matrix["matrix"]):
    for k, count in enumerate(row):
        at = ((i * side + side // 2) * w + k * side + side // 2) * channels
        shades.setdefault(count / sum(row), set()).add(pixels[at:at + channels])
assert all(len(c) == 1 for c in shades.values()), "one share has two colours"
dark = [sum(next(iter(shades[s]))) for s in sorted(shades)]
assert len(dark) > 2 and dark == sorted(dark, reverse=True), "a larger share is not darker"
PY

case_ "histograms are written on request, and change no result"
muster train $SMALL --epochs 2 --log-every 5 --validation 0.2 --momentum 0.9 --out b --name x --histograms
expect_code 0
expect_same a/x/model.safetensors b/x/model.safetensors
check b/x a/x <<'PY'
others = [json.loads(line) for line in open(sys.argv[2] + "/metrics.jsonl")]
timed = {"seconds", "computing"}
assert [{k: v for k, v in r.items() if k not in timed} for r in rows] == \
       [{k: v for k, v in r.items() if k not in timed} for r in others]
evaluated = [r["round"] for r in rows if "test_loss" in r]
names = [t + "." + k for t in ("conv1", "conv2", "fc1", "fc2", "fc3") for k in ("weight", "bias")]
assert {v["tag"] for v in of("histogram")} == {f + "/" + n for f in ("weights", "gradients") for n in names}
for tag in {v["tag"] for v in of("histogram")}:
    assert [v["step"] for v in of("histogram", tag)] == evaluated, tag
for v in of("histogram"):
    assert sum(v["counts"]) == v["count"] > 0 and v["limits"] == sorted(v["limits"])
    assert v["limits"][-1] == v["max"] and v["min"] <= v["max"]
total = sum(v["count"] for v in of("histogram") if v["step"] == evaluated[-1] and v["tag"].startswith("weights/"))
assert total == 61706, total
squares = sum(v["sum_squares"] for v in of("histogram") if v["step"] == evaluated[-1] and v["tag"].startswith("weights/"))
norm = [r["weight_norm"] for r in rows if "weight_norm" in r][-1]
assert abs(math.sqrt(squares) - norm) < 1e-3 * norm, (squares, norm)
PY
python3 -c 'import sys; from read_events import read_run; sys.exit(any(v["kind"] == "histogram" for v in read_run("a/x")))' ||
    fail "histograms that nobody asked for"

case_ "weights are those of the model that is saved"
python3 - b/x <<'PY' || fail "other weights"
import json, struct, sys
from read_events import read_run
data = open(sys.argv[1] + "/model.safetensors", "rb").read()
(length,) = struct.unpack_from("<Q", data)
head = json.loads(data[8:8 + length])
last = {v["tag"]: v for v in read_run(sys.argv[1]) if v["kind"] == "histogram"}
for name, t in head.items():
    if name == "__metadata__":
        continue
    begin, end = t["data_offsets"]
    numbers = struct.unpack(f"<{(end - begin) // 4}f", data[8 + length + begin:8 + length + end])
    h = last["weights/" + name]
    assert (h["min"], h["max"], h["count"]) == (min(numbers), max(numbers), len(numbers)), name
PY

case_ "asynchronous workers and graphs: histograms of the run model at every evaluation"
for flags in "--algorithm ps-async --workers 2" "--algorithm dsgd --workers 3"; do
    rm -rf c
    muster train $SMALL --epochs 2 --histograms --out c --name x $flags
    expect_code 0
    check c/x <<'PY'
evaluated = [r["round"] for r in rows if "test_loss" in r and r["worker"] == -1]
assert [v["step"] for v in of("histogram", "weights/fc3.weight")] == evaluated, (evaluated,)
assert [v["step"] for v in of("histogram", "gradients/fc3.weight")] == evaluated
assert {v["tag"] for v in of("scalar")} >= {"worker_1/computing", "test/loss"}
assert of("hparams")[1]["start"]["transport.workers"] in (2, 3)
PY
done

case_ "the tags of study S004, every --log-every batches and at evaluations"
muster train $SMALL --epochs 2 --log-every 5 --tensorboard-tags s004 --workers 2 --out d --name x
expect_code 0
grep -q 'tags: s004' d/effective.yaml || fail "effective.yaml does not say it"
check d/x <<'PY'
run = [r for r in rows if r["worker"] == -1]
logged = [r["round"] for r in run if "batch_loss" in r]
ends = [r["round"] for r in run if "train_loss" in r]
assert logged == [5, 10, 15, 20] and ends == [10, 20], (logged, ends)
for tag in ("Loss/train", "Accuracy/train"):
    assert sorted({v["step"] for v in of("scalar", tag)}) == logged
last = {v["step"]: v["value"] for v in of("scalar", "Loss/train")}
share = {v["step"]: v["value"] for v in of("scalar", "Accuracy/train")}
for r in run:
    if "train_loss" in r:
        assert same(last[r["round"]], r["train_loss"]) and same(share[r["round"]], 100 * r["train_accuracy"])
first, second = [r["batch_loss"] for r in run if "batch_loss" in r][:2]
assert same(last[5], first) and abs(last[10] - (first + second) / 2) < 1e-5, "the mean of the epoch so far"
val = [(r["round"], r["test_loss"], r["test_accuracy"]) for r in run if "test_loss" in r]
assert [v["step"] for v in of("scalar", "Loss/Val")] == [v[0] for v in val]
for v, a, (_, loss, accuracy) in zip(of("scalar", "Loss/Val"), of("scalar", "Accuracy/Val"), val):
    assert same(v["value"], loss) and same(a["value"], 100 * accuracy)
tags = {v["tag"] for v in of("scalar")}
assert not tags & {"train/loss", "train/accuracy", "batch_loss", "test/loss", "test/accuracy"}, tags
assert "lr" in tags and of("hparams")[0]["metrics"] == ["Accuracy/Val", "Loss/Val"]
PY

case_ "with a validation part, Val is that, and the test keeps its name"
muster train $SMALL --max-steps 3 --validation 0.2 --output.tags s004 --out e --name x
expect_code 0
check e/x <<'PY'
r = rows[-1]
assert same(of("scalar", "Loss/Val")[-1]["value"], r["validation_loss"])
assert same(of("scalar", "test/loss")[-1]["value"], r["test_loss"])
assert of("hparams")[0]["metrics"] == ["test/accuracy", "test/loss", "Accuracy/Val", "Loss/Val"]
PY

case_ "a run without classes and images has neither accuracies nor pictures"
muster train --dataset sine --model mlp --epochs 1 --tensorboard-tags s004 --histograms --quiet --out f --name x
expect_code 0
check f/x <<'PY'
assert not of("image") and of("histogram")
assert {v["tag"] for v in of("scalar")} >= {"Loss/train", "Loss/Val"}
assert not [v for v in values if v["tag"].startswith("Accuracy")]
assert of("hparams")[0]["metrics"] == ["Loss/Val"]
PY
muster train --problem quadratic --max-steps 3 --histograms --quiet --out g --name x
expect_code 0

case_ "a run that diverges ends as a failure; one that is stopped has not ended"
muster train $SMALL --epochs 1 --lr 1e6 --out h --name x
[ "$code" -ne 0 ] || fail "it did not diverge"
check h/x <<'PY'
assert of("hparams")[-1]["status"] == 2
PY
"$MUSTER" train $SMALL --epochs 1000000 --out j --name x >/dev/null 2>&1 &
pid=$!
while [ ! -s j/x/metrics.jsonl ]; do sleep 0.1; done
kill -TERM $pid
wait $pid
[ $? -eq 75 ] || fail "it was not stopped"
check j/x <<'PY'
assert of("scalar") and not [v for v in of("hparams") if "status" in v]
PY

case_ "a resumed run writes a new file, and may have histograms and other tags"
muster train $SMALL --epochs 1 --out i --name x
muster train --resume i --epochs 2 --histograms --tensorboard-tags s004 --quiet
expect_code 0
[ "$(ls i/x/events.out.tfevents.* | wc -l)" -eq 2 ] || fail "not a new file"
check i/x <<'PY'
assert len(of("image", "training_images")) == 1 and len(of("text", "command")) == 2
assert [v["step"] for v in of("text", "configuration")] == [0, 20]
assert {v["step"] for v in of("scalar", "test/loss")} == {20}
assert [v["step"] for v in of("scalar", "Loss/Val")][-1] == 40
assert [v["step"] for v in of("histogram", "weights/fc3.bias")] == [v["step"] for v in of("scalar", "Loss/Val")]
assert [v["status"] for v in of("hparams") if "status" in v] == [1, 1]
PY

case_ "experiments: in the file, as flags, for all runs or for one; a finished run stays one"
cat >study.yaml <<'YAML'
data: {name: figures, train_count: 200, test_count: 50}
model: lenet5
train: {max_steps: 2, batch_size: 10}
output: {tags: s004}
runs:
  one: {}
  two: {optimizer: {lr: 0.1}, output: {histograms: true}}
YAML
muster run study.yaml --out s --quiet
expect_code 0
check s/two <<'PY'
assert of("scalar", "Loss/Val") and of("histogram") and not [v for v in read_run("s/one") if v["kind"] == "histogram"]
PY
muster run study.yaml --out s --quiet --histograms --tensorboard-tags muster
expect_code 0
[ "$(ls s/one/events.out.tfevents.* | wc -l)" -eq 1 ] || fail "it ran again"
muster run --resume s --quiet
expect_code 0
for file in s/one/experiment.yaml s/one/effective.yaml; do # as older programs wrote them
    sed -i '/^output:/,$d' $file
done
sed -i 's/  one: {}/  other: {}/' study.yaml
attempts=$(wc -l <s/one/attempts.jsonl)
muster run study.yaml --out s --quiet
expect_code 0
expect_no_file s/one # it has the new name, and was not run again
[ "$(wc -l <s/other/attempts.jsonl)" -eq "$attempts" ] || fail "it ran again"
muster compare --vary lr=0.1,0.2 $SMALL --max-steps 2 --histograms --tensorboard-tags s004 --out v
expect_code 0
check "v/lr=0.1" <<'PY'
assert of("scalar", "Loss/Val") and of("histogram")
PY
muster run a/effective.yaml --out again --quiet
expect_code 0
expect_file again/x/model.safetensors
expect_same again/x/model.safetensors a/x/model.safetensors

case_ "what is wrong in output is an error with its position"
printf 'output: {tags: s005}\n' >bad.yaml
muster run bad.yaml
expect_code 2
expect_err "bad.yaml:1:10: output.tags"
printf 'output: {histogram: true}\n' >bad.yaml
muster run bad.yaml
expect_code 2
expect_err "histograms"
printf 'runs: {one: {output: {dir: x}}}\n' >bad.yaml
muster run bad.yaml
expect_code 2
expect_err "runs.one.output: applies to all runs; move it to the top level"

finish
