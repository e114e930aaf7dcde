# Robots that map a building: the data set lidar with every kind of algorithm, online windows, mistakes.
. "$(dirname "$0")/lib_workers.sh"

ROBOTS="--dataset lidar --lidar.width 200 --lidar.height 160 --lidar.border 2 --lidar.robots 3 \
    --lidar.spline-resolution 2 --lidar.test-scans 20 --model fourier_density --batch-size 1000 --name x --quiet"
ONLINE="$ROBOTS --lidar.split online --lidar.window 20 --workers 3"

mapped() { # FOLDER ARGUMENT...
    local folder=$1
    shift
    rm -rf "$folder"
    muster train --out "$folder" "$@"
    [ "$code" -eq 0 ] || fail "exit code $code of: $*: $err"
}

case_ "every kind of algorithm maps online, and records walls, the map and the base rate"
for algorithm in "dinno --graph cycle" "dsgd --graph cycle" "dsgt --graph cycle" sync solo local-sgd ps-async; do
    mapped online $ONLINE --max-steps 3 --algorithm $algorithm
    expect_run online '0 < run[-1]["map_error"] < 1' '0 <= run[-1]["test_iou"] <= 1'
    grep -q '"base_loss": 0\.' online/x/result.json || fail "no base rate: $(cat online/x/result.json)"
done

case_ "one worker has the scans of all robots"
mapped one $ROBOTS --optimizer adam --epochs 1
grep -q '"partition": "groups"' one/x/result.json || fail "$(grep partition one/x/result.json)"

case_ "the map of a model is a picture or an array, and has the error that the run reports"
muster evaluate one --map map.npy
expect_code 0
muster evaluate one --map map.png
expect_code 0
muster plan show map.png
expect_out "25 x 20 pixels"
"$MUSTER" plan make plan.png --size 200x160 --seed 1 >/dev/null
/usr/bin/python3 - <<'P' || fail "the map is not that of the run"
import json, numpy, struct, zlib
density = numpy.load("map.npy")
assert density.shape == (20, 25) and density.dtype == "float32", density.shape
run = json.load(open("one/x/result.json"))
data, plan = open("plan.png", "rb").read(), b""
at = 8
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at : at + 8])
    plan += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
    at += size + 12
rows = numpy.frombuffer(zlib.decompress(plan), "uint8").reshape(160, 201)
if not rows[:, 0].any():  # else the rows are filtered
    wall = rows[:, 1:] >= 128
    wall[:2], wall[:, :2], wall[157:], wall[:, 197:] = True, True, True, True
    error = abs(density - wall[::8, ::8]).mean()
    assert abs(error - run["map_error"]) < 1e-5, (error, run["map_error"])
P
muster evaluate one --map map.jpg
expect_code 2
expect_err "--map: map.jpg must end with .npy or .png"
muster train $TINY --max-steps 1 --out pictures
muster evaluate pictures --map map.png
expect_code 2
expect_err "was not trained on a map"

case_ "losses mse and l1, clipped beams and random places work"
mapped mse $ROBOTS --loss mse --optimizer adam --max-steps 2 --lidar.clipped
mapped l1 $ROBOTS --loss l1 --optimizer adam --max-steps 2 --lidar.split random --lidar.scans 20

case_ "a network of layers works"
cat >net.yaml <<'Y'
[{dense: {out: 8}}, tanh, {dense: {out: 1}}, sigmoid]
Y
mapped layers ${ROBOTS/fourier_density/net.yaml} --loss bce --max-steps 2

case_ "robots in radio range are linked, with other links as they drive, whatever the algorithm"
for algorithm in "dsgd" "dinno --dinno.primal-iterations 3"; do
    mapped moving $ONLINE --max-steps 45 --graph disk --disk.radius 80 --algorithm $algorithm
    python3 - moving/x/graph.jsonl <<'P' || fail "graph.jsonl: $(cut -c1-300 moving/x/graph.jsonl)"
import json, math, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert len({json.dumps(r["edges"]) for r in rows}) >= 3, "the graph does not change"
for r in rows:
    near = [[a, b] for a in range(3) for b in range(a + 1, 3) if math.dist(r["positions"][a], r["positions"][b]) <= 80]
    assert sorted(map(sorted, r["edges"])) == near, r
P
    expect_run moving '0 < run[-1]["test_loss"] < 1'
done

case_ "robots drive three times as far in rounds of three batches"
mapped slow $ONLINE --max-steps 45 --graph disk --disk.radius 80 --algorithm dsgd
moves() { python3 -c 'import json, sys; print(*[json.loads(l)["round"] for l in open(sys.argv[1])])' "$1/x/graph.jsonl"; }
[ "$(moves slow)" = "0 10 20 30 40" ] || fail "$(moves slow)"
[ "$(moves moving | wc -w)" -gt 8 ] || fail "$(moves moving)"

case_ "robots can keep the links of their first places"
mapped still $ONLINE --max-steps 45 --graph disk --disk.radius 80 --disk.moves=false --algorithm dsgd
[ "$(moves still)" = "0" ] || fail "$(moves still)"
first_links() { python3 -c 'import json, sys; r = json.loads(next(open(sys.argv[1]))); print(r["edges"], r["positions"])' "$1/x/graph.jsonl"; }
[ "$(first_links still)" = "$(first_links slow)" ] || fail "other links: $(cat still/x/graph.jsonl)"

case_ "a robot that is out of range trains alone, and others reject robots that drive"
mapped alone $ONLINE --max-steps 45 --graph disk --disk.radius 50 --algorithm dinno
python3 -c '
import json
assert any({0, 1, 2} - {n for e in json.loads(l)["edges"] for n in e} for l in open("alone/x/graph.jsonl"))' ||
    fail "no robot is out of range"
expect_run alone 'all(0 < r["test_loss"] < 100 for r in per if "test_loss" in r)'
muster train $ONLINE --max-steps 45 --graph disk --disk.radius 80 --algorithm ad-psgd --out wrong
expect_code 2
expect_one_error "ad-psgd"

case_ "maps.bin has every robot's map at evaluations, and that of the run model where all have the same"
maps() { # RUN EXPRESSION
    python3 - "$@" <<'P' || fail "maps.bin of $1: not $2"
import json, struct, sys
data = open(sys.argv[1] + "/x/maps.bin", "rb").read()
assert data[:16] == b"MUSTERMP" + struct.pack("<II", 2, 0)
robots, height, width = struct.unpack("<3q", data[16:40])
points, plan = height * width, data[72:72 + height * width]
size, first = 20 + robots * points, 76 + points
assert (len(data) - first) % size == 0
rounds, errors = [], []
for at in range(first, len(data), size):
    rounds.append(struct.unpack("<q", data[at:at + 8])[0])
    maps = data[at + 16:at + 16 + robots * points]
    errors.append(sum(abs(m - plan[i % points]) for i, m in enumerate(maps)) / 255 / len(maps))
said = [r["map_error"] for r in map(json.loads, open(sys.argv[1] + "/x/metrics.jsonl")) if "map_error" in r]
assert eval(sys.argv[2]), (robots, height, width, rounds, errors, said)
P
}
mapped maps $ONLINE --max-steps 9 --evaluate-rounds 3 --algorithm dsgd --graph cycle
maps maps '(robots, height, width) == (3, 20, 25) and rounds == [0, 3, 6, 9]'
mapped thinned $ONLINE --max-steps 9 --evaluate-rounds 1 --maps 3 --algorithm solo
maps thinned 'robots == 3 and rounds == [0, 3, 6, 9]'
mapped none $ONLINE --max-steps 3 --maps 0 --algorithm dsgd --graph cycle
expect_no_file none/x/maps.bin
mapped common $ONLINE --max-steps 4 --evaluate-rounds 2 --algorithm sync
maps common 'robots == 1 and all(abs(a - b) < 0.5 / 255 for a, b in zip(errors, said, strict=True))'

case_ "algorithms with one model, also asynchronous ones, have its map, and peer-to-peer ones that of every robot"
# A byte is at most half a step from the density that map_error is computed from.
for algorithm in ps-sync ps-async hogwild; do
    mapped common $ONLINE --max-steps 9 --evaluate-rounds 3 --algorithm $algorithm
    maps common 'robots == 1 and rounds[0] == 0 and len(rounds) >= 4 and rounds == sorted(set(rounds))'
    maps common 'all(abs(a - b) < 0.5 / 255 for a, b in zip(errors, said, strict=True))'
done
mapped common $ONLINE --max-steps 2 --evaluate-rounds 1 --algorithm fedavg
maps common 'robots == 1 and rounds == [0, 1, 2] and all(abs(a - b) < 0.5 / 255 for a, b in zip(errors, said, strict=True))'
mapped peers $ONLINE --max-steps 9 --evaluate-rounds 3 --algorithm ad-psgd --graph complete
maps peers 'robots == 3 and rounds == [0, 3, 6, 9] and all(0 < e < 1 for e in errors)'
mapped alone ${ROBOTS/robots 3/robots 1} --lidar.split online --lidar.window 20 --max-steps 9 --evaluate-rounds 3 --algorithm ad-psgd
maps alone 'robots == 1 and rounds == [0, 3, 6, 9]'
mapped thinned $ONLINE --max-steps 9 --evaluate-rounds 1 --maps 3 --algorithm ps-async
maps thinned 'robots == 1 and len(rounds) < len(said) and errors[-1] < 1 and abs(errors[-1] - said[-1]) < 0.5 / 255'
mapped none $ONLINE --max-steps 3 --maps 0 --algorithm ps-async
expect_no_file none/x/maps.bin

case_ "an asynchronous run that is resumed continues its maps"
mapped part $ONLINE --max-steps 6 --evaluate-rounds 3 --algorithm hogwild --save-every 1
muster train --resume part --max-steps 12 --quiet
expect_code 0
maps part 'rounds == [0, 3, 6, 9, 12]'
[ "$(python3 -c 'import json; print(*[json.loads(l)["round"] for l in open("part/x/scans.jsonl")])')" = "0 3 6 9 12" ] ||
    fail "$(cut -c1-60 part/x/scans.jsonl)"

case_ "scans.jsonl has where robots are and the ends of their beams, with every kind of algorithm"
scans() { # RUN EXPRESSION
    python3 - "$@" <<'P' || fail "scans.jsonl of $1: not $2"
import json, math, sys
rows = [json.loads(line) for line in open(sys.argv[1] + "/x/scans.jsonl")]
rounds = [row["round"] for row in rows]
graph = [json.loads(line) for line in open(sys.argv[1] + "/x/graph.jsonl")] if "graph" in sys.argv[2] else []
for row in rows:
    assert len(row["positions"]) == len(row["ends"]) == 3
    for (x, y), ends in zip(row["positions"], row["ends"]):
        assert len(ends) == 20
        for b, (ex, ey) in enumerate(ends):
            # Beam b points at -pi + 2 pi b / 20, and is at most 1/5 of the longer side. Numbers are in tenths.
            length, angle = math.hypot(ex - x, ey - y), -math.pi + 2 * math.pi * b / 20
            assert length <= 40.15, (row["round"], b, length)
            assert math.hypot(ex - x - length * math.cos(angle), ey - y - length * math.sin(angle)) < 0.2, (row["round"], b)
        assert 0 < min(math.dist((x, y), end) for end in ends) < 39 # there are walls
assert eval(sys.argv[2]), rounds
P
}
mapped moving $ONLINE --max-steps 45 --graph disk --disk.radius 80 --algorithm dsgd
scans moving 'rounds == [g["round"] for g in graph] == [0, 10, 20, 30, 40]'
scans moving 'all(math.dist(p, q) < 0.1 for row, g in zip(rows, graph) for p, q in zip(row["positions"], g["positions"]))'
scans maps 'rounds == [0]' # all rounds are of the first window
scans peers 'rounds == [0, 3, 6, 9]' # workers have rounds of their own: the evaluations
mapped common $ONLINE --max-steps 45 --evaluate-rounds 15 --algorithm sync
scans common 'rounds == [0, 10, 20, 30, 40]'
mapped common $ONLINE --max-steps 30 --evaluate-rounds 15 --algorithm ps-async
scans common 'rounds == list(range(0, 91, 15)) and len({json.dumps(row["positions"]) for row in rows}) >= 3'
mapped common $ROBOTS --max-steps 3 --workers 3 --algorithm sync
scans common 'rounds == [0]' # with all scans from the start, robots stay
expect_no_file none/x/scans.jsonl
expect_no_file one/x/scans.jsonl # one worker is not at one place

case_ "maps are exported to NumPy, with positions and links"
muster export moving --maps npz --out maps.npz
expect_code 0
python3 - maps.npz moving/x <<'P' || fail "not the maps of the run"
import json, struct, sys, zipfile
files = zipfile.ZipFile(sys.argv[1])
def array(name, code):
    file = files.read(name + ".npy")
    length = struct.unpack("<H", file[8:10])[0]
    dims = [int(d) for d in file[10:10 + length].split(b"(")[1].split(b")")[0].split(b",") if d.strip()]
    values = struct.unpack(f"<{(len(file) - 10 - length) // struct.calcsize(code)}{code}", file[10 + length:])
    return dims, values
data = open(sys.argv[2] + "/maps.bin", "rb").read()
points = 20 * 25
count = (len(data) - 76 - points) // (20 + 3 * points)
dims, values = array("mesh_grid_density", "f")
assert dims == [count, 3, 20, 25]
last = data[len(data) - 4 - 3 * points:-4]
assert all(abs(v - b / 255) < 1e-6 for v, b in zip(values[-3 * points:], last, strict=True))
rows = [json.loads(line) for line in open(sys.argv[2] + "/graph.jsonl")]
rounds = array("round", "q")[1]
now = [r for r in rows if r["round"] <= rounds[-1]][-1]
dims, places = array("current_position", "d")
assert dims == [count, 3, 2] and [list(places[-6:])[2 * i:2 * i + 2] for i in range(3)] == now["positions"]
dims, links = array("current_graph", "?")
assert dims == [count, 3, 3]
linked = [[i, j] for i in range(3) for j in range(i + 1, 3) if links[-9:][3 * i + j]]
assert linked == sorted(map(sorted, now["edges"])) and all(links[-9:][3 * j + i] for i, j in linked)
P
muster export none --maps npz
expect_code 2
expect_one_error "the run has no maps"

case_ "and to PyTorch, with S001's names and shapes"
mapped driving $ONLINE --max-steps 45 --evaluate-rounds 15 --graph disk --disk.radius 80 --algorithm dsgd
muster export driving --maps pt
expect_code 0
expect_out "driving/x/x_maps.pt: 4 evaluations with 3 maps"
PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - driving/x <<'P' || fail "not the maps of the run"
import json, sys
from results_pt import load
run = sys.argv[1]
found = load(run + "/x_maps.pt")
data = open(run + "/maps.bin", "rb").read()
points, size = 20 * 25, 20 + 3 * 20 * 25
count = (len(data) - 76 - points) // size
mesh, rounds = found["mesh_grid_density"], found["round"]
assert len(mesh) == len(rounds) == len(found["epoch"]) == count == 4
for i in range(count):
    record = data[76 + points + i * size:][:size]
    assert int.from_bytes(record[:8], "little") == rounds[i]
    assert [round(255 * p[0]) for robot in mesh[i] for p in robot] == list(record[16:-4])
assert len(found["mesh_inputs"]) == points and found["mesh_inputs"][0] == [-100, -80]
assert found["mesh_inputs"][1][1] == -80 and found["mesh_inputs"][25][0] == -100
rows = [json.loads(line) for line in open(run + "/graph.jsonl")]
for at, places, links in zip(rounds, found["current_position"], found["current_graph"], strict=True):
    now = [r for r in rows if r["round"] <= at][-1]
    assert places == now["positions"]
    assert [[i, j] for i in range(3) for j in range(i + 1, 3) if links[i][j]] == sorted(map(sorted, now["edges"]))
    assert links == [list(column) for column in zip(*links)]
P
muster train --out unplaced $ROBOTS --workers 3 --lidar.split random --lidar.scans 20 --max-steps 2 --algorithm dsgd \
    --graph disk --disk.radius 60
expect_code 0
expect_err "graph: these data have no positions of nodes"
muster train --out placed $ROBOTS --workers 3 --lidar.split random --lidar.scans 20 --max-steps 2 --algorithm dsgd \
    --graph disk --disk.radius 60 --disk.positions "0 0, 50 0, 100 0"
expect_code 0
expect_no_err "have no positions"
mapped places $ROBOTS --workers 3 --lidar.split random --lidar.scans 20 --max-steps 2 --algorithm dsgd --graph cycle
muster export places --maps pt
expect_code 0
PYTHONPATH=$HERE PYTHONDONTWRITEBYTECODE=1 python3 - places/x/x_maps.pt <<'P' || fail "links without positions"
import sys
from results_pt import load
found = load(sys.argv[1])
assert "current_position" not in found and found["current_graph"][0] == [[0, 1, 1], [1, 0, 1], [1, 1, 0]], found.keys()
P
muster export none --maps pt
expect_code 2
expect_one_error "the run has no maps"
muster export moving --maps csv
expect_code 2
expect_one_error "--maps: 'csv' is not pt or npz"
muster export moving --maps npz --snapshots npy
expect_code 2
expect_one_error "--maps conflicts with --snapshots"

case_ "a run that is resumed in the middle of a window has the bits of one that was not stopped"
DINNO="--algorithm dinno --graph disk --disk.radius 80 --save-every 1 --keep 100 --evaluate-rounds 4"
expect_same_maps() {
    cmp "$1/x/maps.bin" "$2/x/maps.bin" || fail "maps.bin of $1 and $2 differ"
    cmp "$1/x/scans.jsonl" "$2/x/scans.jsonl" || fail "scans.jsonl of $1 and $2 differ"
}
mapped whole $ONLINE $DINNO --max-steps 17
for stop in 2 8; do
    mapped part $ONLINE $DINNO --max-steps $stop
    muster train --resume part --max-steps 17 --quiet
    expect_code 0
    expect_same_model whole part
done
maps part 'rounds == [0, 4, 8, 12, 16, 17]'
expect_same_maps whole part

case_ "threads do not change the bits"
mapped threads $ONLINE $DINNO --max-steps 17 --threads 2
expect_same_model whole threads
expect_same_maps whole threads

under_mpirun 1 --version
if [ "$code" -ne 77 ]; then
    case_ "processes have the bits of threads"
    rm -rf processes
    under_mpirun 3 train ${ONLINE/--workers 3/} $DINNO --max-steps 17 --threads 1 --out processes
    expect_code 0
    expect_same_model whole processes
    expect_same_maps whole processes
fi

case_ "robots that trust each other by what they have seen train over links that fail, and resume to the same bits"
GRID="${ONLINE/fourier_density/grid_density} --model.extent 100 --model.cells 16 --graph complete --graph.drop-links 0.5 \
    --graph.drop-direction one-way"
for algorithm in ramen udon; do
    mapped whole $GRID --algorithm $algorithm --$algorithm.primal-lr 0.01 --max-steps 12 --evaluate-rounds 5
    expect_run whole 'run[-1]["train_loss"] < 0.6' # it begins near 0.69
    mapped part $GRID --algorithm $algorithm --$algorithm.primal-lr 0.01 --max-steps 5 --evaluate-rounds 5
    muster train --resume part --max-steps 12 --quiet
    expect_code 0
    expect_same_model whole part
    expect_same_maps whole part
done
mapped threads $GRID --algorithm udon --udon.primal-lr 0.01 --max-steps 12 --evaluate-rounds 5 --threads 2
expect_same_maps whole threads
if [ -d processes ]; then
    rm -rf processes
    under_mpirun 3 train ${GRID/--workers 3/} --algorithm udon --udon.primal-lr 0.01 --max-steps 12 \
        --evaluate-rounds 5 --threads 1 --out processes
    expect_code 0
    expect_same_maps whole processes
fi

case_ "their maps come with certainty: a robot has none where it has not scanned, and it grows up to the number of steps"
mapped seen ${ONLINE/fourier_density/grid_density} --model.extent 100 --model.cells 32 --lidar.beam-length 0.05 \
    --graph disk --disk.radius 100 --algorithm ramen --ramen.primal-lr 0.01 --max-steps 30 --evaluate-rounds 5
muster export seen --maps npz --out seen.npz
expect_code 0
/usr/bin/python3 - <<'P' || fail "not the certainty of these robots"
import json, numpy
data = numpy.load("seen.npz")
certainty, x, y = data["certainty"], data["mesh_x"], data["mesh_y"]
assert certainty.shape == data["mesh_grid_density"].shape == (7, 3, 20, 25) and certainty.dtype == "float32"
assert not certainty[0].any() and (numpy.diff(certainty, axis=0) >= 0).all()
steps = 2 * data["round"]  # primal_iterations
assert (certainty.max(axis=(1, 2, 3)) <= steps + 1e-3).all() and certainty[-1].max() > steps[-1] / 4
rows = [json.loads(line) for line in open("seen/x/graph.jsonl")]
cell = 2 ** 0.5 * 200 / 31  # a sample counts at all corners of its cell, and these reach one cell further
for robot in range(3):
    places = numpy.array([r["positions"][robot] for r in rows])
    distance = numpy.hypot(x[None, None, :] - places[:, 0, None, None], y[None, :, None] - places[:, 1, None, None]).min(axis=0)
    # The nearest known place is at most half a way between two of them off; ways may have bends.
    drives = numpy.hypot(*numpy.diff(places, axis=0).T).max()
    far = distance > 10 + drives + 2 * cell  # beams are 10 pixels long
    assert far.any() and not certainty[-1, robot][far].any() and certainty[-1, robot].any(), robot
assert len({c.tobytes() for c in certainty[-1]}) == 3
P
muster export maps --maps npz --out plain.npz
expect_code 0
/usr/bin/python3 -c 'import numpy; assert "certainty" not in numpy.load("plain.npz")' || fail "certainty of dsgd"

case_ "a plan and paths from files"
"$MUSTER" plan make plan.png --size 200x160 --seed 1 >/dev/null || fail "no plan"
muster train $ROBOTS --lidar.plan plan.png --max-steps 1 --workers 3 --algorithm sync --out same
expect_code 0
mapped generated $ROBOTS --max-steps 1 --workers 3 --algorithm sync
expect_same_model same generated

case_ "mistakes are found before anything is computed, one line each"
mistake() { # MESSAGE ARGUMENT...
    local message=$1
    shift
    rm -rf wrong
    muster train --out wrong "$@"
    expect_code 2
    expect_one_error "$message"
    expect_no_file wrong
}
many=100000000
mistake "--lidar.test-scans: $many scans of 500 samples are too many" ${ONLINE/test-scans 20/test-scans $many}
mistake "--lidar.scans: 300000000 scans of 500 samples are too many" $ROBOTS --lidar.split random --lidar.scans $many
mistake "--lidar.spline-resolution: 100000 scans between two way-points are too many" \
    ${ONLINE/spline-resolution 2/spline-resolution 100000}
mistake "the disk graph of 3 nodes has no links in any round" $ONLINE --algorithm dsgd --graph disk --disk.radius 0.5
for algorithm in ramen udon; do
    mistake "--algorithm: $algorithm needs a network with a grid of features" $ONLINE --algorithm $algorithm --graph cycle
    mistake "--algorithm: $algorithm needs a network with a grid of features" --problem quadratic --workers 3 \
        --algorithm $algorithm --graph cycle
done
mistake "partition: groups needs a worker for every group, but there are 4 workers and 3 groups" $ROBOTS --workers 4 --algorithm sync
mistake "partition: online data need a worker for each robot; use partition groups and 3 workers" $ONLINE --partition split --algorithm sync
mistake "--validation: online data are used as they come" $ONLINE --validation 0.1 --algorithm sync
mistake "--train-fraction: online data are used as they come" $ONLINE --train-fraction 0.5 --algorithm sync
mistake "--data-dir: data set lidar is generated and has no folder" $ROBOTS --data-dir .
printf 'no picture' >bad.png
mistake "bad.png" $ROBOTS --lidar.plan bad.png
mkdir empty few wall
mistake "empty" $ROBOTS --lidar.paths empty
printf '0 0\n0.1 0\n' >few/a.txt
mistake "--lidar.robots: 3 robots, but few has way-points of 1" $ROBOTS --lidar.paths few
mistake "few/a.txt" ${ROBOTS/robots 3/robots 1} --lidar.paths few
printf -- '-1 -1\n-1 1\n1 1\n1 -1\n' >wall/a.txt
mistake "wall/a.txt" ${ROBOTS/robots 3/robots 1} --lidar.paths wall
printf '0 0\nnan 0\n0 0.1\n0 0.2\n' >wall/a.txt
mistake "wall/a.txt" ${ROBOTS/robots 3/robots 1} --lidar.paths wall

finish
