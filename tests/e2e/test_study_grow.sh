# Experiments whose file changes between calls: runs are known by their settings, whatever they are
# called; and one process at a time works in a folder.
. "$(dirname "$0")/lib_workers.sh"

cat >base.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
optimizer: {name: sgd, lr: 0.01, momentum: [0, 0.9]}
transport: {workers: 2}
algorithm: sync
train: {epochs: 1, batch_size: 16}
seed: 1
YAML

# A line for each run of folder $1: its name and what is in its files, apart from their own names.
runs_of() {
    local run
    for run in "$1"/*/; do
        echo "$(basename "$run") $(stat -c '%i %y' "$run/metrics.jsonl") $(sha256sum <"$run/model.safetensors")"
    done
}

case_ "with another seed, value, case or baseline nothing that has finished runs again"
muster run base.yaml --out grown --quiet
expect_code 0
runs_of grown >before
sed 's/seed: 1/seed: [1, 2]/; s/momentum: .*}/momentum: [0, 0.5, 0.9]}/; $a baselines: [centralised]' base.yaml >more.yaml
muster run more.yaml --out grown --json
expect_code 0
expect_err "2 of 12 runs had already finished"
expect_err "renamed 2 existing runs to match the experiment file"
for momentum in 0 0.9; do
    old=$(grep "^momentum=$momentum " before)
    new=$(runs_of grown | grep "^sync_momentum=${momentum}_seed=1 ")
    [ "${old#* }" = "${new#* }" ] || fail "ran again: $old, $new"
done
muster run more.yaml --out fresh --quiet
[ "$(ls grown)" = "$(ls fresh)" ] || fail "other folders: $(ls grown)"
python3 - <<'PYTHON' || fail "other results than those of one call"
import json, pathlib
timed = ("train_seconds", "samples_per_s")
def plain(x):
    return {k: plain(v) for k, v in x.items() if not k.startswith(timed)} if isinstance(x, dict) else \
        [plain(v) for v in x] if isinstance(x, list) else x
def told(folder):
    return plain(json.loads(pathlib.Path(folder, "results.json").read_text().replace(f'"{folder}', '"FOLDER')))
assert told("grown") == told("fresh")
one = pathlib.Path("grown/sync_momentum=0_seed=1")
assert json.loads((one / "result.json").read_text())["run_dir"] == str(one)
for file in ("experiment.yaml", "effective.yaml"):
    assert (one / file).read_text() == pathlib.Path("fresh", one.name, file).read_text(), file
PYTHON

case_ "a run that is in the file no longer is told, left alone, and neither in the table nor exported"
sed 's/momentum: .*}/momentum: [0, 0.9]}/; s/seed: 1/seed: [1, 2]/' base.yaml >less.yaml
muster run less.yaml --out grown --csv
expect_code 0
expect_err "4 of 4 runs had already finished"
expect_err "these folders match no run of this experiment and are left untouched: centralised_momentum=0.5_seed=1, "
[ "$(wc -l <"$WORK/.out")" -eq 3 ] || fail "not two rows: $out"
expect_file grown/sync_momentum=0.5_seed=2/model.safetensors
expect_file grown/momentum=0_seed=2/model.safetensors
muster export grown --results csv
expect_code 0
[ "$(wc -l <"$WORK/.out")" -eq 4 ] || fail "not four runs: $out"
expect_err "grown: left out, because they belong to no run of the experiment as it is now: centralised_momentum=0.5_seed=1"
muster export grown/sync_momentum=0.5_seed=2 --results csv
expect_code 0
muster run more.yaml --out grown
expect_err "12 of 12 runs had already finished"

case_ "a run that was stopped goes on under its new name, with the bits of an unbroken one"
"$MUSTER" run base.yaml --out stopped --epochs 40 2>"$WORK/.err" >/dev/null &
pid=$!
for _ in $(seq 2000); do
    [ "$(wc -l 2>/dev/null <stopped/momentum=0/metrics.jsonl || echo 0)" -ge 6 ] && break
    sleep 0.005
done
kill -INT $pid
wait $pid
muster run less.yaml --out stopped --epochs 40 --only momentum=0_seed=1
expect_code 0
expect_err "resuming after round"
muster run less.yaml --out unbroken --epochs 40 --only momentum=0_seed=1 --quiet
expect_same {stopped,unbroken}/momentum=0_seed=1/model.safetensors

case_ "two cases that change their names with each other keep their runs"
cat >swap.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
train: {max_steps: 3}
runs: {a: {optimizer: {lr: 0.01}}, b: {optimizer: {lr: 0.02}}}
YAML
muster run swap.yaml --out swapped --quiet
runs_of swapped >before
sed -i 's/a: {\(.*\)}, b: {\(.*\)}}/b: {\1}, a: {\2}}/' swap.yaml
muster run swap.yaml --out swapped
expect_code 0
expect_err "2 of 2 runs had already finished"
[ "$(runs_of swapped | cut -d' ' -f2-)" = "$(tac before | cut -d' ' -f2-)" ] || fail "not the same runs: $(runs_of swapped)"

case_ "what a killed call was renaming is found again"
mv swapped/a swapped/a.moving
echo half >swapped/a.moving/effective.yaml.99999999.tmp
muster run swap.yaml --out swapped
expect_code 0
expect_err "2 of 2 runs had already finished"
[ "$(runs_of swapped | cut -d' ' -f2-)" = "$(tac before | cut -d' ' -f2-)" ] || fail "not the same runs: $(runs_of swapped)"
[ -z "$(find swapped -name '*.tmp')" ] || fail "half a file is left"

case_ "a run with other threads is the same run, unless threads are what is compared"
sed 's/seed: 1/seed: [1]/; s/epochs: 1/&, threads: 1/' less.yaml >threads.yaml
cp -r grown threads
muster run threads.yaml --out threads --only momentum=0_seed=1
expect_err "1 of 1 runs had already finished"
sed 's/threads: 1/threads: [1, 2]/' threads.yaml >compared.yaml
muster run compared.yaml --out threads --only 'momentum=0*seed=1'
expect_no_err "had finished before"

cat >trial.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
model: {name: mlp, widths: [8]}
train: {max_steps: 14}
transport: {workers: 3}
optimizer: {lr: 0.3}
runs:
  cosine: {algorithm: dsgd, schedule: cosine}
  decay: {algorithm: {name: dinno, primal_lr: 0.01, primal_lr_end: 0.0001, lr_decay: log}}
  once: {algorithm: psgd}
  often: {algorithm: {name: local-sgd, period: 4}}
  plain: {algorithm: dsgd}
  steps: {algorithm: sync, schedule: {name: step, every_epochs: 1}}
quick: {train: {max_steps: 6}}
YAML

case_ "after a trial the whole run has the bits of one without it: what depends on the length begins anew, the rest goes on"
muster run trial.yaml --out untried --quiet
expect_code 0
muster run trial.yaml --quick --out tried --quiet
expect_code 0
muster run trial.yaml --out tried
expect_code 0
for cell in cosine decay once often; do
    expect_err "restarting $cell from scratch: what it computes depends on the length of the run"
done
[ "$(grep -c "from scratch" <<<"$err")" -eq 4 ] || fail "others begin anew: $err"
[ "$(grep -c "resuming after round 6" <<<"$err")" -eq 2 ] || fail "not two go on: $err"
for cell in cosine decay once often plain steps; do
    expect_same {untried,tried}/$cell/model.safetensors
done
muster run trial.yaml --out tried
expect_err "6 of 6 runs had already finished"

cat >single.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
model: {name: mlp, widths: [8]}
train: {max_steps: 9}
seed: [1, 2]
quick: {seed: 1, train: {max_steps: 4}}
YAML

case_ "a trial of one run is one of an experiment, and the whole goes on from it under its new name"
muster run single.yaml --out whole --quiet
muster run single.yaml --quick --out trial
expect_code 0
expect_out "results in trial"
expect_file trial/run/result.json
muster run single.yaml --out trial
expect_code 0
expect_err "resuming after round 4"
[ "$(ls trial)" = "$(ls whole)" ] || fail "other folders: $(ls trial)"
expect_same {trial,whole}/seed=1/model.safetensors

case_ "what a trial came to does not count among results of whole runs"
muster run single.yaml --quick --seed 1,2 --list # flags are of one value: no
expect_code 2
sed 's/quick: {seed: 1, /quick: {/' single.yaml >both.yaml
muster run both.yaml --quick --out part --quiet
muster run both.yaml --out part --only seed=2 --quiet
expect_code 0
python3 - <<'PYTHON' || fail "results.csv counts the trial: $(cat part/results.csv)"
import csv
(row,) = csv.DictReader(open("part/results.csv"))
assert (row["seeds"], row["rounds"]) == ("1", "9")
PYTHON

case_ "an experiment that has become one run goes on in its folder"
sed 's/seed: \[1, 2\]/seed: 2/; /quick/d' single.yaml >last.yaml
muster run last.yaml --out trial
expect_code 0
expect_err "1 of 1 runs had already finished"
expect_err "left untouched: seed=1"
expect_file trial/run/result.json
muster run --resume trial
expect_code 0
expect_err "1 of 1 runs had already finished"

case_ "a folder that is in the way is told before anything is renamed"
cp -r stopped way
mkdir way/momentum=0
echo mine >way/momentum=0/notes
muster run base.yaml --out way --epochs 40 --only momentum=0
expect_code 2
expect_err "way/momentum=0: already exists, so way/momentum=0_seed=1 cannot be renamed"
diff -r stopped way | grep -v "^Only in way: momentum=0$" && fail "the folder has changed"

case_ "a second process in the same folder is refused with the name of the first, and harms nothing"
"$MUSTER" run less.yaml --out held --epochs 4000 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 2000); do
    [ -s held/momentum=0_seed=1/metrics.jsonl ] && break
    sleep 0.005
done
refused() { # it ends at once; one that is let in would not
    timeout 20 "$MUSTER" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    err=$(cat "$WORK/.err")
}
refused run less.yaml --out held --epochs 4000
expect_code 3
expect_err "error: held: the folder is in use by process $pid on $(hostname)"
[ "$(wc -l <"$WORK/.err")" -eq 1 ] || fail "more than a line: $err"
refused run --resume held
expect_code 3
refused train --resume held/momentum=0_seed=1 --epochs 4001
expect_code 3
expect_err "held/momentum=0_seed=1: the folder is in use by process $pid on $(hostname)"
kill -9 $pid
wait $pid 2>/dev/null
muster run less.yaml --out held --epochs 1 --only momentum=0.9_seed=1 --quiet
expect_code 0
[ -z "$(find held -name .lock -newer held/results.json)" ] && [ ! -e held/.lock ] || fail "a lock is left"

case_ "of two single runs with one --out one is made"
for i in 1 2; do
    "$MUSTER" train $FIGURES --quiet --epochs 2 --out twice >/dev/null 2>twice.err$i &
    pids[i]=$!
done
codes=""
for i in 1 2; do
    wait "${pids[i]}"
    codes="$codes $?"
done
case "$codes" in
" 0 2" | " 0 3" | " 2 0" | " 3 0") ;;
*) fail "exit codes$codes: $(cat twice.err*)" ;;
esac
[ "$(cat twice.err* | grep -c '^error: ')" -eq 1 ] || fail "not one error: $(cat twice.err*)"
expect_file twice/x/model.safetensors
finish
