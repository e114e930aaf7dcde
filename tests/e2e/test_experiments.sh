# Every file of experiments/ runs in its quick variant, here on a small generated set; muster
# reproduce sets what was published beside what came out.
. "$(dirname "$0")/lib.sh"

# Robots need data of their own: a small building for as many robots as the file has.
ROBOTS="--lidar.width 200 --lidar.height 160 --lidar.door 0 --lidar.border 2 --lidar.spline-resolution 2 --lidar.test-scans 20 \
    --lidar.window 20 --max-steps 8 --no-save --quiet"
SMALL="--dataset figures --figures.train-count 2000 --figures.test-count 50 --max-steps 8 --no-save --quiet"
TUNED="--only fashion* --no-save --quiet" # settings are tuned only where something is learned
MANY_ROBOTS="--lidar.spline-resolution 1 --lidar.window 10 --max-steps 4 --no-save --quiet"

# S004 needs pictures, of which there are 60 here.
python3 "$SOURCE_DIR/tests/e2e/picture_folder.py" pictures
PICTURES="--dataset folder:pictures --folder.size 32 --max-steps 4 --no-save --quiet"

for file in "$SOURCE_DIR"/experiments/{answers,s00?}/*.yaml; do
    name=${file#"$SOURCE_DIR"/experiments/}
    case_ "$name runs in its quick variant"
    case $name in
    */lidar-links.yaml | */lidar-scaling.yaml) flags=$MANY_ROBOTS ;;
    */lidar-*) flags=$ROBOTS ;;
    s004/*) flags=$PICTURES ;;
    */kfold-all.yaml) flags=$TUNED ;;
    *) flags=$SMALL ;;
    esac
    muster run "$file" --quick $flags --json --out "out/$name"
    expect_code 0
    python3 - <<'PYTHON' || fail "not every cell of $name finished: $out"
import json
study = json.load(open(".out"))
assert study["runs"] and all(c["status"] == "finished" for c in study["runs"]), study
assert all(c["test_loss"] is not None for c in study["runs"]), study
PYTHON
    case_ "$name begins with its question, and asks it in full too"
    head -1 "$file" | grep -q '^# ' || fail "no comment"
    grep -q '^# .*?$' "$file" || fail "no question mark in the comment"
    [ "$flags" = "$PICTURES" ] && data=${PICTURES%% --folder*} || data=
    muster run "$file" --list $data
    expect_code 0
done

case_ "S004's experiment has the settings and the lines of the study"
muster run "$SOURCE_DIR/experiments/s004/imagenet.yaml" --quick ${PICTURES% --quiet} --log-every 2 --out lines
expect_code 0
for n in 1 2; do # 60 pictures in batches of 16
    expect_err "Epoch: [0][1/$((n == 1 ? 4 : 2))] Loss "
done
[ "$(grep -c '^ \* Train Acc@1 [0-9.]* Train Acc@5 [0-9.]*$' <<<"$err")" -ge 4 ] || fail "no lines of training: $err"
[ "$(grep -c '^Training complete in: 0:0' <<<"$err")" -eq 4 ] || fail "not four runs: $err"
grep -qa 'Accuracy/Val' lines/study_workers=1/events.out.tfevents.* || fail "other tags"
muster run "$SOURCE_DIR/experiments/s004/imagenet.yaml"
expect_code 2
expect_err "use --dataset folder:DIR"
python3 - lines <<'PYTHON' || fail "other settings"
import re, sys
def settings(run):
    found, section = {}, ""
    for line in open(f"{sys.argv[1]}/{run}/effective.yaml"):
        match = re.match(r"( *)([a-z_0-9]+): *(.*)", line)
        if match and not match[1]:
            section = match[2]
        if match and match[3]:
            found[(section + "." if match[1] else "") + match[2]] = match[3]
    return found
study, corrected = settings("study_workers=2"), settings("corrected_workers=2")
assert study["model.name"] == "resnet18" and study["schedule.name"] == "onecycle"
assert float(study["optimizer.momentum"]) == 0.9 and float(study["optimizer.weight_decay"]) == 3e-5
assert study["optimizer.weight_decay_on"] == "all" and study["data.crop"] == "resized" == corrected["data.crop"]
assert (study["data.flip"], corrected["data.flip"]) == ("false", "true")
assert (study["data.normalize"], corrected["data.normalize"]) == ("s004", "imagenet")
PYTHON

case_ "muster reproduce lists the results there are"
muster reproduce --experiments "$SOURCE_DIR/experiments"
expect_code 0
for file in "$SOURCE_DIR"/experiments/reproduce/*.yaml; do
    expect_out "$(basename "$file" .yaml)  "
done
[ "$(wc -l <.out)" -eq "$(ls "$SOURCE_DIR"/experiments/reproduce/*.yaml | wc -l)" ] ||
    fail "files and list differ: $out"

for file in "$SOURCE_DIR"/experiments/reproduce/*.yaml; do
    name=$(basename "$file" .yaml)
    case_ "muster reproduce $name --quick compares with what was published"
    case $name in
    R11) flags=$ROBOTS ;;
    R15) flags=$PICTURES ;;
    *) flags=$SMALL ;;
    esac
    muster reproduce "$name" --experiments "$SOURCE_DIR/experiments" --quick $flags --json \
        --out "reproduce/$name"
    expect_code 0
    python3 - "$file" <<'PYTHON' || fail "no verdict about some row: $out"
import json
study = json.load(open(".out"))
told = {p["run"] for p in study["published"]}
assert len(told) == len(study["cases"]), (told, study["cases"])
assert all(p["verdict"] in ("better", "reached", "WORSE") for p in study["published"]), study
PYTHON
done

case_ "the verdict stands in the table, and a resumed study repeats it"
muster reproduce R1 --experiments "$SOURCE_DIR/experiments" --quick $SMALL --out again
expect_code 0
expect_out "89.20"
expect_out "verdict"
expect_out "a quick trial"
muster run --resume again --quiet
expect_code 0
expect_out "verdict"

case_ "a result whose data set is not there is refused at once, with how to get it"
for name in R9 r9; do # a name in any case of letters
    HOME=/nowhere XDG_DATA_HOME=/nowhere muster reproduce $name --experiments "$SOURCE_DIR/experiments" --data-dir /nowhere --out missing
    expect_code 3
    [ "$(grep -c . <<<"$err")" -eq 1 ] || fail "not one line: $err"
    expect_err "data set mnist not found: no train-images-idx3-ubyte in /nowhere/MNIST"
    expect_err "to get it: "
    expect_no_file missing
done

case_ "a result that does not exist is refused with a suggestion"
muster reproduce R99 --experiments "$SOURCE_DIR/experiments"
expect_code 2
expect_err "muster reproduce lists them"
muster reproduce --experiments nowhere
expect_code 2
expect_err "nowhere: has no folder reproduce"

finish
