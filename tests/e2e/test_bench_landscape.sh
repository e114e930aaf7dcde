# bench/landscape: what is to be reached, and that it measures the real muster for a moment.
. "$(dirname "$0")/lib.sh"

# A muster on a machine with the instruction set $ISA, without the data sets of $MISSING; it fails in the command $FAILS.
cat >fake <<'P'
#!/usr/bin/env python3
import json, os, pathlib, sys
flag = lambda name: sys.argv[sys.argv.index(name) + 1]
if sys.argv[1] == os.environ.get("FAILS"):
    sys.exit("error: no")
out = pathlib.Path(flag("--out"))
if sys.argv[1] == "train":
    if flag("--dataset") == os.environ.get("MISSING"):
        sys.exit("error: not installed")
    out.mkdir()
    machine = {"cpu": "a fast one", "usable_cores": len(os.sched_getaffinity(0))}
    (out / "environment.json").write_text(json.dumps({"machine": machine, "isa": os.environ.get("ISA", "avx512")}))
    (out / "data").write_text(flag("--dataset"))
else:
    data = (pathlib.Path(sys.argv[2]) / "data").read_text()
    assert flag("--grid") == os.environ.get("GRID", "50")
    out.mkdir()
    losses = [0] * int(flag("--grid")) ** 2
    facts = {"data": flag("--samples") + " test samples of " + data, "grid": {"losses": losses}}
    (out / "landscape.json").write_text(json.dumps(facts))
P
chmod +x fake
bench() {
    python3 "$SOURCE_DIR/bench/landscape" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

# Statements about the result r of bench --json.
expect_result() {
    python3 -c '
import json, sys
r = json.load(sys.stdin)
for statement in sys.argv[1:]:
    assert eval(statement), (statement, r)' "$@" <<<"$out" || fail "$out"
}

case_ "both figures have limits that depend on the instruction set, and the processor is named"
bench --muster "$WORK/fake" --json --strict
expect_code 0
expect_result 'r["cpu"] == "a fast one"' 'r["cores"] <= 2' 'r["is_reached"]' \
    '[f["to_reach"] for f in r["figures"]] == [15, 120]' '[f["points"] for f in r["figures"]] == [2500, 2500]' \
    '[f["data"] for f in r["figures"]] == ["1000 test samples of fashion_mnist", "10000 test samples of fashion_mnist"]'
ISA=avx2 bench --muster "$WORK/fake" --json
expect_result '[f["to_reach"] for f in r["figures"]] == [15, 210]'
ISA=sse2 bench --muster "$WORK/fake" --json --quick
expect_result '[f["to_reach"] for f in r["figures"]] == [None]'
GRID=20 bench --muster "$WORK/fake" --json --grid 20
expect_result '[f["to_reach"] for f in r["figures"]] == [None, None]'
bench --muster "$WORK/fake"
expect_out "processor: a fast one, avx512"

case_ "a figure that is not reached is an error with --strict"
for strict in "" --strict; do
    python3 - "$SOURCE_DIR/bench" --muster "$WORK/fake" --quick $strict >"$WORK/.out" <<'P'
import importlib.machinery, importlib.util, sys
sys.path.insert(0, sys.argv.pop(1))
loader = importlib.machinery.SourceFileLoader("landscape", sys.path[0] + "/landscape")
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("landscape", loader))
sys.dont_write_bytecode = True
loader.exec_module(bench)
bench.CASES = [(1000, {"avx512": 0.0001})]
sys.exit(bench.main())
P
    code=$?
    out=$(cat "$WORK/.out")
    expect_code $([ -n "$strict" ] && echo 1 || echo 0)
    expect_out "(not reached)"
done

case_ "without Fashion-MNIST it takes generated images; a command that fails is reported"
MISSING=fashion_mnist bench --muster "$WORK/fake" --json --quick
expect_code 0
expect_err "not installed"
expect_result 'r["figures"][0]["data"] == "1000 test samples of figures"'
FAILS=landscape bench --muster "$WORK/fake"
expect_code 2
expect_err "ended with code 1"
expect_err "error: no"

case_ "it measures muster"
GRID=2 bench --muster "$MUSTER" --quick --grid 2 --json
expect_code 0
expect_result 'r["figures"][0]["points"] == 4' 'r["figures"][0]["seconds"] > 0' 'r["isa"]'

finish
