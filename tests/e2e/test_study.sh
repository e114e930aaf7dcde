# Experiments of many runs: sweeps, cases, repeats, baselines; stopped, resumed, failing; compared.
. "$(dirname "$0")/lib_workers.sh"

cat >base.yaml <<'YAML'
# Does momentum help?
name: momentum
seed: [1, 2, 3]
data: {name: figures, train_count: 240, test_count: 40}
optimizer: {name: sgd, lr: 0.01, momentum: [0, 0.9]}
transport: {workers: 2}
train: {epochs: 2, batch_size: 16}
runs:
  sync: {algorithm: sync}
  local: {algorithm: {name: local-sgd, period: 4}, train: {epochs: 1}}
baselines: [centralised]
quick:
  seed: 1
  runs: [sync]
  baselines: []
  train: {epochs: 1}
YAML

case_ "--list shows the runs and makes nothing"
muster run base.yaml --list
expect_code 0
[ "$(wc -l <"$WORK/.out")" -eq 18 ] || fail "not 18 runs: $out"
[ "$(sed -n 2p "$WORK/.out")" = "sync_momentum=0_seed=2" ] || fail "the second is another: $out"
muster run base.yaml --list --quick
[ "$out" = "sync_momentum=0
sync_momentum=0.9" ] || fail "not the two quick ones: $out"
expect_no_file runs

case_ "every combination runs in its folder, and the table has means, deviations and intervals over seeds"
muster run base.yaml --out all --quiet --json
expect_code 0
expect_same base.yaml all/experiment.yaml
python3 - all <<'PYTHON' || fail "the table is not what the runs came to"
import csv, json, pathlib, statistics, sys

folder = pathlib.Path(sys.argv[1])
told = json.load(open(".out"))
assert told == json.load(open(folder / "results.json"))
rows = list(csv.DictReader(open(folder / "results.csv")))
assert [(r["run"], r["momentum"]) for r in rows] == [
    (run, m) for run in ("sync", "local", "centralised") for m in ("0", "0.9")]
assert len(told["runs"]) == 18 and all(c["status"] == "finished" for c in told["runs"])
for row, line in zip(told["cases"], rows):
    runs = [json.load(open(folder / f"{line['run']}_momentum={line['momentum']}_seed={s}" / "result.json"))
            for s in (1, 2, 3)]
    assert row["seeds"] == int(line["seeds"]) == 3 and row["failed"] == 0
    for key in ("test_accuracy", "test_loss", "train_seconds", "samples_per_s", "rounds", "epochs", "bytes_sent"):
        values = [r[key] for r in runs]
        for got in (row[key], float(line[key])):
            assert abs(got - statistics.mean(values)) <= 1e-12 * abs(got), (key, got, values)
        for got in (row[key + "_deviation"], float(line[key + "_deviation"])):
            assert abs(got - statistics.stdev(values)) <= 1e-9 * (1 + abs(got)), (key, got, values)
        margin = 4.302652729911275 * statistics.stdev(values) / 3 ** 0.5  # t of three seeds
        for got in (row[key + "_half_width"], float(line[key + "_half_width"])):
            assert abs(got - margin) <= 1e-9 * (1 + abs(got)), (key, got, values)
    wanted = {"sync": ("sync", 2, 2), "local": ("local-sgd", 1, 2), "centralised": ("single", 2, 1)}[line["run"]]
    assert (runs[0]["algorithm"], round(runs[0]["epochs"]), runs[0]["workers"]) == wanted, runs[0]
    assert len({r["test_loss"] for r in runs}) == 3  # seeds differ
PYTHON
muster evaluate all/local_momentum=0.9_seed=2
expect_code 0
muster show all
expect_code 2
expect_err "has 18 runs; name one of them"

case_ "the same command again runs nothing, and tells the same"
cp all/results.json before.json
muster run base.yaml --out all --json
expect_code 0
expect_err "18 of 18 runs had already finished"
expect_no_err "training"
expect_same before.json "$WORK/.out"
muster run --resume all --csv --quiet
expect_code 0
[ "$out" = "$(cat all/results.csv)" ] || fail "not the results.csv: $out"
muster run --resume all --quiet --csv=table.csv
expect_same table.csv all/results.csv
expect_out "results in all"
expect_out "±: 95 % confidence interval of the mean over seeds"

case_ "runs of an earlier version, which had fewer settings, are known again"
cp -r all older
sed -i '/micro_batch/d' older/*/experiment.yaml older/*/effective.yaml
muster run base.yaml --out older
expect_code 0
expect_err "18 of 18 runs had already finished"
muster run base.yaml --out older --quiet --micro-batch 4
expect_code 2
expect_err "was run with train.micro_batch 0, not 4"

case_ "a table that cannot be written is told before anything is run"
muster run base.yaml --out late --csv=nowhere/table.csv
expect_code 3
expect_err "--csv: nowhere/table.csv: cannot create the file: No such file or directory"
expect_no_file late

case_ "a cell alone has the bits that it has in the experiment"
muster run all/sync_momentum=0.9_seed=3/effective.yaml --quiet --out alone
expect_code 0
expect_same alone/sync_momentum=0.9_seed=3/model.safetensors all/sync_momentum=0.9_seed=3/model.safetensors

case_ "settings that differ from those of the folder are refused, and more epochs go on"
cp -r all other
muster run base.yaml --out other --batch-size 8
expect_code 2
expect_err "other/sync_momentum=0_seed=1: was run with train.batch_size 16, not 8"
muster run base.yaml --out other --epochs 1
expect_code 2
expect_err "was run with train.epochs 2, not 1"
diff -r all other >/dev/null || fail "the folder has changed"
muster run base.yaml --out other --epochs 3 --only sync_momentum=0.9,local --quiet --json
expect_code 0
muster run base.yaml --out three --epochs 3 --only sync_momentum=0.9,local --quiet
for cell in sync_momentum=0.9_seed=1 local_momentum=0_seed=3; do
    expect_same three/$cell/model.safetensors other/$cell/model.safetensors
done
expect_same all/sync_momentum=0_seed=1/result.json other/sync_momentum=0_seed=1/result.json
python3 -c '
import json
cells = {c["name"]: c for c in json.load(open("other/results.json"))["runs"]}
assert len(cells) == 18
assert cells["sync_momentum=0.9_seed=1"]["epochs"] == 3 and cells["sync_momentum=0_seed=1"]["epochs"] == 2
' || fail "results.json does not hold all runs"

case_ "a run that was made longer by itself is known to be so"
cp -r all longer
muster train --resume longer/sync_momentum=0_seed=1 --epochs 3 --quiet
expect_code 0
muster run base.yaml --out longer
expect_code 2
expect_err "longer/sync_momentum=0_seed=1: was run with train.epochs 3, not 2"
muster run base.yaml --out longer --epochs 3 --only sync_momentum=0_seed=1 --quiet --json
expect_code 0
python3 -c '
import json, sys
cells = json.load(sys.stdin)["runs"]
three = json.load(open("three/sync_momentum=0.9_seed=1/result.json"))
assert len(cells) == 1 and cells[0]["epochs"] == 3 and cells[0]["rounds"] == three["rounds"], cells
assert cells[0]["test_loss"] > 0, cells' <<<"$out" || fail "not the longer run: $out"

case_ "--only takes names of cases and patterns, and refuses what fits nothing"
muster run base.yaml --only 'cen*_seed=2' --list
[ "$(wc -l <"$WORK/.out")" -eq 2 ] || fail "not two: $out"
muster run base.yaml --only sink --list
expect_code 2
expect_err "--only: unknown run sink"

# Interrupts `muster run base.yaml --out $2` with signal $1 once run $3 has its metrics.
stop_in() {
    rm -rf "$2"
    "$MUSTER" run base.yaml --out "$2" --epochs 12 --only "*_seed=2" >"$WORK/.out" 2>"$WORK/.err" &
    local pid=$!
    for _ in $(seq 2000); do
        [ "$(wc -l 2>/dev/null <"$2/$3/metrics.jsonl" || echo 0)" -ge 4 ] && break
        sleep 0.005
    done
    kill "-$1" $pid
    wait $pid 2>/dev/null
    code=$?
    err=$(cat "$WORK/.err")
}

muster run base.yaml --out whole --epochs 12 --only '*_seed=2' --quiet
case_ "an interrupted experiment says how to go on, and ends with the bits of an unbroken one"
stop_in INT stopped sync_momentum=0.9_seed=2
expect_code 75
expect_err "resume with: muster run --resume stopped"
expect_no_file stopped/local_momentum=0_seed=2
[ "$(stat -c %i stopped/sync_momentum=0_seed=2/model.safetensors)" ] || fail "the first has no model"
first=$(stat -c '%i %y' stopped/sync_momentum=0_seed=2/metrics.jsonl)
muster run --resume stopped --only '*_seed=2'
expect_code 0
expect_err "resuming after round"
expect_err "1 of 6 runs had already finished"
[ "$first" = "$(stat -c '%i %y' stopped/sync_momentum=0_seed=2/metrics.jsonl)" ] || fail "the first ran again"
same_as_whole() {
    local model
    for model in whole/*/model.safetensors; do expect_same "$model" "$1${model#whole}"; done
    [ "$(ls whole)" = "$(ls "$1")" ] || fail "other files: $(ls "$1")"
}
same_as_whole stopped

case_ "an experiment that was killed goes on with the same command"
stop_in KILL killed local_momentum=0_seed=2
muster run base.yaml --out killed --epochs 12 --only '*_seed=2' --quiet
expect_code 0
same_as_whole killed

case_ "an experiment without checkpoints goes on with its runs from their beginning"
ONE="--only sync_momentum=0_seed=2 --no-save --quiet"
muster run base.yaml --out unsaved --epochs 3 $ONE
expect_code 0
muster run base.yaml --out unsaved --epochs 4 $ONE
expect_code 0
expect_err "starting from the beginning"

case_ "a run that is made longer without saving keeps no model of its earlier end"
muster run base.yaml --out longer --epochs 3 --only sync_momentum=0_seed=2 --quiet
expect_code 0
expect_file longer/sync_momentum=0_seed=2/model.safetensors
muster run base.yaml --out longer --epochs 4 $ONE
expect_code 0
expect_no_file longer/sync_momentum=0_seed=2/model.safetensors

case_ "a run that fails is told at once, the others go on, and the exit code says so"
cat >failing.yaml <<'YAML'
data: {name: figures, train_count: 120, test_count: 40}
train: {epochs: 1}
runs:
  good: {}
  bad: {optimizer: {lr: 1e6}}
  better: {optimizer: {lr: 0.1}}
YAML
muster run failing.yaml --out failing --quiet
expect_code 5
expect_err "bad failed: training diverged"
expect_err "1 of 3 runs failed"
expect_out "failed"
expect_file failing/better/result.json
grep -q '^bad,0,1,' failing/results.csv || fail "results.csv: $(cat failing/results.csv)"

case_ "a run that has diverged is not computed again until its folder is removed, and still counts as failed"
before=$(stat -c '%i %y' failing/bad/metrics.jsonl)
cp failing/results.csv before.csv
muster run failing.yaml --out failing
expect_code 5
expect_err "warning: skipping bad, which diverged before; remove its folder to run it again"
expect_err "2 of 3 runs had already finished"
expect_err "1 of 3 runs failed"
[ "$(stat -c '%i %y' failing/bad/metrics.jsonl)" = "$before" ] || fail "it ran again"
expect_same before.csv failing/results.csv
muster run failing.yaml --out failing --only good
expect_code 0
rm -r failing/bad
muster run failing.yaml --out failing --quiet
expect_code 5
expect_err "bad failed: training diverged"

case_ "runs with the same seed share initial weights, parts of the data and the graph"
cat >shared.yaml <<'YAML'
seed: [1, 2]
data: {name: figures, train_count: 120, test_count: 40, train_fraction: 0.5}
optimizer: {lr: 0}
transport: {workers: 6}
partition: dirichlet
graph: {name: erdos_renyi, p: 0.4}
train: {batch_size: 8, max_steps: 2}
algorithm: [sync, local-sgd, dsgd, extra]
YAML
muster run shared.yaml --out shared --quiet
expect_code 0
for seed in 1 2; do
    for algorithm in local-sgd dsgd extra; do
        expect_same shared/algorithm={sync,${algorithm}}_seed=$seed/partition.txt
        is_above "$(python3 "$HERE/weights.py" shared/algorithm={sync,${algorithm}}_seed=$seed/model.safetensors)" 1e-6 &&
            fail "$algorithm began with other weights" # averages of equal numbers are equal within rounding
    done
done
expect_different shared/algorithm=sync_seed={1,2}/model.safetensors
expect_different shared/algorithm=sync_seed={1,2}/partition.txt
python3 - <<'PYTHON' || fail "the graphs differ"
import json
def degrees(algorithm, seed):  # both send one vector to each neighbour in a round
    sent = [w["bytes_sent"] for w in json.load(open(f"shared/algorithm={algorithm}_seed={seed}/workers.json"))]
    return [s / min(sent) for s in sent]
assert degrees("dsgd", 1) == degrees("extra", 1) and degrees("dsgd", 2) == degrees("extra", 2)
assert degrees("dsgd", 1) != degrees("dsgd", 2)
PYTHON

case_ "baselines stand beside the runs, and nodes that differ are told as mean, least and most"
cat >nodes.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 100}
optimizer: {lr: 0.05, momentum: 0.9}
transport: {workers: 3}
partition: labels
graph: [cycle, path]
algorithm: dsgd
train: {batch_size: 8, epochs: 2}
baselines: [solo, centralised]
YAML
muster run nodes.yaml --out nodes --quiet
expect_code 0
expect_out "test %  least   most  mean model %  test loss  mean model loss"
python3 - <<'PYTHON' || fail "the nodes are told otherwise"
import json
rows = {(r["run"], r["values"].get("graph")): r for r in json.load(open("nodes/results.json"))["cases"]}
assert list(rows) == [("dsgd", "cycle"), ("dsgd", "path"), ("solo", None), ("centralised", None)], list(rows)
for (run, graph), row in rows.items():
    folder = f"nodes/{run}_graph={graph}" if graph else f"nodes/{run}"
    if run == "centralised":
        assert row["test_accuracy_mean"] is None and row["bytes_sent"] == 0 and row["test_accuracy"] > 0, row
        assert (row["accuracy"], row["loss"]) == (row["test_accuracy"], row["test_loss"])
        assert row["mean_model_accuracy"] is None and row["mean_model_loss"] is None
        continue
    workers = json.load(open(folder + "/workers.json"))
    each = [w["test_accuracy"] for w in workers]
    assert row["accuracy"] == row["test_accuracy_mean"] and row["mean_model_accuracy"] == row["test_accuracy"]
    assert abs(row["loss"] - sum(w["test_loss"] for w in workers) / 3) < 1e-12 and row["mean_model_loss"] == row["test_loss"]
    assert len(each) == 3
    assert abs(row["test_accuracy_mean"] - sum(each) / 3) < 1e-12
    assert (row["test_accuracy_min"], row["test_accuracy_max"]) == (min(each), max(each))
    assert (row["bytes_sent"] == 0) == (run == "solo") and row["consensus_error_normalized"] > 0
PYTHON

case_ "how stale the gradients of an asynchronous server were is in the table"
muster compare --vary algorithm=ps-async,ps-sync --workers 3 --dataset figures --figures.train-count 240 --figures.test-count 40 \
    --model mnist_conv --epochs 2 --out stale --quiet
expect_code 0
expect_out "staleness  at most"
python3 - <<'PYTHON' || fail "another staleness"
import csv, json
rows = {r["values"]["algorithm"]: r for r in json.load(open("stale/results.json"))["cases"]}
workers = json.load(open("stale/algorithm=ps-async/workers.json"))
stale = sum(w["staleness_mean"] * w["updates"] for w in workers) / sum(w["updates"] for w in workers)
assert abs(rows["ps-async"]["staleness"] - stale) < 1e-9 and stale > 0, rows
assert rows["ps-async"]["staleness_max"] == max(w["staleness_max"] for w in workers)
assert rows["ps-sync"]["staleness"] is None and rows["ps-sync"]["staleness_max"] is None
assert float(list(csv.DictReader(open("stale/results.csv")))[0]["staleness"]) == rows["ps-async"]["staleness"]
PYTHON

case_ "output says where the folder is made, and whether it stays"
cat >output.yaml <<'YAML'
name: small
data: {name: figures, train_count: 60, test_count: 20}
train: {max_steps: 2}
seed: [1, 2]
output: {dir: elsewhere}
YAML
muster run output.yaml --quiet
expect_code 0
expect_file elsewhere/*_small/seed=2/result.json
sed -i 's/dir: elsewhere/write: false/' output.yaml
mkdir nothing empty_tmp && (
    cd nothing
    TMPDIR=$WORK/empty_tmp muster run ../output.yaml --quiet --json
    expect_code 0
    [ -z "$(find . ../empty_tmp -mindepth 1)" ] || fail "files are left: $(find . ../empty_tmp)"
    python3 -c '
import json, sys
rows = json.load(sys.stdin)["cases"]
assert len(rows) == 1 and rows[0]["seeds"] == 2 and rows[0]["test_loss"] > 0, rows' <<<"$out" || fail "$out"
    TMPDIR=$WORK/empty_tmp muster run ../output.yaml --lr 1e6 --max-steps 30
    expect_code 5
    expect_no_err "$WORK/empty_tmp"
    muster run ../output.yaml --out here
    expect_code 2
    expect_err "../output.yaml:5:10: conflicts with --out here"
    [ -z "$(find . ../empty_tmp -mindepth 1)" ] || fail "files are left: $(find . ../empty_tmp)"
    exit $case_failed
) || fail "see above"

case_ "a file without lists and runs is one run, as ever"
cat >single.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
train: {epochs: 1}
name: x
quick: {train: {epochs: 1}}
YAML
muster run single.yaml --out single --quiet
expect_code 0
expect_out "samples/s"
trained flags --epochs 1
expect_same_model single flags
[ "$(ls single)" = "$(ls flags)" ] && [ "$(ls single/x | grep -v tfevents)" = "$(ls flags/x | grep -v tfevents)" ] ||
    fail "other files: $(ls single single/x)"
muster run single.yaml --out single
expect_code 2
expect_err "single: is not empty"
muster run --resume single
expect_code 2
expect_err "single is a single run; use muster train --resume single"

printf "0 1\n2 3\n" >edges.txt
case_ "mistakes are found before anything is computed"
wrong() { # MESSAGE; the file is on stdin
    cat >wrong.yaml
    muster run wrong.yaml --out wrong
    expect_code 2
    expect_err "$1"
    expect_no_file wrong
}
wrong "wrong.yaml:2:29: optimizer.momentum" <<<'runs: {a: {}, b: {}}
optimizer: {momentum: [0.5, 5]}'
wrong "wrong.yaml:1:19: trian" <<<'runs: {a: {}, b: {trian: {epochs: 1}}}'
wrong "there is no algorithm sink" <<<'algorithm: [sync, sink]'
wrong "baselines: unknown baseline \"alone\"; choose solo or centralised" <<<'baselines: [alone]'
wrong "wrong.yaml:1:1: seed: empty list" <<<'seed: []'
wrong "algorithm.name: single is for one worker, but there are 3" <<<'{algorithm: single, transport: {workers: [1, 3]}}'
wrong "disconnected" <<<'{algorithm: dsgd, transport: {workers: 4}, graph: [cycle, {name: file, path: edges.txt}]}'
muster run base.yaml --local-sgd.period 2 --psgd.common-start false --out wrong
expect_code 2
expect_err "--psgd.common-start: this is an option of algorithm psgd, which no run uses"
mkdir taken && touch taken/file
muster run base.yaml --out taken
expect_code 2
expect_err "taken: is not empty"
muster run single.yaml --quick --list
expect_code 0
sed -i /^quick/d single.yaml
muster run single.yaml --csv
expect_code 2
expect_err "--csv: a single run has no table"
muster run single.yaml --quick
expect_code 2
expect_err "--quick: this experiment has no key quick"

case_ "cases are compared with the best over seeds, unless none of them has learned anything"
muster run --resume all --quiet
expect_code 0
expect_out "confidence interval"
grep -q "compared with the best" <<<"$out" && fail "there is a best at chance: $out"
muster compare --problem quadratic --workers 2 --max-steps 20 --vary lr=0.1,0.01 --vary seed=1,2,3 --quiet --out best
expect_code 0
expect_out "*: best test loss, and cases that are not distinguishable from it"
expect_out "compared with the best (lr=0.1) over seeds, test loss, paired t test:"
python3 - <<'PYTHON' || fail "not the differences of the runs: $out"
import json
runs = json.load(open("best/results.json"))["runs"]
loss = {(r["values"]["lr"], r["seed"]): r["test_loss"] for r in runs}
difference = sum(loss["0.01", s] - loss["0.1", s] for s in ("1", "2", "3")) / 3
row = open(".out").read().split("compared with the best")[1].splitlines()[2].split()
assert row[:3] == ["0.01", "3", f"{difference:.4f}"], (row, difference)
PYTHON

case_ "muster compare makes the experiment of its flags, and leaves the file"
muster compare $FIGURES --vary algorithm=sync,local-sgd --vary delay="1ms;gaussian:1ms,0.1ms" --vary seed=1,2 \
    --workers 2 --local-sgd.period 3 --max-steps 3 --quiet --out compared --csv=compared/table.csv
expect_code 0
expect_same compared/table.csv compared/results.csv
expect_out "algorithm  delay               seeds"
[ "$(grep -c '^local-sgd' "$WORK/.out")" -eq 2 ] || fail "not two rows of local-sgd: $out"
grep -q "period: 3" compared/algorithm=local-sgd_delay=1ms_seed=1/effective.yaml || fail "another period"
muster run compared/experiment.yaml --out again --quiet
expect_code 0
expect_same compared/algorithm=sync_delay=1ms_seed=2/model.safetensors again/algorithm=sync_delay=1ms_seed=2/model.safetensors
muster compare $FIGURES --vary optimizer.momentum=0,0.9 --vary model=lenet5,cnn1 --list
expect_code 0
expect_out "momentum=0.9_model=cnn1"

case_ "values that are lists are varied between semicolons"
muster compare $FIGURES --model mlp --vary "mlp.widths=8,8;16" --max-steps 2 --quiet --out widths
expect_code 0
expect_file widths/widths=8,8/model.safetensors
expect_file widths/widths=16/model.safetensors
muster run widths/experiment.yaml --list
expect_code 0
expect_out "widths=8,8"
muster compare $FIGURES --model mlp --vary "model.widths=8;16,x" --out varied
expect_code 2
expect_err "--vary model.widths: x is not a whole number"
expect_no_file varied
muster compare $FIGURES --model mlp --vary mlp.widths=8,16 --list # one value, as seed=1 is
expect_code 0
expect_out "widths=8,16"

case_ "what muster compare cannot vary is refused with its flag"
varied() { # MESSAGE FLAG...
    local message=$1
    shift
    muster compare $FIGURES --out varied "$@"
    expect_code 2
    expect_err "$message"
    expect_no_file varied
}
varied "muster compare needs at least one --vary"
varied "--vary momentum: expected a key and its values" --vary momentum
varied "an empty item" --vary momentum=0,,1
varied "--vary momentum: 5 is outside" --vary momentum=0.5,5
varied "--vary momentun: unknown flag --momentun of muster compare; did you mean --momentum?" --vary momentun=0,1
varied "--vary out is not a training option" --vary out=a,b
varied "--momentum and --vary momentum set the same option" --momentum 0.9 --vary momentum=0,0.5
varied "the list has 0.5 twice" --vary momentum=0.5,0.5

case_ "an empty section in a case means its defaults, and so does a slow worker of none"
cat >fast.yaml <<'Y'
data: {name: figures, train_count: 60, test_count: 20}
model: mnist_conv
transport: {workers: 2}
train: {max_steps: 2}
delays: {slow_worker: "0:5ms"}
runs:
  empty: {algorithm: ps-sync, delays: {}}
  none: {algorithm: ps-sync, delays: {slow_worker: none}}
  slow: {algorithm: ps-sync}
Y
muster run fast.yaml --quiet --out fast
expect_code 0
for run in empty none slow; do
    python3 - fast/$run/result.json $run <<'P' || fail "$run: $(cat fast/$run/result.json)"
import json, sys
slept = sum(worker["sleeping"] for worker in json.load(open(sys.argv[1]))["each"])
assert (slept > 0) == (sys.argv[2] == "slow"), slept
P
done

case_ "a flag of one choice leaves the settings of runs with another as they are"
cat >choices.yaml <<'Y'
data: {name: figures, train_count: 60, test_count: 20}
model: mnist_conv
transport: {workers: 2}
train: {max_steps: 2}
runs:
  a: {algorithm: {name: local-sgd, period: 2}, optimizer: {name: sgd, lr: 0.123, momentum: 0.9}}
  b: {algorithm: ps-sync, optimizer: adam}
Y
muster run choices.yaml --quiet --out choices --local-sgd.period 8 --adam.beta1 0.8
expect_code 0
grep -q 'period: 8' choices/a/effective.yaml || fail "$(cat choices/a/effective.yaml)"
grep -q 'lr: 0.123' choices/a/effective.yaml || fail "a: $(grep -A4 '^optimizer' choices/a/effective.yaml)"
grep -q 'name: ps-sync' choices/b/effective.yaml || fail "b: $(grep -A4 '^algorithm' choices/b/effective.yaml)"
grep -q 'beta1: 0.8' choices/b/effective.yaml || fail "b: $(grep -A4 '^optimizer' choices/b/effective.yaml)"

case_ "a damaged result of a run that is not asked for does not stop the others"
printf '{' >choices/a/result.json
rm choices/b/result.json
muster run choices.yaml --quiet --out choices --local-sgd.period 8 --adam.beta1 0.8 --only b
expect_code 0
expect_file choices/b/result.json

finish
