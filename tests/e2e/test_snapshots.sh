# Weights along the run: --saves-per-epoch, snapshots.bin, and what export makes of it.
. "$(dirname "$0")/lib_workers.sh"

# 15 rounds in an epoch of one worker.
SMALL="--batch-size 16 --model mnist_conv --lr 0.05 --epochs 2"
SIX="--batch-size 16 --model mnist_conv --lr 0.05 --epochs 6"

# Statements about the snapshots of run $1: rows [count][values], rounds, and the tensors of model.safetensors in order.
expect_snapshots() {
    local folder=$1
    shift
    muster export "$folder" --snapshots npy
    expect_code 0
    /usr/bin/python3 - "$folder/x" "$@" <<'P' || fail "$folder: not so: $*"
import json, struct, sys
import numpy as np
folder = sys.argv[1]
rows = np.load(folder + "/x_weights.npy")
data = open(folder + "/snapshots.bin", "rb").read()
size = (len(data) - 40) // len(rows)
rounds = [struct.unpack_from("<q", data, 40 + i * size)[0] for i in range(len(rows))]
model = open(folder + "/model.safetensors", "rb").read()
length = struct.unpack("<Q", model[:8])[0]
header = json.loads(model[8 : 8 + length])
header.pop("__metadata__")
tensors = {n: np.frombuffer(model[8 + length :][slice(*t["data_offsets"])], "<f4") for n, t in header.items()
           if t["dtype"] == "F32"}
final = np.sort(np.concatenate(list(tensors.values())))
for statement in sys.argv[2:]:
    assert eval(statement), (statement, rounds, rows.shape)
P
}

case_ "the first snapshot is before any step, then k per epoch, and the last is the final model"
muster train $FIGURES --out three $SMALL --saves-per-epoch 3
expect_code 0
expect_err "for 7 snapshots of"
expect_snapshots three "rounds == [0, 5, 10, 15, 20, 25, 30]" "rows.dtype == np.float32" \
    "(np.sort(rows[-1]) == final).all()" "(rows[0] != rows[1]).any()"

case_ "parts of an epoch need not be whole rounds"
trained four $SMALL --saves-per-epoch 4 --max-steps 17
expect_snapshots four "rounds == [0, 4, 8, 12, 15, 17]"

case_ "snapshots do not change training"
trained none $SMALL
expect_same_model three none
expect_no_file none/x/snapshots.bin

case_ "the size of the file is what was announced"
[ "$(stat -c %s three/x/snapshots.bin)" -eq $((40 + 7 * (40 + 4 * $(/usr/bin/python3 -c '
import numpy, sys
print(numpy.load("three/x/x_weights.npy").shape[1])')))) ] || fail "other size"

case_ "every kind of algorithm writes them, and with several workers the last is the run's model"
for algorithm in "psgd" "local-sgd --local-sgd.period 4" "dsgd" "ps-sync" "ps-async" "hogwild" "ad-psgd"; do
    trained several $SMALL --workers 2 --algorithm $algorithm --saves-per-epoch 2
    expect_snapshots several "len(rounds) >= 4" "rounds[0] == 0" "rounds == sorted(set(rounds))" \
        "(np.sort(rows[-1]) == final).all()"
done

case_ "they do not change several workers either, also where models differ"
for algorithm in "dsgd" "local-sgd --local-sgd.period 4" "ps-sync"; do
    trained with $SMALL --workers 3 --algorithm $algorithm --saves-per-epoch 2
    trained without $SMALL --workers 3 --algorithm $algorithm
    expect_same_model with without
done

case_ "a server's are by its updates"
trained server $SMALL --workers 2 --algorithm ps-async --saves-per-epoch 2
expect_snapshots server "rounds == [0, 8, 16, 24, 32]"

case_ "BatchNorm's statistics are part of a snapshot, after the parameters"
trained norm --batch-size 16 --model mnist_bn --epochs 1 --saves-per-epoch 1
expect_snapshots norm "len(rows[0]) == len(final)" "(np.sort(rows[-1]) == final).all()"

case_ "a resumed run drops later snapshots and continues to the same file"
stopped INT 2 part $SIX --saves-per-epoch 3 --delay 20ms
expect_code 75
trained whole $SIX --saves-per-epoch 3
record=$((($(stat -c %s whole/x/snapshots.bin) - 40) / 19))
tail -c $((3 * record)) whole/x/snapshots.bin >>part/x/snapshots.bin # as of a process that was killed later
printf 'cut off' >>part/x/snapshots.bin
muster train --resume part --quiet
expect_code 0
expect_snapshots part "len(rounds) == 19" "rounds == [5 * i for i in range(19)]"
expect_same_model part whole
muster export whole --snapshots npy
expect_same part/x/x_weights.npy whole/x/x_weights.npy

case_ "a resumed run says which snapshots are lost, and how many there will be"
stopped INT 3 lost $SIX --saves-per-epoch 3 --delay 20ms
cp -r lost missing
rm missing/x/snapshots.bin
cp -r lost damaged
printf 'X' | dd of=damaged/x/snapshots.bin conv=notrunc status=none
cp -r lost short
truncate -s $((40 + 2 * record)) short/x/snapshots.bin
cp -r lost other
cp norm/x/snapshots.bin other/x/snapshots.bin
for run in missing damaged short; do
    muster train --resume $run
    expect_code 0
    grep -qE "^warning: $run/x/snapshots.bin is missing or damaged: [0-9]+ of the [0-9]+ snapshots up to round [0-9]+ are lost" <<<"$err" ||
        fail "no warning: $err"
    size=$(stat -c %s $run/x/snapshots.bin)
    expect_err "for $(((size - 40) / record)) snapshots of"
done
muster train --resume lost
expect_code 0
expect_no_err "are lost"
expect_err "for 19 snapshots of"
muster train --resume other
expect_code 2
expect_err "other/x/snapshots.bin: has snapshots of another network; move it away to resume"
expect_same norm/x/snapshots.bin other/x/snapshots.bin

case_ "a run without snapshots says how to get them; two formats at once are an error"
muster export none --snapshots npy
expect_code 2
expect_err "none/x/snapshots.bin: missing; snapshots are written with --saves-per-epoch"
muster export three --snapshots npy --results csv
expect_code 2
expect_err "--snapshots conflicts with --results"
muster export three --snapshots csv
expect_code 2
expect_err "--snapshots: 'csv' is not npy"

finish
