# bench/jobs: what it refuses to time, and that it measures the real muster for moments.
. "$(dirname "$0")/lib.sh"

# A muster whose runs in parallel compute $DIFFERENT, or fail with --jobs 2 if $FAILS.
cat >fake <<'P'
#!/usr/bin/env python3
import json, os, pathlib, re, sys
flag = lambda name: sys.argv[sys.argv.index(name) + 1]
jobs, out = int(flag("--jobs")), pathlib.Path(flag("--out"))
if jobs == 2 and os.environ.get("FAILS"):
    sys.exit("error: no")
study = pathlib.Path(sys.argv[2]).read_text()
assert "threads: 1" in study, study
different = os.environ.get("DIFFERENT") if jobs == 2 else None
runs = []
for seed in re.search(r"seed: \[(.*)\]", study)[1].split(", "):
    folder = out / f"seed={seed}"
    folder.mkdir(parents=True)
    (folder / "result.json").write_text('{"train_seconds": 0.01}')
    (folder / "model.safetensors").write_text("other" if different == "models" else "weights " + seed)
    runs.append({"name": folder.name, "run_dir": str(folder), "test_loss": 2 if different == "results" else 1})
(out / "results.json").write_text(json.dumps({"folder": str(out), "cases": [], "runs": runs}))
P
chmod +x fake
jobs() {
    python3 "$SOURCE_DIR/bench/jobs" --runs 3 --windows 1 --seconds 0.02 "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "the study is run in both ways, and their times are compared"
jobs --muster "$WORK/fake" --json
expect_code 0
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert (r["runs"], r["jobs"], r["to_reach"], r["rounds"], len(r["windows"])) == (3, 2, 0.6, 400, 1), r
w = r["windows"][0]
assert r["ratio"] == w["at_a_time"] / w["in_turn"] and r["is_reached"] == (r["ratio"] <= 0.6), r' <<<"$out" || fail "$out"

case_ "ways that compute something else are not compared"
DIFFERENT=models jobs --muster "$WORK/fake"
expect_code 2
expect_err "the models of seed=1 differ between the two ways"
DIFFERENT=results jobs --muster "$WORK/fake"
expect_code 2
expect_err "results.json differs between the two ways"

case_ "a study that fails is told"
FAILS=1 jobs --muster "$WORK/fake"
expect_code 2
expect_err "ended with code 1"
expect_err "error: no"
jobs --jobs 1
expect_code 2
expect_err "take 2 or more"

case_ "it measures muster"
jobs --muster "$MUSTER"
expect_code 0
expect_out "| runs | one after the other | --jobs 2 |"
finish
