# muster scale, muster algorithms, and what muster train tells of several workers.
. "$(dirname "$0")/lib.sh"

SCALE="$TINY --epochs 1 --no-save"

case_ "muster algorithms lists them with their kind"
muster algorithms
expect_code 0
expect_out "ps-async         server-based  "
expect_out "hogwild          shared-memory"
expect_out "local-sgd        lockstep"

case_ "muster algorithms NAME shows its options and what it needs"
muster algorithms hogwild
expect_code 0
expect_out "shared memory"
expect_out "--hogwild.update NAME"
muster algorithms single
expect_out "workers      one"
muster algorithms local_sgd --json
expect_code 0
python3 -c '
import json, sys
a = json.load(sys.stdin)
assert (a["name"], a["kind"], a["model"]) == ("local-sgd", "lockstep", "mean"), a
assert {o["name"]: o["default"] for o in a["options"]}["period"] == "16", a
' <<<"$out" || fail "not the JSON of local-sgd: $out"

case_ "an algorithm that does not exist is refused with the names that do"
muster algorithms sync2
expect_code 2
expect_err "did you mean sync?"

case_ "every combination is run, each in its own folder"
muster scale $SCALE --workers 1,2,3 --algorithm sync,local-sgd --partition split,strided \
    --local-sgd.period 3 --out all --json
expect_code 0
python3 - all/scale.csv <<'PYTHON' || fail "the JSON and scale.csv do not hold what was asked"
import csv, json, pathlib, sys

runs = json.load(open(".out"))["runs"]
wanted = [(p, a, w) for p in ("split", "strided") for a in ("sync", "local-sgd") for w in (1, 2, 3)]
assert [(r["partition"], r["algorithm"], r["workers"]) for r in runs] == wanted
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == len(runs)
for run, row in zip(runs, rows):
    first = next(r for r in runs if r["workers"] == 1 and r["algorithm"] == run["algorithm"]
                 and r["partition"] == run["partition"])
    assert run["status"] == "finished"
    assert run["batches"] == {1: 38, 2: 19, 3: 13}[run["workers"]], run  # of 1200 samples, by 32
    assert abs(run["speedup"] - first["train_seconds"] / run["train_seconds"]) < 1e-9
    assert abs(run["efficiency"] - run["speedup"] / run["workers"]) < 1e-9
    assert 0 <= run["test_accuracy"] <= 1
    assert int(row["workers"]) == run["workers"] and row["run_dir"] == run["run_dir"]
    assert float(row["seconds"]) == run["train_seconds"]
    assert abs(float(row["accuracy_percent"]) - 100 * run["test_accuracy"]) < 1e-9
    settings = pathlib.Path(run["run_dir"], "effective.yaml").read_text()
    assert ("period: 3" in settings) == (run["algorithm"] == "local-sgd"), settings
    assert "threads: 1" in settings
assert len({run["run_dir"] for run in runs}) == len(runs)
PYTHON

case_ "rows of a later call are appended below one heading"
muster scale $SCALE --workers 2 --csv all/scale.csv --out more
expect_code 0
expect_out "workers  batches   seconds  speed-up  efficiency"
[ "$(grep -c . all/scale.csv)" -eq 14 ] || fail "$(grep -c . all/scale.csv) lines, not 14"
[ "$(grep -c ^workers all/scale.csv)" -eq 1 ] || fail "more than one heading"
echo "workers;seconds" >other.csv
muster scale $SCALE --workers 2 --csv other.csv --out other
expect_code 2
expect_err "cannot append to other.csv"

case_ "runs that fail are told and counted"
muster scale $SCALE --workers 1,2 --lr 1e6 --out failing
expect_code 5
expect_err "training diverged"
expect_err "2 of 2 runs failed"
expect_out "failed"
[ "$(grep -c ',figures,' failing/scale.csv)" -eq 2 ] || fail "not two rows of runs"

case_ "the same command goes on where it stopped"
rm -r all/model=lenet5_partition=strided_algorithm=sync_workers=2
muster scale ${SCALE/--quiet/} --workers 1,2,3 --algorithm sync,local-sgd --partition split,strided --local-sgd.period 3 --out all
expect_code 0
expect_err "11 of 12 runs had already finished"

case_ "a list that is wrong is refused with its flag, before anything runs"
wrong() { # MESSAGE FLAG...
    local message=$1
    shift
    muster scale $SCALE --out wrong "$@"
    expect_code 2
    expect_err "$message"
    expect_no_file wrong
}
wrong "muster scale needs --workers"
wrong '--workers: "1,,2" has an empty item' --workers 1,,2
wrong '--workers: "0" is not a positive whole number' --workers 0,2
wrong '--workers: "two" is not a positive whole number' --workers two
wrong '--workers: the list has 2 twice' --workers 2,4,2
wrong "--algorithm: single is for one worker, but there are 2" --workers 2,1 --algorithm single,sync
wrong "--algorithm: there is no algorithm sink" --workers 2 --algorithm sync,sink
wrong "--partition: there is no partition" --workers 2 --partition split,bones
wrong "--psgd.common-start: this is an option of algorithm psgd, which no run uses" \
    --workers 2 --algorithm sync,ps-sync --psgd.common-start false
wrong "--adam.beta1: this is an option of optimizer adam, which no run uses" --workers 2 --adam.beta1 0.8

case_ "under a launcher it is refused in one sentence"
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 PMIX_RANK=0 muster scale $SCALE --workers 1,2 --out mpi
expect_code 2
expect_err "muster scale cannot run under a launcher, which decides the number of workers"
expect_no_file mpi

case_ "a run of several workers ends with a table of them"
muster train $TINY --epochs 1 --no-save --workers 3 --algorithm ps-async --out served
expect_code 0
expect_out "worker   samples  updates    loss   stale  at most  computing  waiting  transfer  sleeping  MB sent"
[ "$(grep -cE '^[0-2]  ' "$WORK/.out")" -eq 3 ] || fail "not a row per worker: $out"
muster train $TINY --epochs 1 --no-save --workers 2 --algorithm psgd --out averaged
expect_out "own test %"
expect_out "test accuracy of the average:"
muster train $TINY --epochs 1 --no-save --workers 33 --batch-size 4 --algorithm sync --out many
expect_out "median "
muster train $TINY --epochs 1 --no-save --out one
grep -q '^worker ' "$WORK/.out" && fail "one worker needs no table"

case_ "options of one algorithm are reached by its name and by the section's"
for flag in --ps-async.compensation --algorithm.compensation; do
    muster train $TINY --max-steps 4 --no-save --workers 2 --algorithm ps-async $flag adaptive --out "run$flag"
    expect_code 0
    grep -q "compensation: adaptive" "run$flag/effective.yaml" || fail "$flag did not arrive"
done
muster train $TINY --workers 2 --algorithm sync --ps-async.compensation adaptive --out no
expect_code 2
expect_err "this is an option of algorithm ps-async, but sync is chosen"

finish
