# Evaluation by rounds, and what is recorded of each node over graphs.
. "$(dirname "$0")/lib_workers.sh"

DSGD="--batch-size 16 --model mnist_conv --algorithm dsgd --lr 0.05"
RING="$DSGD --workers 3 --epochs 4"

case_ "evaluations by rounds come at round 0, every k rounds and at the end, and change no bit"
trained plain $RING --max-steps 17
trained often $RING --max-steps 17 --evaluate-rounds 4
expect_code 0
expect_same_model plain often
expect_run often '[r["round"] for r in run if "test_loss" in r] == [0, 4, 8, 12, 16, 17]' \
    '[r["round"] for r in run if "train_loss" in r] == [5, 10, 15, 17]' \
    'all(sum(1 for r in per if r["round"] == k and "test_loss" in r) == 3 for k in [0, 4, 8, 12, 16, 17])'
expect_run plain '[r["round"] for r in run if "test_loss" in r] == [5, 10, 15, 17]'

case_ "training rows are the same with and without evaluations between epochs"
losses() { python3 - "$1" <<'P'
import json, sys
for line in open(sys.argv[1] + "/x/metrics.jsonl"):
    r = json.loads(line)
    if "train_loss" in r:
        print([r[k] for k in ("round", "worker", "train_loss", "samples", "gradients", "bytes_sent", "train_loss_moving")])
P
}
losses plain >plain.rows
losses often >often.rows
expect_file plain.rows
expect_same plain.rows often.rows

links_of() { # RUN
    python3 -c 'import json, sys; print([w["links"] for w in json.load(open(sys.argv[1] + "/x/workers.json"))])' "$1"
}

case_ "a run that was stopped between evaluations goes on to the same bits, rows, distances and links"
SLOW="$RING --delay 10ms --evaluate-rounds 3"
trained whole $SLOW
for rows in 5 14; do
    stopped INT $rows part $SLOW
    expect_code 75
    muster train --resume part --quiet
    expect_code 0
    expect_same_model whole part
    expect_same_rows whole part
    expect_same whole/x/consensus.jsonl part/x/consensus.jsonl
    expect_same whole/x/graph.jsonl part/x/graph.jsonl
    links_of whole >whole.links
    links_of part >part.links
    expect_file whole.links
    expect_same whole.links part.links
done

case_ "evaluations by rounds, of every algorithm without a graph that takes a batch a round"
select_algorithms "$SEVERAL"' and a["draws"] == 1'
for algorithm in "${selected[@]}"; do
    trained run --batch-size 16 --epochs 2 --workers 3 --model mnist_conv --algorithm $algorithm --evaluate-rounds 4
    expect_run run '(lambda at, last: at == sorted(at) and at[0] == 0 and at[-1] == last and at[1:3] == [4, 8])(
        [r["round"] for r in run if "test_loss" in r], max(r["round"] for r in run))'
done
trained run --batch-size 16 --epochs 2 --model mnist_conv --evaluate-rounds 4
expect_run run '[r["round"] for r in rows if "test_loss" in r] == [0, 4, 8, 12, 16, 20, 24, 28, 30]'

case_ "samples, passes and epochs of a node count every batch that it drew"
trained run --batch-size 16 --epochs 2 --workers 3 --model mnist_conv --algorithm dinno --dinno.primal-iterations 2
expect_run run 'all(r["samples"] == r["forward_passes"] == 2 * 16 * r["round"] for r in per)' \
    'all(r["gradients"] == 2 * r["round"] for r in per)' \
    'all(abs(r["epoch"] - r["samples"] / 80) < 1e-12 for r in per)' \
    'run[-1]["forward_passes"] == sum(r["forward_passes"] for r in per[-3:])'

case_ "the moving training loss starts with the first loss and follows by the decay"
trained run --batch-size 16 --epochs 1 --model mnist_conv --log-every 1 --evaluate-rounds 1 --loss-decay 0.3
expect_run run '(lambda losses, moving: len(losses) == len(moving) == 15 and moving[0] == losses[0] and all(
        abs(moving[i] - (0.7 * moving[i - 1] + 0.3 * losses[i])) < 1e-12 for i in range(1, 15)))(
        [r["batch_loss"] for r in rows if "batch_loss" in r],
        [r["train_loss_moving"] for r in rows if "train_loss_moving" in r])'

# The nodes' own models from the last checkpoint: the floats at the end of what each worker has.
case_ "distances between nodes and from their mean are those of their models"
for pairwise in auto always never; do
trained run $RING --momentum 0 --pairwise-distances $pairwise
python3 - run $pairwise <<'P' || fail "pairwise-distances $pairwise: not the distances of the checkpoint's models"
import array, json, math, struct, sys
folder = sys.argv[1] + "/x"
def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + size]), data[8 + size :]
header, _ = read(folder + "/model.safetensors")
count = sum(math.prod(v["shape"]) for k, v in header.items() if k != "__metadata__")
header, body = read(folder + "/checkpoints/last.safetensors")
nodes = []
for r in range(3):
    begin, end = header[f"worker.{r}"]["data_offsets"]
    floats = array.array("f", body[begin:end])
    end = len(floats) - count % 2
    nodes.append(list(floats[end - count : end]))
distance = lambda a, b: math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)))
mean_of = lambda v: [sum(x) / len(v) for x in zip(*v)]
row = [json.loads(line) for line in open(folder + "/consensus.jsonl")][-1]
lengths = [math.sqrt(sum(x * x for x in v)) for v in nodes]
units = [[x / length for x in v] for v, length in zip(nodes, lengths)]
for vectors, pairs, mean in ((nodes, "raw", "from_mean"), (units, "normalized", "from_mean_normalized")):
    expected = [distance(vectors[i], vectors[j]) for i in range(3) for j in range(i + 1, 3)]
    if sys.argv[2] == "never":
        assert pairs not in row
    else:
        assert all(e > 0 and abs(e / x - 1) < 1e-4 for e, x in zip(expected, row[pairs], strict=True)), (expected, row)
    expected = [distance(v, mean_of(vectors)) for v in vectors]
    assert all(abs(e / x - 1) < 1e-4 for e, x in zip(expected, row[mean])), (expected, row)
last = [r for r in map(json.loads, open(folder + "/metrics.jsonl")) if r["worker"] >= 0][-3:]
assert all(abs(r["consensus_error"] / d - 1) < 1e-6 for r, d in zip(last, row["from_mean"]))
P
done

case_ "every link has carried what its node sent over it"
trained run $DSGD --epochs 1 --workers 4 --graph star
python3 - run <<'P' || fail "other links or bytes"
import json, sys
folder = sys.argv[1] + "/x"
graph = json.loads(open(folder + "/graph.jsonl").readline())
assert graph["edges"] == [[0, 1], [0, 2], [0, 3]] and graph["nodes"] == 4 and not graph["directed"]
assert graph["round"] == 0 and graph["name"] == "star" and not graph["changes"]
workers = json.load(open(folder + "/workers.json"))
sent = {(w["worker"], s["to"]): s["bytes"] for w in workers for s in w["links"]}
assert set(sent) == {(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)}, sent
assert all(sum(b for (f, _), b in sent.items() if f == w["worker"]) == w["bytes_sent"] for w in workers)
assert len(set(sent.values())) == 1
P

case_ "the line of an evaluation tells least and most over the nodes"
rm -rf run
muster train $FIGURES --out run $RING --evaluate-rounds 5
grep -qE 'round 5: train loss [0-9.]+, test loss .*; nodes: loss [0-9.]+ - [0-9.]+, accuracy [0-9.]+ - [0-9.]+ %, consensus error [0-9.e-]+ - [0-9.e-]+' <<<"$err" ||
    fail "no such line: $err"

case_ "top-5 accuracy is recorded where there are at least ten classes"
trained ten --epochs 1 --model mnist_conv --validation 0.1
expect_run ten 'all(r["test_accuracy"] <= r["test_accuracy5"] <= 1 for r in rows if "test_loss" in r)' \
    'all(r["validation_accuracy"] <= r["validation_accuracy5"] <= 1 for r in rows if "validation_loss" in r)' \
    'all(r["train_accuracy"] <= r["train_accuracy5"] <= 1 for r in rows if "train_loss" in r)' \
    'all(r["batch_accuracy"] <= r["batch_accuracy5"] <= 1 for r in rows if "batch_loss" in r)'
trained several --epochs 1 --model mnist_conv --workers 2 --algorithm ps-async
expect_run several 'all("test_accuracy5" in r for r in run if "test_loss" in r)'
rm -rf four
muster train --dataset noise --noise.classes 4 --noise.train-count 64 --noise.test-count 16 --model mlp --epochs 1 --log-every 1 --quiet --out four --name x
expect_code 0
expect_run four 'any("test_accuracy" in r for r in rows)' 'any("batch_accuracy" in r for r in rows)' \
    'not any(k.endswith("accuracy5") for r in rows for k in r)'
rm -rf numbers
muster train --dataset sine --model mlp --epochs 1 --log-every 1 --quiet --out numbers --name x
expect_run numbers 'any("batch_loss" in r for r in rows)' 'not any("accuracy" in k for r in rows for k in r)'

case_ "a run of several workers that diverges keeps the rows of the rounds that all have done, and counts what was done"
# A worker may be two rounds behind one on the other side of the cycle; it takes six or seven rounds to diverge.
muster train $FIGURES --model mnist_conv --algorithm dsgd --graph cycle --workers 4 --batch-size 4 --lr 3 --log-every 1 \
    --epochs 5 --quiet --out diverged
expect_code 5
python3 - <<'P' || fail "other rows"
import glob, json
rows = [json.loads(line) for line in open(glob.glob("diverged/*/metrics.jsonl")[0])]
logged = [r["round"] for r in rows if "batch_loss" in r and r["worker"] == -1]
result = json.load(open(glob.glob("diverged/*/result.json")[0]))
assert logged == list(range(1, len(logged) + 1)) and len(logged) >= 2, logged
assert rows[-1]["train_loss"] is None and rows[-1]["round"] >= logged[-1], rows[-1]
assert 16 * logged[-1] <= result["samples"] <= 16 * (result["rounds"] + 1), (logged, result["rounds"], result["samples"])
P

finish
