#!/bin/bash
# A thousand workers in one process: memory and cost grow with their number, not with its square.
. ./lib.sh

TRAIN="--dataset figures --figures.train-count 4000 --figures.test-count 100 --model lenet5 --algorithm dsgd
    --batch-size 4 --no-save"

# Runs it and prints: peak of memory in bytes, CPU seconds, and the estimate that it has printed, in bytes.
measured() {
    python3 - "$MUSTER" "$@" <<'P'
import re, resource, subprocess, sys
run = subprocess.run([sys.argv[1], "train", *sys.argv[2:]], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
found = re.search(r", about ([0-9.]+) ([GM])B of memory", run.stderr)
if run.returncode != 0 or not found:
    sys.exit(run.stderr)
print(used.ru_maxrss * 1024, used.ru_utime + used.ru_stime, float(found[1]) * {"G": 1e9, "M": 1e6}[found[2]])
P
}

case_ "the estimate of memory is within 15 % of what 1000 workers use, also while they evaluate"
for how in "--max-steps 2 --evaluate-rounds 1" "--max-steps 5 --evaluate-every 0"; do
    thousand=$(measured $TRAIN --graph torus --workers 1000 $how) || fail "it fails: $thousand"
    python3 - $thousand <<'P' || fail "$how: peak, CPU seconds, estimate: $thousand"
import sys
peak, seconds, estimate = map(float, sys.argv[1:])
assert abs(estimate / peak - 1) < 0.15
vectors, samples = 2 * 4 * 61706, 4100 * 788 # state and one message of 61706 floats
assert peak < 1.3 * 1000 * vectors + samples
P
done

# Linear is 10, the square 100. CPU seconds, because others may use the machine.
case_ "ten times as many workers do not cost twenty times as much"
hundred=$(measured $TRAIN --graph torus --workers 100 $how) || fail "it fails: $hundred"
python3 - $hundred $thousand <<'P' || fail "peak, CPU seconds, estimate: $hundred; $thousand"
import sys
few, many = map(float, sys.argv[1:4]), map(float, sys.argv[4:])
(peak, seconds, _), (peak_of_many, seconds_of_many, _) = few, many
assert peak_of_many < 12 * peak and seconds_of_many < 20 * seconds
P

case_ "above 256 nodes distances from the mean are measured, and those of pairs if asked for"
for pairwise in auto always; do
    muster train $TRAIN --graph cycle --workers 260 --max-steps 2 --pairwise-distances $pairwise --out $pairwise
    expect_code 0
done
python3 - <<'P' || fail "other distances"
import glob, json
few, all_ = [[json.loads(x) for x in open(glob.glob(how + "/*/consensus.jsonl")[0])][-1] for how in ("auto", "always")]
assert "raw" not in few and "normalized" not in few and len(all_["raw"]) == len(all_["normalized"]) == 260 * 259 / 2
for key in ("from_mean", "from_mean_normalized"):
    assert len(few[key]) == 260 and all(x > 0 and abs(x / y - 1) < 1e-4 for x, y in zip(few[key], all_[key]))
P

case_ "a run without distances of pairs is exported"
muster export auto --results npz
expect_code 0
finish
