# The command train: what it writes, and that it repeats.
. "$(dirname "$0")/lib.sh"

case_ "train ends with one JSON object that has the promised keys"
muster train $TINY --model lenet5 --lr 0.01 --momentum 0.9 --epochs 2 --seed 3 --out a --json
expect_code 0
for key in test_accuracy test_loss train_loss train_seconds samples_per_s run_dir; do
    echo "$out" | json_field $key >/dev/null || fail "no key $key"
done
run=$(echo "$out" | json_field run_dir)

case_ "the run directory has every file"
for f in a/experiment.yaml a/effective.yaml a/environment.json a/log.txt "$run/metrics.jsonl" \
    "$run/model.safetensors" "$run/checkpoints/last.safetensors"; do
    expect_file "$f"
done
ls "$run"/events.out.tfevents.* >/dev/null 2>&1 || fail "no TensorBoard file"
python3 - "$run/metrics.jsonl" <<'P' || fail "metrics.jsonl lacks a key"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert sum("train_loss" in r for r in rows) == sum("test_loss" in r for r in rows) == 2, rows
assert sum("batch_loss" in r for r in rows) == len(rows) - 2 > 20, rows
for key in "round samples gradients epoch bytes_sent seconds worker train_loss test_loss test_accuracy".split():
    assert key in rows[-1], key
assert rows[-1]["samples"] == 2400 and rows[-1]["epoch"] == 2
P

case_ "the same seed gives the same bits with one thread and with three"
muster train $TINY --model lenet5 --lr 0.01 --momentum 0.9 --epochs 2 --seed 3 --out b --threads 1
expect_code 0
muster train $TINY --model lenet5 --lr 0.01 --momentum 0.9 --epochs 2 --seed 3 --out c --threads 3
expect_code 0
name=$(basename "$run")
expect_same "a/$name/model.safetensors" "b/$name/model.safetensors"
expect_same "a/$name/model.safetensors" "c/$name/model.safetensors"

case_ "another seed gives other bits"
muster train $TINY --model lenet5 --lr 0.01 --momentum 0.9 --epochs 2 --seed 4 --out d
expect_different "a/$name/model.safetensors" "d/$name/model.safetensors"

case_ "a name that was made up is not kept when model or data are others, and a given one is"
SHORT="--dataset figures --figures.train-count 64 --figures.test-count 32 --max-steps 1 --quiet"
muster train $SHORT --model lenet5 --out unnamed
muster run unnamed/effective.yaml --model mnist_conv --quiet --out renamed
expect_code 0
expect_file renamed/mnist_conv_figures/result.json
muster train $SHORT --model lenet5 --name mine --out named
muster run named/effective.yaml --model mnist_conv --quiet --out kept
expect_file kept/mine/result.json

case_ "running effective.yaml repeats the run to the bit"
muster run a/effective.yaml --quiet --out e
expect_code 0
expect_same "a/$name/model.safetensors" "e/$name/model.safetensors"
expect_same a/effective.yaml e/effective.yaml

case_ "networks with BatchNorm and dropout repeat to the bit for any number of threads"
for model in mnist_bn psgd_cnn; do
    for threads in 1 2 3; do
        muster train $TINY --model $model --optimizer adam --max-steps 12 --batch-size 50 \
            --out "$model$threads" --threads $threads --name x
        expect_code 0
    done
    expect_same ${model}1/x/model.safetensors ${model}2/x/model.safetensors
    expect_same ${model}1/x/model.safetensors ${model}3/x/model.safetensors
done

case_ "optimisers that share the threads of the gradient repeat to the bit for any number of them"
for optimizer in lars lamb "lbfgs --lbfgs.max-iter 3"; do
    for threads in 1 3; do
        muster train $TINY --model lenet5 --optimizer $optimizer --max-steps 4 --batch-size 50 \
            --out "${optimizer%% *}$threads" --threads $threads --name x
        expect_code 0
    done
    expect_same "${optimizer%% *}1/x/model.safetensors" "${optimizer%% *}3/x/model.safetensors"
done

case_ "--max-steps alone is as many rounds as asked, beside --epochs the sooner of both ends the run"
muster train $TINY --model mlp --model.widths 4 --batch-size 400 --max-steps 40 --evaluate-every 0 --no-save --out long --json
expect_code 0
[ "$(json_field rounds <<<"$out")" = 40 ] || fail "not 40 rounds, which are more than 6 epochs: $out"
muster train $TINY --model mlp --model.widths 4 --batch-size 400 --max-steps 40 --epochs 2 --evaluate-every 0 --no-save --out both --json
expect_code 0
[ "$(json_field rounds <<<"$out")" = 6 ] || fail "not 2 epochs of 3 rounds: $out"
muster train $TINY --model mlp --model.widths 4 --batch-size 400 --max-steps 4 --epochs 2 --evaluate-every 0 --no-save --out sooner --json
[ "$(json_field rounds <<<"$out")" = 4 ] || fail "not 4 rounds: $out"
muster train $TINY --model mlp --model.widths 4 --batch-size 400 --evaluate-every 0 --no-save --out usual --json
[ "$(json_field rounds <<<"$out")" = 18 ] || fail "not 6 epochs of 3 rounds: $out"

case_ "a folder that holds a run is not written over"
muster train $TINY --out a
expect_code 2
expect_err "a"

case_ "--no-save leaves metrics but no model"
muster train $TINY --max-steps 3 --no-save --out f --name x
expect_code 0
expect_file f/x/metrics.jsonl
expect_no_file f/x/model.safetensors
expect_no_file f/x/checkpoints/last.safetensors

case_ "a network of one's own is a YAML list of layers"
cat >net.yaml <<'Y'
layers:
  - conv2d: {out: 4, kernel: 3, pad: 1}
  - relu
  - maxpool
  - flatten
  - dense: {out: 10}
Y
muster train $TINY --model net.yaml --max-steps 5 --out g
expect_code 0
muster run g/effective.yaml --quiet --out h
expect_code 0
expect_same g/net_figures/model.safetensors h/net_figures/model.safetensors

case_ "an image that is no square stays as it is"
echo 'layers: [{conv2d: {out: 5, kernel: 3, stride: 2, pad: 1}}, flatten, {dense: {name: fc, out: 10}}]' >wide.yaml
muster train --model wide.yaml --dataset noise --noise.height 5 --noise.width 9 --max-steps 2 --out wide --quiet
expect_code 0
python3 - <<P || fail "not 5 channels of 3 x 5 before the last layer"
import sys
sys.path.insert(0, "$SOURCE_DIR/tests/e2e")
from weights import load
assert load("wide/wide_noise/model.safetensors")["fc.weight"][0] == [10, 75]
P
muster evaluate wide
expect_code 0
muster run wide/effective.yaml --out wide_again --quiet
expect_same wide{,_again}/wide_noise/model.safetensors

case_ "every optimiser and schedule trains"
for optimizer in sgd adam adamw lbfgs; do
    muster train $TINY --optimizer $optimizer --max-steps 3 --out "o_$optimizer"
    expect_code 0
done
for schedule in constant linear geometric exponential cosine step onecycle; do
    muster train $TINY --schedule $schedule --max-steps 3 --out "s_$schedule"
    expect_code 0
done

case_ "points with numbers as targets train the density network"
muster train --dataset rooms --model fourier_density --optimizer adam --batch-size 500 --max-steps 5 \
    --quiet --out rooms --json
expect_code 0
[ "$(echo "$out" | json_field test_accuracy)" = None ] || fail "accuracy without classes: $out"
for key in test_precision test_recall test_iou map_error base_loss; do
    value=$(echo "$out" | json_field $key)
    python3 -c "import sys; assert 0 <= float('$value') <= 1" || fail "$key is $value: $out"
done
grep -q '"map_error":' rooms/*/metrics.jsonl || fail "the rows lack the error of the map"
muster train --dataset rooms --model grid_density --optimizer adam --lr 0.01 --batch-size 500 --max-steps 200 \
    --quiet --out grid --json
expect_code 0
echo "$out" | python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["test_loss"] > 0.1)' || # of a constant: 0.64
    fail "the grid has not learned the rooms: $out"

case_ "validation keeps the best checkpoint"
muster train $TINY --validation 0.2 --lr 0.01 --epochs 2 --out v --name x --json
expect_code 0
expect_file v/x/checkpoints/best.safetensors
[ "$(echo "$out" | json_field validation_accuracy)" != None ] || fail "no validation accuracy"

case_ "a run that is no better than one answer for all is warned about, another is not"
muster train --dataset figures --figures.train-count 600 --figures.test-count 200 --epochs 1 --lr 1e-6 --quiet --out poor
expect_code 0
expect_err "warning: the test accuracy of"
expect_err "is no better than always answering the same class (10.00 %)"
muster train --dataset rooms --model fourier_density --lr 1e-9 --max-steps 2 --quiet --out flat
expect_code 0
expect_err "warning: the test loss of 0.6"
expect_err "is no better than always answering the same number (0.64"
muster train --dataset figures --figures.train-count 3000 --figures.test-count 200 --epochs 3 --optimizer adam --quiet --out good
expect_code 0
expect_no_err "no better"
muster train --dataset figures --figures.train-count 600 --figures.test-count 200 --algorithm dinno --workers 4 --lr 1e6 \
    --epochs 1 --quiet --out nodes
expect_code 0
expect_err "no better than always answering the same class"

finish
