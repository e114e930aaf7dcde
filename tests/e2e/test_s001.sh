# Experiment files in S001's layout: its template as the text prints it, sweeps in it, and mistakes.
. "$(dirname "$0")/lib.sh"
HERE=$(cd "$SOURCE_DIR/tests/e2e" && pwd)
export PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1

python3 "$HERE/tiny_mnist.py" "$WORK/data"
mkdir "$WORK/experiments"
cd "$WORK/experiments" || exit 1
cp "$HERE/s001_template.yaml" template.yaml

case_ "the template runs unchanged: both problems, five nodes, 30 rounds"
muster run template.yaml
expect_code 0
expect_out constant_rho
expect_out scaled_rho
folder=$(echo outputs/*_cadmm_constant_and_scaled)
expect_same template.yaml "$folder/experiment.yaml"
for problem in constant_rho scaled_rho; do
    expect_file "$folder/$problem/metrics.jsonl"
    grep -q '"round": *30' "$folder/$problem/metrics.jsonl" || fail "$problem did not do 30 rounds"
    grep -q 'workers: 5' "$folder/$problem/effective.yaml" || fail "$problem has not 5 workers"
done
grep -q 'rho_scaling: 1.02' "$folder/scaled_rho/effective.yaml" || fail "no rho_scaling"

case_ "each problem's results are where the study has them, for torch.load"
cat >"$WORK/check_results.py" <<'P'
import json, sys
from results_pt import load
file, run, nodes = sys.argv[1], sys.argv[2], int(sys.argv[3])
found = load(file)
rows = [json.loads(line) for line in open(run + "/metrics.jsonl")]
for name in ("forward_pass_count", "validation_loss", "consensus_error", "top1_accuracy", "current_epoch"):
    assert len(found[name]) == len(found["round"]), name
    assert len(found[name][-1]) == nodes, name
assert found["round"][-1] == rows[-1]["round"]
last = [r["test_accuracy"] for r in rows if r["round"] == found["round"][-1] and r["worker"] >= 0 and "test_accuracy" in r]
assert found["top1_accuracy"][-1] == last, (found["top1_accuracy"][-1], last)
if len(sys.argv) > 4:
    for vectors, accuracies in zip(found["validation_as_vector"], found["top1_accuracy"], strict=True):
        assert [sum(v) / len(v) for v in vectors] == accuracies, (accuracies, [sum(v) for v in vectors])
        assert all(len(v) == int(sys.argv[4]) for v in vectors)
else:
    assert "validation_as_vector" not in found
P
for problem in constant_rho scaled_rho; do
    expect_file "$folder/${problem}_results.pt"
    python3 "$WORK/check_results.py" "$folder/${problem}_results.pt" "$folder/$problem" 5 || fail "other results of $problem"
done

case_ "evaluations print the metrics as min - max over nodes"
# A node's 200 samples are four batches of up to 64; 30 x 5 batches are 37 epochs and two batches of 64: 7528 samples.
grep -qE 'nodes: loss [0-9.]+ - [0-9.]+, accuracy .* %, consensus error .*, forward passes 7528 - 7528, epoch 37.64 - 37.64$' \
    <<<"$err" || fail "no such line: $err"

case_ "keys without effect are named once, in one line"
[ "$(grep -c 'no effect' <<<"$err")" -eq 1 ] || fail "not one line: $err"
for key in val_batch_size graph.p graph.gen_attempts; do expect_err "$key"; done
[ "$(grep -o val_batch_size <<<"$err" | wc -l)" -eq 1 ] || fail "val_batch_size more than once: $err"

case_ "a finished run has its file again after it was lost; one that cannot be read has none, and stops no other"
cp "$folder/scaled_rho_results.pt" "$WORK/kept.pt"
rm "$folder/scaled_rho_results.pt"
muster run --resume "$folder" --quiet
expect_code 0
expect_same "$WORK/kept.pt" "$folder/scaled_rho_results.pt"
cp -r "$folder" "$WORK/damaged"
sed -i '2s/.\{20\}$//' "$WORK/damaged/scaled_rho/metrics.jsonl"
muster run --resume "$WORK/damaged" --quiet
expect_code 0
expect_err "scaled_rho/metrics.jsonl:2: is not a row of metrics"
expect_err "so there is no $WORK/damaged/scaled_rho_results.pt"
expect_no_file "$WORK/damaged/scaled_rho_results.pt"
expect_file "$WORK/damaged/constant_rho_results.pt"

case_ "problems share their data"
expect_same "$folder/constant_rho/partition.txt" "$folder/scaled_rho/partition.txt"

case_ "without the lines of dots it is the same experiment"
grep -v '^\.\.\.' template.yaml >plain.yaml
muster run template.yaml --list
with=$out
muster run plain.yaml --list
expect_code 0
[ "$out" = "$with" ] || fail "$out is not $with"

case_ "without data in data_dir those in the usual place are taken, and that is told"
mkdir -p "$WORK/far/away"
cp plain.yaml "$WORK/far/away"
(cd "$WORK/far/away" && MUSTER_DATA="$WORK/data" "$MUSTER" run plain.yaml --only constant_rho --max-steps 1 --out out) \
    >"$WORK/.out" 2>"$WORK/.err"
code=$?
err=$(cat "$WORK/.err")
expect_code 0
expect_err "data_dir: ../data/ has no mnist; using the one in $WORK/data"

case_ "data_dir beside a generated set is named as one without effect"
sed 's/^  data_dir:.*/&\n  dataset: {name: figures, train_count: 300, test_count: 40}/' plain.yaml >generated.yaml
muster run generated.yaml --only constant_rho --max-steps 1 --out generated
expect_code 0
expect_err "no effect here: graph.p, graph.gen_attempts, val_batch_size, data_dir"

case_ "mistakes are told by the keys of this layout, before anything is computed"
spoiled() { # SED WHERE MESSAGE
    sed "$1" generated.yaml >spoiled.yaml
    muster run spoiled.yaml --quiet --out spoiled
    expect_code 2
    [ "$(grep -c . <<<"$err")" -eq 1 ] || fail "not one line: $err"
    expect_err "error: spoiled.yaml:$(grep -n "$2" spoiled.yaml | head -1 | cut -d: -f1):"
    expect_err "$3"
    expect_no_file spoiled
}
spoiled 's/num_nodes: 5/num_nodes: 11/' data_split_type "experiment.data_split_type: hetero needs a label for every worker"
spoiled 's/num_nodes: 5/num_nodes: 0/' num_nodes "experiment.graph.num_nodes: 0 is not above 0"
spoiled 's/kernel_size: 5/kernel_size: 50/' "kernel_size:" "experiment.model.kernel_size: 50 does not fit"
spoiled 's/loss: "NLL"/loss: "MSE"/' "loss:" "experiment.loss: mse is a loss of numbers"
spoiled 's/evaluate_frequency: .*/evaluate_frequency: 0/' evaluate_frequency ".evaluate_frequency: 0 is not above 0"
spoiled 's/rho_scaling: 1.02/rho_scaling: -1/' "rho_scaling: -1" ".optimizer_config.rho_scaling: -1 is outside"

case_ "a key in both blocks is an error, and nothing is dropped"
{ cat template.yaml; echo 'experiment: {name: x}'; } >twice.yaml
muster run twice.yaml
expect_code 2
expect_err "twice.yaml:62:1: only one document of a file may have the key experiment"
{ cat template.yaml; echo '- 1'; } >list.yaml
muster run list.yaml
expect_code 2
expect_err "list.yaml:62:1"

case_ "writeout: false leaves no file"
sed 's/writeout: true/writeout: false/; s/outer_iterations: 30/outer_iterations: 2/' template.yaml >quiet.yaml
find "$WORK" -type f | grep -v '/\.' | sort >"$WORK/.before"
muster run quiet.yaml
expect_code 0
expect_out constant_rho
find "$WORK" -type f | grep -v '/\.' | sort >"$WORK/.after"
muster run quiet.yaml --out there
expect_code 2
expect_err "quiet.yaml:5:3: conflicts with --out there"
find "$WORK" -type f | grep -v '/\.' | sort >"$WORK/.after"
expect_same "$WORK/.before" "$WORK/.after"

case_ "lists are sweeps, also in the experiment part"
sed 's/type: "wheel"/type: [wheel, random, cycle]/; s/num_nodes: 5/num_nodes: [4, 5]/
    s/rho_init: 1.0/rho_init: [0.1, 1.0]/; s/: "hetero"/: [hetero, random]/' template.yaml >sweep.yaml
muster run sweep.yaml --list
expect_code 0
[ "$(wc -l <"$WORK/.out")" -eq 36 ] || fail "not 2 x 2 x 3 x (2 + 1) runs: $out"

case_ "lists of maps are sweeps over graphs, networks and algorithms"
sed '/^ *p: 0.6/d; /gen_attempts/d; s/^  graph:.*/  graph: [{num_nodes: 5, type: cycle}, {num_nodes: 5, type: random, p: [0.5, 0.9]}]/
    /^ *num_nodes: 5$/d; /^ *type: "wheel"/d; /^ *num_filters:/d; /^ *kernel_size:/d; /^ *linear_width:/d
    s/^  model:.*/  model: [{num_filters: 3, linear_width: 16}, {num_filters: 4, kernal_width: 3, linear_width: 16}]/' \
    template.yaml >maps.yaml
muster run maps.yaml --list --only constant_rho
expect_code 0
[ "$(wc -l <"$WORK/.out")" -eq 6 ] || fail "not 3 graphs x 2 networks: $out"

case_ "a scaling study with one problem runs unchanged: graphs of several sizes, results by number"
cat >scaling.yaml <<'Y'
experiment:
  name: "sizes"
  data_dir: "../data/"
  output_metadir: "../results_scaling/"
  use_cuda: true
  writeout: true
  loss: "NLL"
  model: {num_filters: 3, kernel_size: 5, linear_width: 16}
  scaling:
    const: "fiedler"
    min_N: 4
    max_N: 8
    target_fied: 1.0
    min_fied: 0.1
    max_fied: 2.0
    num_nodes: 20
    num_trials: 3
problem:
  problem_name: "dinno"
  train_batch_size: 32
  val_batch_size: 128
  verbose_evals: true
  metrics:
    - "forward_pass_count"
    - "top1_accuracy"
    - "validation_as_vector"
  metrics_config:
    evaluate_frequency: 2
  optimizer_config:
    alg_name: "dinno"
    rho_init: 0.5
    rho_scaling: 1.0003
    outer_iterations: 2
    primal_iterations: 1
    primal_optimizer: "adam"
    persistant_primal_opt: false
    primal_lr_start: 0.005
    primal_lr_finish: 0.0005
    lr_decay_type: "log"
    profile: false
Y
muster run scaling.yaml --graph.tolerance 0.5
expect_code 0
folder=$(echo ../results_scaling/*_sizes)
number=0
for nodes in 4 6 8; do
    grep -q "workers: $nodes" "$folder/dinno_workers=$nodes/effective.yaml" || fail "not $nodes workers"
    grep -q "name: sorted" "$folder/dinno_workers=$nodes/effective.yaml" || fail "not sorted by label"
    grep -q "fiedler: 1$" "$folder/dinno_workers=$nodes/effective.yaml" || fail "not the Fiedler value"
    python3 "$WORK/check_results.py" "$folder/${number}_results.pt" "$folder/dinno_workers=$nodes" $nodes 200 ||
        fail "other results of trial $number"
    number=$((number + 1))
done
sed 's/const: "fiedler"/const: num_nodes/; s/num_trials: 3/num_trials: 15/' scaling.yaml >fiedler.yaml
muster run fiedler.yaml --list --quiet
expect_code 0
[ "$(wc -l <"$WORK/.out")" -eq 15 ] || fail "not 15 runs: $out"
expect_out dinno_fiedler=0.235714

case_ "what a problem says is not said above it too"
{ cat plain.yaml; echo 'train: {max_steps: 3}'; } >above.yaml
muster run above.yaml --list
expect_code 2
expect_err "outer_iterations: is given twice; also as train.max_steps in line $(wc -l <above.yaml)"

case_ "all of ours stands beside its keys"
sed 's/^  loss: .*/&\n  dataset: {name: figures, train_count: 240, test_count: 40}\n  delays: {slow_worker: "1:1.5"}/
    s/^  data_dir: .*//; s/outer_iterations: 30/outer_iterations: 2/; s/alg_name: "cadmm"/alg_name: "extra"/
    /rho_\|primal_/d' template.yaml >ours.yaml
muster run ours.yaml --out ours
expect_code 0
grep -q 'name: extra' ours/constant_rho/effective.yaml || fail "not extra"
grep -q 'name: figures' ours/constant_rho/effective.yaml || fail "not figures"

case_ "mistakes name file, line, column and key before anything is computed"
mistake() { # mistake SED WHERE PART...
    sed "$1" template.yaml >bad.yaml
    muster run bad.yaml --out bad
    expect_code 2
    expect_err "bad.yaml:$2"
    expect_err "$3"
    expect_no_file bad
}
mistake 's/alg_name: "cadmm"/alg_name: "cadm"/' 33:7 "did you mean cadmm"
mistake 's/rho_init: 1.0/rho_init: big/' 34:7 "big is not a number"
mistake '/num_nodes/d' 8:3 "experiment.graph.num_nodes: is missing"
mistake '/rho_init/d' 32:5 "rho_init: is missing"
mistake 's/num_nodes: 5/num_nodes: 12/' 6:3 "12 workers and 10 labels"
mistake 's/type: "wheel"/type: random/; s/p: 0.6/p: 0.01/' 11:5 "graph.p: 0.01 connects no"
mistake 's/verbose_evals/verbos_evals/' 25:5 "did you mean verbose_evals"
mistake 's/num_filters: 3/shape: [2, 256, 1]/' 14:5 "experiment.model.shape: unknown key"

finish
