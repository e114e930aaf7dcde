# ad-psgd: every node at its own pace, as threads and as processes.
. "$(dirname "$0")/lib_workers.sh"

SMALL="--model mnist_conv --batch-size 16"
SLOW="--model mnist_bn --batch-size 16 --epochs 3 --log-every 1 --algorithm ad-psgd --optimizer adam"

under_mpirun 1 --version
has_mpi=$((code != 77))

case_ "every node is evaluated on the way and at the end, and the mean of all is saved"
trained run $SMALL --workers 4 --epochs 2 --algorithm ad-psgd --graph cycle --validation 0.1
for file in model.safetensors checkpoints/last.safetensors checkpoints/best.safetensors workers.json; do
    expect_file run/x/$file
done
expect_run run '[r["round"] for r in run if "train_loss" in r] == [4, 8]' \
    '[r["round"] for r in run if "test_loss" in r] == [4, 8]' \
    'all("consensus_error" in r and "test_accuracy_min" in r for r in run if "test_loss" in r)' \
    '[(r["round"], r["worker"]) for r in per if "test_loss" in r] == [(e, w) for e in (4, 8) for w in range(4)]' \
    '[w["updates"] for w in workers] == [8, 8, 8, 8]' 'run[-1]["samples"] == 2 * 216' \
    'len({r["test_loss"] for r in per[-4:]}) == 4'
# 28440 parameters: an average is two models, a refusal one.
expect_run run 'run[-1]["bytes_sent"] % (4 * 28440) == 0 < run[-1]["bytes_sent"]' \
    'run[-1]["bytes_sent"] == sum(w["bytes_sent"] for w in workers)'
# Most questions are answered, so that a round is nearly two models; and every link knows its bytes.
expect_run run 'run[-1]["bytes_sent"] >= 1.5 * 32 * 4 * 28440'
python3 - <<'P' || fail "links do not add up"
import json
workers = json.load(open("run/x/workers.json"))
sent = [{"from": w["worker"], **link} for w in workers for link in w["links"]]
rows = [json.loads(line) for line in open("run/x/metrics.jsonl")]
assert sum(s["bytes"] for s in sent) == [r for r in rows if r["worker"] == -1][-1]["bytes_sent"], sent
assert all(abs(s["from"] - s["to"]) in (1, 3) and s["bytes"] % (4 * 28440) == 0 for s in sent), sent
assert {s["from"] for s in sent} == {0, 1, 2, 3}, sent
P
muster evaluate run
expect_code 0

case_ "one node is plain SGD to the bit; nodes and links that are out, and uneven parts, hang nobody"
trained one $SMALL --epochs 2 --algorithm ad-psgd --momentum 0.9
trained single $SMALL --epochs 2 --momentum 0.9
expect_same_model one single
trained run $SMALL --workers 5 --epochs 2 --algorithm ad-psgd --graph star --graph.drop-nodes 0.3 --graph.drop-links 0.3 \
    --partition dirichlet
expect_run run 'len({w["updates"] for w in workers}) > 1' 'run[-1]["samples"] == 480'
trained run --model mnist_conv --batch-size 4 --epochs 1 --workers 20 --algorithm ad-psgd --graph complete --trace
expect_run run 'run[-1]["epoch"] == 1' 'all(w["updates"] == 3 for w in workers)'
grep -q '"responder 19"' run/x/trace.json || fail "no responder in the trace"

case_ "a slow node holds nobody up"
trained run $SMALL --workers 3 --epochs 4 --algorithm ad-psgd --graph complete --slow-worker 1:150ms --log-every 1
expect_run run '[r for r in logs if r["round"] == 20 and r["worker"] == -1][0]["seconds"] < 20 * 0.15 / 2' \
    '[w["updates"] for w in workers] == [20, 20, 20]' 'run[-1]["seconds"] > 20 * 0.15'

case_ "BatchNorm's statistics are averaged with the models, local, or measured anew"
for statistics in average local recalibrate; do
    trained $statistics --model mnist_bn --batch-size 16 --workers 3 --epochs 2 --algorithm ad-psgd --statistics $statistics
    python3 - "$HERE" $statistics <<'P' || fail "statistics: $statistics"
import sys
sys.path.insert(0, sys.argv[1])
from weights import load
variances = load(f"{sys.argv[2]}/x/model.safetensors")["bn1.running_var"][1]
assert all(v > 0 for v in variances) and (sum(variances) / len(variances) < 0.2) == (sys.argv[2] == "recalibrate"), variances
P
done

case_ "a run that was stopped goes on where its nodes were"
for rows in 3 23; do # 23: worker 0 has written its last row, and waits for the slow one
    stopped INT $rows part $SLOW --workers 3 --delay 10ms --slow-worker 1:60ms
    expect_code 75
    expect_err "muster train --resume part/x"
    muster train --resume part --quiet
    expect_code 0
    expect_run part '[w["updates"] for w in workers] == [15, 15, 15]' 'run[-1]["samples"] == 720'
done
muster train --resume part --json
expect_code 0
expect_err "the run is already complete"
muster train --resume part --quiet --epochs 4
expect_code 0
expect_run part '[w["updates"] for w in workers] == [20, 20, 20]' 'run[-1]["epoch"] == 4'

case_ "a checkpoint on the way has every node's own model, optimiser and place"
stopped KILL 23 part $SLOW --workers 3 --delay 10ms --slow-worker 1:60ms
expect_code 137
python3 - part/x/checkpoints/last.safetensors <<'P' || fail "not every node's own"
import json, struct, sys
data = open(sys.argv[1], "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + length])
assert "tallies" not in header, header.keys()
states = []
for worker in range(3):
    begin, end = header[f"worker.{worker}"]["data_offsets"]
    states.append(data[8 + length + begin:8 + length + end])
rounds = [struct.unpack("<d", p[24:32])[0] for p in states]  # after two words and a byte for each vector of Adam, the counters
assert rounds[0] >= 5 and rounds[1] < rounds[0], rounds        # the slow one is behind
model = states[0][-4 * 1000:]
assert all(p[-4 * 1000:] != model for p in states[1:])
P
muster train --resume part --quiet
expect_code 0
expect_run part 'run[-1]["epoch"] == 3'

case_ "a worker that diverges ends all, and says so once"
muster train $FIGURES --quiet --model mnist_conv --lr 1e6 --algorithm ad-psgd --workers 3 --epochs 50 --out nan
expect_code 5
expect_err "training diverged"
muster train $FIGURES --quiet $SMALL --algorithm ad-psgd --workers 4 --graph exponential --out refused
expect_code 2
expect_err "exponential is directed, but ad-psgd needs an undirected graph"

if [ $has_mpi -eq 1 ]; then
    case_ "the same as processes"
    trained_mpi run 3 --model mnist_bn --batch-size 16 --optimizer adam --epochs 4 --algorithm ad-psgd --graph cycle
    expect_run run '[w["updates"] for w in workers] == [20, 20, 20]' 'run[-1]["samples"] == 4 * 240' \
        'run[-1]["train_loss"] < 0.9 * run[0]["train_loss"]' 'len({r["test_loss"] for r in per[-3:]}) == 3'
    under_mpirun 3 train $FIGURES --quiet --model mnist_conv --lr 1e6 --algorithm ad-psgd --epochs 50 --out nan_mpi
    expect_code 5
    expect_one_error "training diverged"

    case_ "a signal to any one process stops them all, and the run goes on, as threads too"
    for process in 0 2; do
        stopped_mpi $process part $SLOW --delay 40ms
        expect_code 75
        [ "$(grep -c '^warning:' <<<"$err")" -eq 1 ] || fail "not one warning: $err"
        muster train --resume part --quiet
        expect_code 0
        expect_run part '[w["updates"] for w in workers] == [15, 15, 15]'
    done
fi

finish
