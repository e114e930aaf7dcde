# Log rows: of the run and of each worker, by default at least fifty times in an epoch.
. "$(dirname "$0")/lib_workers.sh"
under_mpirun 1 --version
has_mpi=$((code != 77))

# 100 rounds in an epoch of each of two workers; `workers` may be another number.
LENET="--dataset figures --figures.train-count 6400 --figures.test-count 40 --model lenet5 --epochs 1"

logged() { # FOLDER ARGUMENT...
    local folder=$1
    shift
    rm -rf "$folder"
    muster train $LENET --workers "${workers:-2}" --name x --quiet --out "$folder" "$@"
    [ "$code" -eq 0 ] || fail "exit code $code of: $*: $err"
}

case_ "by default the run and each worker have at least 50 log rows in an epoch, however workers coordinate"
for algorithm in sync "dsgd --graph complete" ps-sync ps-async hogwild ad-psgd; do
    logged run --algorithm $algorithm --delay 1ms
    expect_run run 'sum(r["worker"] == -1 for r in logs) >= 50' \
        'all(r["batch_loss"] > 0 and r["lr"] == 0.01 for r in logs)' \
        'all(r.get("weight_norm", 2) > 1 for r in logs)' 'all("weight_norm" in [r for r in logs if r["worker"] == w][-1] for w in (0, 1))' \
        'all(k in r for r in logs if r["worker"] >= 0 for k in ("computing", "waiting", "transferring", "sleeping"))' \
        'all([r["samples"] for r in logs if r["worker"] == w] == sorted(r["samples"] for r in logs if r["worker"] == w)
             for w in (-1, 0, 1))' \
        '(sum(max(r["samples"] for r in logs if r["worker"] == w) for w in (0, 1)) ==
             max(r["samples"] for r in logs if r["worker"] == -1))'
done
for algorithm in sync dsgd ps-sync; do
    logged run --algorithm $algorithm
    expect_run run 'all(sum(r["worker"] == w for r in logs) >= 50 for w in (0, 1))' \
        'all(abs(a["batch_loss"] - (b["batch_loss"] + c["batch_loss"]) / 2) < 1e-9
             for a, b, c in zip(logs[::3], logs[1::3], logs[2::3], strict=True))'
done

case_ "a run of one worker has log rows without those of workers"
workers=1 logged run
expect_run run 'len(logs) >= 50' 'all(r["worker"] == 0 and "waiting" not in r for r in logs)'

case_ "each row has the loss since the one before it, also of workers that do not wait for each other"
for algorithm in "ps-async --slow-worker 1:5ms" "ad-psgd --slow-worker 1:5ms"; do
    logged run --algorithm $algorithm --log-every 7 --max-steps 60
    python3 - run <<'P' || fail "$algorithm: other sums"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1] + "/x/metrics.jsonl")]
logs = [r for r in rows if "batch_loss" in r]
def loss_until(worker):
    samples = total = 0
    for r in logs:
        if r["worker"] == worker:
            total += r["batch_loss"] * (r["samples"] - samples)
            samples = r["samples"]
    return samples, total
(all_samples, all_loss), parts = loss_until(-1), [loss_until(0), loss_until(1)]
assert all_samples == sum(p[0] for p in parts) and abs(sum(p[1] for p in parts) / all_loss - 1) < 1e-9
assert len({r["samples"] for r in logs if r["worker"] == 1}) == sum(r["worker"] == 1 for r in logs) > 2
P
done

case_ "rows have top-1 and top-5 since the one before them, which add up to the samples of the epoch that were right"
for algorithm in sync "dsgd --graph complete" ps-sync "ps-async --slow-worker 1:5ms" hogwild ad-psgd; do
    logged run --algorithm $algorithm --log-every 7 --train-fraction 0.25
    python3 - run "$algorithm" <<'P' || fail "$algorithm: other counts"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1] + "/x/metrics.jsonl")]
is_independent = sys.argv[2] in ("hogwild", "ad-psgd") # no log row after the last round of worker 0
def counts(worker):
    samples = top1 = top5 = 0
    for r in rows:
        if r["worker"] == worker and "batch_loss" in r:
            new = r["samples"] - samples
            samples, found = r["samples"], [r[k] * new for k in ("batch_accuracy", "batch_accuracy5")]
            assert all(abs(f - round(f)) < 1e-6 for f in found), r
            assert found[0] <= found[1] <= new
            top1, top5 = top1 + round(found[0]), top5 + round(found[1])
    return [samples, top1, top5]
whole = counts(-1)
assert whole == [a + b for a, b in zip(counts(0), counts(1))] and 0 < whole[1] < whole[2] < whole[0], whole
ends = [r for r in rows if r["worker"] == -1 and "train_loss" in r]
assert all(r["train_accuracy"] <= r["train_accuracy5"] for r in ends) and ends
if not is_independent:
    logged = [r for r in rows if r["worker"] == -1 and "batch_loss" in r][-1]["samples"]
    missing = ends[-1]["samples"] - logged # after the last log row
    for key, count in zip(("train_accuracy", "train_accuracy5"), whole[1:]):
        assert count <= round(ends[-1][key] * ends[-1]["samples"]) <= count + missing, (key, count, missing)
P
done
logged run --algorithm sync --log-every 1
expect_run run 'all(abs(run[-1]["train_" + k] - sum(r["batch_" + k] for r in logs if r["worker"] == -1) / 100) < 1e-12
    for k in ("accuracy", "accuracy5"))' # 100 batches of the same size

case_ "without steps, the accuracies of training are those of the evaluation of the training samples"
for algorithm in sync ps-sync "local-sgd --local-sgd.period 5"; do
    logged run --algorithm $algorithm --lr 1e-30
    muster evaluate run --split train --json --quiet
    echo "$out" | python3 -c '
import json, sys
found = json.load(sys.stdin)["models"][0]["splits"]["train"]
rows = [json.loads(line) for line in open("run/x/metrics.jsonl")]
(row,) = [r for r in rows if r["worker"] == -1 and "train_accuracy" in r]
assert row["train_accuracy"] == found["accuracy"] and row["train_accuracy5"] == found["accuracy5"], (row, found)
assert 0 < found["accuracy"] < found["accuracy5"] < 1' || fail "$algorithm: not those of the evaluation"
done

case_ "the norm of the weights is that of the evaluation after the same round, where all have one model"
for algorithm in sync ps-sync; do
    logged run --algorithm $algorithm --log-every 10
    expect_run run 'logs[-1]["round"] == run[-1]["round"]' 'logs[-1]["weight_norm"] == run[-1]["weight_norm"]' \
        'logs[-3]["weight_norm"] == run[-1]["weight_norm"]'
done
logged run --algorithm dsgd --log-every 10 # models of their own: there is no mean between evaluations
expect_run run 'all("weight_norm" not in r for r in logs if r["worker"] == -1)' \
    'len({r["weight_norm"] for r in logs if r["worker"] >= 0}) == 20'

case_ "log rows change no bit of what is trained, and 0 writes none"
for algorithm in sync "dsgd --graph complete" ps-sync "local-sgd --local-sgd.period 5"; do
    logged run --algorithm $algorithm
    logged without --algorithm $algorithm --log-every 0
    expect_run without 'not logs'
    expect_same_model run without
done

case_ "a repeated run has the same log rows"
logged again --algorithm $algorithm
expect_same_rows run again

case_ "TensorBoard gets the log rows of the run, not those of workers"
grep -qa batch_loss run/x/events.out.tfevents.* || fail "no batch_loss"
grep -qa worker_1/train/loss run/x/events.out.tfevents.* || fail "no row of an epoch"
! grep -qa worker_1/batch_loss run/x/events.out.tfevents.* || fail "log rows of workers"

case_ "a stopped run resumes with the log rows of one that was not stopped"
FEW="--batch-size 16 --epochs 3 --workers 3 --model mnist_bn --delay 10ms --log-every 2"
for algorithm in sync "dsgd --graph cycle" ps-sync "local-sgd --local-sgd.period 3"; do
    trained whole $FEW --algorithm $algorithm
    stopped INT 13 part $FEW --algorithm $algorithm
    expect_code 75
    muster train --resume part --quiet
    expect_code 0
    expect_same_rows whole part
done

case_ "there are few log rows where a round takes no time"
rm -rf tiny
muster train --problem quadratic --workers 3 --algorithm sync --max-steps 20000 --quiet --out tiny --name x
expect_code 0
expect_run tiny 'len(logs) <= 4 * 20000 / 500'

if [ $has_mpi -eq 1 ]; then
    case_ "processes write the log rows that threads write"
    for algorithm in sync "dsgd --graph complete" ps-sync; do
        logged threads --algorithm $algorithm
        rm -rf processes
        under_mpirun 2 train $LENET --algorithm $algorithm --name x --quiet --out processes
        expect_code 0
        expect_same_rows threads processes
    done
    for algorithm in ps-async hogwild ad-psgd; do
        rm -rf processes
        under_mpirun 2 train $LENET --algorithm $algorithm --name x --quiet --out processes
        expect_code 0
        expect_run processes 'sum(r["worker"] == -1 for r in logs) >= 50' 'any(r["worker"] == 1 for r in rows)'
    done
fi

finish
