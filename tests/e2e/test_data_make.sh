# muster data make: generated data sets on disk, read by Muster and by others.
. "$(dirname "$0")/lib.sh"

case_ "a folder of JPEG files, balanced, that training learns from"
muster data make folder photos --train 120 --test 40 --classes 4 --size 64x48 --quiet
expect_code 0
expect_out "120 training and 40 test pictures of 4 classes in photos"
expect_out "--dataset folder:photos"
[ "$(ls photos/train | tr '\n' ' ')" = "disc frame ring square " ] || fail "wrong classes: $(ls photos/train)"
for class in disc frame ring square; do
    [ "$(ls photos/train/$class | wc -l) $(ls photos/val/$class | wc -l)" = "30 10" ] || fail "$class is not balanced"
done
python3 - <<'P' || fail "a picture is not a JPEG file of 64 x 48 pixels"
import pathlib, sys
for path in pathlib.Path("photos").glob("*/*/*.jpg"):
    data = path.read_bytes()
    frame = data.index(b"\xff\xc0")
    sys.exit(1) if data[:2] != b"\xff\xd8" or data[frame + 5:frame + 9] != bytes([0, 48, 0, 64]) else None
P

case_ "the same flags write the same files, another seed others"
muster data make folder again --train 120 --test 40 --classes 4 --size 64x48 --quiet
muster data make folder other --train 120 --test 40 --classes 4 --size 64x48 --seed 2 --quiet
diff -r photos again >/dev/null || fail "the files differ"
diff -r photos other >/dev/null && fail "--seed changes nothing"

case_ "a part is sorted by class: some of each are shown"
muster data show folder:photos --folder.size 32 --count 4
expect_code 0
for class in disc frame ring square; do expect_out "$class"; done

case_ "ImageNet32 as NumPy reads it: counts, labels, means"
muster data make imagenet32 small --train 205 --test 30 --classes 20 --quiet
expect_code 0
/usr/bin/python3 - <<'P' || fail "NumPy reads something else"
import pickle
import numpy as np
first = 0
for k in range(1, 11):
    d = pickle.load(open(f"small/Imagenet32_train/train_data_batch_{k}", "rb"))
    count = 20 if k < 10 else 25
    assert d["data"].shape == (count, 3072) and d["data"].dtype == np.uint8
    assert d["labels"] == [(first + i) % 20 + 1 for i in range(count)]
    assert d["mean"].dtype == np.float64 and np.allclose(d["mean"], d["data"].mean(0), atol=1e-9)
    assert d["data"].std() > 10
    first += count
d = pickle.load(open("small/Imagenet32_val/val_data", "rb"))
assert d["data"].shape == (30, 3072) and len(d["labels"]) == 30 and "mean" not in d
P
muster data show imagenet32 --data-dir small --classes 20
expect_code 0
expect_out "red_disc"
expect_out "blue_checker"

case_ "training on it learns"
muster data make imagenet32 shapes --train 4000 --test 400 --quiet
muster train --dataset imagenet32 --data-dir shapes --imagenet32.classes 10 --model cnn2 --optimizer adam \
    --lr 0.001 --epochs 2 --quiet --name x --out learned
expect_code 0
python3 - <<'P' || fail "no better than chance"
import json, sys
sys.exit(json.load(open("learned/x/result.json"))["test_accuracy"] < 0.4)
P

case_ "nothing is replaced, and mistakes are named"
muster data make folder photos --quiet
expect_code 2
expect_err "photos is not empty"
muster data make folder photos/train/disc/0000001.jpg --quiet
expect_code 3
muster data make folders new
expect_code 2
expect_err 'unknown layout "folders"'
muster data make folder
expect_code 2
expect_err "needs a layout and a folder"
muster data make imagenet32 new --size 40x40
expect_code 2
expect_err "pictures of imagenet32 have 32x32 pixels"
muster data make folder new --size 40
expect_code 2
expect_err "--size"
muster data make folder new --classes 300
expect_code 2
expect_err "300 classes need as many"
muster data make imagenet32 new --train 9 --classes 5
expect_code 2
expect_err "too few for ten files"
[ ! -e new ] || fail "a failed command leaves a folder"

case_ "a stopped command leaves nothing"
"$MUSTER" data make folder stopped --train 100000 2>"$WORK/.err" &
for _ in $(seq 100); do compgen -G 'stopped.*.tmp/train/*/*.jpg' >/dev/null && break; sleep 0.1; done
kill -TERM "$!"
wait "$!"
[ $? -eq 75 ] || fail "the exit code is not 75"
compgen -G 'stopped*' >/dev/null && fail "it leaves $(ls -d stopped*)"

finish
