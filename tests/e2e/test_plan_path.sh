# `muster plan path`: ways through places and random walks, as way-points; and mistakes.
. "$(dirname "$0")/lib.sh"

# Four rooms around two crossing walls with a door in each; 121 x 81 pixels.
cat >plan.py <<'PY'
import struct, zlib
width, height = 121, 81
def wall(x, y):
    return (min(x, y, width - 1 - x, height - 1 - y) < 4 or (57 <= x < 64 and y not in (20, 21, 22, 23, 24, 25, 26, 27, 28))
            or (38 <= y < 43 and not (85 <= x < 96)))
raw = b"".join(b"\0" + bytes(255 * wall(x, y) for x in range(width)) for y in range(height))
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
open("plan.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
PY
python3 plan.py
few="--border 0 --clearance 2"

case_ "the way through places is printed as way-points"
muster plan path plan.png $few --via -30,-20 --via 30,20 --neighbours 4
expect_code 0
expect_out "# 2 places, "
expect_out "# way-points: x and y in [-1, 1], y downwards"
grep -v '^#' <<<"$out" >points.txt
# From (30, 20) to (90, 60); 4 neighbours: the sum of both differences, since the doors are between them.
grep -q "^# 2 places, 100.0 pixels long" <<<"$out" || fail "$out"
python3 - <<'PY' || fail "$(cat points.txt)"
points = [tuple(map(float, line.split())) for line in open("points.txt")]
assert len(points) >= 4
cell = lambda p: (round((p[0] + 1) / 2 * 120), round((p[1] + 1) / 2 * 80))
assert (cell(points[0]), cell(points[-1])) == ((30, 20), (90, 60)), points
PY
muster plan path plan.png $few --via -30,-20 --via 30,20
expect_code 0
diagonal=$(sed -n 's/^# 2 places, \(.*\) pixels long.*/\1/p' <<<"$out")
python3 -c "assert 72 <= $diagonal < 100, $diagonal" || fail "diagonal: $diagonal"

case_ "way-points are written, and their spline touches no wall"
muster plan path plan.png $few --via -30,-20 --via 30,20 --via -30,20 --loop --out a.npy --svg a.svg
expect_code 2
expect_err "no way leads from place 2, pixel (90, 60), to place 3, (30, 60)"
expect_no_file a.npy
muster plan path plan.png $few --via -30,-20 --via 30,20 --via 30,-20 --loop --out a.npy --svg a.svg
expect_code 0
expect_out "3 places, "
grep -q 'class="line"' a.svg || fail "no line"
muster plan show plan.png --path a.npy
expect_out "no point in a wall"
muster plan path plan.png $few --via -30,-20 --via 30,20 --via 30,-20 --loop --out a.txt
python3 - <<'PY' || fail "text and NumPy differ"
import struct
raw = open("a.npy", "rb").read()
values = struct.unpack(f"<{(len(raw) - 128) // 8}d", raw[128:])
text = [float(w) for line in open("a.txt") if line[0] != "#" for w in line.split()]
assert list(values) == text and text[:2] == text[-2:]
PY

case_ "a random walk depends on the seed"
muster plan path plan.png $few --random 5 --seed 3 --out b.txt
expect_code 0
expect_out "5 places, "
muster plan path plan.png $few --random 5 --seed 3 --out c.txt
expect_same b.txt c.txt
muster plan path plan.png $few --random 5 --seed 4 --out c.txt
expect_different b.txt c.txt
muster plan show plan.png --path b.txt
expect_out "no point in a wall"

case_ "mistakes are one line, and no file is written"
muster plan path
expect_code 2
expect_err "muster plan path needs the PNG file of a floor plan"
muster plan path plan.png --via 1,1
expect_code 2
expect_err "a path needs --via at least twice, or --random N"
muster plan path plan.png --via 1,1 --random 3
expect_code 2
expect_err "--random conflicts with --via and --loop"
muster plan path plan.png --neighbours 5 --random 3
expect_code 2
expect_err "--neighbours: 5 is neither 4 nor 8"
muster plan path plan.png $few --via -30,-20 --via 0,20
expect_code 2
expect_err "place 2, pixel (60, 60), is in a wall or too near to one"
muster plan path plan.png $few --via -30,-20 --via 61,0
expect_code 2
expect_err "--via: (61, 0) is outside the plan"
muster plan path plan.png --border 3 --clearance 60 --random 3 --out d.txt
expect_code 2
expect_err "the plan has no free places with this clearance"
expect_no_file d.txt
echo note >notes.txt
muster plan path plan.png $few --random 3 --out notes.txt
expect_code 2
expect_err "--out: notes.txt exists and is another kind of file"
muster plan path plan.png $few --random 3 --out both.txt --svg both.txt
expect_code 2
expect_err "--svg and --out name the same file, both.txt"
finish
