# The loss landscape: plane, grid and paths agree with NumPy, are saved and reused.
. "$(dirname "$0")/lib_workers.sh"

# Noise, brighter in the rows of the label: every weight of a convolution counts.
mkdir -p data/mnist
python3 - data/mnist <<'P' || fail "no data"
import random, struct, sys
numbers = random.Random(1)
for part, count in (("train", 500), ("t10k", 200)):
    labels = bytes(i % 10 for i in range(count))
    images = b"".join(bytes(numbers.randrange(60 if y // 3 != label else 256) for y in range(28) for x in range(28))
                      for label in labels)
    open(f"{sys.argv[1]}/{part}-images-idx3-ubyte", "wb").write(struct.pack(">IIII", 2051, count, 28, 28) + images)
    open(f"{sys.argv[1]}/{part}-labels-idx1-ubyte", "wb").write(struct.pack(">II", 2049, count) + labels)
P
LENET="--dataset mnist --data-dir data --model lenet5 --batch-size 50 --lr 0.02 --epochs 2 --saves-per-epoch 3 --name x --quiet --no-report"

case_ "PCA, distances and losses agree with NumPy to 1e-5"
for momentum in 0 0.9; do
    muster train $LENET --momentum $momentum --out run$momentum
    expect_code 0
    muster export run$momentum --snapshots npy --out $momentum.npy
    expect_code 0
done
muster landscape run0 run0.9 --grid 5 --samples 128 --out both
expect_code 0
expect_out "loss on 128 test samples of mnist"
expect_out "plane: PCA of 14 snapshots, explains"
expect_out "both/landscape.html"
/usr/bin/python3 "$SOURCE_DIR/tests/golden/landscape.py" data/mnist both 0.npy 0.9.npy || fail "NumPy differs"

case_ "it does not depend on the number of cores"
taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$MUSTER" landscape run0 run0.9 --grid 5 --samples 128 --out one >/dev/null 2>&1 ||
    fail "failed on one core"
expect_same both/landscape.npy one/landscape.npy
expect_same both/landscape_path.npy one/landscape_path.npy

case_ "the losses are reused as long as nothing that they depend on changes"
muster landscape run0 run0.9 --grid 5 --samples 128 --out both
expect_code 0
expect_err "the losses in both are used; --again measures again"
expect_no_err "points"
cp both/landscape.npy before.npy
muster landscape run0 run0.9 --grid 5 --samples 128 --out both --again
expect_code 0
expect_no_err "are used"
expect_same before.npy both/landscape.npy
muster landscape run0 run0.9 --grid 5 --samples 64 --out both
expect_no_err "are used"
expect_different before.npy both/landscape.npy
muster landscape run0.9 --grid 5 --samples 128
expect_code 0
expect_file run0.9/x/landscape.html
printf 'no array' >run0.9/x/landscape.npy
muster landscape run0.9 --grid 5 --samples 128
expect_no_err "are used"
for file in landscape.npy landscape_path.npy; do
    muster landscape run0.9 --grid 5 --samples 128
    expect_err "are used"
    cp run0.9/x/$file intact.npy
    python3 -c 'import sys
file = open(sys.argv[1], "r+b")
file.seek(-3, 2)
byte = file.read(1)
file.seek(-3, 2)
file.write(bytes([byte[0] ^ 1]))' run0.9/x/$file
    expect_different intact.npy run0.9/x/$file
    muster landscape run0.9 --grid 5 --samples 128
    expect_no_err "are used" # a byte is not as it was written
    expect_same intact.npy run0.9/x/$file
done

case_ "without --samples it is the whole test set, whose loss at the last snapshot is the run's"
muster landscape run0.9 --grid 2 --json
expect_code 0
python3 - "$out" run0.9/x/result.json <<'P' || fail "other loss"
import json, sys
landscape, result = json.loads(sys.argv[1]), json.load(open(sys.argv[2]))
assert landscape["data"] == "200 test samples of mnist", landscape["data"]
last = landscape["runs"][0]["points"][-1]
assert abs(last["loss"] - result["test_loss"]) < 1e-6, (last, result["test_loss"])
assert len(landscape["grid"]["losses"]) == 4
P

case_ "random directions go through the last snapshot"
for how in random filter; do
    muster landscape run0 --directions $how --grid 3 --samples 64 --json --out $how
    expect_code 0
    python3 - "$out" <<'P' || fail "$how: the middle is not the last snapshot"
import json, sys
landscape = json.loads(sys.argv[1])
last = landscape["runs"][0]["points"][-1]
assert landscape["grid"]["x"] == [-1, 0, 1]
assert landscape["explained"] == [None, None]
assert landscape["grid"]["losses"][4] == last["loss"] == last["plane_loss"]
assert abs(last["x"]) < 1e-12 and last["distance"] == 0
P
done
expect_different random/landscape.npy filter/landscape.npy
muster landscape run0 --directions filter --seed 2 --grid 3 --samples 64 --out seed
expect_different seed/landscape.npy filter/landscape.npy

case_ "BatchNorm's statistics are measured again, and the page says so"
trained norm --batch-size 16 --model mnist_bn --epochs 1 --saves-per-epoch 3 --no-report
muster landscape norm --grid 2
expect_code 0
expect_out "BatchNorm's statistics are measured again at every point (16 batches)"
grep -q "statistics are measured again at every point, with 16 batches" norm/x/landscape.html || fail "not on the page"
cp -r norm again
muster landscape norm again --between --grid 2 --samples 64 --out norms
expect_out "BatchNorm's statistics are measured again at every point (16 batches)"
grep -q "statistics are measured again at every point, with 16 batches" norms/between.html || fail "not on the page"
muster landscape run0 --grid 2 --samples 64 # has no BatchNorm
grep -q "BatchNorm" <<<"$out" && fail "there is none: $out"
grep -q "statistics are measured" run0/x/landscape.html && fail "on the page of a network without BatchNorm"

case_ "runs that have nothing in common are an error"
trained none --batch-size 16 --model mnist_conv --epochs 1 --no-report
muster landscape none
expect_code 2
expect_err "none/x/snapshots.bin: missing; snapshots are written with --saves-per-epoch"
trained other --batch-size 16 --model mnist_conv --epochs 1 --saves-per-epoch 2 --no-report
muster landscape norm other --out x
expect_code 2
expect_err "other/x: another network than that of norm/x"
muster landscape run0 norm --out x
expect_code 2
expect_err "norm/x was trained on figures, but run0/x on mnist"
muster landscape run0 run0.9
expect_code 2
expect_err "--out: missing"

case_ "--each makes one of every run of a folder, and reports runs without snapshots"
mkdir folder
cp -r run0/x folder/a
cp -r run0.9/x folder/b
cp -r none/x folder/c
cp run0/effective.yaml folder/a
cp run0.9/effective.yaml folder/b
cp none/effective.yaml folder/c
rm -f folder/*/landscape*
muster landscape folder --each --grid 3 --samples 64
expect_code 0
expect_err "folder/c/snapshots.bin: missing"
for run in a b; do
    expect_out "folder/$run/landscape.html"
    expect_file folder/$run/landscape.html
    expect_file folder/$run/landscape.npy
done
expect_no_file folder/c/landscape.html
expect_different folder/a/landscape.npy folder/b/landscape.npy
muster landscape folder --each --out x
expect_code 2
expect_err "--each conflicts with --out"

case_ "losses and barriers between models agree with NumPy to 1e-5"
muster train $LENET --seed 2 --momentum 0.9 --out other_seed
muster export other_seed --snapshots npy --out seed.npy
muster landscape run0 run0.9 other_seed --between --grid 5 --samples 128 --out between
expect_code 0
expect_out "loss on 128 test samples of mnist, at 5 points of each line"
expect_out "between/between.html"
/usr/bin/python3 "$SOURCE_DIR/tests/golden/landscape.py" data/mnist between 0.npy 0.9.npy seed.npy || fail "NumPy differs"
[ "$(grep -c "<polyline\|<path" between/between.html)" -gt 0 ] || fail "no lines on the page"
grep -q "Content-Security-Policy" between/between.html || fail "no policy"
muster landscape norm again --between --grid 3 --samples 64 --json --out same
expect_code 0
python3 - "$out" <<'P' || fail "a model has a barrier to itself"
import json, sys
between = json.loads(sys.argv[1])
assert between["recalibrated"] == 16
assert len(set(between["losses"][0])) == 1 and between["barriers"] == [[0, 0], [0, 0]], between
P

case_ "lines need runs of the same network"
muster landscape norm other --between --out x
expect_code 2
expect_err "other/x: another network than that of norm/x"
muster landscape run0 run0.9 --between --each
expect_code 2
expect_err "--between conflicts with --each"
muster landscape run0 --seed 2
expect_code 2
expect_err "--seed: is only for --directions random or filter, and --sharpness"

case_ "the table has what differs between runs, their results, and the gap where it was measured"
muster train $LENET --momentum 0.5 --evaluate-train --seed 3 --out gap
muster landscape run0 gap --grid 2 --samples 64 --out table
expect_code 0
grep -q "^run  *momentum  *seed  *train accuracy, %  *test accuracy, %  *gap, points  *train loss  *test loss$" <<<"$out" || fail "another table: $out"
python3 - "$out" run0/x/result.json gap/x/result.json table/landscape.html <<'P' || fail "another table: $out"
import json, re, sys
lines = sys.argv[1].splitlines()
first = next(i for i, line in enumerate(lines) if line.startswith("run  "))
results = [json.load(open(path)) for path in sys.argv[2:4]]
page = open(sys.argv[4]).read()
for line, result, name, momentum, seed in zip(lines[first + 1:], results, ("run0/x", "gap/x"), ("0", "0.5"), ("1", "3")):
    row, train = re.split("  +", line), result.get("final_train_accuracy")
    assert row[:3] == [name, momentum, seed], row
    assert row[4] == f"{100 * result['test_accuracy']:.2f}" and row[7] == f"{result['test_loss']:.4f}", row
    assert row[3] == ("-" if train is None else f"{100 * train:.2f}"), row
    assert row[5] == ("-" if train is None else f"{100 * (train - result['test_accuracy']):.2f}"), row
    assert all(f">{cell}</td>" in page for cell in row), row
P
muster landscape run0 --grid 2 --samples 64
expect_out "Numbers of the training set need runs with --evaluate-train."

case_ "with --sharpness the table has rise and eigenvalue, which are measured once"
muster landscape run0 run0.9 --sharpness --grid 2 --samples 64 --out sharp
expect_code 0
grep -q "test loss  *rise  *largest eigenvalue$" <<<"$out" || fail "another table: $out"
expect_out "Eigenvalue: the largest of the Hessian of the training loss"
expect_file sharp/landscape.html
first=$out
muster landscape run0 run0.9 --sharpness --grid 2 --samples 64 --out sharp
expect_err "the sharpness of 2 of 2 runs was measured before; --again measures again"
[ "$out" = "$first" ] || fail "not the same: $out"
muster landscape run0 run0.9 --sharpness --grid 2 --samples 64 --out sharp --again
expect_no_err "was measured before"
[ "$out" = "$first" ] || fail "not the same: $out"
muster landscape run0.9 --sharpness --grid 2 --json
expect_no_err "was measured before" # on more samples
python3 - "$out" run0.9/x/result.json run0.9/x/sharpness.json <<'P' || fail "not so: $out"
import json, sys
landscape, result, saved = json.loads(sys.argv[1]), json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
(sharpness,) = landscape["sharpness"]
assert abs(sharpness["loss"] - result["test_loss"]) < 1e-6
assert sharpness["eigenvalue"] > 0 and abs(sharpness["rise"]) < 1, sharpness
assert all(saved[key] == sharpness[key] for key in ("data", "loss", "rise", "eigenvalue", "batches")), saved
P
printf '{' >run0.9/x/sharpness.json
muster landscape run0.9 --sharpness --grid 2
expect_code 0
expect_no_err "was measured before"

case_ "without snapshots --sharpness prints the table alone"
muster landscape none --sharpness
expect_code 0
grep -q "^x .*[0-9]$" <<<"$out" || fail "another table: $out"
grep -q plane <<<"$out" && fail "a plane: $out"
expect_no_file none/x/landscape.html
expect_file none/x/sharpness.json
muster landscape none --sharpness --json
python3 -c 'import json, sys; (one,) = json.loads(sys.argv[1]); assert one["run"] == "x" and one["rise"] is not None' "$out" ||
    fail "not so: $out"
muster landscape none --sharpness --grid 5 # which is about the plane
expect_code 2
expect_err "snapshots.bin: missing"
muster landscape norm --sharpness --grid 2 # with BatchNorm
expect_code 0
muster landscape run0 norm --sharpness --out x
expect_code 2
expect_err "norm/x was trained on figures, but run0/x on mnist"
muster landscape folder --each --sharpness --grid 2 --samples 64
expect_code 0
expect_file folder/a/sharpness.json
expect_out "folder/b/landscape.html"
muster landscape run0 run0.9 --between --sharpness --out x
expect_code 2
expect_err "--between conflicts with --sharpness"

case_ "values out of range are rejected"
muster landscape run0 --grid 1
expect_code 2
expect_err "--grid: '1' is not a whole number from 2 to 1000"
muster landscape run0 --directions up
expect_code 2
expect_err "--directions: 'up' is not pca, random or filter"
trained two --batch-size 16 --model mnist_conv --epochs 1 --saves-per-epoch 1 --no-report
muster landscape two
expect_code 2
expect_err "a plane by PCA needs at least 3 snapshots, and there are 2"

finish
