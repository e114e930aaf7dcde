# bench/workers, with sides that are played; and with the real muster for moments.
. "$(dirname "$0")/lib.sh"

WORKERS="$SOURCE_DIR/bench/workers"
if [ "$(nproc)" -lt 2 ]; then
    echo "1..0 # SKIP bench/workers needs two cores"
    exit 0
fi

# Every algorithm has its own rate, and every number of workers a factor.
cat >muster.py <<'P'
import json, pathlib, sys
flag = lambda name: sys.argv[sys.argv.index(name) + 1]
log = pathlib.Path("calls")
log.write_text((log.read_text() if log.exists() else "") + " ".join(sys.argv[1:]) + "\n")
assert not pathlib.Path(flag("--out")).exists()
is_mpi = "-n" in sys.argv
workers = int(flag("-n") if is_mpi else flag("--workers"))
rate = {"sync": 40000, "ps-async": 30000, "hogwild": 35000}[flag("--algorithm")]
rate *= {1: 1.0, 2: 1.5 if is_mpi else 1.9, 10: 1.8 if flag("--algorithm") == "sync" else 1.2}[workers]
rounds = int(flag("--max-steps"))
samples = rounds * workers * int(flag("--batch-size"))
each = {"computing": 6.0, "waiting": 3.0, "transferring": 1.0, "sleeping": 0.0}
print(json.dumps({
    "status": "finished", "parameters": 5, "workers": workers, "transport": "mpi" if is_mpi else "threads",
    "algorithm": flag("--algorithm"), "rounds": rounds, "samples": samples, "train_seconds": samples / rate,
    "samples_per_s": rate, **({"each": [each] * workers} if workers > 1 else {}),
}))
P
cat >peer.py <<'P'
import json, sys
rate, parameters = float(sys.argv[1]), int(sys.argv[2])
rate *= 2 if "channels_last" in sys.argv else 1
print("a warning that is no JSON")
print(json.dumps({"parameters": parameters, "samples_per_s": rate}))
P

workers() {
    rm -f calls
    "$WORKERS" --muster "python3 muster.py" --mpirun "python3 muster.py" --windows 1 "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "workers holds every figure against what it is to reach"
workers --peer "python3 peer.py 4000 5" --windows 2 --json
expect_code 0
echo "$out" | python3 -c '
import json, sys
got = json.load(sys.stdin)
ratios = {(f["ours"], f["theirs"].split(" (")[0]): f for f in got["figures"]}
def check(ours, theirs, ratio, to_reach):
    f = ratios.pop((ours, theirs))
    assert abs(f["ratio"] - ratio) < 1e-9, f
    assert f["to_reach"] == to_reach and f["is_reached"] == (to_reach is None or ratio >= to_reach), f
    assert f["windows"] == 2
check("sync, 2 workers", "sync, 1 worker", 1.9, 1.8)
check("sync, 2 workers, mpi", "sync, 1 worker", 1.5, 1.7)
check("sync, 2 workers", "PyTorch DDP over gloo", 9.5, 8)
check("ps-async, 2 workers", "PyTorch RPC parameter server", 7.125, 10)
check("hogwild, 2 workers", "PyTorch hogwild", 8.3125, 4)
check("hogwild, 2 workers", "hogwild, 1 worker", 1.9, None)
check("sync, 10 workers", "sync, 2 workers", 1.8 / 1.9, 0.85)
check("ps-async, 10 workers", "ps-async, 2 workers", 1.2 / 1.9, 0.85)
assert not ratios
times = {(t["side"], t["batch"]): t for t in got["times"]}
assert ("sync, 1 worker", 64) not in times and len(times) == 7
t = times["ps-async, 10 workers", 32]
assert abs(t["computing"] - 0.6) < 1e-9 and abs(t["waiting"] - 0.3) < 1e-9 and abs(t["transferring"] - 0.1) < 1e-9
' || fail "the figures are wrong: $out"

case_ "workers takes as many steps as fill a window, and the faster PyTorch"
workers --peer "python3 peer.py 4000 5" --only ddp --seconds 2
expect_code 0
grep -q -- "--max-steps 2375 " calls || fail "2 s at 76 000 samples/s are not 2375 steps of 64: $(cat calls)"
expect_out "PyTorch DDP over gloo (channels_last"
expect_out "| 9.50  | 9.50, 9.50      | 8 "
expect_out "computing"

case_ "workers says what is not reached"
workers --only sync
expect_out "1.7  (not reached)"
workers --only sync --strict
expect_code 1
workers --only sync --no-mpi --strict
expect_code 0
grep -q -- "-n 2" calls && fail "--no-mpi ran under mpirun"
workers --peer "python3 peer.py 40000 5" --only ddp --models mlp --strict
expect_code 0

case_ "workers compares only what is the same, and tells what is missing"
workers --peer "python3 peer.py 4000 6" --only ps
expect_code 2
expect_err "not the same network"
cat >absent.py <<'P'
import json
print(json.dumps({"error": "PyTorch is not here: No module named torch"}), flush=True)
P
workers --peer "python3 absent.py" --only hogwild
expect_code 3
expect_err "apt-get install python3-torch"
workers --mpirun no-such-launcher --only sync
expect_code 3
expect_err "mpirun is not here"
workers --muster false --only many
expect_code 2
expect_err "ended with code 1"
workers --only nonsense
expect_code 2
expect_err "nonsense"

if [ -d /usr/share/datasets/fashion-mnist ]; then
    case_ "workers works with the real muster"
    "$WORKERS" --muster "$(printf %q "$MUSTER")" --only many --windows 1 --seconds 0.02 --json >.out 2>.err
    code=$? err=$(cat .err)
    expect_code 0
    python3 -c '
import json
figures = json.load(open(".out"))["figures"]
assert len(figures) == 2 and all(f["ours_samples_per_s"] > 0 and f["ratio"] > 0 for f in figures)
' || fail "the figures are not as promised: $(cat .out)"
fi

finish
