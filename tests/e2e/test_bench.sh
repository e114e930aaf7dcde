# The command bench: what it measures and promises; and bench/compare, with sides that are played.
. "$(dirname "$0")/lib.sh"

SMALL="--model mnist_conv --batch 8 --data figures --figures.train_count 64"

case_ "bench ends with one JSON object that has the promised keys"
muster bench $SMALL --seconds 0.05 --windows 3 --json
expect_code 0
echo "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)
keys = "model batch threads isa data input optimizer parameters flops_per_sample check windows"
keys += " samples_per_s samples_per_s_best gflops peak_gflops percent_of_peak max_rss_mb stages"
for key in keys.split():
    assert key in r, key
assert r["model"] == "mnist_conv" and r["batch"] == 8 and r["threads"] == 1 and r["windows"] == 3
assert r["data"] == "figures" and r["input"] == "1x28x28" and r["optimizer"] == "sgd"
assert r["parameters"] == 3 * 25 + 3 + 432 * 64 + 64 + 64 * 10 + 10
# forward 2 operations per weight and position; backward by the weights, and by the input behind conv1
conv, dense = 2 * 24 * 24 * 3 * 25, 2 * (432 * 64 + 64 * 10)
assert r["flops_per_sample"] == 2 * conv + 3 * dense, r["flops_per_sample"]
assert r["samples_per_s_best"] >= r["samples_per_s"] > 0 and r["peak_gflops"] > 0
assert abs(r["gflops"] - r["samples_per_s"] * r["flops_per_sample"] * 1e-9) < 1e-9 * r["gflops"] + 1e-12
assert 0 <= r["check"]["gradient_error"] <= r["check"]["gradient_tolerance"] < 0.1
assert 0 <= r["check"]["loss_error"] <= r["check"]["loss_tolerance"] < 0.01
names = [s["stage"] for s in r["stages"]]
for name in "gather forward loss backward optimizer".split():
    assert name in names, name
layers = {(s["stage"], s["layer"]) for s in r["stages"] if "layer" in s}
for layer in "conv1 fc1 fc2".split():
    assert ("forward", layer) in layers and ("backward", layer) in layers, layer
assert all(s["ms"] >= 0 for s in r["stages"] if s["stage"] != "other")
' || fail "the object is not as promised: $out"

case_ "bench without --json is a table of stages"
muster bench $SMALL --seconds 0.03 --windows 1
expect_code 0
expect_out "samples/s"
expect_out "% of the FMA peak"
expect_out "checked: loss within"
expect_out "backward   conv1"

case_ "data that fits the model is found where none is named"
muster bench --model fourier_density --batch 100 --seconds 0.03 --windows 1 --json
expect_code 0
[ "$(echo "$out" | json_field data)" = rooms ] || fail "fourier_density is not measured on rooms"
muster bench --model cnn2 --batch 2 --data noise --input-size 32 --seconds 0.03 --windows 1 --json
expect_code 0
[ "$(echo "$out" | json_field data)" = noise ] || fail "cnn2 is not measured on noise"
printf 'input: 3x8x8\nlayers:\n  - conv2d: {out: 4, kernel: 3}\n  - flatten\n  - dense: {out: 7}\n' >net.yaml
muster bench --model net.yaml --batch 4 --seconds 0.03 --windows 1 --json
expect_code 0
[ "$(echo "$out" | json_field input)" = 3x8x8 ] || fail "the file's input is not taken"

case_ "bench --kernels holds each kernel against its bound"
muster bench --kernels --seconds 0.0005 --json
expect_code 0
echo "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["peak_gflops"] > 0 and [m["level"] for m in r["memory"]][-1] == "DRAM"
bounds = {"fma"} | {m["level"] for m in r["memory"]}
kernels = {k["kernel"] for k in r["kernels"]}
for name in "panel_product panel_gradient relu max_pool softmax_nll sgd adam winograd_product".split():
    assert name in kernels, name
for k in r["kernels"]:
    assert k["bound"] in bounds and k["us"] > 0 and k["percent"] > 0 and k["bound_rate"] > 0, k
' || fail "the object is not as promised"
muster bench --kernels --seconds 0.0002
expect_code 0
expect_out "FMA peak"
expect_out "panel_product"

case_ "bench --serve answers each line with a line"
out=$(printf 'window 0.02\npeak\nwindow 0\n' | "$MUSTER" bench $SMALL --serve)
code=$?
expect_code 0
echo "$out" | python3 -c '
import json, sys
ready, first, peak, second = map(json.loads, sys.stdin)
assert ready["ready"] is True and ready["program"] == "muster" and ready["flops_per_sample"] > 0
assert first["samples"] % 8 == 0 and first["samples"] > 0 and first["seconds"] >= 0.02
assert peak["peak_gflops"] > 0 and second["samples"] == 8 and second["seconds"] > 0
' || fail "the answers are not as promised: $out"
echo nonsense | "$MUSTER" bench $SMALL --serve >/dev/null 2>.err
code=$? err=$(cat .err)
expect_code 2
expect_err 'neither "window SECONDS" nor "peak"'

case_ "bad values are errors that say what would be right"
muster bench $SMALL --seconds 0
expect_code 2
expect_err "--seconds: \"0\" is not a number in (0, 3600]"
muster bench $SMALL --windows none
expect_code 2
expect_err "--windows"
muster bench --model lenet6
expect_code 2
expect_err "lenet5"
muster bench $SMALL --batch 0
expect_code 2
expect_err "--batch"
muster bench --model mnist_conv --batch 100 --data figures --figures.train_count 64
expect_code 2
expect_err "--batch: 100 is more than the 64 samples of data set figures"
muster bench $SMALL --optimizer lbfgs
expect_code 2
expect_err "several gradients"
muster bench --kernels --model lenet5
expect_code 2
expect_err "--kernels"

# --- bench/compare: sides of known speed in the place of muster and PyTorch ---

COMPARE="$SOURCE_DIR/bench/compare"
cat >side.py <<'P'
"""side.py RATE FACTOR [flags]: answers as the sides of bench/compare do, without training."""
import json, sys
rate, factor, flags = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
if "channels_last" in flags:
    rate *= factor
if "--threads" in flags and flags[flags.index("--threads") + 1] == "2":
    rate *= factor
print(json.dumps({"ready": True, "model": "x", "parameters": 5, "flops_per_sample": 1000000}), flush=True)
for number, line in enumerate(sys.stdin):
    if line.startswith("peak"):
        print(json.dumps({"peak_gflops": 100.0}), flush=True)
        continue
    # every third window something else has the machine
    slow = 0.1 if number % 3 == 2 else 1.0
    print(json.dumps({"samples": int(rate * slow * 10), "seconds": 10.0}), flush=True)
P

compare() {
    "$COMPARE" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "compare takes the faster PyTorch and the median of the windows' ratios"
compare --muster "python3 side.py 40000 1.9" --peer "python3 side.py 5000 1.6" --models lenet5 mlp \
    --no-scaling --json
expect_code 0
echo "$out" | python3 -c '
import json, sys
lenet5, mlp = json.load(sys.stdin)["networks"]
assert lenet5["pytorch_best"].startswith("channels_last") and lenet5["pytorch_samples_per_s"] == 8000
assert lenet5["muster_samples_per_s"] == 40000 and lenet5["ratio"] == 5 and lenet5["is_reached"]
assert lenet5["windows"] == 15 and lenet5["to_reach"] == 4.7
assert abs(lenet5["percent_of_peak"] - 40) < 1e-9
assert "channels_last" not in mlp["pytorch_best"] and mlp["ratio"] == 8
' || fail "the figures are wrong: $out"

case_ "compare prints a table and says what is not reached"
compare --muster "python3 side.py 16000 1.9" --peer "python3 side.py 5000 1.6" --models lenet5 --no-scaling
expect_code 0
expect_out "| lenet5  | 32    | 8 000"
expect_out "| 2.00  | 4.7  (not reached) | 16 "
compare --muster "python3 side.py 16000 1.9" --peer "python3 side.py 5000 1.6" --models lenet5 --no-scaling \
    --strict
expect_code 1

if [ "$(nproc)" -ge 2 ]; then
    case_ "compare measures two threads over one"
    compare --muster "python3 side.py 40000 1.9" --only-scaling --models lenet5 --json
    expect_code 0
    echo "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)["scaling"][0]
assert abs(r["ratio"] - 1.9) < 1e-9 and r["is_reached"] and r["batch"] == 256
' || fail "the figures are wrong: $out"
fi

case_ "compare works with the real muster, and refuses a network that is not the same"
compare --muster "$(printf %q "$MUSTER")" --peer "python3 side.py 5000 1" --models mnist_conv --no-scaling --quick \
    --windows 1 --seconds 0.01
expect_code 2
expect_err "not the same network"

case_ "compare tells what is missing and how to get it"
cat >absent.py <<'P'
import json
print(json.dumps({"error": "PyTorch is not here: No module named torch"}), flush=True)
P
compare --muster "python3 side.py 1 1" --peer "python3 absent.py" --models mlp --no-scaling
expect_code 3
expect_err "PyTorch is not here"
expect_err "apt-get install python3-torch"
compare --models lenet6
expect_code 2
expect_err "lenet6"

case_ "compare sets convolutions side by side"
cat >conv.py <<'P'
import json, sys
times = dict(zip(["forward", "backward", "backward_weights", "backward_data"], map(float, sys.argv[1:])))
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    print(json.dumps({"calls": 100, "seconds": times[line.split()[0]] / 10}), flush=True)
P
compare --onednn --convolutions "python3 conv.py 1 5 2" "python3 conv.py 2 0 8 6" --windows 2 --json
expect_code 0
echo "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)["convolutions"][0]
assert r["layer"] == "lenet5 conv1"
assert abs(r["forward"]["muster_ms"] - 1) < 1e-9 and abs(r["forward"]["ratio"] - 2) < 1e-9
assert abs(r["backward_data"]["muster_ms"] - 3) < 1e-9 and abs(r["backward_data"]["ratio"] - 2) < 1e-9
assert abs(r["backward_weights"]["ratio"] - 4) < 1e-9
' || fail "the figures are wrong: $out"

finish
