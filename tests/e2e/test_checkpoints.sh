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

# Where numbers are: those of an algorithm after three words and the counters of a worker; those of the second client.
read -r numbers second_client < <(python3 - "$HERE" served/x/checkpoints/last.safetensors <<'P'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from forge import load
texts, tensors = load(sys.argv[2])
print(3 + len(texts["counters"].split(",")), tensors["clients"][0]["shape"][1])
P
)

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
rejected nodes "a number of bytes is 9.22337e+18" set:worker.0:$((numbers + 1)):9223372036854775807
rejected served "no run can have" set:clients:$second_client:1099511627776
rejected served "a count of the server" set:clients:0:-1
rejected served "a count of the server" set:clients:0:9223372036854775807

case_ "weights that are not finite are rejected"
rejected nodes "a weight is not finite" set:dense1.weight:3:nan
rejected nodes "a weight is not finite" add:worker.1:-8:inf
rejected shared "a weight is not finite" set:dense1.weight:3:inf

case_ "a gamma that choco cannot have is rejected by all workers"
resumed_with choco set:worker.1:$numbers:0
expect_code 2
expect_one_error "the checkpoint has a gamma of 0 for worker 1"

case_ "processes reject it with one message, and none waits"
under_mpirun 2 version
for edit in del:worker.1 set:worker.2:$numbers:0; do
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

# --- several checkpoints of a run ---

# 15 rounds in an epoch of 240 samples
KEPT="--batch-size 16 $NET --momentum 0.9"
rounds_of() { (cd "$1/x/checkpoints" && echo round-*.safetensors | sed 's/round-//g; s/.safetensors//g'); }
damage() { printf 'x' | dd of="$1" bs=1 seek=9000 conv=notrunc 2>/dev/null; }

case_ "the last two checkpoints are kept, and last points to the newest"
trained kept $KEPT --epochs 4
[ "$(rounds_of kept)" = "45 60" ] || fail "kept: $(rounds_of kept)"
[ "$(readlink kept/x/checkpoints/last.safetensors)" = round-60.safetensors ] || fail "last is $(ls -l kept/x/checkpoints)"
ls kept/x/checkpoints/*.tmp 2>/dev/null && fail "something half-written is left"

case_ "--keep says how many"
trained one_kept $KEPT --epochs 3 --keep 1
[ "$(rounds_of one_kept)" = "45" ] || fail "kept: $(rounds_of one_kept)"
trained all_kept $KEPT --epochs 4 --keep 3
[ "$(rounds_of all_kept)" = "30 45 60" ] || fail "kept: $(rounds_of all_kept)"
muster train --resume all_kept --epochs 5 --keep 1 --quiet
expect_code 0
[ "$(rounds_of all_kept)" = "75" ] || fail "kept: $(rounds_of all_kept)"
muster train $FIGURES --keep 0
expect_code 2
expect_err "keep"

case_ "a damaged checkpoint falls back to the one before, with a warning, and ends with the same bits"
trained whole4 $KEPT --epochs 4
trained fallen $KEPT --epochs 3
damage fallen/x/checkpoints/last.safetensors
cp -r fallen fallen_mpi
muster train --resume fallen --epochs 4 --quiet
expect_code 0
expect_err "warning: fallen/x/checkpoints/round-45.safetensors: damaged: "
expect_err "; resuming from round 30 instead (fallen/x/checkpoints/round-30.safetensors)"
expect_same_model fallen whole4
expect_same_rows fallen whole4
[ "$(rounds_of fallen)" = "45 60" ] || fail "kept: $(rounds_of fallen)"

case_ "a damaged one with a higher round than those that are written later is removed with the others"
trained higher $KEPT --epochs 3
damage higher/x/checkpoints/last.safetensors
muster train --resume higher --epochs 3 --max-steps 35 --quiet
expect_code 0
[ "$(rounds_of higher)" = "30 35" ] || fail "kept: $(rounds_of higher)"

case_ "processes all resume from the checkpoint that the first has found"
trained_mpi ranks 2 $KEPT --epochs 3 --algorithm dsgd --graph cycle
if [ "$code" -ne 77 ]; then
    trained_mpi ranks4 2 $KEPT --epochs 4 --algorithm dsgd --graph cycle
    damage ranks/x/checkpoints/last.safetensors
    under_mpirun 2 train --resume ranks --epochs 4 --quiet
    expect_code 0
    expect_err "resuming from round 16 instead"
    expect_same_model ranks ranks4
else
    case_failed=0 # no MPI here
fi

case_ "when all are damaged, each is named with what is wrong"
trained broken $KEPT --epochs 3
damage broken/x/checkpoints/round-30.safetensors
: >broken/x/checkpoints/round-45.safetensors
muster train --resume broken --epochs 4 --quiet
expect_code 2
expect_err "no checkpoint can be used: broken/x/checkpoints/round-45.safetensors: has 0 bytes"
expect_err "; broken/x/checkpoints/round-30.safetensors: damaged: "

case_ "without the link the highest round is the newest, and a dangling link is no obstacle"
trained unlinked $KEPT --epochs 3
cp -r unlinked dangling
rm unlinked/x/checkpoints/last.safetensors
muster train --resume unlinked --epochs 4 --quiet
expect_code 0
expect_same_model unlinked whole4
rm dangling/x/checkpoints/round-45.safetensors
muster train --resume dangling --epochs 4 --quiet
expect_code 0
expect_same_model dangling whole4

case_ "a run of an earlier program, whose last checkpoint is a file, is resumed"
trained old $KEPT --epochs 3
mv old/x/checkpoints/round-45.safetensors old/x/checkpoints/kept
rm old/x/checkpoints/*.safetensors
mv old/x/checkpoints/kept old/x/checkpoints/last.safetensors
sed -i '/keep:/d' old/effective.yaml
muster train --resume old --epochs 4 --quiet
expect_code 0
expect_same_model old whole4
[ "$(rounds_of old)" = "60" ] || fail "kept: $(rounds_of old)"

case_ "a damaged best model is no obstacle"
trained best $KEPT --epochs 3 --validation 0.2
damage best/x/checkpoints/best.safetensors
muster train --resume best --epochs 4 --quiet
expect_code 0
expect_err "the best model so far is lost"

case_ "a full disk says that the last checkpoint is whole, and how to resume"
trained full $KEPT --epochs 1
(ulimit -f 40 && "$MUSTER" train --resume full --epochs 2 --log-every 1 --quiet >/dev/null 2>"$WORK/.err")
code=$?
err=$(cat "$WORK/.err")
expect_code 3
expect_err "the checkpoint of round 15 is whole: resume with: muster train --resume full/x"
muster train --resume full --epochs 2 --quiet
expect_code 0

case_ "the seconds of a run with one worker are counted on when it is resumed"
trained one --epochs 1 --batch-size 16 --workers 1 --model mnist_conv
muster train --resume one --quiet --epochs 2
expect_code 0
expect_run one 'run == []' 'per[-1]["seconds"] > per[0]["seconds"]' 'per[-1]["samples"] == 480'

case_ "checkpoints by rounds: one that was killed within an epoch loses no more, and ends with the same bits"
for how in "single" "sync --workers 2" "dsgd --graph cycle --workers 3" "ps-sync --workers 2"; do
    RUN="--model mnist_bn --batch-size 8 --epochs 2 --algorithm $how"
    rm -rf unbroken part
    trained unbroken $RUN
    trained part $RUN --save-rounds 3 --keep 100
    rounds=$(python3 -c 'import json; print(json.load(open("part/x/result.json"))["rounds"])')
    [ "$(ls part/x/checkpoints | grep -c '^round-')" -eq $(((rounds + 2) / 3)) ] ||
        fail "$how: $rounds rounds, but these checkpoints: $(ls part/x/checkpoints)"
    expect_same_model unbroken part
    # as if it had been killed after round 7
    python3 - part/x 7 <<'P'
import os, re, sys
folder, end = sys.argv[1] + "/checkpoints", int(sys.argv[2])
kept = [n for n in os.listdir(folder) if (m := re.fullmatch(r"round-(\d+)\.safetensors", n)) and int(m[1]) <= end]
for name in os.listdir(folder):
    if name not in kept:
        os.remove(f"{folder}/{name}")
os.symlink(max(kept, key=lambda n: int(re.search(r"\d+", n)[0])), f"{folder}/last.safetensors")
for name in "model.safetensors", "result.json":
    os.remove(f"{sys.argv[1]}/{name}")
P
    muster train --resume part --quiet
    expect_code 0
    expect_same_model unbroken part
    expect_same_rows unbroken part
done

finish
