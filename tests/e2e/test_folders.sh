# Folders of pictures: layouts, augmentation, loader threads, broken files, messages.
. "$(dirname "$0")/lib.sh"

make() { python3 "$SOURCE_DIR/tests/e2e/picture_folder.py" "$@"; }
cp_jpeg() { cp "$SOURCE_DIR/tests/fuzz/corpus_jpeg/$1" "$2"; }
SMALL="--folder.size 16 --model mlp --lr 0.01 --momentum 0.9 --batch-size 8 --epochs 4 --name x --no-report --quiet"

make split split
cp_jpeg 420 split/train/dark/photo.jpeg
cp_jpeg cmyk split/train/dark/print.JPG
echo notes >split/train/dark/README.txt

case_ "pictures of different sizes and formats in train/CLASS and val/CLASS are learned"
muster train --dataset folder:split $SMALL --json --out split_run
expect_code 0
python3 - <<'PYTHON' || fail "not learned: $out"
import json
run = json.load(open(".out"))
assert run["test_accuracy"] > 0.9, run
PYTHON
muster data show folder:split
expect_code 0
expect_out "62 training and 18 test samples"
expect_out "stripes"

case_ "the folder may be an option of a file, and a run is evaluated and resumed from elsewhere"
cat >folder.yaml <<'Y'
data: {name: folder, path: split, size: 16, crop: resized, flip: true}
model: mlp
name: x
optimizer: {name: sgd, lr: 0.01}
train: {batch_size: 8, epochs: 2}
Y
muster run folder.yaml --no-report --quiet --out whole
expect_code 0
muster run folder.yaml --epochs 1 --no-report --quiet --out part
expect_code 0
mkdir -p elsewhere
(cd elsewhere && "$MUSTER" train --resume ../part/x --epochs 2 --quiet --no-report 2>"$WORK/.err") || fail "$(cat .err)"
expect_same part/x/model.safetensors whole/x/model.safetensors
(cd elsewhere && "$MUSTER" evaluate ../whole/x >/dev/null 2>"$WORK/.err") || fail "$(cat .err)"

case_ "a flag may name the folder of a file's runs, and set its options"
sed 's/ path: split, size: 16,//; s/^name: x/runs: {x: {}, y: {seed: 2}}/' folder.yaml >any_folder.yaml
muster run any_folder.yaml --dataset folder:split --folder.size 16 --no-report --quiet --out any
expect_code 0
expect_same any/x/model.safetensors whole/x/model.safetensors
muster run any_folder.yaml --dataset folder:split --csv.targets y --no-report --quiet --out none
expect_code 2
expect_err "this is an option of data set csv, which no run uses"

case_ "loader threads and workers' transports change no bit"
for loaders in 0 1 5; do
    muster run folder.yaml --data.loaders $loaders --data.ahead $((loaders + 1)) --no-report --quiet --out "loaders$loaders"
    expect_code 0
    expect_same "loaders$loaders/x/model.safetensors" whole/x/model.safetensors
done
for threads in 1 2; do
    muster run folder.yaml --workers 2 --algorithm sync --threads $threads --no-report --quiet --out "workers$threads"
    expect_code 0
done
expect_same workers1/x/model.safetensors workers2/x/model.safetensors

case_ "views vary from epoch to epoch, and not at all without crop and flip"
muster run folder.yaml --data.crop none --data.flip=false --no-report --quiet --out plain
expect_code 0
cmp -s plain/x/model.safetensors whole/x/model.safetensors && fail "crops changed nothing"

case_ "CLASS folders alone are split by the seed, the same every time"
make one one
for k in 1 2; do
    muster train --dataset folder:one $SMALL --json --out "one$k"
    expect_code 0
done
expect_same one1/x/model.safetensors one2/x/model.safetensors
muster data show folder:one
expect_out "54 training and 6 test samples"

case_ "Tiny ImageNet's layout is read as it is"
make tiny tiny
muster train --dataset folder:tiny $SMALL --json --out tiny_run
expect_code 0
muster data show folder:tiny
expect_out "60 training and 18 test samples"
printf 'val_9.png\tcats\t0\n' >>tiny/val/val_annotations.txt
muster train --dataset folder:tiny $SMALL --out tiny_bad
expect_code 2
expect_err "val_annotations.txt:19: "
expect_err "has no class cats"

case_ "a folder after --dataset takes the place of the one in a file or of a run"
make other each:2
muster run folder.yaml --dataset folder:other --epochs 1 --no-report --quiet --out replaced
expect_code 0
grep -q "path: .*/other$" replaced/effective.yaml || fail "$(cat replaced/effective.yaml)"
muster evaluate replaced --dataset folder:split
expect_code 2
expect_err "2 tensors have another shape"
cp -r split fewer
rm fewer/val/dark/00.png
muster evaluate split_run --dataset folder:fewer
expect_code 0
expect_out "(17 samples)"
expect_no_err warning
for part in train val; do mv fewer/$part/dark fewer/$part/night; done
muster evaluate split_run --dataset folder:fewer
expect_code 0
expect_err "class 0 was dark in training and is light in these data"

case_ "a broken picture is named; skip:N replaces it, N at most, and says so"
head -c 200 split/train/light/03.PNG >split/train/light/04.png
cp_jpeg 420 split/train/dark/cut.jpg
truncate -s 500 split/train/dark/cut.jpg
muster train --dataset folder:split $SMALL --out broken
expect_code 2
expect_err "split/train/"
expect_err "a run with --data.broken skip:N replaces up to N broken pictures"
muster data show folder:split --folder.size 16 --count 100 --png sheet.png
expect_code 0
expect_err "warning: split/train/light/04.png"
expect_out "63 samples in sheet.png"
muster train --dataset folder:split $SMALL --data.broken skip:2 --out skipped
expect_code 0
expect_err "light/04.png"
expect_err "dark/cut.jpg"
expect_err "(2 of at most 2)"
grep -q "light/04.png" skipped/log.txt || fail "log.txt does not name the file"
expect_out "a sample could not be read 8 times; others of its class were used"

# replaced_samples and the number of broken_samples of the run in a folder, and the rest of their paths.
expect_broken() {
    python3 - "$1/x/result.json" "$2" "${@:3}" <<'P' || fail "$1: $(cat "$1/x/result.json")"
import json, sys
run, replaced, *names = json.load(open(sys.argv[1])), *sys.argv[2:]
assert run["replaced_samples"] == int(replaced), run["replaced_samples"]
assert len(run["broken_samples"]) == len(names), run["broken_samples"]
assert all(path.endswith(name) for path, name in zip(run["broken_samples"], names)), run["broken_samples"]
P
}
expect_broken skipped 8 train/dark/cut.jpg train/light/04.png # both in each of 4 epochs
muster report skipped
grep -q "others of their class: 8 in batches of training. Files: .*dark/cut.jpg, .*light/04.png" skipped/report.html ||
    fail "not in the report"
python3 -c 'import json, sys; sys.exit("replaced_samples" in json.load(open("split_run/x/result.json")))' ||
    fail "a run without data.broken counts"

case_ "broken pictures are counted by any number of workers, and by a run that is resumed, as by one worker"
for how in "--workers 3" "--workers 2 --algorithm ps-async" "--workers 2 --algorithm hogwild" "--workers 3 --algorithm dsgd"; do
    rm -rf several
    muster train --dataset folder:split $SMALL --data.broken skip:2 $how --out several
    expect_code 0
    expect_broken several 8 train/dark/cut.jpg train/light/04.png
done
muster train --dataset folder:split $SMALL --data.broken skip:2 --max-steps 12 --out resumed
expect_code 0
muster train --resume resumed --max-steps 0 --quiet
expect_code 0
expect_broken resumed 8 train/dark/cut.jpg train/light/04.png
expect_same skipped/x/model.safetensors resumed/x/model.safetensors
muster train --resume resumed --max-steps 0 --quiet # it has nothing left to do
expect_code 0
expect_broken resumed 8 train/dark/cut.jpg train/light/04.png
cp split/val/dark/00.png keep.png
printf x >split/val/dark/00.png # of the evaluation alone: no batch has it
muster train --dataset folder:split $SMALL --data.broken skip:3 --out tested
expect_code 0
expect_broken tested 8 train/dark/cut.jpg train/light/04.png val/dark/00.png
cp keep.png split/val/dark/00.png

case_ "more broken pictures than allowed end the run"
muster train --dataset folder:split $SMALL --data.broken skip:1 --out toomany
expect_code 2
expect_err "data.broken allows 1"

case_ "a named pipe among the pictures does not make a run wait"
cp -r other pipes
mkfifo pipes/train/0000/pipe.jpg
timeout -k 1 60 "$MUSTER" train --dataset folder:pipes $SMALL --out piped 2>.err
code=$? err=$(cat .err)
expect_code 3
expect_err "pipes/train/0000/pipe.jpg"

case_ "a class without a readable picture is named"
cp -r other unreadable
: >unreadable/train/0001/00.png
muster train --dataset folder:unreadable $SMALL --data.broken skip:9 --out unread
expect_code 3
expect_err "no picture of class 0001 can be read"

case_ "letters of several bytes are one letter in tables and pictures"
cp -r other letters
for part in train val; do mv letters/$part/0000 "letters/$part/grün"; done
muster data show folder:letters
expect_out "    1 grün                    1        1"
muster data show folder:letters --folder.size 40 --png umlaut.png
for part in train val; do mv "letters/$part/grün" "letters/$part/gr^n"; done # a letter without a shape
muster data show folder:letters --folder.size 40 --png frame.png
expect_code 0
expect_same umlaut.png frame.png

case_ "mistakes are explained in one line"
mkdir -p empty nothing/train/a nothing/val/a
expect_mistake() { # PART FLAGS...
    local part=$1
    shift
    muster train $SMALL --out mistake "$@"
    [ "$code" -ne 0 ] || fail "no error"
    [ "$(grep -c . <<<"$err")" -eq 1 ] || fail "not one line: $err"
    expect_err "$part"
    expect_no_file mistake
}
expect_mistake "empty: has no folders; each class of pictures needs one" --dataset folder:empty
expect_mistake "nothing/train/a: has no pictures (.jpg, .jpeg or .png)" --dataset folder:nothing
expect_mistake "nowhere: cannot read the folder" --dataset folder:nowhere
expect_mistake "use --dataset folder:DIR" --dataset folder
expect_mistake "use --dataset folder:DIR" --dataset folder:
expect_mistake "--folder.path: other contradicts the name folder:split" --dataset folder:split --folder.path other
expect_mistake "would read all pictures" --dataset folder:split --normalize set
expect_mistake "is not error or skip:N" --dataset folder:split --data.broken ignore
muster train --dataset figures --figures.train-count 20 --data.flip --out grey
expect_code 2
expect_err "data.flip: data set figures has no colour images"
rm -r split/val/light
expect_mistake "split/val: has no class light, which is in split/train" --dataset folder:split

case_ "folders inside the folder of a class are left out with a warning"
python3 "$SOURCE_DIR/tests/e2e/picture_folder.py" nested
mkdir nested/train/dark/more
cp nested/train/light/00.png nested/train/dark/more
muster data show folder:nested --folder.size 16 --count 0
expect_code 0
expect_err "nested/train/dark: has folders inside, such as more; their pictures are left out"
[ "$(grep -c "folders inside" <<<"$err")" -eq 1 ] || fail "not one warning: $err"

finish
