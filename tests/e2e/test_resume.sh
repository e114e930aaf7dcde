# Stopping and going on: a resumed run ends with the bits of an unbroken one.
. "$(dirname "$0")/lib.sh"

samples=4000
[ -z "${SANITIZED:-}" ] || samples=1000 # a sanitized program is slow
SETTINGS="--dataset figures --figures.train_count $samples --figures.test_count 300 --model mnist_bn \
    --optimizer adam --schedule cosine --validation 0.1 --epochs 4 --log-every 10 --name x"

case_ "an unbroken run"
muster train $SETTINGS --quiet --out whole
expect_code 0

# Waits until a run has written rows, then sends it a signal: stop SIGNAL FOLDER
stop_in_mid_run() {
    "$MUSTER" train $SETTINGS --out "$2" >/dev/null 2>"$WORK/.err" &
    local pid=$!
    for _ in $(seq 600); do
        [ "$(wc -l 2>/dev/null <"$2/x/metrics.jsonl" || echo 0)" -ge 3 ] && break
        sleep 0.02
    done
    kill "-$1" $pid
    wait $pid 2>/dev/null
    code=$?
    err=$(cat "$WORK/.err")
}

# What is measured, without what depends on the clock.
without_seconds() { sed 's/"seconds":[^,}]*//' "$1"; }

for signal in INT TERM; do
    case_ "SIG$signal writes a checkpoint, exits 75, and the run goes on to the same bits"
    stop_in_mid_run $signal "part$signal"
    expect_code 75
    expect_err "muster train --resume"
    expect_file "part$signal/x/checkpoints/last.safetensors"
    expect_no_file "part$signal/x/model.safetensors"
    muster train --resume "part$signal" --quiet
    expect_code 0
    expect_same whole/x/model.safetensors "part$signal/x/model.safetensors"
    [ "$(without_seconds whole/x/metrics.jsonl)" = "$(without_seconds "part$signal/x/metrics.jsonl")" ] ||
        fail "the rows of metrics differ"
done

case_ "a run that was killed goes on from its last checkpoint to the same bits"
stop_in_mid_run KILL killed
expect_code 137
muster train --resume killed/x --quiet --threads 1
expect_code 0
expect_same whole/x/model.safetensors killed/x/model.safetensors

case_ "a finished run says so and tells its result again"
muster train --resume whole --json
expect_code 0
expect_err "the run is already complete"

case_ "a resumed run keeps its settings, but may be longer"
muster train --resume whole --lr 0.5
expect_code 2
expect_err "--lr"
muster train --resume whole --epochs 5 --quiet --json
expect_code 0
[ "$(echo "$out" | json_field epochs)" = 5 ] || [ "$(echo "$out" | json_field epochs)" = 5.0 ] || fail "epochs: $out"

case_ "a finished run that goes on has no final model until it ends again"
cp -r whole further
"$MUSTER" train --resume further --epochs 400 --quiet >/dev/null 2>&1 &
pid=$!
rows=$(wc -l <whole/x/metrics.jsonl)
for _ in $(seq 600); do
    [ "$(wc -l <further/x/metrics.jsonl)" -gt "$((rows + 100))" ] && break
    sleep 0.02
done
kill -KILL $pid
wait $pid 2>/dev/null
muster evaluate further
expect_code 0
expect_out "checkpoints/round-"

case_ "damaged checkpoints are rejected with their names"
cp -r killed damaged
for file in damaged/x/checkpoints/round-*.safetensors; do
    printf 'x' | dd of="$file" bs=1 seek=5000 conv=notrunc 2>/dev/null
done
muster train --resume damaged
expect_code 2
for file in damaged/x/checkpoints/round-*.safetensors; do expect_err "$file: damaged"; done

case_ "a run that has lost its checkpoint is refused, and how to train again from scratch is told"
for lost in whole unsaved; do
    [ $lost = whole ] || muster train $SETTINGS --max-steps 130 --no-save --quiet --out $lost # an epoch has 113
    cp -r $lost "lost_$lost"
    rm -f "lost_$lost/x/checkpoints/"*
    cp "lost_$lost/x/metrics.jsonl" before.jsonl
    muster train --resume "lost_$lost" --quiet
    expect_code 3
    expect_err "lost_$lost/x/checkpoints/last.safetensors is missing"
    expect_err "muster run lost_$lost/effective.yaml"
    expect_same "lost_$lost/x/metrics.jsonl" before.jsonl
done

case_ "a network with dropout goes on from the end of an epoch to the same bits"
DROPOUT="--dataset figures --figures.train_count 500 --figures.test_count 100 --model psgd_cnn --name x --quiet"
muster train $DROPOUT --epochs 2 --out dropout_whole
expect_code 0
muster train $DROPOUT --epochs 1 --out dropout_part
expect_code 0
muster train --resume dropout_part --epochs 2 --quiet
expect_code 0
expect_same dropout_whole/x/model.safetensors dropout_part/x/model.safetensors

case_ "L-BFGS resumes to the same bits too"
LBFGS="--dataset figures --figures.train_count 1000 --figures.test_count 100 --model mlp --optimizer lbfgs \
    --lbfgs.max-iter 4 --lbfgs.line-search strong_wolfe --batch-size 500 --name x --quiet"
muster train $LBFGS --epochs 3 --out lbfgs_whole
expect_code 0
muster train $LBFGS --epochs 1 --out lbfgs_part
expect_code 0
muster train --resume lbfgs_part --epochs 3 --quiet
expect_code 0
expect_same lbfgs_whole/x/model.safetensors lbfgs_part/x/model.safetensors

case_ "a resumed run is not shorter than what it has done, and a refusal changes nothing"
cp whole/effective.yaml before.yaml
muster train --resume whole --epochs 1 --quiet
expect_code 2
expect_err "rounds"
expect_same whole/effective.yaml before.yaml

case_ "a checkpoint of another experiment is refused"
muster train $SETTINGS --seed 9 --max-steps 20 --quiet --out other
cp -r killed foreign
cp other/x/checkpoints/last.safetensors foreign/x/checkpoints/ # into the file that `last` points to
muster train --resume foreign --quiet
expect_code 2
expect_err "another run"

case_ "rows that were lost before a run is resumed are warned about, and not when the run is only evaluated otherwise"
FEW="--dataset figures --figures.train_count 100 --figures.test_count 40 --name x --quiet"
muster train $FEW --epochs 3 --evaluate-every 3 --out rows
cp -r rows rows_kept
muster train --resume rows_kept --epochs 4 --evaluate-every 1 --quiet
expect_code 0
expect_no_err "are missing (the last"
sed -i '/"round": 4, .*"train_loss"/d' rows/x/metrics.jsonl
cp -r rows rows_removed
muster train --resume rows --epochs 4 --quiet
expect_code 0
expect_err "rows/x/metrics.jsonl: the rows of 1 earlier epoch are missing (the last ended with round 4)"
rm rows_removed/x/metrics.jsonl
muster train --resume rows_removed --epochs 4 --quiet
expect_code 0
expect_err "rows_removed/x/metrics.jsonl: the rows of 2 earlier epochs are missing (the last ended with round 8)"
expect_same rows/x/model.safetensors rows_removed/x/model.safetensors

case_ "another instruction set than before is told"
MUSTER_ISA=sse2 muster train $SETTINGS --max-steps 5 --quiet --out isa
muster train --resume isa --max-steps 6 --quiet
expect_code 0
if [ "$(uname -m)" = x86_64 ]; then expect_err "sse2"; fi

case_ "a resumed run must be saved, or its folder would contradict itself"
muster train --dataset figures --figures.train-count 100 --figures.test-count 40 --epochs 1 --quiet --out saved
muster train --resume saved --no-save --epochs 2 --quiet
expect_code 2
expect_err "--no-save: conflicts with --resume"

finish
