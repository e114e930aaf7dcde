# tune: in a case of a study: settings chosen by validation before the runs of the case.
. "$(dirname "$0")/lib.sh"

cat >tune.yaml <<'YAML'
name: tuned
seed: [1, 2]
data: {name: figures, train_count: 600, test_count: 300}
model: mnist_conv
optimizer: {momentum: 0.9}
transport: {workers: 2}
train: {batch_size: 4, epochs: 3, evaluate_every: 0}
runs:
  fixed: {algorithm: sync, optimizer: {lr: 0.002}}
  sync: {algorithm: sync, tune: {optimizer.lr: [0.0005, 0.01], folds: 2}}
  dsgd: {algorithm: dsgd, optimizer: {momentum: [0.5, 0.9]}, tune: {optimizer.lr: [0.02, 0.005], train.epochs: [2, 4], validation: 0.2}}
YAML

case_ "each case gets the setting with the lowest validation loss, and its seeds run with it"
muster run tune.yaml --out tuned
expect_code 0
expect_err "run 1 of 16: sync_lr=0.0005_fold=1"
expect_err "run 16 of 16: dsgd_momentum=0.9_seed=2"
expect_err "tuned sync: lr=0.01 (validation loss "
cat >check.py <<'PYTHON'
import json, re, sys
study, tuning = (json.load(open(f)) for f in (sys.argv[1] + "/results.json", sys.argv[1] + "/tune/results.json"))
def mean(case):
    losses = [r["validation_loss"] for r in tuning["runs"] if r["run"] == case["run"] and r["values"] == case["values"]]
    return sum(losses) / len(losses)
tuned = {"sync": "sync", "dsgd0.5": "dsgd_momentum=0.5", "dsgd0.9": "dsgd_momentum=0.9"}
for case in study["cases"]:
    if case["run"] == "fixed":
        assert "tuned" not in case and case["values"] == {}
        continue
    entry = tuned[case["run"] + case["values"].get("momentum", "")]
    best = min((c for c in tuning["cases"] if c["run"] == entry and c["diverged"] == 0), key=mean)
    assert case["tuned"]["values"] == best["values"], (case["tuned"], best)
    assert abs(case["tuned"]["validation_loss"] - mean(best)) < 1e-12
    names = ["tune/" + r["name"] for r in tuning["runs"] if r["run"] == entry and "part_of" not in r]
    assert case["tuned"]["runs"] == names and len(names) == (4 if entry == "sync" else 2), names
    runs = [r for r in study["runs"] if r["run"] == case["run"] and r["values"] == case["values"]]
    assert len(runs) == 2 and case["seeds"] == 2
    for r in runs:
        settings = open(r["run_dir"] + "/effective.yaml").read()
        assert float(re.search(r"\n  lr: (\S+)", settings).group(1)) == float(best["values"]["lr"])
        assert re.search(r"\n  epochs: (\S+)", settings).group(1) == best["values"].get("epochs", "3")
        assert re.search(r"\n  validation: (\S+)", settings).group(1) == "0", settings
PYTHON
python3 check.py tuned || fail "other settings: $out"
expect_out "lr"
[ "$(ls -d tuned/tune/*/ | wc -l)" -eq 8 ] || fail "other tuning runs: $(ls tuned/tune)"

case_ "a case is the same as a study with the chosen setting"
muster run tune.yaml --only sync --out alone --quiet
cat >same.yaml <<'YAML'
seed: [1, 2]
data: {name: figures, train_count: 600, test_count: 300}
model: mnist_conv
optimizer: {momentum: 0.9, lr: 0.01}
transport: {workers: 2}
algorithm: sync
train: {batch_size: 4, epochs: 3, evaluate_every: 0}
YAML
muster run same.yaml --out same --quiet
expect_code 0
expect_same alone/sync_seed=2/model.safetensors same/seed=2/model.safetensors
[ -z "$(ls alone/tune | grep dsgd)" ] || fail "it tuned cases that are left out"

case_ "a study is resumed without repeating a tuning run"
muster run tune.yaml --out tuned --quiet
expect_code 0
[ -z "$err" ] || fail "it trained: $err"
muster run --resume tuned --quiet
expect_code 0
[ -z "$err" ] || fail "it trained: $err"
python3 check.py tuned || fail "other settings"
"$MUSTER" run tune.yaml --out killed-tuning --jobs 2 >/dev/null 2>&1 &
study=$!
until [ "$(ls -d killed-tuning/tune/*/result.json 2>/dev/null | wc -l)" -ge 2 ] || ! kill -0 $study 2>/dev/null; do sleep 0.02; done
kill -KILL $study 2>/dev/null
wait $study 2>/dev/null
while pgrep -f "run-one killed-tuning/" >/dev/null; do sleep 0.1; done
for f in killed-tuning/tune/*/result.json; do grep -q '"finished"' "$f" && stat -c '%n %i %Y' "$f"; done >before
muster run tune.yaml --out killed-tuning --jobs 2 --quiet
expect_code 0
while read -r name rest; do
    [ "$(stat -c '%n %i %Y' "$name")" = "$name $rest" ] || fail "$name was written again"
done <before
python3 check.py killed-tuning || fail "other settings after a kill"
expect_same killed-tuning/dsgd_momentum=0.5_seed=2/model.safetensors tuned/dsgd_momentum=0.5_seed=2/model.safetensors

case_ "--list shows the tuning runs in their folder"
muster run tune.yaml --list --only sync
expect_code 0
[ "$out" = "tune/sync_lr=0.0005_fold=1
tune/sync_lr=0.0005_fold=2
tune/sync_lr=0.01_fold=1
tune/sync_lr=0.01_fold=2
sync_seed=1
sync_seed=2" ] || fail "other names: $out"

case_ "tune at the top is for every case, quick changes it, and a baseline leaves out what it does not have"
cat >top.yaml <<'YAML'
data: {name: figures, train_count: 600, test_count: 300}
model: mnist_conv
transport: {workers: 2}
train: {batch_size: 8, epochs: 1}
tune: {optimizer.lr: [0.01, 0.02], algorithm.period: [1, 2], folds: 3}
algorithm: local-sgd
baselines: [centralised]
quick: {tune: {optimizer.lr: [0.01], folds: 2}}
YAML
muster run top.yaml --list
expect_code 0
[ "$(grep -c tune/local-sgd <<<"$out")" -eq 12 ] && [ "$(grep -c tune/centralised <<<"$out")" -eq 6 ] || fail "$out"
muster run top.yaml --list --quick
[ "$(grep -c tune/local-sgd <<<"$out")" -eq 4 ] && [ "$(grep -c tune/centralised <<<"$out")" -eq 2 ] || fail "$out"

case_ "one value alone is for the tuning runs only"
cat >short.yaml <<'YAML'
data: {name: figures, train_count: 600, test_count: 300}
model: mnist_conv
optimizer: {momentum: 0.9}
train: {batch_size: 4, epochs: 3}
tune: {optimizer.lr: [0.005, 0.01], train.epochs: 2, validation: 0.2}
YAML
muster run short.yaml --out short --quiet --no-report
expect_code 0
grep -q "epochs: 2$" short/tune/run_lr=0.01/effective.yaml || fail "the tuning run has other epochs"
grep -q "epochs: 3$" short/run/effective.yaml || fail "the run has other epochs"

case_ "a case that no setting trains is reported, and the others run"
cat >bad.yaml <<'YAML'
data: {name: figures, train_count: 600, test_count: 300}
model: mnist_conv
train: {batch_size: 8, epochs: 3}
runs:
  good: {optimizer: {lr: 0.01, momentum: 0.9}}
  bad: {tune: {optimizer.lr: [1000, 2000], validation: 0.2}}
YAML
muster run bad.yaml --out bad --quiet --no-report
expect_code 5
expect_err "bad cannot be tuned: no setting is better than a constant guess"
expect_err "1 case could not be tuned"
expect_out "good"

case_ "mistakes are named before anything runs"
mistake() { # the section, the message
    printf 'data: {name: figures, train_count: 300}\noptimizer: {momentum: [0, 0.9]}\ntune: %s\n' "$1" >mistake.yaml
    muster run mistake.yaml "${@:3}"
    expect_code 2
    expect_err "$2"
    expect_no_file runs
}
mistake "{optimizer.lr: [0.1, 0.2]}" "tune: needs samples that are set aside to choose by; add folds: 5 or validation: 0.1"
mistake "{optimizer.lr: [], folds: 3}" "tune.optimizer.lr: empty list; there is nothing to choose from"
mistake "{optimizer.lr: 0.1, folds: 3}" "tune: no key has a list of values to choose from"
mistake "{optimizer: {lr: [0.1, 0.2]}, folds: 3}" "a key of a section is written with a dot, such as optimizer.lr"
mistake "{optimizer.lrr: [0.1, 0.2], folds: 3}" "mistake.yaml:3:24: optimizer.lrr: optimizer sgd has no such option; did you mean lr?"
mistake "{optimizr.lr: [0.1, 0.2], folds: 3}" "optimizr: an experiment has no such option; did you mean optimizer?"
mistake "{optimizer.lr: [0.1, 0.1], folds: 3}" "optimizer.lr: the list has 0.1 twice"
mistake "{optimizer.momentum: [0.1, 0.2], folds: 3}" "optimizer.momentum already has a list of values"
mistake "{optimizer.lr: [0.1, 0.2], folds: 1}" "data.folds"
mistake "{optimizer.lr: [0.1, 0.2], folds: 3}" "tune.optimizer.lr: conflicts with --lr, which sets the value" --lr 0.3
mistake "[0.1]" "tune: expected a map"
mistake "{optimizer.lr: [0.1, 0.2], seed: [1, 2], folds: 3}" "tune.seed: this is not a setting to choose"
mistake "{data.fold: [1, 2], folds: 3}" "tune.data.fold: this is not a setting to choose"
mistake "{train.epochs: [0, 2], folds: 3}" "train.epochs: 0 is not a number of epochs to choose from"
muster search tune.yaml
expect_code 2
expect_err "tune: muster search chooses settings itself"

finish
