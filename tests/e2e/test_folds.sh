# Cross-validation: data.folds, and a study over all folds.
. "$(dirname "$0")/lib.sh"

cat >folds.yaml <<'YAML'
data: {name: figures, train_count: 600, test_count: 100, folds: 3}
model: mnist_conv
optimizer: {lr: [0.001, 0.01], momentum: 0.9}
train: {batch_size: 8, epochs: 3}
YAML

case_ "a study over folds averages them, and compares cases by the validation loss"
muster run folds.yaml --out folds --quiet
expect_code 0
expect_out "of the mean over folds"
expect_out "best validation loss"
python3 - <<'PYTHON' || fail "other numbers"
import json
results = json.load(open("folds/results.json"))
assert [r["fold"] for r in results["runs"]] == ["1", "2", "3"] * 2
assert len(results["cases"]) == 2
for case in results["cases"]:
    losses = [json.load(open(r["run_dir"] + "/result.json"))["validation_loss"]
              for r in results["runs"] if r["values"] == case["values"]]
    assert len(set(losses)) == 3 and case["seeds"] == 3
    assert abs(case["validation_loss"] - sum(losses) / 3) < 1e-12
best = min(range(2), key=lambda i: results["cases"][i]["validation_loss"])
assert [c["is_best"] for c in results["comparisons"] if c["case"] == best] == [True]
PYTHON
grep -q '"repetition": "fold 2"' folds/report.html || fail "the report does not name the folds"

case_ "runs that were started one by one are the folds of one case in a report"
muster report folds/lr=0.01_fold=1 folds/lr=0.01_fold=2 folds/lr=0.001_fold=2 --out runs.html
expect_code 0
[ "$(grep -o '"case": [0-9]*' runs.html | sort -u | wc -l)" -eq 2 ] || fail "a fold is a case of its own"

case_ "a finished fold is not repeated"
muster run folds.yaml --out folds --quiet
expect_code 0
[ -z "$err" ] || fail "it trained: $err"

case_ "every sample is trained on or validates"
for by in contiguous shuffled stratified; do
    muster data partition --dataset figures --figures.train-count 100 --folds 3 --fold 1 --fold-by $by --workers 1 --json
    expect_code 0
    [ "$(json_field samples <<<"$out")" = 66 ] || fail "$by: $out"
done

case_ "a run needs to know which fold"
muster train --dataset figures --folds 3
expect_code 2
expect_err "data.fold: missing; a run validates with one of the 3 folds, 1 to 3"
muster train --dataset figures --fold 3
expect_code 2
expect_err "--fold: needs data.folds, the number of folds"
muster train --dataset sine --model mlp --folds 3 --fold 1 --fold-by stratified
expect_code 2
expect_err "--fold-by: stratified needs classes"

finish
