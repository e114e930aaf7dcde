# muster search --halving: most cases stop early, the best continue.
. "$(dirname "$0")/lib.sh"

SMALL="--dataset figures --figures.train-count 300 --figures.test-count 50 --model mnist_conv --momentum 0.9"
SMALL="$SMALL --batch-size 8 --folds 2 --quiet --no-report"
LARGER="${SMALL/300/900}" # learns something within 3 epochs
NINE="--vary lr=0.0001,0.0005,0.001,0.002,0.005,0.01,0.02,0.03,0.05"

case_ "of nine cases the best three of each stage continue with three times the epochs"
muster search $SMALL $NINE --epochs 9 --halving --out halved
expect_code 0
expect_out "stage 1: 9 cases, 1 epoch; stage 2: 3 cases, 3 epochs; stage 3: 1 case, 9 epochs"
expect_out "best: lr="
cat >stages.py <<'PYTHON'
import json, sys
results = json.load(open(sys.argv[1] + "/results.json"))
assert results["stage_epochs"] == [1, 3, 9], results["stage_epochs"]
cases = results["cases"]

def loss_after(case, epochs):
    """The mean over the folds, from the rows of the runs."""
    losses = []
    for run in results["runs"]:
        if run["values"] == case["values"]:
            rows = [json.loads(line) for line in open(run["run_dir"] + "/metrics.jsonl")]
            losses += [r["validation_loss"] for r in rows
                       if r.get("validation_loss") is not None and round(r["epoch"], 6) == epochs]
    assert len(losses) == 2, (case["values"], epochs, losses)
    return sum(losses) / 2

for stage, (epochs, kept) in enumerate([(1, 3), (3, 1)], 1):
    taking_part = [c for c in cases if c["stage"] >= stage]
    best = sorted(taking_part, key=lambda c: loss_after(c, epochs))[:kept]
    going_on = [c for c in cases if c["stage"] > stage]
    assert sorted(c["values"]["lr"] for c in best) == sorted(c["values"]["lr"] for c in going_on)
for c in cases:
    assert c["epochs"] == results["stage_epochs"][c["stage"] - 1], c
PYTHON
python3 stages.py halved || fail "other cases continued"
best=$(sed -n 's/.*lr: //p' halved/best.yaml)
grep -q "epochs: 9" halved/best.yaml || fail "best.yaml does not train all epochs: $(cat halved/best.yaml)"

case_ "a case that continued has the bits of one that never stopped"
muster search $SMALL --vary lr=$best,1e-05 --epochs 9 --out unbroken
expect_code 0
for fold in 1 2; do
    expect_same {halved,unbroken}/lr=${best}_fold=$fold/model.safetensors
done

case_ "two processes at a time find the same"
muster search $SMALL $NINE --epochs 9 --halving --jobs 2 --out jobs
expect_code 0
expect_same halved/best.yaml jobs/best.yaml
expect_same {halved,jobs}/lr=${best}_fold=2/model.safetensors

case_ "where the schedule depends on the length, a case that continues restarts from scratch, which is said"
COSINE="--vary lr=0.002,0.005,0.01 --schedule cosine --epochs 3"
muster search $LARGER $COSINE --halving --out restarted
expect_code 0
expect_err "from scratch: what it computes depends on the length of the run"
best=$(sed -n 's/.*lr: //p' restarted/best.yaml)
muster search $LARGER $COSINE --out restarted_unbroken
expect_code 0
expect_same {restarted,restarted_unbroken}/lr=${best}_fold=1/model.safetensors

case_ "a finished search is not run again, nor with muster run --resume"
for f in halved/*/model.safetensors; do stat -c '%n %i %Y' "$f"; done >before
muster search $SMALL $NINE --epochs 9 --halving --out halved
expect_code 0
muster run --resume halved --quiet --no-report
expect_code 0
expect_out "stage 1: 9 cases, 1 epoch; stage 2: 3 cases, 3 epochs; stage 3: 1 case, 9 epochs"
for f in halved/*/model.safetensors; do stat -c '%n %i %Y' "$f"; done >after
expect_same before after

case_ "a file may ask for it, with another factor and random cases"
cat >halving.yaml <<'YAML'
data: {name: figures, train_count: 300, test_count: 50, folds: 2}
model: mnist_conv
optimizer: {lr: 0.001..0.02, momentum: 0.9}
train: {epochs: 4, batch_size: 8}
search: {random: 4, halving: 2}
YAML
muster run halving.yaml --quiet --no-report --out file
expect_code 0
expect_out "stage 1: 4 cases, 1 epoch; stage 2: 2 cases, 2 epochs; stage 3: 1 case, 4 epochs"
head -1 file/results.csv | grep -q "^run,lr,seeds,failed,stage," || fail "no stage in the CSV"

case_ "a case that diverges does not continue"
muster search $LARGER --vary lr=0.005,0.01,1000 --epochs 3 --halving --out diverged
expect_out "best: lr=0.0"
expect_out "stage 1: 3 cases, 1 epoch; stage 2: 1 case, 3 epochs"
[ $code -ne 0 ] || fail "exit code 0, although runs diverged"

case_ "mistakes are named before anything runs"
muster search $SMALL --vary lr=0.01,0.02 --epochs 9 --halving
expect_code 2
expect_err "--halving=3 needs at least 3 cases and 3 epochs, but there are 2 and 9"
muster search $SMALL --vary lr=0.01,0.02,0.03 --epochs 2 --halving
expect_code 2
expect_err "--halving=3 needs at least 3 cases and 3 epochs, but there are 3 and 2"
muster search $SMALL --vary lr=0.01,0.02 --vary epochs=4,8 --halving=2
expect_code 2
expect_err "--halving needs the same number of epochs in all cases, but some have 4 and others 8"
muster search $SMALL --vary lr=0.01,0.02,0.03 --max-steps 100 --halving
expect_code 2
expect_err "conflicts with max_steps and budget"
muster search $SMALL --vary lr=0.01,0.02,0.03 --epochs 9 --halving=1
expect_code 2
expect_err '--halving: "1" is not a whole number from 2 to 100'
muster search $SMALL $NINE --epochs 18 --halving --out halved
expect_code 2
expect_err "halved: contains a search with --halving over other cases or other epochs"
muster search $SMALL $NINE,0.07 --epochs 9 --halving --out halved
expect_code 2
expect_err "halved: contains a search with --halving over other cases or other epochs"

finish
