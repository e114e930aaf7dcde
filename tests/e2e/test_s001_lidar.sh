# Density experiments in S001's layout: its offline and online files run unchanged, but smaller; and mistakes.
. "$(dirname "$0")/lib.sh"
HERE=$(cd "$SOURCE_DIR/tests/e2e" && pwd)
export PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1

floor=$WORK/floorplans/small_data
mkdir -p "$WORK/experiments" "$floor/tight_paths"
cd "$WORK/experiments" || exit 1
cp "$HERE/s001_lidar_offline.yaml" offline.yaml
cp "$HERE/s001_lidar_online.yaml" online.yaml
muster plan make "$floor/floor_img.png" --size 240x180 --seed 1
for robot in 1 2 3; do
    muster plan path "$floor/floor_img.png" --random 5 --seed $robot --border 3 --clearance 3 --spacing 12 \
        --out "$floor/tight_paths/$robot.npy"
    expect_code 0
done

# Compares a file of results with the files of its run: 20 validation scans of 500 rows are 3 batches of up to 4000.
cat >"$WORK/check.py" <<'P'
import json, sys
from results_pt import load
file, run, rounds, metrics = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
found = load(file)
rows = [json.loads(line) for line in open(run + "/metrics.jsonl")]
graphs = [json.loads(line) for line in open(run + "/graph.jsonl")]
for name in metrics:
    assert len(found[name]) == len(found["round"]), name
    assert len(found[name][-1]) == 3, name
assert found["round"][-1] == rounds, found["round"]
for at, losses in zip(found["round"], found["validation_loss"], strict=True):
    own = [r["test_loss"] for r in rows if r["round"] == at and r["worker"] >= 0 and "test_loss" in r]
    assert losses == [3 * loss for loss in own], (at, losses, own)
# A map is of every 8th pixel of 240 x 180. Offline all evaluations have maps, online the last; maps.bin has bytes.
with open(run + "/maps.bin", "rb") as maps:
    last = maps.read()[-4 - 3 * 30 * 23:-4]
mesh = found["mesh_grid_density"]
assert len(mesh) == (1 if "current_position" in metrics else len(found["round"])), len(mesh)
assert [round(255 * p[0]) for robot in mesh[-1] for p in robot] == list(last)
assert len(found["mesh_inputs"]) == 30 * 23 and found["mesh_inputs"][0] == [-120, -90], found["mesh_inputs"][:2]
if "current_position" in metrics:
    for at, places, links in zip(found["round"], found["current_position"], found["current_graph"], strict=True):
        graph = [g for g in graphs if g["round"] <= at][-1]
        assert places == graph["positions"], (at, places, graph)
        assert [[i, j] for i in range(3) for j in range(i + 1, 3) if links[i][j]] == sorted(graph["edges"]), (at, links)
        assert links == [list(column) for column in zip(*links)], links
P

case_ "the offline file runs unchanged: solo training, then cadmm over its graph"
muster run offline.yaml
expect_code 0
folder=$(echo ../results/*_dist_dense)
expect_same offline.yaml "$folder/experiment.yaml"
expect_file "$folder/solo_results.pt"
python3 "$WORK/check.py" "$folder/cadmm_results.pt" "$folder/cadmm" 8 \
    forward_pass_count validation_loss consensus_error current_epoch || fail "other results"
grep -q '"name": "wheel"' "$folder/cadmm/graph.jsonl" || fail "another graph"
grep -q '"parameters": 913\b' "$folder/cadmm/result.json" || fail "another network: $(cat "$folder/cadmm/result.json")"

case_ "keys without effect are named in one line"
expect_err "offline.yaml: these keys of S001's layout have no effect here: use_cuda, data.num_scans, graph.p, graph.gen_attempts, verbose, profile"

case_ "the online file runs unchanged: dinno, dsgt and dsgd, a robot for each way-point file"
muster run online.yaml
expect_code 0
folder=$(echo ../results/*_dist_online_dense)
for problem in dinno_log dsgt dsgd; do
    python3 "$WORK/check.py" "$folder/${problem}_results.pt" "$folder/$problem" 12 forward_pass_count \
        train_loss_moving_average validation_loss consensus_error current_epoch current_position current_graph ||
        fail "other results of $problem"
    grep -q 'split: online' "$folder/$problem/effective.yaml" || fail "$problem is not online"
done

# Compares the models of all robots with model.safetensors, which has their mean, and what they answer with their maps.
cat >"$WORK/models.py" <<'P'
import json, math, struct, sys
from results_pt import load
models, results = load(sys.argv[1]), load(sys.argv[3])
data = open(sys.argv[2], "rb").read()
end = 8 + struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:end])
def mean(name):
    begin, stop = (end + at for at in header[name]["data_offsets"])
    return struct.unpack(f"<{(stop - begin) // 4}f", data[begin:stop])
def flat(values):
    return [x for row in values for x in (row if isinstance(row, list) else [row])]
names = {f"seq.{2 * i}.{'linear.' if i == 0 else ''}{n}": f"dense{i + 1}.{n}" for i in range(4) for n in ("weight", "bias")}
assert list(models) == [0, 1, 2], list(models)
assert models[0] != models[1] and models[1] != models[2]
for model in models.values():
    assert list(model) == list(names), list(model)
    for theirs, ours in names.items():
        shape = [len(model[theirs])] + ([len(model[theirs][0])] if theirs.endswith("weight") else [])
        assert shape == header[ours]["shape"], (theirs, shape)
for theirs, ours in names.items():
    for kept, *own in zip(mean(ours), *(flat(m[theirs]) for m in models.values()), strict=True):
        assert abs(kept - sum(own) / 3) < 1e-6, (theirs, kept, own)  # both are rounded to float32
def layer(model, name, x):
    return [b + sum(w * v for w, v in zip(row, x)) for row, b in zip(model[name + ".weight"], model[name + ".bias"])]
def density(model, x):
    x = [max(0, math.sin(0.05 * v)) for v in layer(model, "seq.0.linear", x)]
    for name in ("seq.2", "seq.4"):
        x = [max(0, v) for v in layer(model, name, x)]
    return 1 / (1 + math.exp(-layer(model, "seq.6", x)[0]))
for robot, model in models.items():
    for place, kept in list(zip(results["mesh_inputs"], results["mesh_grid_density"][-1][robot], strict=True))[::7]:
        assert abs(density(model, place) - kept[0]) < 0.501 / 255, (robot, place)  # a map is rounded to 1/255
P

case_ "save_models writes the models of all nodes under S001's names; without it there are none"
python3 "$WORK/models.py" "$folder/dinno_log_models.pt" "$folder/dinno_log/model.safetensors" \
    "$folder/dinno_log_results.pt" || fail "other models"
expect_file "$folder/dsgt_models.pt"
expect_no_file "$(echo ../results/*_dist_dense)/cadmm_models.pt"
sed '0,/save_models: True/s//save_models: False/' online.yaml >unsaved.yaml
muster run unsaved.yaml --quiet --out unsaved
expect_code 0
expect_no_file unsaved/dinno_log_models.pt
expect_same unsaved/dsgt_models.pt "$folder/dsgt_models.pt"
cp "$folder/dinno_log_models.pt" "$WORK/kept_models.pt"
rm "$folder/dinno_log_models.pt"
muster run --resume "$folder" --quiet
expect_code 0
expect_same "$WORK/kept_models.pt" "$folder/dinno_log_models.pt"

case_ "verbose_evals: false prints no evaluations of that problem; its log.txt has them"
muster run online.yaml --out loud
[ "$(grep -c '^round 3:' <<<"$err")" -eq 3 ] || fail "$(grep -c '^round 3:' <<<"$err") lines, not 3"
sed '0,/verbose_evals: True/s//verbose_evals: False/' online.yaml >silent.yaml
muster run silent.yaml --out silent
expect_code 0
[ "$(grep -c '^round 3:' <<<"$err")" -eq 2 ] || fail "$(grep -c '^round 3:' <<<"$err") lines, not 2"
grep -q 'round 3: .*consensus error' silent/dinno_log/log.txt || fail "log.txt has no evaluations"
expect_same loud/dinno_log/model.safetensors silent/dinno_log/model.safetensors

case_ "without mesh_grid_density among the metrics of a problem no map is computed"
sed '0,/- "mesh_grid_density"/{/mesh_grid_density/d}' online.yaml >nomesh.yaml
muster run nomesh.yaml --out nomesh
expect_code 0
expect_no_err "no maps"
expect_no_file nomesh/dinno_log/maps.bin
expect_file nomesh/dsgt/maps.bin
python3 - <<'P' || fail "maps in the results"
from results_pt import load
assert "mesh_grid_density" not in load("nomesh/dinno_log_results.pt")
assert len(load("nomesh/dsgt_results.pt")["mesh_grid_density"]) == 1
P

case_ "validation_loss is summed over batches of val_batch_size"
sed 's/val_batch_size: 4000/val_batch_size: 2000/' online.yaml >batches.yaml
muster run batches.yaml --quiet --out batches
expect_code 0
python3 - "$folder" <<'P' || fail "another scale"
import sys
from results_pt import load
three, five = (load(f + "/dsgt_results.pt")["validation_loss"] for f in (sys.argv[1], "batches"))
assert all(abs(a / 3 - b / 5) < 1e-12 for x, y in zip(three, five, strict=True) for a, b in zip(x, y, strict=True))
P

case_ "the experiment is resumed in another folder, although data_dir is relative"
muster run online.yaml --quiet --out moved --only dsgt
expect_code 0
mkdir -p "$WORK/elsewhere"
(cd "$WORK/elsewhere" && "$MUSTER" run --resume ../experiments/moved) >"$WORK/.out" 2>"$WORK/.err"
code=$? err=$(cat "$WORK/.err")
expect_code 0
expect_err "1 of 3 runs had already finished"
for problem in dinno_log dsgt dsgd; do
    expect_same "$folder/$problem/model.safetensors" "moved/$problem/model.safetensors"
done
(cd "$WORK/elsewhere" && "$MUSTER" evaluate ../experiments/moved/dsgd >/dev/null) || fail "not evaluated"

case_ "robots drive with dynamic_graph: true, and keep their first links with false"
[ "$(wc -l <"$folder/dinno_log/graph.jsonl")" -ge 3 ] || fail "the robots stay: $(cat "$folder/dinno_log/graph.jsonl")"
[ "$(wc -l <"$folder/dsgt/graph.jsonl")" -eq 1 ] || fail "the robots drive: $(cat "$folder/dsgt/graph.jsonl")"

case_ "lost results come back on the same scale"
cp "$folder/dsgd_results.pt" "$WORK/kept.pt"
rm "$folder/dsgd_results.pt"
muster run --resume "$folder" --quiet
expect_code 0
expect_same "$WORK/kept.pt" "$folder/dsgd_results.pt"

case_ "random places, and other losses"
sed 's/split_type: .*/split_type: random/; s/num_scans: 3000/num_scans: 10/; s/"BCE"/"L1"/; s/train_solo: True/train_solo: no/' \
    offline.yaml >random.yaml
muster run random.yaml --quiet --out random
expect_code 0
grep -q 'split: random' random/cadmm/effective.yaml || fail "not at random places"
grep -q 'loss: l1' random/cadmm/effective.yaml || fail "another loss"

case_ "mistakes are one line each, before anything is computed"
mistake() { # FILE SED WHERE MESSAGE
    sed "$2" "$1" >bad.yaml
    muster run bad.yaml --quiet --out bad
    [ "$code" -eq 2 ] || [ "$code" -eq 3 ] || fail "exit code $code: $err"
    [ "$(grep -c . <<<"$err")" -eq 1 ] || fail "not one line: $err"
    expect_err "bad.yaml:$(grep -n "$3" bad.yaml | head -1 | cut -d: -f1):"
    expect_err "$4"
    expect_no_file bad
}
mistake offline.yaml 's/num_nodes: 3/num_nodes: 4/' num_nodes: "4 robots, but ../floorplans/small_data/tight_paths has way-points of 3"
mistake online.yaml 's/small_data/no_data/' waypoint_subdir: "experiment.data.waypoint_subdir: ../floorplans/no_data/tight_paths: cannot read"
mistake online.yaml '/num_scans_in_window/s/10/0/' num_scans_in_window: "experiment.data.num_scans_in_window: 0 is not above 0"
mistake online.yaml 's/num_beams: 20/num_beams: many/' num_beams: "experiment.data.num_beams: many is not a whole number"
mistake online.yaml 's/border_width: 3/border_width: 90/' border_width: "a border of 90 pixels covers the whole floor plan"
mistake online.yaml '0,/comm_radius/s/comm_radius: 100.0/comm_radius: -1/' comm_radius: "comm_radius: -1 is not above 0"
mistake online.yaml '0,/dynamic_graph/s/dynamic_graph: True/dynamic_graph: maybe/' dynamic_graph: "dynamic_graph: maybe is not"
mistake online.yaml 's/shape: .*/shape: [3, 8, 1]/' shape: "experiment.model.shape"
mistake online.yaml 's/"BCE"/"NLL"/' loss: "experiment.loss: nll"
mistake online.yaml 's/mesh_only_at_end/mesh_at_end/' mesh_at_end "unknown key; there are evaluate_frequency, tloss_decay, mesh_only_at_end"
mistake online.yaml '0,/save_models/s/save_models: True/save_models: some/' save_models: "save_models: must be true or false"
mistake online.yaml '0,/verbose_evals/s/verbose_evals: True/verbose_evals: some/' verbose_evals: "verbose_evals: some is not true or false"
mistake online.yaml '0,/comm_radius/{/comm_radius/d}' problem1: "comm_radius: is missing"
mv "$floor/floor_img.png" "$WORK/elsewhere.png"
mistake online.yaml '' data_dir: "floor_img.png"

finish
