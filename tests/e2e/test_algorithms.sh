# Every algorithm of `muster algorithms --json` on a small network with uneven parts: threads and mpi have the same bits, a
# stopped run resumes to the same bits, --paranoid has no complaint, the bytes are those that it declares, the loss falls.
# `test_algorithms.sh NAME...` takes these alone.
# tests/conform/test_algorithms.c has the rest: where algorithms end, one worker, and workers without any data.
. "$(dirname "$0")/lib_workers.sh"

# As in lib.sh, but a run that hangs ends with code 124.
muster() {
    timeout 100 "$MUSTER" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

under_mpirun 1 --version
has_mpi=$((code != 77))
[ $has_mpi -eq 1 ] || echo "# $out"

# BatchNorm makes the state longer than the parameters. Rows of every round are there to be stopped at.
NET="--model mnist_bn --batch-size 16 --lr 0.002 --epochs 100 --partition labels_unscaled --log-every 1"
DATA=$FIGURES

# A map of points, where an algorithm needs places that it can count.
GRID_NET="--model grid_density --model.cells 16 --batch-size 16 --lr 0.02 --epochs 100 --partition split --log-every 1"
GRID_DATA="--dataset rooms --rooms.train-count 250 --rooms.test-count 40 --name x"

# What all together have sent is as declared: expect_bytes FOLDER NAME FLAG...
expect_bytes() {
    python3 - "$HERE" "$@" <<'PYTHON' || fail "bytes of $2"
import json, math, os, sys
sys.path.insert(0, sys.argv[1])
from weights import load
folder, name, flags = sys.argv[2] + "/x", sys.argv[3], sys.argv[4:]
declared = next(a for a in json.load(open("algorithms.json"))["algorithms"] if a["name"] == name)
rows = [json.loads(line) for line in open(f"{folder}/metrics.jsonl")]
workers = json.load(open(f"{folder}/workers.json"))
last = [r for r in rows if r["worker"] == -1][-1]
tensors = load(f"{folder}/model.safetensors")

def number(text):
    try:
        return float(text)
    except ValueError:
        return text

names = {o["name"]: number(o["default"]) for o in declared["options"]}
names.update({f.split(".")[1].replace("-", "_"): number(v) for f, v in zip(flags, flags[1:]) if f.startswith(f"--{name}.")})
names["W"] = len(workers)
names["S"] = sum(len(values) for _, values in tensors.values() if values.typecode == "f")
names["P"] = names["S"] - sum(len(values) for key, (_, values) in tensors.items() if "running_" in key)
names["G"] = sum(len(values) for key, (_, values) in tensors.items() if key.startswith("grid"))
names["L"] = 2 * len(json.loads(open(f"{folder}/graph.jsonl").readline())["edges"]) if declared["needs_graph"] else 0
names.update(max=max, min=min, floor=math.floor, __builtins__={})

def bounds(text):
    values = [eval(part, names) for part in text.split("..")]
    return values[0], values[-1]

rounds = sum(w["updates"] for w in workers) if declared["kind"] in ("shared-memory", "peer-to-peer") else last["round"]
sent = sum(w["bytes_sent"] for w in workers) if declared["kind"] != "server-based" else last["bytes_sent"]
low, high = (rounds * a + b for a, b in zip(bounds(declared["bytes"]), bounds(declared["bytes_once"])))
if not low <= sent <= high:
    print(f"# {name}: {sent} bytes in {rounds} rounds, declared {low:.0f} to {high:.0f}: {declared['bytes']}, once {declared['bytes_once']}")
    sys.exit(1)
page = " ".join(open(f"{os.environ['SOURCE_DIR']}/docs/reference/algorithms/{name}.md").read().split())
for text in declared["bytes"], declared["bytes_once"]:
    if text != "0" and f"`{text}`" not in page:
        print(f"# docs/reference/algorithms/{name}.md does not have `{text}`")
        sys.exit(1)
PYTHON
}

# Where chance decides on the bits, at least the work is counted right: expect_counts FOLDER UPDATES
expect_counts() {
    expect_run "$1" "sum(w['updates'] for w in workers) == $2" \
        'sum(w["samples"] for w in workers) == run[-1]["samples"]'
}

# The end of the run that is in `whole`, or the same work: expect_same_end FOLDER IS_ASYNCHRONOUS UPDATES
expect_same_end() {
    if [ "$2" -eq 1 ]; then
        expect_counts "$1" "$3"
    else
        expect_same_model whole "$1"
        expect_same_rows whole "$1"
    fi
}

# check KIND IS_ASYNCHRONOUS HAS_GRAPH NEEDS_GRID HAS_DECLARED_OPTIONS NAME FLAG...
check() {
    local kind=$1 is_asynchronous=$2 has_graph=$3 is_declared=$5 name=$6 title="${*:6}" paranoid="" optimizer="--momentum 0.9"
    local net=$NET FIGURES=$DATA # trained and its like use this FIGURES
    local rounds=20 updates=60 # of each and of all three workers; 20 rounds are whole periods of 2, 4, 5, 10 and 20
    [ "$4" -eq 0 ] || net=$GRID_NET FIGURES=$GRID_DATA
    shift 6
    [ "$is_asynchronous $has_graph" = "1 0" ] || paranoid=--paranoid
    [ "$is_asynchronous" -eq 0 ] || optimizer="" # stale gradients act like momentum already
    local arguments="$net --max-steps $rounds --algorithm $name $*"

    case_ "$title: trains uneven parts"
    rm -rf whole
    muster train $FIGURES --quiet --out whole $arguments $optimizer --workers 3
    if [ "$code" -eq 2 ]; then # it makes plain steps
        optimizer=""
        trained whole $arguments --workers 3
    fi
    expect_code 0
    expect_run whole '(lambda losses: losses[-1] < losses[0])([r["train_loss"] for r in run if "train_loss" in r])'

    if [ "$is_declared" -eq 1 ]; then
        case_ "$title: sends the bytes that it declares and that its page states"
        expect_bytes whole "$name" "$@"
    fi

    case_ "$title: a stopped run resumes to the same end"
    stopped INT 7 part $arguments $optimizer --workers 3 --delay 10ms
    expect_code 75
    muster train --resume part --quiet
    expect_code 0
    expect_same_end part "$is_asynchronous" $updates

    if [ $has_mpi -eq 1 ]; then
        case_ "$title: processes compute what threads compute${paranoid:+, and $paranoid has no complaint}"
        trained_mpi other 3 $arguments $optimizer $paranoid
        [ "$is_declared" -eq 0 ] || expect_bytes other "$name" "$@"
    else
        case_ "$title: runs again${paranoid:+, and $paranoid has no complaint}"
        trained other $arguments $optimizer --workers 3 $paranoid
    fi
    err=$(grep -v 'no better than' <<<"$err") # so short a run may have learned nothing
    [ -z "$err" ] || fail "it prints: $err"
    expect_same_end other "$is_asynchronous" $updates
}

names=$*
case_ "the program lists its algorithms"
"$MUSTER" algorithms --json >algorithms.json
python3 "$HERE/algorithms.py" trials <algorithms.json >list
for name in "$@"; do
    grep -qE "^[a-z-]+ . . . . $name( |$)" list || fail "there is no algorithm $name"
done
[ $# -gt 0 ] || [ "$(wc -l <list)" -ge 10 ] || fail "a list of $(wc -l <list)"

while read -r line <&3; do
    set -- $line
    [ -z "$names" ] || [[ " $names " = *" $6 "* ]] || continue
    check "$@"
done 3<list

case_ "scaffold says which optimisers it takes"
muster algorithms scaffold
expect_out "sgd without momentum"
expect_code 0

finish
