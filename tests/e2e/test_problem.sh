# Problems are chosen by name; quadratic has a known optimum and neither data nor model.
. "$(dirname "$0")/lib_workers.sh"

QUADRATIC="--problem quadratic --quiet"

# Trains on quadratics into folder $1: quadratic FOLDER ARGUMENT...
quadratic() {
    local folder=$1
    shift
    rm -rf "$folder"
    muster train $QUADRATIC --out "$folder" "$@"
    [ "$code" -eq 0 ] || fail "exit code $code of: $*: $err"
}
distance() { json_field distance_to_optimum <"$1/quadratic/result.json"; }

case_ "a run on quadratics prints the distance to the optimum, and --json has it"
quadratic tracking --algorithm dsgt --workers 10 --graph cycle
expect_out "distance to optimum "
muster train $QUADRATIC --out json --algorithm dsgt --workers 10 --graph cycle --json
expect_code 0
[ "$(json_field distance_to_optimum <<<"$out")" = "$(distance tracking)" ] || fail "another distance: $out"
python3 -c 'import sys; assert 0 < float(sys.argv[1]) < 1e-4' "$(distance tracking)" || fail "not at the optimum"
grep -q '"distance_to_optimum": ' tracking/quadratic/metrics.jsonl || fail "no distance in rows"

case_ "the distance is Euclidean, to a point that exact algorithms find"
quadratic exact --algorithm sync --workers 10
quadratic biased --algorithm psgd --workers 10
python3 - exact biased tracking <<'P' || fail "distances do not fit the weights"
import json, math, struct, sys

def run(folder):
    data = open(folder + "/quadratic/model.safetensors", "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    assert list(k for k in header if k != "__metadata__") == ["x"], header
    begin, end = header["x"]["data_offsets"]
    values = struct.unpack("<%df" % ((end - begin) // 4), data[8 + size + begin:8 + size + end])
    return values, json.load(open(folder + "/quadratic/result.json"))["distance_to_optimum"]

(x, dx), (y, dy), (z, dz) = (run(f) for f in sys.argv[1:])
assert math.dist(x, z) <= dx + dz + 1e-6          # both are near the same point
assert dy > 0.05 and abs(math.dist(x, y) - dy) <= dx + 1e-6
P

case_ "files about data are absent, and no key about data is in effective.yaml"
for file in partition.json partition.txt confusion.json; do
    expect_no_file tracking/quadratic/$file
done
grep -qE '^(data|model|partition):' tracking/effective.yaml && fail "$(cat tracking/effective.yaml)"
expect_file tracking/quadratic/workers.json

case_ "a stopped run resumes to the same bits"
quadratic whole --algorithm dsgd --workers 4 --quadratic.noise 1 --batch-size 30
quadratic part --algorithm dsgd --workers 4 --quadratic.noise 1 --batch-size 30 --epochs 2
muster train --resume part --epochs 6 --quiet
expect_code 0
expect_same whole/quadratic/model.safetensors part/quadratic/model.safetensors
[ "$(distance whole)" = "$(distance part)" ] || fail "another distance"

case_ "every algorithm trains on them"
select_algorithms 'True'
for a in "${selected[@]}"; do
    workers=3
    [ "${a%% *}" = single ] && workers=1
    quadratic run --algorithm $a --workers $workers --epochs 1
    python3 -c 'import sys; assert 0 < float(sys.argv[1]) < 10' "$(distance run)" || fail "$a: $(distance run)"
done

case_ "commands that read a run work with it"
muster evaluate tracking
expect_code 0
expect_out "distance_to_optimum"
muster evaluate tracking --json
python3 -c 'import json,sys; d = json.load(sys.stdin)["models"][0]; assert d["problem"] == "quadratic" and d["dataset"] is None
assert d["splits"]["test"]["distance_to_optimum"] == float(sys.argv[1])' "$(distance tracking)" <<<"$out" || fail "$out"
muster show tracking
expect_code 0
muster export tracking --results csv
expect_code 0

case_ "a study compares distances"
cat >study.yaml <<'Y'
problem: {name: quadratic, size: 5}
algorithm: [dsgd, dsgt]
transport: {workers: 5}
Y
muster run study.yaml --quiet --out study
expect_code 0
expect_out "distance"
grep -q "distance_to_optimum" study/results.csv || fail "no distances in results.csv"
muster scale $QUADRATIC --workers 1,2 --epochs 1 --out scale
expect_code 0

case_ "what a problem does not have is an error, with its place"
muster train --problem quadratic --dataset figures
expect_code 2
expect_err "error: --dataset: problem quadratic has no data; leave it out"
printf 'problem: quadratic\nmodel: mlp\n' >bad.yaml
muster run bad.yaml
expect_code 2
expect_err "bad.yaml:2:"
expect_err "model: problem quadratic has no model; leave it out"
printf 'problem: {name: quadratic, loss: mse}\n' >bad.yaml
muster run bad.yaml
expect_err "bad.yaml:1:28: problem.loss: problem quadratic has no such option"
muster train --problem quadrtic
expect_err "--problem: there is no problem quadrtic; did you mean quadratic?"
muster bench --problem.name quadratic
expect_err "bench measures networks; problem quadratic has none"

case_ "a file that names no problem means supervised"
printf 'problem: {loss: nll}\ndata: {name: figures, train_count: 200, test_count: 40}\nmodel: mlp\ntrain: {epochs: 1}\n' >old.yaml
muster run old.yaml --quiet --out old
expect_code 0
grep -A1 '^problem:' old/effective.yaml | grep -q 'name: supervised' || fail "$(cat old/effective.yaml)"
expect_file old/mlp_figures/partition.json

finish
