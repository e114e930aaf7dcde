# Several workers: what options do, and what a run leaves behind.
. "$(dirname "$0")/lib_workers.sh"

SMALL="--model mnist_conv --batch-size 16"

case_ "a run of every algorithm leaves its files, a row per worker and epoch, and each worker's work"
select_algorithms "$SEVERAL"
for algorithm in "${selected[@]}"; do
    trained run $SMALL --workers 3 --epochs 2 --algorithm $algorithm --validation 0.1
    for file in model.safetensors checkpoints/last.safetensors checkpoints/best.safetensors partition.txt workers.json; do
        expect_file run/x/$file
    done
    expect_run run '[sum(k in r for r in run) for k in ("train_loss", "test_loss", "validation_loss")] == [2, 2, 2]' \
        'all(abs(r["epoch"] - r["samples"] / 216) < 1e-12 for r in run)' \
        '[r["worker"] for r in per] == [0, 1, 2] * 2' 'all(r["epoch"] == r["samples"] / 72 for r in per)' \
        'all("computing" in r and "waiting" in r for r in per)' \
        'all("train_loss" in r for i, r in enumerate(per) if r["samples"] > (per[i - 3]["samples"] if i > 2 else 0))' \
        'run[-1]["samples"] == sum(w["samples"] for w in workers)' \
        '[w["worker"] for w in workers] == [0, 1, 2] and all(w["updates"] > 0 for w in workers)'
    muster evaluate run
    expect_code 0
done

case_ "psgd and local-sgd record each worker before the average, which is better"
trained run $SMALL --workers 3 --epochs 1 --algorithm psgd
expect_run run 'all("test_loss" in r and "test_accuracy" in r for r in per)' \
    'all("test_loss" in w for w in workers)' 'len({r["test_loss"] for r in per}) == 3'

case_ "solo is single on each part: who has all samples ends where one worker alone does, and nothing is sent"
trained run $SMALL --workers 3 --epochs 2 --algorithm solo --partition shared
trained alone $SMALL --epochs 2
alone=$(tail -n 1 alone/x/metrics.jsonl | json_field test_loss)
expect_run run "per[-3]['test_loss'] == $alone != per[-2]['test_loss']" 'run[-1]["bytes_sent"] == 0' \
    'run[-1]["test_accuracy_max"] == max(w["test_accuracy"] for w in workers)'

case_ "a server records how stale each gradient was"
trained run $SMALL --workers 3 --epochs 2 --algorithm ps-async
expect_run run 'all(sum(w["staleness"]) == w["updates"] for w in workers)' \
    'sum(w["updates"] for w in workers) == 30 == run[-1]["round"]' \
    'max(w["staleness_max"] for w in workers) > 0'
trained run $SMALL --workers 3 --epochs 2 --algorithm ps-async --staleness 1 --slow-worker 2:5ms
expect_run run 'max(w["updates"] for w in workers) - min(w["updates"] for w in workers) <= 2'

case_ "asynchronous workers do their own epochs, or so many together; and a slow one holds nobody up"
PARTS="$SMALL --workers 3 --epochs 2 --partition labels_unscaled --slow-worker 0:5ms"
for algorithm in ps-async "ps-async --staleness 2" hogwild ad-psgd; do
    trained own $PARTS --algorithm $algorithm
    trained total $PARTS --algorithm $algorithm --ends total
    expect_run own 'run[-1]["samples"] == 2 * 240' 'len({w["samples"] for w in workers}) > 1' \
        'all(w["updates"] == 2 * -(-w["samples"] // 32) for w in workers)'
    rounds=$(python3 -c 'import json; print(sum(w["updates"] for w in json.load(open("own/x/workers.json"))))')
    expect_run total "sum(w['updates'] for w in workers) == $rounds"
    grep -q "ends: own" own/effective.yaml || fail "effective.yaml does not say how workers ended"
done

case_ "uneven parts never hang, and each policy does what it says"
UNEVEN="$SMALL --workers 3 --epochs 2 --partition labels_unscaled"
select_algorithms "$SEVERAL"' and not a["is_asynchronous"] and a["model"] != "each" and not a["has_own_epochs"]'
for algorithm in "${selected[@]}"; do
    trained wait $UNEVEN --algorithm $algorithm
    trained repeat $UNEVEN --algorithm $algorithm --uneven repeat
    trained shortest $UNEVEN --algorithm $algorithm --uneven shortest
    expect_run wait 'run[-1]["samples"] == 2 * 240' 'len({w["samples"] for w in workers}) > 1'
    rounds=$(tail -n 1 wait/x/metrics.jsonl | json_field round)
    expect_run repeat "run[-1]['round'] == $rounds" 'run[-1]["samples"] > 2 * 240'
    expect_run shortest "run[-1]['round'] < $rounds" 'run[-1]["samples"] < 2 * 240' \
        'max(w["samples"] for w in workers) - min(w["samples"] for w in workers) <= 2 * 16'
done

case_ "--budget samples:N ends every algorithm after about N samples"
select_algorithms "$SEVERAL"
for algorithm in "${selected[@]}"; do
    trained run $SMALL --workers 3 --algorithm $algorithm --budget samples:1000 --evaluate-every 0
    steps=$(sed -n 's/.*local-steps \([0-9]*\).*/\1/p' <<<"$algorithm") # batches of a round
    expect_run run "1000 <= run[-1]['samples'] < 1000 + 3 * 16 * ${steps:-1}"
done

case_ "BatchNorm's statistics are averaged, worker 0's, or measured anew, as --statistics says"
select_algorithms "$SEVERAL"' and a["model"] != "each"'
for algorithm in "${selected[@]}"; do
    trained anew --model mnist_bn --batch-size 16 --workers 3 --epochs 1 --algorithm $algorithm --statistics recalibrate
    trained average --model mnist_bn --batch-size 16 --workers 3 --epochs 1 --algorithm $algorithm
    # Statistics that still have much of their start, which is one, against those of the weights at the end.
    python3 - "$HERE" <<'P' || fail "$algorithm: statistics"
import sys
sys.path.insert(0, sys.argv[1])
from weights import load
average, anew = (load(f"{run}/x/model.safetensors")["bn1.running_var"][1] for run in ("average", "anew"))
assert all(0 < a < 0.2 for a in anew) and sum(average) > 1.2 * sum(anew), (list(average), list(anew))
P
done
trained local --model mnist_bn --batch-size 16 --workers 3 --epochs 1 --algorithm sync --statistics local
trained average --model mnist_bn --batch-size 16 --workers 3 --epochs 1 --algorithm sync
expect_different local/x/model.safetensors average/x/model.safetensors

case_ "statistics of workers with the same parameters count by the samples that each has seen"
trained run --model mnist_bn --batch-size 16 --workers 3 --epochs 1 --algorithm sync --partition labels_unscaled
python3 - "$HERE" <<'P' || fail "statistics by samples"
import array, sys
sys.path.insert(0, sys.argv[1])
from weights import load
model, last = load("run/x/model.safetensors"), load("run/x/checkpoints/last.safetensors")
names = [n for n in model if "running_" in n]
count = sum(len(model[n][1]) for n in names)
samples, buffers = [], []
for w in range(3):  # a header of two words, the counters (samples come fourth), ..., the buffers
    words = array.array("q", last[f"worker.{w}"][1])
    samples.append(array.array("d", words[2:].tobytes())[3])
    buffers.append(array.array("f", words[-((count + 1) // 2):].tobytes())[:count])
assert len(set(samples)) > 1, samples
expected = [sum(s * b[i] for s, b in zip(samples, buffers)) / sum(samples) for i in range(count)]
plain = [sum(b[i] for b in buffers) / 3 for i in range(count)]
got = [x for n in names for x in model[n][1]]
assert all(abs(e - g) < 1e-6 * (1 + abs(e)) for e, g in zip(expected, got)), (expected[:4], got[:4])
assert any(abs(p - g) > 1e-4 for p, g in zip(plain, got))
P

case_ "delays are slept, take their time, and change nothing else"
trained quick $SMALL --workers 3 --epochs 1
trained slow $SMALL --workers 3 --epochs 1 --delay 20ms
trained twice $SMALL --workers 3 --epochs 1 --delay 20ms --slow-worker 1:2.0
trained alone $SMALL --workers 3 --epochs 1 --slow-worker 1:40ms
for run in slow twice alone; do expect_same_model quick $run; done
expect_run slow 'all(w["sleeping"] >= 5 * 0.02 for w in workers)' 'run[-1]["seconds"] >= 5 * 0.02'
expect_run twice 'workers[1]["sleeping"] >= 5 * 0.04 > workers[0]["sleeping"] >= 5 * 0.02'
expect_run alone 'workers[1]["sleeping"] >= 5 * 0.04' 'workers[0]["sleeping"] == workers[2]["sleeping"] == 0' \
    'run[-1]["seconds"] >= 5 * 0.04'

case_ "who is slow holds up a synchronous run, but not an asynchronous one"
trained async $SMALL --workers 3 --epochs 4 --algorithm ps-async --slow-worker 1:40ms --delay 4ms --ends total
expect_run async 'workers[1]["updates"] < min(workers[0]["updates"], workers[2]["updates"]) / 2' \
    'run[-1]["seconds"] < 60 / 3 * 0.04'

case_ "--trace shows every endpoint in one file that Perfetto opens"
for algorithm in sync ps-async hogwild; do # one of each kind
    trained run $SMALL --workers 3 --epochs 1 --algorithm $algorithm --delay 1ms --trace
    python3 - $algorithm <<'P' || fail "trace.json of $algorithm"
import json, sys
trace = json.load(open("run/x/trace.json"))
events = trace["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
expected = ["worker 0", "worker 1", "worker 2"] + (["server"] if sys.argv[1] == "ps-async" else [])
assert sorted(names.values()) == sorted(expected), names
for tid, name in names.items():
    spans = [e for e in events if e["ph"] == "X" and e["tid"] == tid]
    assert spans and all(e["ts"] >= 0 and e["dur"] >= 0 for e in spans), name
    assert any(e["name"] == "round" for e in spans), name
    assert any(e["name"] == "sleep" for e in spans) == name.startswith("worker"), name
for i, w in enumerate(json.load(open("run/x/workers.json"))): # a counter of each gradient's staleness
    values = [e["args"]["staleness"] for e in events if e["ph"] == "C" and e["name"] == f"worker {i}: staleness"]
    assert len(values) == (w["updates"] if sys.argv[1] == "ps-async" else 0), values
    assert not values or (sum(values) / len(values), max(values)) == (w["staleness_mean"], w["staleness_max"]), values
P
done

case_ "more workers than cores work"
for workers in 10 40; do
    for algorithm in sync ps-async hogwild; do # one of each kind
        trained run --model mnist_conv --batch-size 4 --epochs 1 --workers $workers --algorithm $algorithm
        expect_run run "len(workers) == $workers" 'round(run[-1]["epoch"]) == 1' \
            'sum(w["samples"] for w in workers) == run[-1]["samples"]'
    done
done

case_ "evaluating is no part of the training time, also where workers queue for a core behind it"
began=$(date +%s%N)
muster train --dataset figures --figures.train-count 240 --figures.test-count 10000 --name x --quiet --json --out off \
    $SMALL --workers 12 --max-steps 1 --algorithm dsgd
expect_code 0
python3 -c 'import sys; sys.exit(not float(sys.argv[1]) < int(sys.argv[2]) * 1e-9 / 5)' \
    "$(json_field train_seconds <<<"$out")" $(($(date +%s%N) - began)) ||
    fail "one round took most of the time that evaluating takes: $out"

finish
