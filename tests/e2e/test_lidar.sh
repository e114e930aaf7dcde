# `muster lidar scan`: a scan as a table, as rows and as a drawing; and mistakes.
. "$(dirname "$0")/lib.sh"

# Reads rows of a scan: counts them, and walls, and checks that each beam begins at the lidar.
cat >rows.py <<'PY'
import csv, sys
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(sys.stdin)]
beams = int(rows[-1]["beam"]) + 1
for b in range(beams):
    beam = [r for r in rows if r["beam"] == b]
    assert (beam[0]["x"], beam[0]["y"]) == (rows[0]["x"], rows[0]["y"]), b
kind = "rounded" if all(r["density"] in (0, 1) for r in rows) else "raw"
print(beams, len(rows), kind)
PY

muster plan make plan.png --size 400x300 --seed 7

case_ "a scan from a random place prints where each beam ends"
muster lidar scan plan.png --border 4
expect_code 0
expect_out "20 beams, 500 points"
expect_out "beam   angle  length"
[ "$(wc -l <<<"$out")" -eq 22 ] || fail "$out"
first=$out
muster lidar scan plan.png --border 4 --seed 1
[ "$out" = "$first" ] || fail "another place with the same seed: $out"
muster lidar scan plan.png --border 4 --seed 2
[ "$out" != "$first" ] || fail "the same place with another seed: $out"

case_ "all points are printed or written as CSV"
muster lidar scan plan.png --border 4 --csv
expect_code 0
[ "$(python3 rows.py <<<"$out")" = "20 500 rounded" ] || fail "$out"
muster lidar scan plan.png --border 4 --csv=points.csv --beams 7 --beam-samples 11 --round-density=false
expect_code 0
expect_out "7 beams, 77 points"
[ "$(python3 rows.py <points.csv)" = "7 77 raw" ] || fail "$(cat points.csv)"
muster lidar scan plan.png --border 4 --csv=points.csv --clipped --beam-length 2
expect_code 0
set -- $(python3 rows.py <points.csv)
[ "$1" -eq 20 ] && [ "$2" -lt 400 ] || fail "clipped: $*"

case_ "the place can be given, and the scan is drawn"
place=$(sed -n 's/^scan at (\(.*\), \(.*\)):.*/\1,\2/p' <<<"$first")
muster lidar scan plan.png --border 4 --at "$place" --svg scan.svg
expect_code 0
expect_out "scan at (${place/,/, }): "
[ "$(grep -o 'class="dot"' scan.svg | wc -l)" -eq 500 ] || fail "dots"
[ "$(grep -o 'class="line"' scan.svg | wc -l)" -eq 20 ] || fail "beams"
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("scan.svg")' || fail "not XML"

case_ "mistakes are one line"
muster lidar
expect_code 2
expect_err "muster lidar has one verb: muster lidar scan PLAN.png"
muster lidar scan
expect_code 2
expect_err "muster lidar scan needs the PNG file of a floor plan"
muster lidar scan plan.png --at -200,-150
expect_code 2
expect_err "--at: (-200, -150) is in a wall: the density is "
muster lidar scan plan.png --at 200.5,0
expect_code 2
expect_err "--at: (200.5, 0) is outside the plan, which is from (-200, -150) to (200, 150)"
for at in 3 3, ,3 a,b 1,2,3 nan,1; do
    muster lidar scan plan.png --at "$at"
    expect_code 2
    expect_err "--at: \"$at\" is not a place such as 120,-35.5"
done
muster lidar scan plan.png --border 150
expect_code 2
expect_err "plan.png: a border of 150 pixels covers the whole floor plan of 400 x 300 pixels"
muster lidar scan plan.png --beams 0
expect_code 2
expect_err "--beams"
muster lidar scan missing.png
expect_code 3
expect_err "missing.png"
echo note >notes.txt
muster lidar scan plan.png --svg notes.txt
expect_code 2
expect_err "--svg: notes.txt exists and is another kind of file"
muster lidar scan plan.png --csv=notes.txt
expect_code 2
expect_err "--csv: notes.txt exists and is another kind of file"
muster lidar scan plan.png --csv=both --svg both
expect_code 2
expect_err "--csv and --svg name the same file, both"
muster lidar scan plan.png --csv=new.csv --beams 100000 --beam-samples 100000
expect_code 2
expect_err "--beams: a scan of 100000 beams of 100000 points is too large"
expect_no_file new.csv

case_ "the floor plan itself is never replaced, even with --force"
before=$(sha256sum plan.png)
muster lidar scan plan.png --csv=plan.png
expect_code 2
muster lidar scan plan.png --csv=./plan.png --force
expect_code 2
expect_err "--csv: ./plan.png is read by this command; choose another name"
[ "$(sha256sum plan.png)" = "$before" ] || fail "the plan was replaced"
finish
