# Checkpoints say what they are, and are complete: anything else is rejected, and never resumed in part.
. "$(dirname "$0")/lib_workers.sh"

# Resumes a copy of run BASE whose checkpoint was edited: resumed_with BASE EDIT...
resumed_with() {
    local base=$1
    shift
    rm -rf part
    cp -r "$base" part
    python3 "$HERE/forge.py" part/x/checkpoints/last.safetensors "$@" || fail "not edited: $*"
    timeout 60 "$MUSTER" train --resume part --quiet --epochs 2 >"$WORK/.out" 2>"$WORK/.err" # 124: it hangs
    code=$?
    err=$(cat "$WORK/.err")
}

# rejected BASE TEXT EDIT...
rejected() {
    local base=$1 text=$2
    shift 2
    resumed_with "$base" "$@"
    [ $code -eq 2 ] || fail "$base $*: exit code $code: $err"
    expect_err "$text"
    expect_one_error "$text"
    expect_same "$base/x/metrics.jsonl" part/x/metrics.jsonl
}

NET="--model mlp --mlp.widths 8"
trained whole --epochs 1 --batch-size 16 --workers 3 --model mnist_bn --algorithm local-sgd

case_ "an edited file whose checksums are right is resumed when its values can be those of a run"
resumed_with whole set:conv1.weight:0:0.25
expect_code 0

case_ "a checkpoint without format and checksums, as another program writes it, is rejected"
rejected whole "not a checkpoint of Muster, or its checksums were removed" strip

case_ "a checkpoint without a checksum is damaged"
cp -r whole bare
python3 - bare/x/checkpoints/last.safetensors <<'P'
import sys
content = open(sys.argv[1], "rb").read()
open(sys.argv[1], "wb").write(content.replace(b'"crc32c"', b'"crc33c"', 1))
P
muster train --resume bare --quiet --epochs 2
expect_code 2
expect_err "a checksum is missing"

case_ "a checkpoint of another version is rejected by its version"
rejected whole "cannot resume from a checkpoint of version 2; this program reads version 3" text:version=2
rejected whole "cannot resume from a checkpoint of version 1" text:version

case_ "a checkpoint that stores weights in another order is rejected"
rejected whole "in another layout (0123456789abcdef)" text:layout=0123456789abcdef

case_ "a checkpoint with other counters is rejected"
rejected whole "other counters (rounds,apples)" text:counters=rounds,apples

case_ "a checkpoint that has lost a tensor is rejected, whichever it is"
rejected whole "tensors instead of" del:worker.1
rejected whole "tensors instead of" del:conv1.weight

case_ "a checkpoint without a tensor that it does not count is rejected too"
trained momentum --epochs 1 --batch-size 16 --workers 3 $NET --algorithm sync --momentum 0.9
trained nodes --epochs 1 --batch-size 16 --workers 3 $NET --algorithm dsgd
trained choco --epochs 1 --batch-size 16 --workers 3 $NET --algorithm choco
trained served --epochs 1 --batch-size 16 --workers 3 $NET --algorithm ps-async --momentum 0.9
trained peers --epochs 1 --batch-size 16 --workers 3 $NET --algorithm ad-psgd
trained shared --epochs 1 --batch-size 16 --workers 3 $NET --algorithm hogwild
for base in whole momentum nodes choco peers shared; do
    rejected $base '"worker.2": is missing' text:tensors del:worker.2
    rejected $base '"run.rounds": is missing' text:tensors del:run.rounds
    rejected $base '"optim.numbers": is missing' text:tensors del:optim.numbers
done
rejected choco '"worker.1": is missing' text:tensors del:worker.1
rejected served '"clients": is missing' text:tensors del:clients
rejected served '"worker.3": is missing' text:tensors del:worker.3
rejected whole '"bn1.num_batches_tracked": is missing' text:tensors del:bn1.num_batches_tracked
rejected momentum "tensors instead of" del:optim.vector.0

case_ "an optimiser that lacks what its numbers say is rejected"
trained lbfgs --epochs 1 --batch-size 60 $NET --optimizer lbfgs --lbfgs.history 5
rejected lbfgs "the state of the optimiser is incomplete" text:tensors del:optim.vector.6
rejected lbfgs "the state of the optimiser is incomplete" set:optim.numbers:3:1e9
rejected lbfgs "the state of the optimiser is incomplete" set:optim.numbers:4:-1
rejected lbfgs "the state of the optimiser is incomplete" set:optim.numbers:1:nan
trained adam --epochs 1 --batch-size 60 $NET --optimizer adam
rejected adam "the state of the optimiser is incomplete" set:optim.numbers:0:1e300

case_ "counts and positions that no run can have are rejected"
for base in whole nodes served peers shared; do
    rejected $base "the round is -1" set:run.rounds:0:-1
    rejected $base "the round is 9.22337e+18" set:run.rounds:0:9223372036854775807
    rejected $base 'the counter "samples"' set:run.counters:3:nan
done
rejected nodes 'the counter "draws"' set:worker.0:5:-4616189618054758400
rejected nodes "the number of a worker's batches" set:worker.1:5:4841369599423283200
rejected nodes "a number of bytes is 9.22337e+18" set:worker.0:23:9223372036854775807
rejected served "no run can have" set:clients:35:1099511627776
rejected served "a count of the server" set:clients:0:-1
rejected served "a count of the server" set:clients:0:9223372036854775807

case_ "weights that are not finite are rejected"
rejected nodes "a weight is not finite" set:dense1.weight:3:nan
rejected nodes "a weight is not finite" add:worker.1:-8:inf
rejected shared "a weight is not finite" set:dense1.weight:3:inf

case_ "a gamma that choco cannot have is rejected by all workers"
rejected choco "the checkpoint has a gamma of 0 for worker 1" set:worker.1:22:0

case_ "processes reject it with one message, and none waits"
under_mpirun 2 version
for edit in del:worker.1 set:worker.2:22:0; do
    [ $code -eq 77 ] && break # no MPI here
    rm -rf part
    cp -r choco part
    python3 "$HERE/forge.py" part/x/checkpoints/last.safetensors text:tensors $edit
    under_mpirun 3 train --resume part --quiet --epochs 2
    expect_code 2
    expect_one_error "worker"
    code=2
done

case_ "evaluate and export of a run whose only model is a damaged checkpoint say so"
cp -r whole unfinished
rm unfinished/x/model.safetensors
printf 'x' | dd of=unfinished/x/checkpoints/last.safetensors bs=1 seek=9000 conv=notrunc 2>/dev/null
muster evaluate unfinished
expect_code 2
expect_err "damaged"

case_ "the seconds of a run with one worker are counted on when it is resumed"
trained one --epochs 1 --batch-size 16 --workers 1 --model mnist_conv
muster train --resume one --quiet --epochs 2
expect_code 0
expect_run one 'run == []' 'per[-1]["seconds"] > per[0]["seconds"]' 'per[-1]["samples"] == 480'

finish
