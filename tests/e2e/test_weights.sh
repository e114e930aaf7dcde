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
    done
    [ -z "$NUMPY" ] || files same $network/x/model.safetensors $network/x/x_model.pt $network/x/x_model.npz
    expect_same $network/x/x_model.safetensors $network/x/model.safetensors
    for format in pt npz; do
        muster export $network/x/x_model.$format --format safetensors --out $network/$format.safetensors
        expect_code 0
        expect_same $network/$format.safetensors $network/x/model.safetensors
    done
    case $network in resnet*) rm -r $network ;; esac # some hundred megabytes
done

# --- files of other programs ---

if [ -n "$NUMPY" ]; then
    case_ "files of other programs are read: nested, of other types, with views of a storage, compressed"
    for kind in plain parameters deflated state_dict model prefix double half bfloat16 views; do
        files make $kind mnist_bn/x/model.safetensors $kind.pt
        muster export $kind.pt --format safetensors --out $kind.safetensors
        expect_code 0
        files held $kind.pt $kind.safetensors
    done
    for kind in safetensors_half safetensors_bfloat16 every_half; do
        files make $kind mnist_bn/x/model.safetensors $kind.safetensors
        muster export $kind.safetensors --format npz --out $kind.npz
        expect_code 0
        files held $kind.safetensors $kind.npz
    done
    for kind in npz npz_fortran; do
        files make $kind mnist_bn/x/model.safetensors $kind.npz
        muster export $kind.npz --format safetensors --out $kind.safetensors
        expect_code 0
        files held $kind.npz $kind.safetensors
    done

    case_ "entries that are not tensors are ignored, with one line"
    muster export state_dict.pt --format npz --out some.npz
    expect_err "state_dict.pt: ignored 4 entries that are not in the state dict: epoch, arch, best_acc1, optimizer"
    [ "$(wc -l <<<"$err")" -eq 1 ] || fail "more than a line: $err"

    case_ "a file without a state dict, or with two, is an error that says what would be right"
    files make both mnist_bn/x/model.safetensors both.pt
    muster export both.pt --format npz --out some.npz --force
    expect_code 2
    expect_err "both.pt: has tensors in both \"state_dict\" and \"model\"; save one of them alone"
    files make nothing mnist_bn/x/model.safetensors nothing.pt
    muster export nothing.pt --format npz --out some.npz --force
    expect_code 2
    expect_err "nothing.pt: has no state dict: it must be a dict of tensors by name, or have one under"
    python3 -c 'import pickle; pickle.dump({"a": 1}, open("old.pt", "wb"), 2)'
    muster export old.pt --format npz --out some.npz --force
    expect_code 2
    expect_err "old.pt: is a pickle without a zip file around it, as PyTorch before 1.6 wrote it"
    python3 -c 'import zipfile; zipfile.ZipFile("other.zip", "w").writestr("a.txt", "a")'
    muster export other.zip --format npz --out some.npz --force
    expect_code 2
    expect_err "other.zip: is a zip file, but neither a .pt file of PyTorch nor an .npz file of NumPy"

    case_ "muster evaluate measures weights in every format"
    muster evaluate mnist_bn/x/model.safetensors --json --quiet
    losses=$(sed 's/"model_file": "[^"]*"//; s/"name": "[^"]*"//' <<<"$out")
    for file in mnist_bn/x/x_model.pt mnist_bn/x/x_model.npz; do
        muster evaluate $file --json --quiet
        expect_code 0
        [ "$(sed 's/"model_file": "[^"]*"//; s/"name": "[^"]*"//' <<<"$out")" = "$losses" ] || fail "$file: $out"
    done
    muster evaluate prefix.pt --model mnist_bn $(data_of mnist_bn) --init-prefix module. --quiet
    expect_code 0
    muster evaluate prefix.pt --model mnist_bn $(data_of mnist_bn) --quiet
    expect_code 2
    expect_err "prefix.pt: does not fit network mnist_bn: 14 tensors are missing (conv1.weight [16, 1, 5, 5], "
    expect_err "; remove the prefix of the names with --init-prefix module."

    case_ "runs start from the same weights in any format, and from names with a prefix"
    for file in mnist_bn/x/model.safetensors plain.pt npz.npz double.pt "prefix.pt --init-prefix module."; do
        muster train $(data_of mnist_bn) --model mnist_bn --max-steps 2 --batch-size 8 --init $file --quiet --name x --out from
        expect_code 0
        [ -f first.safetensors ] || cp from/x/model.safetensors first.safetensors
        expect_same from/x/model.safetensors first.safetensors
        rm -rf from
    done
fi

# --- runs that start from a file ---

FIGURES="--dataset figures --figures.train-count 64 --figures.test-count 20 --quiet --name x"
BN="$FIGURES --model mnist_bn --batch-size 8"

case_ "workers start with the weights of the file, and the settings say which file it was"
muster train $BN --max-steps 3 --out start
expect_code 0
muster evaluate start --json
before=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["models"][0]["splits"]["test"]["loss"])' <<<"$out")
for more in "" "--workers 3 --algorithm dsgd --graph complete" "--workers 2 --algorithm ps-async" "--workers 2 --algorithm psgd"; do
    muster train $BN --init start/x/model.safetensors --evaluate-rounds 1 --max-steps 1 $more --out from
    expect_code 0
    python3 - $before <<'P' || fail "$more: starts with another loss than $before"
import json, sys
rows = [json.loads(line) for line in open("from/x/metrics.jsonl")]
first = [r["test_loss"] for r in rows if r["round"] == 0 and "test_loss" in r]
assert first and all(abs(x - float(sys.argv[1])) < 1e-6 for x in first), first # a mean over nodes is rounded
P
    rm -rf from
done
muster train $BN --init start/x/model.safetensors --seed 7 --max-steps 2 --lr 0 --out from
expect_code 0
grep -q '  init: /.*/start/x/model.safetensors$' from/effective.yaml && grep -q '  init_crc: [0-9a-f]\{8\}$' from/effective.yaml ||
    fail "$(grep init from/effective.yaml)"
grep -q init start/effective.yaml && fail "a run without it names init"

case_ "parameters and the count of batches are those of the file"
[ -z "$NUMPY" ] || python3 -B - "$SOURCE_DIR/tests/e2e" <<'P' || fail "other weights"
import sys
sys.path.insert(0, sys.argv[1])
import weights_files
a, b = weights_files.read("start/x/model.safetensors"), weights_files.read("from/x/model.safetensors")
assert set(a) == set(b)
for name in a:
    if name.endswith(("weight", "bias")):
        assert a[name].tobytes() == b[name].tobytes(), name
    if name.endswith("num_batches_tracked"):
        assert b[name] == a[name] + 2, name # the batches of both runs
P

case_ "a resumed run is the same as one that was not stopped, also without the file"
cp start/x/model.safetensors init.safetensors
muster train $BN --init init.safetensors --max-steps 6 --out whole
muster train $BN --init init.safetensors --max-steps 3 --out part
expect_code 0
rm init.safetensors
muster train --resume part --max-steps 6 --quiet
expect_code 0
expect_same whole/x/model.safetensors part/x/model.safetensors
muster train --resume part --init start/x/model.safetensors
expect_code 2
expect_err "a resumed run keeps its settings"

case_ "effective.yaml repeats the run, and does not accept a file that has changed"
muster run whole/effective.yaml --out again --quiet
expect_code 3
expect_err "init.safetensors: cannot open"
cp start/x/model.safetensors init.safetensors
muster run whole/effective.yaml --out again --quiet
expect_code 0
expect_same whole/x/model.safetensors again/x/model.safetensors
cp whole/x/model.safetensors init.safetensors
muster run whole/effective.yaml --out changed --quiet
expect_code 2
expect_err "init.safetensors has changed: its checksum is "
expect_no_file changed

case_ "a study knows the file again in another place, and another file in its place"
cat >study.yaml <<'Y'
name: study
seed: [1, 2]
data: {name: figures, train_count: 64, test_count: 20}
model: mnist_bn
train: {max_steps: 2, batch_size: 8, init: init.safetensors}
Y
muster run study.yaml --out study
expect_code 0
mkdir place && mv init.safetensors place/weights.safetensors
sed -i 's,init.safetensors,place/weights.safetensors,' study.yaml
muster run study.yaml --out study
expect_code 0
expect_err "2 of 2 runs had already finished"
cp start/x/model.safetensors place/weights.safetensors
muster run study.yaml --out study
expect_code 2
expect_err "study/seed=1: was run with train.init_crc "

case_ "what does not fit is one error with names and shapes"
muster train $FIGURES --model lenet5 --init start/x/model.safetensors --out no
expect_code 2
expect_err "--init: start/x/model.safetensors: does not fit network lenet5: 6 tensors are missing (fc1.weight [120, 400], "
expect_err "fc3.weight [10, 84], and 1 more); 10 tensors are not in the network (bn1.weight, bn1.bias, "
expect_err "; 4 tensors have another shape (conv1.weight [16, 1, 5, 5] instead of [6, 1, 5, 5], "
expect_err "; muster models lenet5 lists the tensors of the network"
muster train --problem quadratic --init start/x/model.safetensors --out no
expect_code 2
expect_err "--init: problem quadratic has no network whose weights could be read"
muster train $BN --init nowhere.pt --out no
expect_code 3
expect_err "--init: nowhere.pt: cannot open"
muster train $BN --init-prefix module. --out no
expect_code 2
expect_err "--init-prefix: has no effect without train.init"
muster train $BN --init start/x/model.safetensors --algorithm psgd --psgd.common-start false --workers 2 --out no
expect_code 2
expect_err "false conflicts with train.init"
expect_no_file no

finish
