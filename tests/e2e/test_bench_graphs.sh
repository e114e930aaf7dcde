# bench/graphs, with sides that are played; and with the real muster for moments.
. "$(dirname "$0")/lib.sh"

GRAPHS="$SOURCE_DIR/bench/graphs"

# A round of ten nodes takes 10 ms; of dsgd 8. A hundred nodes have 0.95 of the rate, on geometric graphs half of it.
# Evaluating takes 0.02 s each time.
cat >muster.py <<'P'
import json, pathlib, sys, time
flag = lambda name: sys.argv[sys.argv.index(name) + 1]
log = pathlib.Path("calls")
log.write_text((log.read_text() if log.exists() else "") + " ".join(sys.argv[1:]) + "\n")
assert not pathlib.Path(flag("--out")).exists()
assert flag("--model") == "mnist_conv" and flag("--batch-size") == "64" and flag("--transport") == "threads"
nodes, algorithm = int(flag("--workers")), flag("--algorithm")
assert flag("--partition") == ("hetero" if nodes == 10 else "sorted")
draws = 2 if algorithm == "dinno" else 1
rounds = int(flag("--max-steps")) if "--max-steps" in sys.argv else int(flag("--epochs"))
every = int(flag("--evaluate-every"))
if "--train-fraction" in sys.argv:
    time.sleep(0.08 * (rounds // every if every else 1))
ms = {"dsgd": 8, "dinno": 10, "dsgt": 10}[algorithm] * nodes / 10
if nodes == 100:
    ms /= 0.95 if flag("--graph") == "cycle" else 0.5
samples = rounds * nodes * 64 * draws
print(json.dumps({
    "status": "finished", "parameters": 5, "workers": nodes, "algorithm": algorithm, "rounds": rounds,
    "samples": samples, "train_seconds": rounds * ms / 1e3, "samples_per_s": 1e3 * samples / (rounds * ms),
    "each": [{"test_accuracy": 0.9}, {"test_accuracy": 0.7}],
}))
P
cat >peer.py <<'P'
import json, os, sys
ms, parameters = float(sys.argv[1]), int(sys.argv[2])
ms /= 2 if os.environ["OMP_NUM_THREADS"] == "1" else 1
print("a warning that is no JSON")
print(json.dumps({"parameters": parameters, "samples_per_s": 1.0, "round_ms": ms}))
P

graphs() {
    rm -f calls
    "$GRAPHS" --muster "python3 muster.py" --windows 1 --seconds 1 "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "graphs holds every figure against what it is to reach"
graphs --peer "python3 peer.py 400 5" --json
expect_code 0
echo "$out" | python3 -c '
import json, sys
got = {f["figure"]: f for f in json.load(sys.stdin)["figures"]}
def check(name, value, to_reach, is_reached, tolerance=1e-9):
    f = got.pop(name)
    assert abs(f["value"] - value) < tolerance and f["is_reached"] == is_reached, f
    assert (f["to_reach"] is None) == (to_reach is None) and abs((f["to_reach"] or 0) - (to_reach or 0)) < 1e-9, f
    return f
f = check("round of dinno, cycle of 10", 10, 16.1, True)
assert f["study_ms"] == 322 and abs(f["over_study"] - 32.2) < 1e-9, f
check("round of dsgd, cycle of 10", 8, 6.75, False)
check("round of dsgt, cycle of 10", 10, 10.05, True)
for algorithm, ratio in (("dinno", 20), ("dsgd", 25), ("dsgt", 20)):
    check(f"PyTorch {algorithm}, threads: 1, over {algorithm}, cycle of 10", ratio, None, True)
    check(f"{algorithm}, cycle of 100 over 10 nodes", 0.95, 0.9, True)
    check(f"{algorithm}, geometric of 100 over 10 nodes", 0.5, None, True)
check("evaluation of 10 nodes", 0.08, 0.25, True, 0.06) # a busy machine starts programs slowly
f = got.pop("dinno, dsgd, dsgt: 2000 rounds each")
assert f["to_reach"] == 180 and f["is_reached"] and abs(f["accuracies"]["dsgt"] - 0.8) < 1e-9, f
assert not got, got
' || fail "the figures are wrong: $out"
grep -q -- "--max-steps 10 " calls || fail "1 s of 100 nodes at 105 ms is not 10 rounds: $(cat calls)"

case_ "graphs says what is not reached"
graphs --no-torch --only round
expect_code 0
expect_out "at most 6.75  (not reached)"
graphs --no-torch --only round --strict
expect_code 1
graphs --only many --strict
expect_code 0
expect_out "at least 0.9"

case_ "graphs compares only what is the same, and tells what is missing"
graphs --peer "python3 peer.py 400 6" --only round
expect_code 2
expect_err "not the same network"
graphs --muster false --only many
expect_code 2
expect_err "ended with code 1"
graphs --only nonsense
expect_code 2
expect_err "nonsense"

case_ "graphs works with the real muster"
cat >small.sh <<'P'
exec "$MUSTER" "$@" --figures.train-count 6400 --figures.test-count 100
P
export MUSTER
"$GRAPHS" --muster "bash small.sh" --dataset figures --only round evaluate --no-torch --windows 1 --seconds 0.01 --json >.out 2>.err
code=$? err=$(cat .err)
expect_code 0
python3 -c '
import json
figures = json.load(open(".out"))["figures"]
assert len(figures) == 4 and all(f["value"] > 0 for f in figures if f["figure"] != "evaluation of 10 nodes"), figures
' || fail "the figures are not as promised: $(cat .out)"

finish
