# bench/lidar: what it measures and reports, with a program of known speed.
. "$(dirname "$0")/lib.sh"

cat >fake <<'P'
#!/usr/bin/env python3
import json, os, sys
threads, robots, scans, pairs, width, height = map(int, sys.argv[1:])
if os.environ.get("FAILS"):
    sys.exit("no building")
slow = float(os.environ.get("SLOW", 1))
ways = [slow * 0.01 * (i + 1) for i in range(pairs)]
print(json.dumps({"spline_seconds": 0.5, "scan_seconds": 1.5 * slow, "rows": robots * scans * 500,
                  "ways_4": ways, "ways_8": [2 * w for w in ways]}))
P
chmod +x fake
lidar() {
    python3 "$SOURCE_DIR/bench/lidar" --program "$WORK/fake" "$@" >"$WORK/.out" 2>"$WORK/.err"
    code=$?
    out=$(cat "$WORK/.out")
    err=$(cat "$WORK/.err")
}

case_ "it reports both times and the processor"
lidar --pairs 5 --strict
expect_code 0
expect_out "processor: "
expect_out "8505000 rows of scans in 2.00 s (to reach: 10 s)"
expect_out "A* over 4 neighbours: median 30.0 ms, longest 50.0 ms (to reach: 100 and 400 ms)"
expect_out "A* over 8 neighbours: median 60.0 ms, longest 100.0 ms"
lidar --json --scans 3
expect_code 0
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["rows"] == 7 * 3 * 500 and r["scan_seconds"] == 2 and r["ways_8"]["longest"] == 0.4, r' <<<"$out" || fail "$out"

case_ "a time that is not reached is an error only with --strict"
SLOW=9 lidar --pairs 1
expect_code 0
SLOW=9 lidar --pairs 1 --strict
expect_code 1
SLOW=0.1 lidar --pairs 50 --strict
expect_code 0
lidar --pairs 50 --strict
expect_code 1

case_ "a program that fails is reported"
FAILS=1 lidar
expect_code 2
expect_err "no building"
finish
