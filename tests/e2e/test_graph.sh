# `muster graph`: measures, pictures and mistakes.
. "$(dirname "$0")/lib.sh"

case_ "without a type it lists the types and their options"
muster graph
expect_code 0
for type in cycle complete star wheel path torus hypercube exponential one_peer_exponential erdos_renyi \
    small_world geometric disk file; do
    expect_out "$type "
done
expect_out "--erdos-renyi.p"
muster graph --json
expect_code 0
[ "$(python3 -c 'import json,sys; print(len(json.load(sys.stdin)["graphs"]))' <<<"$out")" -eq 14 ] ||
    fail "not 14 types: $out"

case_ "the measures of a ring are those of the textbook"
muster graph --type cycle --nodes 10
expect_code 0
expect_out "nodes          10"
expect_out "edges          10"
expect_out "degree         2 to 2, mean 2"
expect_out "diameter       5"
expect_out "connected      yes"
expect_out "Fiedler value  0.381966" # 2 - 2 cos(2 pi / 10)
expect_out "metropolis     0.127322" # a third of it
expect_out "fastest        0.174335" # 2 lambda_2 / (lambda_2 + 4)

case_ "JSON holds the same, and the links"
muster graph --type star --nodes 5 --weights laplacian --json
expect_code 0
python3 - "$out" <<'PY' || fail "the JSON is not as it should be: $out"
import json, sys
g = json.loads(sys.argv[1])
assert g["graph"] == "star" and g["nodes"] == 5 and g["edges"] == 4 and not g["directed"]
assert g["degree"] == {"min": 1, "mean": 1.6, "max": 4}
assert g["diameter"] == 2 and g["connected"] and g["parts"] == 1
assert abs(g["fiedler"] - 1) < 1e-9
assert g["weights"] == "laplacian"
assert abs(g["spectral_gap"]["laplacian"] - (1 - 4 / 6)) < 1e-6
assert abs(g["spectral_gap"]["metropolis"] - 1 / 5) < 1e-6
assert g["links"] == [[0, 1], [0, 2], [0, 3], [0, 4]]
PY

case_ "options of the type are flags, and - and _ are the same"
muster graph --type erdos-renyi --erdos-renyi.p 0.9 --nodes 12 --json
expect_code 0
first=$out
muster graph --type erdos_renyi --graph.p 0.9 --nodes 12 --seed 1 --json
[ "$first" = "$out" ] || fail "another graph: $out"
muster graph --type erdos_renyi --erdos_renyi.p 0.9 --nodes 12 --seed 2 --json
[ "$first" != "$out" ] || fail "the same graph with another seed"

case_ "a graph that changes is shown for a round"
muster graph --type one-peer-exponential --nodes 8 --round 2 --json
expect_code 0
python3 - "$out" <<'PY' || fail "the JSON is not as it should be: $out"
import json, sys
g = json.loads(sys.argv[1])
assert g["directed"] and g["changes"] and g["period"] == 3 and g["round"] == 2
assert g["links"] == [[i, (i + 4) % 8] for i in range(8)]
assert not g["connected"] and g["parts"] == 4 and g["diameter"] is None
assert g["period_spectral_gap"] == 1  # three rounds average exactly
PY
muster graph --type cycle --schedule star,complete --switch-every 5 --nodes 6 --round 7
expect_code 0
expect_out "edges          5"
muster graph --type complete --drop-links 0.5 --nodes 20 --round 3 --json
half=$(json_field edges <<<"$out")
[ "$half" -gt 50 ] && [ "$half" -lt 140 ] || fail "$half of 190 links with half of them out"

case_ "links fail one way, and in bursts"
muster graph --type complete --drop-links 0.5 --drop-direction one-way --nodes 20 --round 3 --json
expect_code 0
python3 - "$out" <<'PY' || fail "the JSON is not as it should be: $out"
import json, sys
g = json.loads(sys.argv[1])
links = {tuple(l) for l in g["links"]}
assert g["directed"] and 130 < len(links) < 250
assert any((j, i) not in links for i, j in links)
PY
stays() { # FLAG...: how many of 300 links have failed or not in two consecutive rounds
    for round in 40 41; do
        muster graph --type complete --nodes 25 --drop-links 0.5 --round $round --json "$@"
        expect_code 0
        echo "$out"
    done | python3 -c 'import json, sys
a, b = ({tuple(l) for l in json.loads(line)["links"]} for line in sys.stdin)
print(300 - len(a ^ b))'
}
single=$(stays)
burst=$(stays --burst-length 50)
[ "$single" -lt 200 ] && [ "$burst" -gt 270 ] || fail "$single and $burst links have stayed as they were"
muster graph --type cycle --drop-links 0.9 --burst-length 3
expect_code 2
expect_err "graph.burst_length: 3 is shorter than the bursts of independent losses, which last 10 rounds"

case_ "training over links that fail one way warns once, or is rejected"
ONE_WAY="--problem quadratic --workers 4 --max-steps 5 --quiet --graph.drop-links 0.3 --graph.drop-direction one-way"
muster train $ONE_WAY --algorithm dsgd --out biased
expect_code 0
[ "$(grep -c '^warning:' <<<"$err")" -eq 1 ] || fail "not one warning: $err"
expect_err "with one-way losses dsgd does not keep the mean"
muster train $ONE_WAY --algorithm sgp --out right
expect_code 0
[ -z "$err" ] || fail "a warning: $err"
muster train $ONE_WAY --algorithm extra --out none
expect_code 2
expect_err "--graph.drop-direction: extra needs links whose two directions fail together; use two-way, or algorithm"
muster train --problem quadratic --workers 4 --max-steps 5 --quiet --graph.drop-links 0.3 --algorithm extra --out doubt
expect_code 0
expect_err "warning: graph: the theory of extra is for a graph that stays the same"

case_ "nodes of a disk graph move, and every change is recorded"
MEETINGS="--problem quadratic --workers 4 --quiet --log-every 1 --graph disk --graph.radius 1 --graph.move-every 3"
AT="0 0, 1 0, 5 0, 6 0; 0 0, 4 0, 5 0, 9 0"
muster train $MEETINGS --graph.positions "$AT" --algorithm dsgd --max-steps 11 --out moves --name x
expect_code 0
[ -z "$err" ] || fail "a warning: $err"
python3 - <<'PY' || fail "graph.jsonl is not as it should be: $(cat moves/x/graph.jsonl)"
import json
rows = [json.loads(line) for line in open("moves/x/graph.jsonl")]
assert [r["round"] for r in rows] == [0, 3, 6, 9]
assert all(r["name"] == "disk" and r["changes"] for r in rows)
assert [r["edges"] for r in rows] == [[[0, 1], [2, 3]], [[1, 2]]] * 2
assert rows[1]["positions"] == [[0, 0], [4, 0], [5, 0], [9, 0]]
PY
muster train $MEETINGS --graph.positions "$AT" --algorithm dsgd --max-steps 7 --out part --name x
expect_code 0
echo '{"round": 9, "name": "disk", "nodes": 4, "directed": false, "changes": true, "edges": []}' >>part/x/graph.jsonl
muster train --resume part/x --max-steps 11 --quiet
expect_code 0
expect_same moves/x/graph.jsonl part/x/graph.jsonl # without the row of a round that was lost
expect_same moves/x/model.safetensors part/x/model.safetensors
muster train $MEETINGS --graph.positions "$AT" --graph.drop-links 0.9 --algorithm sgp --max-steps 11 --out lossy --name x
expect_code 0
expect_same moves/x/graph.jsonl lossy/x/graph.jsonl # all links in range

case_ "nodes that never meet get a warning, and the rest is rejected"
muster train $MEETINGS --graph.positions "0 0, 1 0, 5 0, 9 0; 0 0, 4 0, 5 0, 9 9" --algorithm dinno --max-steps 9 --out apart
expect_code 0
expect_err "warning: graph: there is no path from node 0 to node 3 over all rounds"
muster train $MEETINGS --graph.positions "0 0, 2 0, 5 0, 8 0; 0 0, 4 0, 7 0, 9 9" --algorithm dsgd --max-steps 9 --out none
expect_code 2
expect_err "graph: the disk graph of 4 nodes has no links in any round"
muster train $MEETINGS --graph.positions "$AT" --algorithm ad-psgd --max-steps 9 --out none
expect_code 2
expect_err "graph: nodes that move must be in the same round, and those of ad-psgd are not"
muster train $MEETINGS --graph.positions "0 0, 1 0, 2 0, 3 0, 4 0" --algorithm dsgd --max-steps 9 --out none
expect_code 2
expect_err "5 positions for 4 nodes that move"

case_ "a drawing is an SVG with every node and link, for light and dark"
muster graph --type wheel --nodes 9 --svg wheel.svg
expect_code 0
expect_file wheel.svg
python3 - <<'PY' || fail "the drawing is not as it should be"
import xml.etree.ElementTree as tree
root = tree.parse("wheel.svg").getroot()
names = [e.tag.split("}")[1] for e in root.iter()]
assert names.count("circle") == 9 and names.count("line") == 16
assert "prefers-color-scheme: dark" in open("wheel.svg").read()
PY
muster graph --type geometric --nodes 20 --svg places.svg
expect_code 0
expect_file places.svg
for drawing in "geometric --nodes 60" "disk --nodes 40 --disk.radius 0.9" "erdos-renyi --nodes 30" \
    "torus --nodes 25" "star --nodes 80" "hypercube --nodes 16"; do
    # shellcheck disable=SC2086
    muster graph --type $drawing --svg nodes.svg --force
    expect_code 0
    python3 - <<'PY' || fail "$drawing: a node is hidden"
import itertools, math
import xml.etree.ElementTree as tree
nodes = [[float(e.get(k)) for k in ("cx", "cy", "r")] for e in tree.parse("nodes.svg").iter()
         if e.get("class") == "node"]
assert len(nodes) >= 16
for a, b in itertools.combinations(nodes, 2):
    assert math.dist(a[:2], b[:2]) > a[2] + b[2], (a, b)
for x, y, r in nodes:
    assert r >= 2 and r <= x <= 640 - r and 58 + r <= y <= 698 - r, (x, y, r)
PY
done
muster graph --type cycle --nodes 1 --svg one.svg
expect_code 0
muster graph --type cycle --svg no/where/x.svg
expect_code 3
expect_err "--svg: no/where/x.svg: cannot create the file"

case_ "an edge file is read, and its mistakes are named with the line"
printf '# a path\n0 1\n1 2\n' >edges.txt
muster graph --type file --file.path edges.txt --nodes 4
expect_code 0
expect_out "connected      no: 2 components"
printf '0 1\n1 4\n' >edges.txt
muster graph --type file --file.path edges.txt --nodes 4
expect_code 2
expect_err "edges.txt:2: there is no node 4; the 4 nodes are 0 to 3"
muster graph --type file --file.path none.txt --nodes 4
expect_code 3
expect_err "none.txt"

case_ "mistakes are one line that says what would be right"
muster graph --type cylce
expect_code 2
expect_err "there is no graph cylce; did you mean cycle?"
muster graph --type torus --nodes 7
expect_code 2
expect_err "use 6 or 8 nodes"
muster graph --type hypercube --nodes 10
expect_code 2
expect_err "use 8 or 16 nodes"
muster graph --type erdos-renyi --erdos-renyi.p 0.01 --erdos-renyi.gen-attempts 5 --nodes 20
expect_code 2
expect_err "graph.p: 0.01 connects no erdos_renyi graph of 20 nodes in 5 attempts"
[ "$(wc -l <<<"$err")" -eq 1 ] || fail "more than one line: $err"
muster graph --type cycle --erdos-renyi.p 0.1
expect_code 2
expect_err "but cycle is chosen"
muster graph --type cycle --nodes 0
expect_code 2
expect_err '--nodes: "0" is not a whole number in [1, 5000]'
muster graph --type cycle --weights quick
expect_code 2
expect_err "--weights"
muster graph --type exponential --weights fastest
expect_code 2
expect_err "needs an undirected graph"
muster graph --nodes 5
expect_code 2
expect_err "--type"
muster graph --type cycle --schedule star,rign
expect_code 2
expect_err "graph.schedule: there is no graph rign"

finish
