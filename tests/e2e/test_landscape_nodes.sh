# The lines between the models of the nodes of one run: muster landscape RUN --between.
. "$(dirname "$0")/lib_workers.sh"

ONE="--batch-size 16 --model mnist_conv --lr 0.05 --epochs 2 --no-report"
RUN="$ONE --workers 4"
GRAPH="--graph cycle"

# What --between says of run $1: the ends of the lines are the models that the run has evaluated.
expect_nodes() {
    local folder=$1 name=$2
    muster landscape "$folder" --between --grid 5 --json
    expect_code 0
    /usr/bin/python3 - "$folder/x" "$name" "$out" <<'P' || fail "$folder: not its nodes"
import json, sys
import numpy as np
folder, name, between = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
workers = json.load(open(folder + "/workers.json"))
count, pair = len(workers), 0
assert between["models"] == [f"{name} {i}" for i in range(count)], between["models"]
assert np.load(folder + "/between.npy").tolist() == between["losses"]
for i in range(count):
    for j in range(i + 1, count):
        line = between["losses"][pair]
        for node, loss in (i, line[0]), (j, line[-1]):
            assert abs(loss - workers[node]["test_loss"]) < 1e-6, (node, loss, workers[node]["test_loss"])
        rise = max(0, max(y - (1 - k / 4) * line[0] - k / 4 * line[-1] for k, y in enumerate(line)))
        assert abs(between["barriers"][i][j] - rise) < 1e-12 and between["barriers"][j][i] == between["barriers"][i][j]
        pair += 1
assert pair == len(between["losses"])
assert len({line[0] for line in between["losses"]}) == count - 1, "all nodes have the same model"
P
}

case_ "the ends of the lines are the models of the nodes"
for algorithm in "dsgd $GRAPH" "cadmm $GRAPH" "choco $GRAPH" "sgp $GRAPH" "ad-psgd $GRAPH"; do
    trained "${algorithm%% *}" $RUN --algorithm $algorithm
    expect_nodes "${algorithm%% *}" node
done
trained solo $RUN --algorithm solo
expect_nodes solo worker

case_ "the table and the page name the nodes"
muster landscape dsgd --between --grid 5
expect_code 0
expect_out "barrier  node 0  node 1  node 2  node 3"
expect_out "dsgd/x/between.html"
grep -q "node 3" dsgd/x/between.html || fail "no nodes on the page"

case_ "several runs are still compared by their final models, also if they have nodes"
muster landscape dsgd solo --between --grid 3 --json --out both
expect_code 0
python3 - "$out" dsgd/x solo/x <<'P' || fail "not the runs: $out"
import json, sys
between = json.loads(sys.argv[1])
assert between["models"] == sys.argv[2:]
ends = [between["losses"][0][0], between["losses"][0][-1]]
for loss, run in zip(ends, sys.argv[2:]):
    assert abs(loss - json.load(open(run + "/result.json"))["test_loss"]) < 1e-6, (loss, run)
P

case_ "a run with one model for all workers has no lines"
for algorithm in psgd local-sgd sync ps-sync hogwild; do
    trained one $RUN --algorithm $algorithm
    muster landscape one --between
    expect_code 2
    expect_err "one/x: $algorithm leaves all 4 workers with the same model"
    expect_err "such as solo or dsgd"
    expect_no_file one/x/between.json
done
trained one $ONE
muster landscape one --between
expect_code 2
expect_err "one/x: has one worker and so one model, but a line needs two"

case_ "without the checkpoint only the mean is left"
rm -r dsgd/x/checkpoints
muster landscape dsgd --between
expect_code 2
expect_err "dsgd/x: has no checkpoint"
expect_err "model.safetensors has only their mean"
python3 "$HERE/forge.py" ad-psgd/x/checkpoints/last.safetensors del:worker.2 # as while the run was going on
muster landscape ad-psgd --between
expect_code 2
expect_err "has only the mean of the workers' models; resume the run"

finish
