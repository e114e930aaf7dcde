# Checkpoints say what they are: another version, other counters or another layout is rejected.
. "$(dirname "$0")/lib_workers.sh"

trained whole --epochs 1 --batch-size 16 --workers 3 --model mnist_bn --algorithm local-sgd

# Resumes a copy of the run whose checkpoint says otherwise: resumed_with KEY [VALUE]
resumed_with() {
    rm -rf part
    cp -r whole part
    python3 "$HERE/metadata.py" part/x/checkpoints/last.safetensors "$@"
    muster train --resume part --quiet --epochs 2
}

case_ "a checkpoint without checksums, as another program writes it, is resumed"
resumed_with nothing
expect_code 0

case_ "a checkpoint of another version is rejected by its version"
resumed_with version 2
expect_code 2
expect_err "last.safetensors: cannot resume from a checkpoint of version 2; this program reads version 3"
resumed_with version
expect_code 2
expect_err "cannot resume from a checkpoint of version 1"

case_ "a checkpoint that stores weights in another order is rejected"
resumed_with layout 0123456789abcdef
expect_code 2
expect_err "in another layout (0123456789abcdef)"

case_ "a checkpoint with other counters is rejected"
resumed_with counters rounds,apples
expect_code 2
expect_err "other counters (rounds,apples)"

case_ "the seconds of a run with one worker are counted on when it is resumed"
trained one --epochs 1 --batch-size 16 --workers 1 --model mnist_conv
muster train --resume one --quiet --epochs 2
expect_code 0
expect_run one 'run == []' 'per[-1]["seconds"] > per[0]["seconds"]' 'per[-1]["samples"] == 480'

finish
