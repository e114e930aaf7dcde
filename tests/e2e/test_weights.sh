# Weights for other programs and from them: files of all formats, what fits a network, runs that start from a file.
. "$(dirname "$0")/lib.sh"

FILES="$SOURCE_DIR/tests/e2e/weights_files.py"
NUMPY=$(python3 -c 'import numpy' 2>/dev/null && echo yes)

files() { python3 -B "$FILES" "$@" || fail "weights_files.py $*"; }

# A data set that the network takes: network
data_of() {
    case $1 in
        fourier_density | grid_density) echo "--dataset rooms --rooms.train-count 64 --rooms.test-count 20" ;;
        resnet* | cnn2 | lenet_tanh | psgd_cnn) echo "--dataset noise --noise.train-count 8 --noise.test-count 2" ;;
        *) echo "--dataset figures --figures.train-count 64 --figures.test-count 20" ;;
    esac
}

case_ "the weights of every network are exported in three formats and read by others, to the bit"
networks=$("$MUSTER" models | awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1 }')
[ "$(wc -w <<<"$networks")" -ge 13 ] || fail "networks: $networks"
for network in $networks; do
    muster train $(data_of $network) --model $network --max-steps 1 --batch-size 2 --lr 0 --quiet --name x --out $network
    expect_code 0
    for format in pt npz safetensors; do
        muster export $network --format $format
        expect_code 0
        expect_out "$network/x/x_model.$format: "
        [ -z "$NUMPY" ] || files same $network/x/x_model.$format $network/x/model.safetensors
    done
    expect_same $network/x/x_model.safetensors $network/x/model.safetensors
done

finish
