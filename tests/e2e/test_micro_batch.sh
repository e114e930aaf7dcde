# Batches in parts (--micro-batch): what they compute, what memory they need, and the message about memory.
. "$(dirname "$0")/lib_workers.sh"

TRAIN="--dataset figures --figures.train-count 250 --figures.test-count 60 --batch-size 32 --quiet --name x"

# What a run has used in all.
counters() {
    python3 - "$1/x/result.json" <<'P'
import json, sys
result = json.load(open(sys.argv[1]))
print({k: result[k] for k in ("samples", "batches", "rounds", "epochs")})
P
}

# Peak of memory in bytes, and the estimate that was printed (0: none).
measured() {
    python3 - "$MUSTER" "$@" <<'P'
import re, resource, subprocess, sys
run = subprocess.run([sys.argv[1], "train", *sys.argv[2:]], capture_output=True, text=True)
found = re.search(r", about ([0-9.]+) ([GM])B of memory", run.stderr)
if run.returncode != 0:
    sys.exit(run.stderr)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(peak, float(found[1]) * {"G": 1e9, "M": 1e6}[found[2]] if found else 0)
P
}

case_ "a network without BatchNorm learns the same in parts, up to rounding; BatchNorm sees the parts"
for model in lenet5 cnn1 mnist_bn; do # cnn1 has dropout
    muster train $TRAIN --epochs 2 --model $model --out $model-whole
    expect_code 0
    muster train $TRAIN --epochs 2 --model $model --micro-batch 12 --out $model-parts
    expect_code 0
    [ "$(counters $model-whole)" = "$(counters $model-parts)" ] || fail "other counters: $(counters $model-parts)"
done
for model in lenet5 cnn1; do # 16 steps on floats
    expect_near $model-whole $model-parts 1e-4
done
expect_far mnist_bn-whole mnist_bn-parts 1e-4

case_ "parts that are not smaller than the batch, and any number of threads, change no bit"
muster train $TRAIN --epochs 2 --model mnist_bn --micro-batch 100 --out large
expect_code 0
expect_near mnist_bn-whole large 0
muster train $TRAIN --epochs 2 --model mnist_bn --micro-batch 12 --threads 3 --out threads
expect_code 0
expect_near mnist_bn-parts threads 0

case_ "several workers compute in parts"
for algorithm in sync ps-sync local-sgd dinno; do # Adam, dinno's own choice, makes large steps of roundings
    options=
    [ $algorithm = dinno ] && options="--dinno.primal-optimizer sgd"
    for parts in 0 5; do
        muster train $TRAIN --epochs 2 --model lenet5 --workers 3 --partition dirichlet --algorithm $algorithm $options \
            --micro-batch $parts --out $algorithm-$parts
        expect_code 0
    done
    expect_near $algorithm-0 $algorithm-5 1e-4
    [ "$(counters $algorithm-0)" = "$(counters $algorithm-5)" ] || fail "$algorithm: other counters"
done
for algorithm in ps-async hogwild ad-psgd; do # statistics of whole batches are asked for
    muster train $TRAIN --epochs 2 --model mnist_bn --workers 2 --algorithm $algorithm --micro-batch 5 --out $algorithm
    expect_code 0
    python3 - $algorithm/x/result.json <<'P' || fail "$algorithm: not all samples, or nothing learned"
import json, sys
result = json.load(open(sys.argv[1]))
assert result["samples"] == 500 and result["test_loss"] < 2.5, result
P
done

case_ "a resumed run has the same bits and keeps its parts"
muster train $TRAIN --model mnist_bn --micro-batch 12 --epochs 1 --out resumed
expect_code 0
muster train --resume resumed --micro-batch 6 --epochs 2
expect_code 2
expect_err "a resumed run keeps its settings"
muster train --resume resumed --epochs 2 --quiet
expect_code 0
expect_near mnist_bn-parts resumed 0

case_ "pictures that are read and augmented are the same in parts"
python3 "$HERE/picture_folder.py" pictures >/dev/null || fail "no pictures"
for parts in 0 3; do
    muster train --dataset folder:pictures --folder.size 28 --model lenet5 --data.crop resized --data.flip \
        --batch-size 8 --epochs 2 --quiet --name x --micro-batch $parts --out pictures-$parts
    expect_code 0
done
expect_near pictures-0 pictures-3 1e-4

case_ "a problem without a network rejects it"
muster train --problem quadratic --micro-batch 4 --max-steps 2 --out quadratic
expect_code 2
expect_err "--micro-batch: has no effect on problem quadratic"

case_ "parts need much less memory, as estimated"
LARGE="--dataset figures --figures.train-count 128 --figures.test-count 16 --model resnet18_cifar --batch-size 128
    --max-steps 1 --no-save"
whole=$(measured $LARGE --out memory-whole) || fail "it fails: $whole"
parts=$(measured $LARGE --micro-batch 8 --out memory-parts) || fail "it fails: $parts"
python3 - $whole $parts <<'P' || fail "peaks and estimates: $whole; $parts"
import sys
whole, _, parts, estimate = map(float, sys.argv[1:])
assert parts < 0.5 * whole
assert 0.9 * parts < estimate < 0.6 * whole # an evaluation has contexts too, but uses a part of them
P

case_ "what does not fit is rejected with a batch and parts that fit"
HUGE="--dataset figures --figures.train-count 20000 --figures.test-count 16 --model lenet5
    --max-steps 1 --no-save --threads 1"
(
    ulimit -v 600000
    "$MUSTER" train $HUGE --batch-size 20000 --out huge >.out 2>.err
)
code=$? err=$(cat .err)
expect_code 2
expect_err "--batch-size: training lenet5 with batches of 20000 and 1 worker needs"
expect_err "but the limit of this process (ulimit -v) is 0.6 GB"
expect_no_file huge
parts=$(sed -n 's/.*--micro-batch \([0-9]*\) .*/\1/p' .err)
batch=$(sed -n 's/.*--batch-size \([0-9]*\)$/\1/p' .err)
number=0
for limited in "--batch-size 20000 --micro-batch $parts" "--batch-size $batch"; do
    number=$((number + 1))
    (
        ulimit -v 600000
        "$MUSTER" train $HUGE $limited --out "limited-$number" >.out 2>.err
    )
    code=$? err=$(cat .err)
    [ "$code" -ne 2 ] || fail "$limited is rejected too: $err"
done
muster train $HUGE --batch-size 20000 --micro-batch "$parts" --out parts
expect_code 0
expect_err "batches of 20000 in parts of $parts"

finish
