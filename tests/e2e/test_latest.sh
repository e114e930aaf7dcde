# runs/latest, and commands without a folder, which take it.
. "$(dirname "$0")/lib_workers.sh"

SHORT="--dataset figures --figures.train-count 240 --figures.test-count 40 --model mlp --batch-size 60"

case_ "without runs there is nothing to take"
for command in "evaluate" "show" "export --results csv" "train --resume" "run --resume"; do
    muster $command
    expect_code 2
    expect_err "runs/latest does not exist (it points to the newest run); name a run"
done
expect_no_file runs

case_ "commands without a folder take the newest run, and say so"
muster train $SHORT --epochs 1 --name x --quiet
muster train $SHORT --epochs 2 --name y --quiet
expect_code 0
newest=$(readlink runs/latest)
[[ $newest == 20*_y ]] || fail "latest is $newest"
muster evaluate
expect_code 0
expect_err "using runs/$newest, the newest in runs"
expect_out "runs/$newest/y/model.safetensors"
muster show
expect_out "runs/$newest/y: finished"
muster export --results csv
expect_out "runs/$newest/y/y_results.csv"
muster train --resume --epochs 3
expect_code 0
expect_err "using runs/$newest, the newest in runs"
expect_out "results in runs/$newest/y"
expect_out "3 epochs"
muster train --resume --epochs 3 --quiet
expect_no_err taking

case_ "a named run is resumed as before, and stays what it is: latest is the one that was begun last"
first=$(cd runs && ls -d *_x)
muster train --resume runs/$first --epochs 2 --quiet
expect_code 0
expect_out "results in runs/$first/x"
[ "$(readlink runs/latest)" = "$newest" ] || fail "latest has moved to $(readlink runs/latest)"
muster train --resume "" --quiet
expect_code 2
expect_err "--resume: the name of the folder is empty"

case_ "a run with --out is not in runs and does not move the link"
muster train $SHORT --epochs 1 --quiet --out elsewhere/run
expect_code 0
[ "$(readlink runs/latest)" = "$newest" ] || fail "latest has moved to $(readlink runs/latest)"
expect_no_file elsewhere/latest

case_ "an experiment is the newest as a whole"
cat >two.yaml <<'Y'
name: two
seed: [1, 2]
data: {name: figures, train_count: 240, test_count: 40}
model: mlp
train: {epochs: 1, batch_size: 60}
Y
muster run two.yaml --quiet --jobs 2
expect_code 0
study=$(readlink runs/latest)
[[ $study == 20*_two ]] || fail "latest is $study"
muster run --resume
expect_code 0
expect_err "using runs/$study, the newest in runs"
expect_err "2 of 2 runs had already finished"
muster train --resume
expect_code 2
expect_err "runs/$study is an experiment; use muster run --resume"
muster evaluate
expect_code 0
expect_out "runs/$study/seed=1"
expect_out "runs/$study/seed=2"
muster export --results csv
expect_code 0
expect_file "runs/$study/seed=1/seed=1_results.csv"

case_ "run --resume of a single run names the other command"
muster train $SHORT --epochs 1 --quiet
muster run --resume
expect_code 2
expect_err "is a single run; use muster train --resume runs/"

case_ "a file of the user's stays, and training goes on"
rm runs/latest
echo mine >runs/latest
muster train $SHORT --epochs 1 --quiet
expect_code 0
[ "$(cat runs/latest)" = mine ] || fail "runs/latest was replaced"
rm runs/latest

case_ "of many that start at once one is the latest, and nothing is left over"
for i in 1 2 3 4 5 6; do
    "$MUSTER" train $SHORT --epochs 1 --quiet --name many$i >/dev/null 2>&1 &
done
wait
[[ $(readlink runs/latest) == 20*_many? ]] || fail "latest is $(readlink runs/latest)"
[ -z "$(ls runs | grep tmp)" ] || fail "left over: $(ls runs)"
muster evaluate --quiet
expect_code 0

finish
