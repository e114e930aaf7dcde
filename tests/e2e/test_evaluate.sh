# The command evaluate agrees with training and tells about every class.
. "$(dirname "$0")/lib.sh"

muster train $TINY --lr 0.01 --momentum 0.9 --epochs 3 --validation 0.1 --out r --name x --json
trained=$(echo "$out" | json_field test_accuracy)

case_ "a run is evaluated to the accuracy that training ended with"
muster evaluate r --json --quiet
expect_code 0
echo "$out" | python3 -c '
import json, sys
m = json.load(sys.stdin)["models"][0]["splits"]["test"]
assert abs(m["accuracy"] - float(sys.argv[1])) < 1e-12, m["accuracy"]
rows = m["confusion"]
assert sum(map(sum, rows)) == m["samples"] == 300
assert abs(sum(rows[i][i] for i in range(10)) / 300 - m["accuracy"]) < 1e-12
assert len(m["report"]["classes"]) == 10 and 0 <= m["report"]["macro"]["f1"] <= 1
assert m["accuracy5"] >= m["accuracy"]
' "$trained" || fail "the JSON is wrong: $out"

case_ "all splits, classes and confusion are told as text"
muster evaluate r/x --split all --classes --confusion
expect_code 0
expect_out "train "
expect_out "validation "
expect_out "test "
expect_out "precision"
expect_out "confusion"

case_ "a model file and a checkpoint are evaluated on their own"
muster evaluate r/x/model.safetensors r/x/checkpoints/best.safetensors --quiet
expect_code 0
cp r/x/checkpoints/best.safetensors alone.safetensors
muster evaluate alone.safetensors --quiet
expect_code 0

case_ "a model file from elsewhere needs to be told what it is"
cp r/x/model.safetensors foreign.safetensors
muster evaluate foreign.safetensors --model lenet5 --dataset figures --quiet
expect_code 0
muster evaluate foreign.safetensors --model cnn1 --dataset figures --quiet
expect_code 2
expect_err "foreign.safetensors"

case_ "a model file is known by the folders around it, wherever it is named from"
muster evaluate r/x/model.safetensors --quiet
told=$(tail -n 1 <<<"$out")
cd r/x || exit 1
for name in model.safetensors ./model.safetensors ../x/model.safetensors; do
    muster evaluate "$name" --quiet
    expect_code 0
    expect_out "lenet5 on figures"
    expect_out "$told"
done
cd "$WORK" || exit 1
muster evaluate foreign.safetensors
expect_code 2
expect_err "--model and --dataset"

case_ "what cannot be evaluated is an error with a reason"
muster evaluate
expect_code 2
muster evaluate nowhere
expect_code 2
expect_err "nowhere"
muster evaluate r --split tset
expect_code 2
expect_err "tset"

case_ "of several, one that cannot be evaluated is reported, and the others are evaluated"
mkdir -p empty/x/checkpoints
muster evaluate r empty nowhere r/x/checkpoints/best.safetensors --quiet
expect_code 2
[ "$(grep -c '^r/x' <<<"$out")" -eq 2 ] || fail "not both models: $out"
expect_err "error: empty/x has neither a model nor a checkpoint"
expect_err "error: nowhere: there is no such run"
expect_err "2 of 4 could not be evaluated"
muster evaluate empty r --quiet --json
expect_code 2
python3 -c '
import json, sys
m = json.load(sys.stdin)
assert [x["name"] for x in m["models"]] == ["r/x"], m["models"]
assert m["failed"] == [{"name": "empty/x", "reason": "empty/x has neither a model nor a checkpoint"}], m["failed"]
' <<<"$out" || fail "json: $out"

case_ "a file that is not a model is told apart"
echo x >plain.txt
muster evaluate plain.txt
expect_code 2
expect_err "plain.txt: is neither a run nor a model: name the folder of a run, or a file of weights (.safetensors, .pt or .npz)"

case_ "a run is evaluated on another data set, which has none of the options of its own"
muster train --dataset figures --figures.train-count 100 --figures.test-count 40 --model mnist_conv --max-steps 1 --quiet --out figures
expect_code 0
mkdir other
python3 "$SOURCE_DIR/tests/e2e/tiny_mnist.py" other
muster evaluate figures --dataset mnist --data-dir other
expect_code 0
expect_out "(200 samples)"

# A folder of runs and models: two runs of a study, a single run, a model file, and links.
mkdir -p all/models all/none
cat >study.yaml <<'YAML'
data: {name: figures, train_count: 400, test_count: 100}
model: lenet5
train: {max_steps: 3, batch_size: 10}
runs:
  slow: {optimizer: {lr: 0.001}}
  fast: {optimizer: {lr: 0.1}}
YAML
muster run study.yaml --out all/study --quiet
expect_code 0
muster train $TINY --max-steps 2 --out all/single --name y
cp all/study/fast/checkpoints/last.safetensors all/models/copy.safetensors
ln -s study all/latest
ln -s ../study/fast/model.safetensors all/models/link.safetensors

case_ "every run and model below a folder is in one table, once"
muster evaluate all --quiet
expect_code 0
expect_out "model   data     train loss  train %  test loss  test %    gap  training time"
[ "$(awk 'NR > 1 && /^all/ {print $1}' <<<"$out" | tr '\n' ' ')" = \
    "all/models/copy.safetensors all/single/y all/study/fast all/study/slow " ] || fail "rows: $out"
expect_out "gap: accuracy on the training samples less that on the test samples"

case_ "what is named twice, by whatever name, is evaluated once"
muster evaluate all all/study/fast all/latest all/study/fast/model.safetensors ./all/single --quiet
expect_code 0
[ "$(grep -c '^all' <<<"$out")" -eq 4 ] || fail "rows: $out"

case_ "the table has the numbers that each model has by itself, as text, CSV and JSON"
muster evaluate all --quiet --csv=all.csv
expect_code 0
expect_out "all/single/y"
expect_file all.csv
muster evaluate all --quiet --csv
expect_code 0
diff <(echo "$out") all.csv >/dev/null || fail "--csv and --csv=FILE differ: $out"
muster evaluate all --quiet --json
expect_code 0
echo "$out" >all.json
muster evaluate all/study/slow --quiet --json --split all
echo "$out" >slow.json
python3 - all.csv all.json slow.json all/study/slow/result.json <<'PY' || fail "other numbers"
import csv, json, math, sys
rows = {r["name"]: r for r in csv.DictReader(open(sys.argv[1]))}
models = {m["name"]: m for m in json.load(open(sys.argv[2]))["models"]}
alone = json.load(open(sys.argv[3]))["models"][0]
result = json.load(open(sys.argv[4]))
assert list(rows) == list(models) and len(rows) == 4
for name, row in rows.items():
    m = models[name]
    for part in ("train", "test"):
        for metric in ("loss", "accuracy"):
            assert float(row[f"{part}_{metric}"]) == m["splits"][part][metric], name
    assert row["validation_loss"] == "" and "validation" not in m["splits"]
    gap = m["splits"]["train"]["accuracy"] - m["splits"]["test"]["accuracy"]
    assert m["accuracy_gap"] == float(row["accuracy_gap"]) == gap
    assert row["model"] == "lenet5" and row["dataset"] == "figures"
slow = models["all/study/slow"]
assert slow["splits"] == alone["splits"]
assert slow["train_seconds"] == float(rows["all/study/slow"]["train_seconds"]) == result["train_seconds"]
assert slow["splits"]["test"]["accuracy"] == result["test_accuracy"]
assert rows["all/models/copy.safetensors"]["train_seconds"] == ""
PY

case_ "--split chooses the columns, and --classes shows each model as well"
muster evaluate all --quiet --split test --classes
expect_code 0
expect_out "test loss  test %  training time"
[ "$(grep -c 'precision' <<<"$out")" -eq 4 ] || fail "classes: $out"

case_ "a damaged model below a folder is named with the reason, and the rest continues"
printf 'x' >all/models/bad.safetensors
muster evaluate all --quiet --csv=rest.csv
expect_code 2
expect_err "all/models/bad.safetensors"
expect_err "1 of 5 could not be evaluated"
[ "$(grep -c '^all' <<<"$out")" -eq 4 ] || fail "rows: $out"
expect_same all.csv rest.csv
rm all/models/bad.safetensors

case_ "a folder without models, and a file that cannot be written, are errors at once"
muster evaluate all/none
expect_code 2
expect_err "all/none: is neither a run nor a folder of runs"
muster evaluate all --csv=nowhere/x.csv
[ "$code" -ne 0 ] || fail "it was not refused"
expect_err "--csv"
[ -z "$out" ] || fail "it measured before: $out"

case_ "a signal stops it, and what was measured is printed"
mkfifo all/models/wait.safetensors # which is not a model: it is left out
python3 - "$MUSTER" <<'PY' || fail "not stopped, or nothing printed"
import os, shutil, signal, subprocess, sys
os.makedirs("many")
for i in range(300):
    shutil.copy("all/models/copy.safetensors", f"many/m{i:03}.safetensors")
p = subprocess.Popen([sys.argv[1], "evaluate", "many", "--figures.train-count", "20000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
line = p.stderr.readline()
assert "evaluating 1 of 300" in line, line
p.send_signal(signal.SIGTERM)
out, err = p.communicate()
assert p.returncode == 75, (p.returncode, err)
assert "stopped by SIGTERM after " in err and " of 300 models" in err, err
done = int(err.split("after ")[1].split(" of")[0])
assert out.count("many/m") == done < 300, (done, out)
PY

finish
