# The folder of one run, whose file becomes an experiment: the run is taken over and not made again.
. "$(dirname "$0")/lib_workers.sh"

cat >one.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
model: {name: mlp, widths: [8]}
train: {max_steps: 6, batch_size: 16}
seed: 1
YAML
sed 's/seed: 1/seed: [1, 2]/; s/widths: .8./&, activation: [relu, tanh]/' one.yaml >many.yaml

case_ "the run is one of the experiment's, with the files and results of one that was made there"
muster run one.yaml --out grown --quiet
expect_code 0
cp -r grown before
muster run many.yaml --out grown
expect_code 0
expect_err "grown contained a single run, which is now part of this experiment"
expect_err "1 of 4 runs had already finished"
[ "$(grep -c "^training mlp" <<<"$err")" -eq 3 ] || fail "not three runs: $err"
expect_same before/mlp_figures/metrics.jsonl grown/activation=relu_seed=1/metrics.jsonl
muster run many.yaml --out fresh --quiet
[ "$(ls grown)" = "$(ls fresh)" ] || fail "other folders: $(ls grown)"
for file in model.safetensors experiment.yaml effective.yaml; do
    expect_same {grown,fresh}/activation=relu_seed=1/$file
done
expect_file grown/activation=relu_seed=1/environment.json
expect_no_file grown/environment.json
python3 - <<'PYTHON' || fail "other results than those of one call"
import json
timed = ("train_seconds", "samples_per_s")
def rows(folder):
    return [{k: v for k, v in row.items() if not k.startswith(timed)} for row in json.load(open(folder + "/results.json"))["cases"]]
assert rows("grown") == rows("fresh")
PYTHON
muster run many.yaml --out grown
expect_err "4 of 4 runs had already finished"

case_ "so is one of muster train, over a graph, of a network of one's own, and shorter than it is to be"
echo 'layers: [{conv2d: {out: 3, kernel: 3, stride: 2}}, relu, flatten, {dense: {out: 10}}]' >net.yaml
GRAPH="--workers 3 --algorithm dsgd --graph cycle --model net.yaml --batch-size 16"
trained train $GRAPH --max-steps 3
cat >graph.yaml <<'YAML'
data: {name: figures, train_count: 240, test_count: 40}
model: net.yaml
transport: {workers: 3}
algorithm: {name: [dsgd, dsgt]}
graph: cycle
train: {max_steps: 5, batch_size: 16}
YAML
muster run graph.yaml --out train
expect_code 0
expect_err "resuming after round 3"
muster run graph.yaml --out whole --quiet
expect_same {train,whole}/algorithm=dsgd/model.safetensors
expect_same {train,whole}/algorithm=dsgd/graph.jsonl

case_ "what a kill left half-way is taken over all the same"
cp -r before half
mv half/environment.json half/mlp_figures
cp half/effective.yaml half/mlp_figures
muster run many.yaml --out half --quiet
expect_code 0
expect_same {half,fresh}/activation=relu_seed=1/model.safetensors

case_ "a run with other settings is refused, and its folder stays as it is"
cp -r before other
muster run many.yaml --out other --batch-size 8
expect_code 2
expect_err "error: other: contains a run that is not part of this experiment"
muster run many.yaml --out other --max-steps 2
expect_code 2
muster run many.yaml --out other --normalize none
expect_code 2
diff -r before other || fail "the folder has changed"
muster run one.yaml --out other # as ever
expect_code 2
expect_err "other: is not empty"
finish
