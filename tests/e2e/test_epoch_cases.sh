# A search over epochs trains only the longest runs, and reads the shorter ones from them.
. "$(dirname "$0")/lib.sh"

cat >base.yaml <<'YAML'
data: {name: figures, train_count: 300, test_count: 100, folds: 2}
model: mnist_conv
optimizer: {lr: [0.005, 0.01], momentum: 0.9}
train: {batch_size: 8, epochs: [1, 3, 4]}
YAML

# Compares the results of folders: all numbers of all runs but times.
cat >compare.py <<'PYTHON'
import json, sys
shared, separate = (json.load(open(f + "/results.json")) for f in sys.argv[1:3])
times = {"train_seconds", "samples_per_s", "run_dir", "part_of", "as_of_round"}
assert len(shared["runs"]) == len(separate["runs"]) > 0
for a, b in zip(shared["runs"], separate["runs"]):
    for key in b:
        same = a[key] == b[key]
        if key in ("accuracy", "test_accuracy_mean", "consensus_error_normalized"):
            same = same or abs(a[key] - b[key]) < 1e-12  # of nodes: added up in another order
        assert key in times or same, (a["name"], key, a[key], b[key])
    assert a["status"] == "finished" and a["validation_loss"] is not None, a
parts = [r for r in shared["runs"] if "part_of" in r]
assert len(parts) == int(sys.argv[3]), len(parts)
for r in parts:
    assert r["run_dir"].endswith("/" + r["part_of"]) and "epochs=4" in r["part_of"], r
    assert r["as_of_round"] == r["rounds"], r
assert not any("part_of" in r for r in separate["runs"])
PYTHON

expect_equal() { # name, flags: a search, and the same as a study whose runs are all trained
    muster search base.yaml "${@:2}" --out "$1"
    expect_code 0
    shared=$err
    muster run base.yaml "${@:2}" --quiet --out "$1-separate"
    expect_code 0
}

case_ "a case as of an epoch has the numbers of a run of its own, to the bit"
expect_equal single
grep -qF "train.epochs: 8 of 12 runs are read from a longer run, as of their last epoch" <<<"$shared" || fail "$shared"
grep -qF "run 4 of 4: " <<<"$shared" || fail "the runs are not counted: $shared"
python3 compare.py single single-separate 8 || fail "other numbers"
[ "$(ls -d single/*epochs=*/ | wc -l)" -eq 4 ] || fail "more than the longest runs were trained"

case_ "the same with several workers, with a server and over a graph"
expect_equal sync --algorithm sync --workers 2 --lr 0.01
python3 compare.py sync sync-separate 4 || fail "other numbers with sync"
expect_equal server --algorithm ps-sync --workers 2 --lr 0.01
python3 compare.py server server-separate 4 || fail "other numbers with ps-sync"
expect_equal graph --algorithm dsgd --workers 3 --lr 0.01
python3 compare.py graph graph-separate 4 || fail "other numbers with dsgd"

case_ "the same with a schedule by epochs, and if the runs would be evaluated only at their end"
expect_equal step --schedule step --step.every-epochs 1 --step.gamma 0.5 --lr 0.01 --evaluate-every 0 --jobs 2
python3 compare.py step step-separate 4 || fail "other numbers"

case_ "a run that ends sooner is also that of more epochs"
expect_equal stop --stop loss:2.2 --lr 0.01
python3 compare.py stop stop-separate 4 || fail "other numbers"
python3 - <<'PYTHON' || fail "no run ended sooner"
import json
assert any(r["values"]["epochs"] == "4" and r["epochs"] < 4 for r in json.load(open("stop/results.json"))["runs"])
PYTHON
expect_equal late --stop loss:2.2 --lr 0.01 --evaluate-every 2
grep -qF "train.epochs: train.stop counts evaluations, which are not after every epoch, so each" <<<"$shared" || fail "$shared"
python3 compare.py late late-separate 0 || fail "other numbers"

case_ "what depends on the length of a run is trained for each number of epochs"
expect_equal cosine --schedule cosine --lr 0.01
grep -qF "train.epochs: schedule cosine depends on the length of the run, so each number of epochs is a run of its own" <<<"$shared" || fail "$shared"
[ "$(grep -c "is a run of its own" <<<"$shared")" -eq 1 ] || fail "said several times: $shared"
python3 compare.py cosine cosine-separate 0 || fail "other numbers"
expect_equal local --algorithm local-sgd --workers 2 --lr 0.01
grep -qF "train.epochs: what local-sgd computes depends on the length of the run" <<<"$shared" || fail "$shared"
expect_equal rounds --evaluate-rounds 10 --lr 0.01
grep -qF "train.epochs: train.evaluate_rounds evaluates by rounds, not by epochs, so each" <<<"$shared" || fail "$shared"

case_ "the chosen number of epochs is in best.yaml"
cat >best.yaml <<'YAML'
data: {name: figures, train_count: 300, test_count: 100, folds: 2}
model: mnist_conv
optimizer: {lr: 0.02, momentum: 0.9}
train: {batch_size: 8, epochs: [2, 5, 30]}
YAML
muster search best.yaml --quiet --out best
expect_code 0
python3 - <<'PYTHON' || fail "not the best: $out $(cat best/best.yaml)"
import json, re
cases = json.load(open("best/results.json"))["cases"]
best = min(cases, key=lambda c: c["validation_loss"])["values"]["epochs"]
assert best != "30", "the test must not choose the longest"
assert re.search(r"^  epochs: %s$" % best, open("best/best.yaml").read(), re.M)
PYTHON

case_ "the curves of a shorter case end with its last epoch"
python3 - <<'PYTHON' || fail "other curves"
import json, re
page = open("best/report.html").read()
data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1))
results = json.load(open("best/results.json"))["runs"]
assert len(data["runs"]) == len(results) == 6
for run, result in zip(data["runs"], results):
    last = max(max(t["round"]) for t in run["tables"])
    assert last == result["rounds"], (run["name"], last, result["rounds"])
PYTHON

case_ "a search is resumed, and a case that is added later is read from the finished run"
muster search base.yaml --out grown --only '*epochs=4*' --quiet
expect_code 0
muster search base.yaml --out grown
expect_code 0
expect_no_err "run 1 of"
python3 compare.py grown single-separate 8 || fail "other numbers"
muster search base.yaml --out grown --only '*epochs=1*' --quiet
expect_code 0
expect_no_err "run 1 of"

case_ "a longest run that diverges leaves the shorter ones that ended before"
muster search --dataset figures --figures.train-count 300 --figures.test-count 100 --model mnist_conv --batch-size 8 \
    --vary epochs=1,8 --momentum 0.99 --lr 0.02 --schedule exponential --exponential.gamma 10 --folds 2 --out diverged --quiet
expect_code 5
python3 - <<'PYTHON' || fail "$out"
import json
runs = json.load(open("diverged/results.json"))["runs"]
assert [r["status"] for r in runs] == ["finished"] * 2 + ["failed"] * 2, [r["status"] for r in runs]
PYTHON

finish
