# The command evaluate agrees with training and tells about every class.
. "$(dirname "$0")/lib.sh"

muster train $TINY --lr 0.01 --momentum 0.9 --epochs 3 --validation 0.1 --out r --name x --json
trained=$(echo "$out" | json_field test_accuracy)

case_ "a run is evaluated to the accuracy that training ended with"
muster evaluate r --json --quiet
expect_code 0
echo "$out" | python3 -c '
import json, sys
m = json.load(sys.stdin)["models"][0]["splits"]["test"]
assert abs(m["accuracy"] - float(sys.argv[1])) < 1e-12, m["accuracy"]
rows = m["confusion"]
assert sum(map(sum, rows)) == m["samples"] == 300
assert abs(sum(rows[i][i] for i in range(10)) / 300 - m["accuracy"]) < 1e-12
assert len(m["report"]["classes"]) == 10 and 0 <= m["report"]["macro"]["f1"] <= 1
assert m["accuracy5"] >= m["accuracy"]
' "$trained" || fail "the JSON is wrong: $out"

case_ "all splits, classes and confusion are told as text"
muster evaluate r/x --split all --classes --confusion
expect_code 0
expect_out "train "
expect_out "validation "
expect_out "test "
expect_out "precision"
expect_out "confusion"

case_ "a model file and a checkpoint are evaluated on their own"
muster evaluate r/x/model.safetensors r/x/checkpoints/best.safetensors --quiet
expect_code 0
cp r/x/checkpoints/best.safetensors alone.safetensors
muster evaluate alone.safetensors --quiet
expect_code 0

case_ "a model file from elsewhere needs to be told what it is"
cp r/x/model.safetensors foreign.safetensors
muster evaluate foreign.safetensors --model lenet5 --dataset figures --quiet
expect_code 0
muster evaluate foreign.safetensors --model cnn1 --dataset figures --quiet
expect_code 2
expect_err "foreign.safetensors"

case_ "a model file is known by the folders around it, wherever it is named from"
muster evaluate r/x/model.safetensors --quiet
told=$(tail -n 1 <<<"$out")
cd r/x || exit 1
for name in model.safetensors ./model.safetensors ../x/model.safetensors; do
    muster evaluate "$name" --quiet
    expect_code 0
    expect_out "lenet5 on figures"
    expect_out "$told"
done
cd "$WORK" || exit 1
muster evaluate foreign.safetensors
expect_code 2
expect_err "--model and --dataset"

case_ "what cannot be evaluated is an error with a reason"
muster evaluate
expect_code 2
muster evaluate nowhere
expect_code 2
expect_err "nowhere"
muster evaluate r --split tset
expect_code 2
expect_err "tset"

case_ "of several, one that cannot be evaluated is reported, and the others are evaluated"
mkdir -p empty/x/checkpoints
muster evaluate r empty nowhere r/x/model.safetensors --quiet
expect_code 2
[ "$(grep -c 'top-1' <<<"$out")" -eq 2 ] || fail "not both models: $out"
expect_err "error: empty/x has neither a model nor a checkpoint"
expect_err "error: nowhere: there is no such run"
expect_err "2 of 4 could not be evaluated"
muster evaluate empty r --quiet --json
expect_code 2
[ "$(python3 -c 'import json,sys; print(len(json.load(sys.stdin)["models"]))' <<<"$out")" = 1 ] || fail "json: $out"

case_ "a file that is not a model is told apart"
echo x >plain.txt
muster evaluate plain.txt
expect_code 2
expect_err "plain.txt: is neither a run nor a model: name the folder of a run, or a file that ends in .safetensors"

case_ "a run is evaluated on another data set, which has none of the options of its own"
muster train --dataset figures --figures.train-count 100 --figures.test-count 40 --model mnist_conv --max-steps 1 --quiet --out figures
expect_code 0
mkdir other
python3 "$SOURCE_DIR/tests/e2e/tiny_mnist.py" other
muster evaluate figures --dataset mnist --data-dir other
expect_code 0
expect_out "(200 samples)"

finish
