# muster list: the runs and experiments of a folder.
. "$(dirname "$0")/lib_workers.sh"

SHORT="--dataset figures --figures.train-count 240 --figures.test-count 40 --model mlp --batch-size 60 --quiet"

line() { grep -E "^$1 +" <<<"$out"; } # of this run

case_ "without runs it says so"
muster list
expect_code 2
expect_err "runs: there is no such folder"
mkdir empty
muster list empty
expect_code 0
expect_out "empty has no runs"

case_ "a run has its state, settings, length and accuracy"
mkdir all
muster train $SHORT --epochs 2 --out all/b-first
muster train $SHORT --max-steps 3 --workers 3 --algorithm dsgd --out all/a-second
accuracy=$(json_field test_accuracy_mean <all/a-second/mlp_figures/result.json)
muster list all
expect_code 0
line b-first | grep -qE "finished +single +mlp +figures +1 +2 of 2 epochs +[0-9.]+ % +20" || fail "$out"
line a-second | grep -qE "finished +dsgd +mlp +figures +3 +3 of 3 rounds +$(python3 -c "print(f'{100 * $accuracy:.2f}')") %" ||
    fail "not the mean of the nodes, $accuracy: $out"

case_ "a run that ends with its budget has no number of epochs to reach"
muster train $SHORT --workers 2 --budget bytes:2M --out other/budget
muster list other
line budget | grep -qE "finished +sync +mlp +figures +2 +([0-9]+) of \\1 rounds " || fail "$out"

case_ "the newest is the last, whatever folders are called"
sleep 1.1 # starts are known to the second
muster train $SHORT --epochs 1 --out all/a-third
muster list all
[ "$(tail -1 <<<"$out" | cut -d' ' -f1)" = a-third ] || fail "$out"

case_ "a run under way is running, and after kill -9 it is killed"
"$MUSTER" train $SHORT --epochs 1000000 --out all/long 2>/dev/null &
pid=$!
until [ -s all/long/mlp_figures/live.json ]; do sleep 0.05; done
muster list all
line long | grep -q running || fail "not running: $out"
kill -9 $pid
wait $pid 2>/dev/null
muster list all
line long | grep -qE "killed .* of 1e\+06 epochs .*20[0-9]{2}-" || fail "not killed: $out"

case_ "an experiment is one line; its own folder lists its runs"
cat >three.yaml <<'Y'
optimizer: {lr: [0.1, 0.2, 100000]}
data: {name: figures, train_count: 240, test_count: 40}
model: mlp
train: {epochs: 2, batch_size: 60}
Y
muster run three.yaml --quiet --out all/study --only lr=0.1
muster list all
line study | grep -qE "1 of 3 finished, 2 not started +single +mlp +figures +1 +- +[0-9.]+ %" || fail "$out"
muster run three.yaml --quiet --out all/study
muster list all
line study | grep -qE "2 of 3 finished, 1 diverged" || fail "$out"
muster list all/study
[ "$(grep -c . <<<"$out")" -eq 4 ] || fail "not three runs: $out"
line lr=0.2 | grep -qE "finished .*2 of 2 epochs" || fail "$out"
line lr=100000 | grep -q diverged || fail "$out"

case_ "links and other folders are left out"
ln -s b-first all/latest
mkdir all/notes && echo x >all/notes/x
muster list all
line "(latest|notes)" && fail "$out"

case_ "a damaged run is listed with what is wrong, and keeps nothing else out"
before=$(grep -c . <<<"$out")
cp -r all/b-first all/torn && echo '{' >all/torn/effective.yaml
cp -r all/b-first all/odd && echo '[' >all/odd/mlp_figures/result.json
cp -r all/b-first all/hollow && rm -r all/hollow/mlp_figures
cp -r all/study all/worn && : >all/worn/results.json
muster list all
expect_code 0
line torn | grep -qE "finished +single +mlp +figures" || fail "not from result.json: $out"
line odd | grep -q finished || fail "$out"
line hollow | grep -q damaged || fail "$out"
expect_out "torn is damaged: all/torn/effective.yaml:"
expect_out "odd is damaged: all/odd/mlp_figures/result.json"
expect_out "hollow is damaged: all/hollow: is neither a run"
expect_out "worn is damaged: all/worn/results.json"
[ "$(grep -vc ' is damaged: ' <<<"$out")" -eq $((before + 4)) ] || fail "$out"

case_ "the same as JSON"
muster list all --json
expect_code 0
python3 - <<P || fail "$out"
import json
found = json.load(open("$WORK/.out"))
runs = {r["name"]: r for r in found["runs"]}
assert found["folder"] == "all" and len(runs) == 9
assert runs["long"]["state"] == "killed" and runs["long"]["epochs_total"] == 1e6
second = runs["a-second"]
assert (second["algorithm"], second["workers"], second["round"], second["rounds_total"]) == ("dsgd", 3, 3, 3)
assert second["test_accuracy"] == $accuracy and second["kind"] == "run" and second["damaged"] is None
study = runs["study"]
assert study["kind"] == "experiment" and study["runs"] == 3 and study["states"] == {"finished": 2, "diverged": 1}
assert runs["hollow"]["damaged"] and runs["hollow"]["state"] == "unknown" and runs["hollow"]["workers"] is None
P

finish
