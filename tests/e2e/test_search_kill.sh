# A search that is killed at several moments repeats no finished fold, and finds what an unbroken one does.
. "$(dirname "$0")/lib.sh"

SEARCH="--dataset figures --figures.train-count 300 --figures.test-count 100 --model mnist_conv --momentum 0.9"
SEARCH="$SEARCH --batch-size 8 --folds 2 --jobs 2 --delay 3ms --quiet --no-report"

finished_parts() { cat "$1"/*/attempts.jsonl 2>/dev/null | grep -c '"reason": "finished"'; }

# Starts the search $2... in folder $1 and kills it, with all that it started, when so many parts of runs have
# finished as MOMENT says.
kill_at_moment() {
    local folder=$1
    shift
    setsid "$MUSTER" search "$@" --out "$folder" >/dev/null 2>&1 &
    local pid=$!
    until [ -f "$folder/results.json" ] && [ "$(finished_parts "$folder")" -ge "$MOMENT" ]; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.01
    done
    kill -KILL -- -$pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $? -eq 137 ] && kills=$((kills + 1))
}

cat >check.py <<'PYTHON'
import glob, json, os, sys
whole, killed = sys.argv[1:3]

# Nothing finished is repeated: after a finished part a run starts at its end, or not at all.
for path in glob.glob(killed + "/*/attempts.jsonl"):
    done = 0
    for attempt in map(json.loads, open(path)):
        assert attempt["from_round"] >= done, (path, attempt, done)
        if attempt["reason"] == "finished":
            done = attempt["to_round"]
    assert done > 0, path

# The table is that of the unbroken search.
def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()
                if k not in ("folder", "run_dir") and "seconds" not in k and "samples_per_s" not in k}
    return [plain(v) for v in x] if isinstance(x, list) else x
a, b = (plain(json.load(open(f + "/results.json"))) for f in (whole, killed))
assert a == b, (a, b)
assert a["best"] is not None
for run in a["runs"]:
    one, two = (open(os.path.join(f, run["name"], "model.safetensors"), "rb").read() for f in (whole, killed))
    assert one == two, run["name"]
PYTHON

# Kills the search $2... in the folder $1_killed at the moments $MOMENTS, and compares it with one in $1_whole.
check_killed() {
    local name=$1
    shift
    muster search "$@" --out ${name}_whole
    expect_code 0
    kills=0
    : >results
    for MOMENT in $MOMENTS; do
        kill_at_moment ${name}_killed "$@"
        # of runs that had finished before, result.json is the same file
        while read -r file inode time; do
            [ "$(stat -c '%n %i %Y' "$file")" = "$file $inode $time" ] || fail "$file was written again"
        done <results
        [ "$KEEPS_RESULTS" = yes ] && stat -c '%n %i %Y' ${name}_killed/*/result.json >results 2>/dev/null
    done
    [ $kills -ge 2 ] || fail "it was killed $kills times only"
    muster search "$@" --out ${name}_killed
    expect_code 0
    while read -r file inode time; do
        [ "$(stat -c '%n %i %Y' "$file")" = "$file $inode $time" ] || fail "$file was written again"
    done <results
    python3 check.py ${name}_whole ${name}_killed || fail "not as an unbroken search"
}

case_ "a grid that is killed again and again repeats no finished fold and has the table of an unbroken one"
MOMENTS="0 1 3 6 9" KEEPS_RESULTS=yes
check_killed grid $SEARCH --vary lr=0.0005,0.002,0.005,0.01,0.02 --epochs 6

case_ "a random search does, too"
MOMENTS="0 2 5" KEEPS_RESULTS=yes
check_killed random $SEARCH --vary lr=0.002..0.02 --random 4 --epochs 6

# A result.json is written again when its run continues in the next stage.
case_ "successive halving does, too, in every stage"
MOMENTS="0 1 5 12 13 17 19 23" KEEPS_RESULTS=no
check_killed halving $SEARCH --vary lr=0.0005,0.001,0.002,0.005,0.01,0.02 --epochs 12 --halving=2

finish
