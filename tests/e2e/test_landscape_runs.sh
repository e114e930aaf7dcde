# Which runs a landscape takes: of densities, diverged ones, the same run twice, and those whose snapshots are damaged.
. "$(dirname "$0")/lib_workers.sh"

case_ "of a density network the loss at the last snapshot is the run's: its metrics have sums of their own"
muster train --dataset rooms --model fourier_density --epochs 1 --max-steps 20 --saves-per-epoch 100 --name x --quiet \
    --no-report --out rooms
expect_code 0
muster landscape rooms --grid 2 --json
expect_code 0
python3 - "$out" rooms/x/result.json <<'P' || fail "another loss"
import json, sys
landscape, result = json.loads(sys.argv[1]), json.load(open(sys.argv[2]))
last = landscape["runs"][0]["points"][-1]
assert abs(last["loss"] - result["test_loss"]) < 1e-6, (last, result["test_loss"])
P

finish
