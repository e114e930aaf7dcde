# muster search: the best settings by cross-validation.
. "$(dirname "$0")/lib.sh"

SMALL="--dataset figures --figures.train-count 600 --figures.test-count 100 --model mnist_conv --momentum 0.9"
SMALL="$SMALL --batch-size 8 --epochs 3 --quiet"

case_ "the best case is the one with the lowest mean validation loss, and best.yaml trains with it"
muster search $SMALL --vary lr=0.001,0.01 --folds 3 --out found
expect_code 0
expect_out "best: lr=0.01 (validation loss "
command=$(echo "$out" | sed -n 's/^best: .*): //p')
case "$command" in
"muster train --dataset figures --data.train-count 600 "*" --lr 0.01 "*" --name best") ;;
*) fail "not the command: $command" ;;
esac
expect_file found/report.html
python3 - <<'PYTHON' || fail "another case is better"
import json
cases = json.load(open("found/results.json"))["cases"]
assert min(cases, key=lambda c: c["validation_loss"])["values"] == {"lr": "0.01"}, cases
PYTHON
muster run found/best.yaml --quiet --json --out best
expect_code 0
grep -q "lr: 0.01" best/effective.yaml || fail "other settings: $(cat best/effective.yaml)"
grep -q "fold" best/effective.yaml && fail "it does not train on all samples"

case_ "the printed command trains the same, and results.json has it"
eval "muster ${command#muster } --quiet --out command"
expect_code 0
expect_same {best,command}/best/model.safetensors
expect_same {best,command}/effective.yaml
python3 - "$command" <<'PYTHON' || fail "another best in results.json"
import json, sys
best = json.load(open("found/results.json"))["best"]
assert best == {"case": 1, "run": None, "values": {"lr": "0.01"}, "command": sys.argv[1]}, best
PYTHON

case_ "the command has lists, values in quotes and flags without a value, and --json has it"
printf 'layers:\n  - flatten\n  - dense: {out: 10}\n' >"my net.yaml"
SPECIAL="--dataset figures --figures.train-count 600 --figures.test-count 100 --batch-size 8 --epochs 3"
SPECIAL="$SPECIAL --momentum 0.9 --evaluate-train --folds 2 --quiet --no-report --json"
search_special() { # NAME EXPECTED FLAG...
    local name=$1 expected=$2
    shift 2
    muster search $SPECIAL "$@" --out $name
    expect_code 0
    command=$(echo "$out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["best"]["command"])')
    case "$command" in *" --evaluate-train "*" $expected "*) ;; *) fail "not the command: $command" ;; esac
    eval "muster ${command#muster } --quiet --no-report --out ${name}_command"
    expect_code 0
    muster run $name/best.yaml --quiet --no-report --out ${name}_file
    expect_same ${name}_command/effective.yaml ${name}_file/effective.yaml
}
search_special widths "--model.widths 32,16" --model mlp --vary "model.widths=32,16" --lr 0.01
search_special quoted "--model 'my net.yaml'" --model "my net.yaml" --vary lr=0.01,0.02

case_ "a file is searched like flags, also by two processes at a time, with the same result"
muster search found/experiment.yaml --jobs 2 --quiet --out file
expect_code 0
expect_out "best: lr=0.01 (validation loss "
expect_out "): muster run file/best.yaml"
for run in lr=0.001_fold=1 lr=0.01_fold=3; do
    expect_same found/$run/model.safetensors file/$run/model.safetensors
done
expect_same found/best.yaml file/best.yaml

case_ "--random tries some of the combinations, and more of them the next time"
RANDOM_GRID="--vary lr=0.001,0.002,0.005,0.01 --vary momentum=0,0.5,0.9 --folds 2 --list"
RANDOM_SMALL="--dataset figures --model mnist_conv"
muster search $RANDOM_SMALL $RANDOM_GRID --random 4
expect_code 0
echo "$out" | sort >four
[ "$(wc -l <four)" -eq 8 ] || fail "not four cases: $out"
[ "$(grep -c fold=2 four)" -eq 4 ] || fail "not both folds: $out"
muster search $RANDOM_SMALL $RANDOM_GRID --random 7
echo "$out" | sort >seven
[ "$(comm -12 four seven | wc -l)" -eq 8 ] || fail "the four are not among the seven"
muster search $RANDOM_SMALL $RANDOM_GRID --random 4 --seed 2
echo "$out" | sort >others
expect_different four others
muster search $RANDOM_SMALL $RANDOM_GRID --random 0
expect_code 2
expect_err '--random: "0" is not a whole number from 1 to 10000'

case_ "--random draws from ranges, the same cases each time and from a file, and more the next time"
RANGES="--vary lr=0.001..0.1 --vary momentum=0,0.9 --folds 2"
muster search $RANDOM_SMALL $RANGES --random 3 --list
expect_code 0
echo "$out" >three
[ "$(wc -l <three)" -eq 6 ] || fail "not three cases: $out"
grep -q "^lr=0.0[0-9]*_momentum=0[.9]*_fold=1$" three || fail "other names: $out"
muster search $RANDOM_SMALL $RANGES --random 5 --list
echo "$out" | head -6 | cmp -s - three || fail "other cases: $out"
muster search ${SMALL/--momentum 0.9/} $RANGES --random 2 --no-save --out ranges
expect_code 0
expect_out "best: lr=0.0"
head -4 three >two
muster search ranges/experiment.yaml --list
echo "$out" | cmp -s - two || fail "the file of the search draws others: $out"
muster run --resume ranges --quiet
expect_code 0
expect_out "best: lr=0.0"
muster search $RANDOM_SMALL $RANGES
expect_code 2
expect_err "--vary lr: the range 0.001..0.1 needs muster search with --random N, which draws from it"

case_ "without folds, a part of the samples that is set aside decides, and not the test set"
muster search $SMALL --vary lr=0.005,0.006,0.008 --seed 2 --validation 0.2 --out part
expect_code 0
python3 - <<'PYTHON' || fail "not the lowest validation loss: $out"
import json
results = json.load(open("part/results.json"))
best = min(results["cases"], key=lambda c: c["validation_loss"])
assert "\n  lr: " + best["values"]["lr"] + "\n" in open("part/best.yaml").read()
PYTHON
expect_out "validation loss "
grep -q validation part/best.yaml && fail "best.yaml does not train on all samples"

case_ "the report of a search over two options has a heat map of them, and --format svg writes it"
muster search ${SMALL/--momentum 0.9/} --vary lr=0.001,0.01 --vary momentum=0,0.9 --folds 2 --out map
expect_code 0
grep -q 'data-name="options"' map/report.html || fail "no heat map in the page"
grep -q 'Mean validation loss by lr and momentum' map/report.html || fail "not of the two options"
grep -q 'data-name="options"' found/report.html && fail "a heat map of one option"
muster report map --format svg --out pictures
expect_code 0
grep -q 'class="best"' pictures/options.svg || fail "the best cell has no mark"

case_ "settings that diverge are never the best"
muster search $SMALL --vary lr=0.01,1000 --folds 2 --out diverged
expect_out "best: lr=0.01 "

case_ "the test set has no say, and a lower loss is not passed over in silence"
edit_result() { # FILE KEY=VALUE...
    python3 - "$@" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
result.update((k, float(v)) for k, v in (a.split("=") for a in sys.argv[2:]))
json.dump(result, open(sys.argv[1], "w"))
PYTHON
}
GOOD="--vary lr=0.001,0.01 --folds 3"
cp -r found edited
edit_result edited/lr=0.01_fold=1/result.json test_accuracy=0.01
muster search $SMALL $GOOD --out edited
expect_out "best: lr=0.01 (validation loss "
edit_result edited/lr=0.01_fold=1/result.json validation_accuracy=0.01
muster search $SMALL $GOOD --out edited
expect_out "not chosen: lr=0.01 (validation loss "
expect_out "), because 1 of 3 runs is no better than a constant guess"

case_ "best.yaml does not stay when there is no best case any more"
expect_file edited/best.yaml
for run in lr=0.001_fold=1 lr=0.01_fold=1; do edit_result edited/$run/result.json validation_accuracy=0.01; done
muster search $SMALL $GOOD --out edited
expect_out "best: unknown; no case that has finished is better than a constant guess"
expect_no_file edited/best.yaml

case_ "the command for a folder with a space is quoted"
muster search found/experiment.yaml --quiet --out "my search"
expect_out "): muster run 'my search/best.yaml'"

case_ "a search over epochs keeps evaluate_every in best.yaml"
muster search ${SMALL/--epochs 3/} --lr 0.005 --vary epochs=1,4 --evaluate-every 4 --validation 0.2 --out every
expect_out "best: epochs=4"
expect_out " --evaluate-every 4 "
grep -q "evaluate_every: 4" every/best.yaml || fail "another evaluate_every: $(cat every/best.yaml)"

case_ "a search that was killed resumes without repeating a finished fold"
"$MUSTER" search $SMALL --vary lr=0.001,0.005,0.01 --folds 3 --out killed >/dev/null 2>&1 &
search=$!
until [ "$(ls -d killed/*/result.json 2>/dev/null | wc -l)" -ge 2 ] || ! kill -0 $search 2>/dev/null; do sleep 0.02; done
kill -KILL $search 2>/dev/null
wait $search 2>/dev/null
for f in killed/*/result.json; do stat -c '%n %i %Y' "$f"; done >before
[ "$(wc -l <before)" -ge 2 ] || fail "no fold had finished"
muster search $SMALL --vary lr=0.001,0.005,0.01 --folds 3 --out killed
expect_code 0
expect_out "best: lr="
while read -r name rest; do
    [ "$(stat -c '%n %i %Y' "$name")" = "$name $rest" ] || fail "$name was written again"
done <before
[ "$(ls -d killed/*_fold=*/result.json | wc -l)" -eq 9 ] || fail "not all folds have run"
muster search $SMALL --vary lr=0.001,0.005,0.01 --folds 3 --out whole
expect_code 0
expect_same killed/best.yaml whole/best.yaml

case_ "mistakes are named before anything runs"
muster search $SMALL --folds 3
expect_code 2
expect_err "muster search needs an experiment file with lists, or at least one --vary"
muster search $SMALL --vary lr=0.001,0.01
expect_code 2
expect_err "muster search compares settings by samples that are set aside, but run lr=0.001 sets none aside; use --folds 5 or --validation 0.1"
muster search $SMALL --vary lr=0.001,0.01 --validation 0
expect_code 2
expect_err "but run lr=0.001 sets none aside"
muster search found/experiment.yaml --vary lr=0.1,0.2
expect_code 2
expect_err "--vary conflicts with the experiment file found/experiment.yaml"
muster search $SMALL --vary nonsense=1,2 --folds 2
expect_code 2
expect_err "unknown flag --nonsense of muster search"
muster search $SMALL --vary lr=0.1,0.2 --folds 2 --random 1000000000
expect_code 2
expect_err '--random: "1000000000" is not a whole number from 1 to 10000'
muster search $SMALL --vary lr=0.1,0.2 --folds 1
expect_code 2
expect_err "1 leaves nothing to train on"
muster search $SMALL --vary lr=0.1,0.2 --vary seed=1..3 --folds 2 --random 2
expect_code 2
expect_err "seed cannot have a range, because it repeats a case"
muster search ${SMALL/--epochs 3/} --vary epochs=0,3 --folds 2
expect_code 2
expect_err "train.epochs: 0 is not a number of epochs to choose from"
muster search ${SMALL/--quiet/} --vary lr=0.1,0.2,0.3 --folds 2 --random 100 --list
expect_code 0
expect_err "random 100: there are only 3 different cases"

case_ "the short help has what a search needs"
muster search --help
for flag in "--folds K" "--validation" "--random N" "--halving[=N]"; do expect_out "  $flag"; done

case_ "--quick needs a file"
muster search $SMALL --vary lr=0.1,0.2 --folds 2 --quick
expect_code 2
expect_err "--quick: needs an experiment file"

finish
