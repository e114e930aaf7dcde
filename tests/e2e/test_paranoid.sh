# --paranoid over graphs, as threads and as processes: nothing is said of runs that are right, and a number that is wrong is told.
. "$(dirname "$0")/lib_workers.sh"

under_mpirun 1 --version
has_mpi=$((code != 77))

NET="--model mlp --mlp.widths 16 --batch-size 16 --workers 3 --graph cycle --paranoid"

spoilt() { # ALGORITHM WHAT
    trained right $NET --algorithm "$1" --epochs 1
    muster train --resume right --epochs 2 --quiet
    expect_code 0
    trained wrong $NET --algorithm "$1" --epochs 1
    python3 "$HERE/forge.py" wrong/x/checkpoints/last.safetensors add:worker.1:-8:1 || fail "not spoilt"
    cp -r wrong again
    muster train --resume wrong --epochs 2 --quiet
    expect_code 5
    expect_err "$2"
    if [ $has_mpi -eq 1 ]; then
        under_mpirun 3 train --resume again --epochs 2 --quiet
        expect_code 5
        expect_err "$2"
    fi
    rm -rf right wrong again
}

case_ "a dual that is wrong in a checkpoint is told in the first round"
spoilt cadmm "the duals of all nodes add up to zero, but a sum of them is"
spoilt prox-pda "the duals of all nodes add up to zero, but a sum of them is"

case_ "a correction that is wrong is told"
spoilt extra "the corrections of all nodes add up to zero, but a sum of them is"

case_ "a gradient that is tracked wrongly is told"
spoilt dsgt "mean(y) is the mean gradient, but a sum of them is"

finish
