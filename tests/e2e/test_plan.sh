# `muster plan`: floor plans are made, prepared, drawn and edited; and mistakes.
. "$(dirname "$0")/lib.sh"

case_ "without a verb, or with a wrong one, it lists the verbs"
muster plan
expect_code 2
expect_err "muster plan needs one of these: make, prepare, show, path, edit"
muster plan mkae
expect_code 2
expect_err 'muster plan: "mkae" is not one of these: make, prepare, show, path, edit'
muster plan --help
expect_code 0
expect_out "make: generates a building"

case_ "make writes a plan and says what it is"
muster plan make a.png --size 300x200 --seed 4
expect_code 0
expect_out "300 x 200 pixels, "
expect_out "1 connected free area"
expect_file a.png
muster plan make b.png --size 300x200 --seed 4
expect_same a.png b.png
muster plan make b.png --size 300x200 --seed 5
expect_different a.png b.png
muster plan make usual.png
expect_code 0
expect_out "2167 x 1608 pixels, 3"

case_ "make: mistakes are one line"
muster plan make
expect_code 2
expect_err "muster plan make needs the name of the PNG file to write"
for size in 300 300x 63x300 300x8193 axb 3e2x200 -300x200; do
    muster plan make c.png --size=$size
    expect_code 2
    expect_err "--size: \"$size\" is not a width and a height such as 800x600, each in [64, 8192]"
done
muster plan make c.png --walls 51
expect_code 2
expect_err '--walls: "51" is not a whole number in [0, 50]'
muster plan make c.png --seed -1
expect_code 2
muster plan make no/where/c.png
expect_code 3
expect_no_file c.png
echo "my notes" >notes.txt
muster plan make notes.txt
expect_code 2
expect_err "notes.txt: exists and is another kind of file"
muster plan make notes.txt --size 64x64 --force
expect_code 0

# Reads a plan and its field by the standard library alone, and checks one against the other.
cat >judge.py <<'PY'
import ast, math, struct, sys, zlib
png = open(sys.argv[1], "rb").read()
width, height, bits, color = struct.unpack(">IIBB", png[16:26])
assert (bits, color) == (8, 0), (bits, color)
at, data = 8, b""
while at < len(png):
    (length,) = struct.unpack(">I", png[at:at + 4])
    if png[at + 4:at + 8] == b"IDAT":
        data += png[at + 8:at + 8 + length]
    at += 12 + length
raw, rows, before = zlib.decompress(data), [], bytes(width)
for y in range(height):
    kind, line = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
    for x in range(width):
        a, b, c = (line[x - 1] if x else 0), before[x], (before[x - 1] if x else 0)
        p = a + b - c
        paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        line[x] = (line[x] + (0, a, b, (a + b) // 2, paeth)[kind]) & 255
    rows.append(line)
    before = line
assert {v for row in rows for v in row} == {0, 255}
npy = open(sys.argv[1][:-4] + ".npy", "rb").read()
(length,) = struct.unpack("<H", npy[8:10])
header = ast.literal_eval(npy[10:10 + length].decode())
assert header == {"descr": "<f4", "fortran_order": False, "shape": (height, width)}, header
field = struct.unpack(f"<{width * height}f", npy[10 + length:])
wall = lambda x, y: not (0 <= x < width and 0 <= y < height) or rows[y][x] == 255
edges = [(x, y) for y in range(height) for x in range(width) if wall(x, y) and not (
    wall(x - 1, y) and wall(x + 1, y) and wall(x, y - 1) and wall(x, y + 1))]
for i in range(0, width * height, 97):
    x, y = i % width, i // width
    away = min(math.hypot(x - a, y - b) for a, b in edges)
    assert abs(field[i] - (-away if wall(x, y) else away)) < 1e-4, (x, y, field[i], away)
print(width, height)
PY

case_ "prepare writes a plan and its signed distance field"
muster plan prepare a.png plan.png --short-side 100
expect_code 0
expect_out "150 x 100 pixels, "
[ "$(python3 judge.py plan.png)" = "150 100" ] || fail "the plan or its field is wrong"
muster plan prepare a.png same.png --short-side 0 --speck 0
expect_code 0
expect_same a.png same.png
muster plan prepare a.png plan.png
expect_code 0
expect_out "768 x 512 pixels, "
muster plan prepare a.png inverse.png --short-side 0 --dark-walls
expect_code 0
expect_different inverse.png same.png

case_ "prepare works on folders"
mkdir -p drawings/older.png
cp a.png b.png drawings
echo note >drawings/readme.txt
muster plan prepare drawings plans --short-side 100
expect_code 0
expect_out "a.png: 150 x 100 pixels"
expect_out "b.png: 150 x 100 pixels"
[ "$(ls plans | tr '\n' ' ')" = "a.npy a.png b.npy b.png " ] || fail "$(ls plans)"
muster plan prepare drawings plans
expect_code 2
expect_err "plans: the folder is not empty; choose a new one"
mkdir empty
muster plan prepare drawings empty/ --short-side 64
expect_code 0
expect_file empty/b.npy

case_ "prepare: nothing is left behind by a failure"
head -c 500 a.png >drawings/damaged.png
muster plan prepare drawings more
expect_code 2
expect_err "drawings/damaged.png: "
muster plan prepare drawings/damaged.png broken.png
expect_code 2
mkdir nothing
muster plan prepare nothing more
expect_code 2
expect_err "nothing: the folder has no PNG files"
muster plan prepare missing.png broken.png
expect_code 3
expect_err "missing.png: there is no such file or folder"
muster plan prepare a.png broken.png --speck 1000000
expect_code 2
expect_err "a.png: the plan has no free pixels"
mkdir occupied.npy
muster plan prepare a.png occupied.png
expect_code 3
for left in more* broken* occupied.png *.tmp; do expect_no_file "$left"; done

case_ "prepare: mistakes are one line"
muster plan prepare a.png
expect_code 2
expect_err "muster plan prepare needs a picture and the plan to write, or two folders"
muster plan prepare a.png plan.jpg
expect_code 2
expect_err "plan.jpg: the name of the plan must end in .png"
muster plan prepare a.png ./a.png
expect_code 2
expect_err "./a.png: is the picture itself"
muster plan prepare drawings notes.txt
expect_code 2
expect_err "notes.txt: is a file"
muster plan prepare a.png c.png --short-side 15
expect_code 2
expect_err "--short-side: 15 is neither 0 nor in [16, 8192]"
echo "my numbers" >mine.npy
muster plan prepare a.png mine.png
expect_code 2
expect_err "mine.npy: exists and is another kind of file"

case_ "show prints facts about a plan and paths in it"
printf '%s\n' "-0.5 -0.5" "0.5 -0.5" "0.5 0.5" "-0.5 0.5" "-0.5 -0.5" >round.txt
# A plan of two rooms without a door.
python3 - <<'PY'
import struct, zlib
rows = b"".join(b"\0" + bytes(255 if x in (0, 20, 39) or y in (0, 29) else 0 for x in range(40)) for y in range(30))
chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
open("two.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 30, 8, 0, 0, 0, 0))
                            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
PY
muster plan show two.png
expect_code 0
[ "$out" = "40 x 30 pixels, 13.7 % wall, 2 connected free areas" ] || fail "$out" # 164 of 1200
muster plan show two.png --path round.txt --json
expect_code 0
python3 - "$out" <<'PY' || fail "the JSON is not as it should be: $out"
import json, sys
p = json.loads(sys.argv[1])
assert (p["width"], p["height"], p["free_areas"]) == (40, 30, 2) and abs(p["wall_share"] - 164 / 1200) < 1e-12
(path,) = p["paths"]
assert path["file"] == "round.txt" and path["waypoints"] == 5 and path["points"] == 120
assert 0 < path["points_in_walls"] < 30 and 70 < path["length"] < 90  # a square of 20 x 15 pixels, and rounder
PY

case_ "show draws the plan and its paths as SVG and PNG"
muster plan make house.png --size 400x300 --seed 2
muster plan show house.png --path round.txt --path round.txt --svg house.svg --png drawing.png
expect_code 0
expect_out "round.txt: 5 way-points, "
python3 - <<'PY' || fail "the drawing is not as it should be"
import base64, struct
import xml.etree.ElementTree as tree
root = tree.parse("house.svg").getroot()
names = [e.tag.split("}")[1] for e in root.iter()]
assert names.count("image") == 1 and names.count("circle") == 10 and names.count("path") == 2
image = next(e for e in root.iter() if e.tag.endswith("image"))
kind, data = image.get("href").split(",")
assert kind == "data:image/png;base64"
assert struct.unpack(">II", base64.b64decode(data)[16:24]) == (400, 300)
(x, y), = [[float(v) for v in (e.get("cx"), e.get("cy"))] for e in root.iter() if e.tag.endswith("circle")][1:2]
assert abs(x - 1000 / 400 * (0.75 * 399 + 0.5)) < 0.01 and abs(y - 1000 / 400 * (0.25 * 299 + 0.5)) < 0.01, (x, y)
assert struct.unpack(">IIBB", open("drawing.png", "rb").read()[16:26]) == (400, 300, 8, 2)
PY

case_ "show: mistakes are one line"
muster plan show
expect_code 2
expect_err "muster plan show needs the PNG file of a floor plan"
muster plan show missing.png
expect_code 3
expect_err "missing.png"
muster plan show drawing.png
expect_code 2
expect_err "drawing.png: the picture has colours or transparency"
echo "0 2" >outside.txt
muster plan show house.png --path outside.txt --svg never.svg
expect_code 2
expect_err "outside.txt"
expect_no_file never.svg
muster plan show house.png --svg house.png
expect_code 2
expect_err "--svg: house.png exists and is another kind of file"
muster plan show house.png --svg both.svg --png both.svg
expect_code 2
expect_err "--svg and --png name the same file, both.svg"
before=$(sha256sum house.png)
muster plan show house.png --png house.png --force
expect_code 2
expect_err "--png: house.png is read by this command; choose another name"
[ "$(sha256sum house.png)" = "$before" ] || fail "the plan was replaced"

case_ "edit writes one page, with the way-points and the plan"
muster plan edit house.png round.txt --out edit.html
expect_code 0
[ "$out" = edit.html ] || fail "$out"
python3 - <<'PY' || fail "the page is not as it should be"
import base64, json, re, struct
page = open("edit.html").read()
data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
assert (data["width"], data["height"], data["name"]) == (400, 300, "round")
assert data["waypoints"] == [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5]]
assert struct.unpack(">IIBB", base64.b64decode(data["picture"])[16:26]) == (400, 300, 8, 6)
assert "default-src 'none'" in page and "http" not in page.replace("http://www.w3.org/", "").replace("http-equiv", "")
PY
muster plan edit house.png --out edit.html
expect_code 0

case_ "edit: mistakes are one line"
muster plan edit
expect_code 2
expect_err "muster plan edit needs the PNG file of a floor plan"
muster plan edit house.png
expect_code 2
expect_err "muster plan edit needs --out FILE.html"
muster plan edit house.png outside.txt --out never.html
expect_code 2
expect_err "outside.txt"
muster plan edit house.png --out house.png
expect_code 2
expect_err "--out: house.png exists and is another kind of file"
muster plan edit house.png round.txt --out round.txt --force
expect_code 2
expect_err "--out: round.txt is read by this command; choose another name"
muster plan edit house.png --out no/where.html
expect_code 3
expect_no_file never.html

finish
