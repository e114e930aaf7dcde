# Data sets of the user's own files: tables, arrays.
. "$(dirname "$0")/lib.sh"

HERE=$SOURCE_DIR/tests/e2e
TRAIN="--model mlp --optimizer adam --lr 0.01 --quiet --name x"

# The test accuracy of the run in a folder is more than a number.
expect_accuracy() {
    python3 - "$1/x/result.json" "$2" <<'P' || fail "$1: $(cat "$1/x/result.json")"
import json, sys
sys.exit(not json.load(open(sys.argv[1]))["test_accuracy"] > float(sys.argv[2]))
P
}

python3 - <<'P'
import random
draw = random.Random(1)
with open("points.csv", "w") as classes, open("values.csv", "w") as values:
    classes.write("number,a,b,side\n")
    for i in range(600):
        a, b = draw.gauss(1000, 5), draw.gauss(0, 0.01)
        side = "left" if (a - 1000) / 5 < b / 0.01 else "right"
        classes.write(f"{i},{a},{b},{side}\n")
        values.write(f"{a}\t{b}\t{(a - 1000) / 5 + b / 0.01}\n")
P

case_ "a network learns the classes of a table, whose columns are normalised each by itself"
muster train --dataset csv:points.csv --csv.ignore number $TRAIN --epochs 10 --out points
expect_code 0
expect_accuracy points 0.9
grep -q 'normalize: channel' points/effective.yaml || fail "not normalised by column"

case_ "the run is repeated from its settings in another folder, with the same bytes"
mkdir elsewhere
(cd elsewhere && "$MUSTER" run ../points/effective.yaml --quiet --out ../again) || fail "not repeated"
expect_same points/x/model.safetensors again/x/model.safetensors

case_ "numbers are predicted from a table without a header"
muster train --dataset csv:values.csv --csv.targets 3 $TRAIN --epochs 20 --out values
expect_code 0
loss=$(json_field test_loss <values/x/result.json)
python3 -c "import sys; sys.exit(not float('$loss') < 0.2)" || fail "loss $loss" # of the mean: 2

case_ "a table is shown with its classes"
muster data show csv:points.csv --data.ignore number --count 2
expect_code 0
expect_out "541 training and 59 test samples of 2 x 1 x 1 numbers"
expect_out "0 left"
muster data list
expect_code 0
expect_out "your own: --dataset csv:FILE"

case_ "a table of more columns than an image has channels is trained on"
python3 - <<'P'
import random
draw = random.Random(2)
with open("wide.csv", "w") as f:
    for i in range(100):
        f.write(",".join(str(draw.random() + i % 2) for _ in range(784)) + f",{i % 2}\n")
P
muster train --dataset csv:wide.csv $TRAIN --epochs 3 --out wide
expect_code 0
expect_accuracy wide 0.99

case_ "a network learns images and numbers of arrays of NumPy"
python3 - <<'P'
import numpy as np
draw = np.random.default_rng(1)
labels = draw.integers(0, 3, 900)
images = draw.integers(0, 100, (900, 8, 8, 3), dtype=np.uint8)
images[labels == 1, 2:6, 2:6] += 100
images[labels == 2, :, :, 0] += 100
np.savez("images.npz", x_train=images[:800], y_train=labels[:800], x_test=images[800:], y_test=labels[800:])
numbers = images.reshape(900, -1)[:, ::2].astype(np.float64) * 1000
np.save("numbers.npy", numbers)
np.save("labels.npy", labels)
P
muster train --dataset npz:images.npz $TRAIN --epochs 4 --out images
expect_code 0
expect_accuracy images 0.9
muster train --dataset npz:numbers.npy --npz.labels labels.npy $TRAIN --epochs 4 --out numbers
expect_code 0
expect_accuracy numbers 0.9
muster data show npz:images.npz --count 1
expect_code 0
expect_out "800 training and 100 test samples of 3 x 8 x 8 bytes"

case_ "CIFAR-10 for Python, as torchvision leaves it, is found and trained on"
mkdir -p python
python3 "$SOURCE_DIR/tests/unit/own_files.py" cifar python
muster train --dataset cifar10 --data-dir python --model mlp --epochs 1 --batch-size 4 --quiet --name x --out cifar
expect_code 0
expect_err "only 2 of the 5 training files of cifar10 are there"
expect_file cifar/x/model.safetensors

case_ "KMNIST and a split of EMNIST are found and trained on"
python3 "$HERE/tiny_mnist.py" letters
mv letters/MNIST letters/KMNIST
mkdir -p letters/EMNIST/raw
for file in letters/KMNIST/raw/*; do
    name=$(basename "$file")
    cp "$file" "letters/EMNIST/raw/emnist-digits-$(sed 's/t10k/test/' <<<"$name")"
done
for set in kmnist "emnist --emnist.split digits"; do
    muster train --dataset $set --data-dir letters $TRAIN --epochs 1 --out "${set:0:6}"
    expect_code 0
    expect_accuracy "${set:0:6}" 0.15 # of the same class always: 0.1
done
muster train --dataset emnist --data-dir letters $TRAIN --out wrong
expect_code 3
expect_err "has no emnist-balanced-train-images-idx3-ubyte, plain or .gz"

case_ "ImageNet32 is trained on from its files, with the mean image or without, and repeats by the bit"
python3 "$SOURCE_DIR/tests/unit/own_files.py" imagenet small
export XDG_DATA_HOME=$WORK/home
SMALL="--dataset imagenet32 --data-dir small --model mlp --epochs 2 --batch-size 2 --quiet --name x"
for folder in mean mean2; do
    muster train $SMALL --imagenet32.classes 3 --normalize image --out $folder
    expect_code 0
done
expect_same mean/x/model.safetensors mean2/x/model.safetensors
muster train $SMALL --imagenet32.classes 3 --out constants
expect_code 0
expect_different mean/x/model.safetensors constants/x/model.safetensors
muster data show imagenet32 --data-dir small --data.classes 3
expect_code 0
expect_out "8 training and 3 test samples of 3 x 32 x 32"
expect_out "1 English_setter          4        1"
muster train --dataset cifar10 --data-dir python --model mlp --normalize image --out wrong
expect_code 2
expect_err "data set cifar10 has no mean image"

case_ "mistakes are named with file, line and column, or with the option"
printf 'a,b,k\n1,2,x\n3,four,y\n' >wrong.csv
muster train --dataset csv:wrong.csv $TRAIN --out wrong
expect_code 2
expect_err 'wrong.csv:3:3: "four" is not a number in column 2 (b)'
printf 'a;b;k\n1;2;x\n3;0,5;y\n' >comma.csv
muster train --dataset csv:comma.csv $TRAIN --out wrong
expect_code 2
expect_err 'comma.csv:3:3: "0,5" is not a number (a decimal comma must be a point) in column 2 (b)'
muster train --dataset csv:missing.csv $TRAIN --out wrong
expect_code 3
expect_err "missing.csv"
muster train --dataset csv $TRAIN --out wrong
expect_code 2
expect_err "data.path: is missing; use --dataset csv:FILE"
muster train --dataset csv:points.csv --csv.label color $TRAIN --out wrong
expect_code 2
expect_err 'has no column "color"; it has columns 1 to 4, named number, a, b, side'
muster train --dataset csv:points.csv --data-dir . $TRAIN --out wrong
expect_code 2
expect_err "--data-dir: data set csv is a file; use --dataset csv:FILE"
muster train --dataset npz:points.csv $TRAIN --out wrong
expect_code 2
expect_err "points.csv: "
python3 -c 'import zipfile; zipfile.ZipFile("named.npz", "w").writestr("bil.der.npy", "")'
muster train --dataset npz:named.npz $TRAIN --out wrong
expect_code 2
expect_err "such as x_train; name one of its arrays: bil.der"
expect_no_file wrong

finish
