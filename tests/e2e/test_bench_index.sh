# bench/index: what it measures and reports, with a program of known speed.
. "$(dirname "$0")/lib.sh"

# Lists what $COUNT says, keeps no names with $FORGETS.
cat >fake <<'P'
#!/usr/bin/env python3
import json, os, pathlib, sys
root, times = pathlib.Path(sys.argv[1]), int(sys.argv[2])
if os.environ.get("FAILS"):
    sys.exit("no folder")
count = int(os.environ.get("COUNT", sum(1 for _ in root.glob("*/*"))))
if not os.environ.get("FORGETS"):
    kept = pathlib.Path(os.environ["XDG_DATA_HOME"]) / "muster/cache"
    kept.mkdir(parents=True)
    (kept / "train.names").write_text("names")
seconds = [float(os.environ.get("SLOW", 2)), 0.5]
print(json.dumps({"seconds": seconds[:times], "classes": len(list(root.iterdir())), "pictures": count, "checksum": 1}))
P
chmod +x fake
index() {
    python3 "$SOURCE_DIR/bench/index" --program "$WORK/fake" --classes 3 --pictures 4 "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "it makes the files, and reports both times and the processor"
index --folder made --strict
expect_code 0
expect_out "processor: "
expect_out "12 pictures of 3 classes"
expect_out "first 2.00 s (to reach: 10 s)"
expect_out "again 0.50 s, 4.0 times faster"
expect_out "Python "
[ "$(find made -name '*.JPEG' -size 0 | wc -l)" -eq 12 ] || fail "other files: $(find made)"

case_ "files that are there are used"
touch made/n10000000/another.jpg made/n10000000/notes.txt
COUNT=13 index --folder made --json
expect_code 0
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["pictures"] == 13 and r["first_seconds"] == 2 and r["again_seconds"] == 0.5 and r["python_seconds"] > 0, r' <<<"$out" || fail "$out"

case_ "a time that is not reached is an error only with --strict"
COUNT=13 SLOW=11 index --folder made
expect_code 0
COUNT=13 SLOW=11 index --folder made --strict
expect_code 1

case_ "wrong counts, names that are not kept and a program that fails are reported"
COUNT=12 index --folder made
expect_code 2
expect_err "Muster lists 12 pictures, and Python 13"
COUNT=10000 FORGETS=1 index --folder made
expect_code 2
expect_err "no names were kept"
FAILS=1 index --folder made
expect_code 2
expect_err "no folder"
finish
