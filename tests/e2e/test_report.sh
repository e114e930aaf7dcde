#!/usr/bin/env bash
# muster report: the page, files for papers, and the reports that other commands leave.
. "$SOURCE_DIR/tests/e2e/lib.sh"

small=(--dataset figures --figures.train-count 400 --figures.test-count 100 --batch-size 16 --quiet)

# The JSON of a page, and the cells of its first table.
page_data() { sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' "$1"; }

case_ "a run ends with a report that names its path"
muster train "${small[@]}" --epochs 2 --out one
expect_code 0
expect_out "report in one/report.html"
expect_file one/report.html

case_ "the page allows no network and only its own scripts"
grep -q "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'sha256-" one/report.html ||
    fail "no policy"
grep -qE '(src|href)="?(https?:)?//' one/report.html && fail "the page names an address"

case_ "values at kept points are those of metrics.jsonl, to the bit"
page_data one/report.html >data.json
python3 - one/lenet5_figures/metrics.jsonl <<'PY' || fail "other values"
import json, sys
data = json.load(open("data.json"))
rows = [json.loads(line) for line in open(sys.argv[1])]
expected = [r["test_accuracy"] for r in rows if "test_accuracy" in r]
tables = [t for t in data["runs"][0]["tables"] if "test_accuracy" in t["metrics"]]
assert len(tables) == 1 and tables[0]["metrics"]["test_accuracy"] == expected, (tables, expected)
PY

case_ "--no-report, --no-save and a trial of a few steps write none"
muster train "${small[@]}" --epochs 1 --no-report --out none1
expect_no_file none1/report.html
muster train "${small[@]}" --epochs 1 --no-save --out none2
expect_no_file none2/report.html
muster train "${small[@]}" --max-steps 5 --out none3
expect_no_file none3/report.html

case_ "a study writes one page, with one row per case and its settings that differ"
muster compare --vary algorithm=sync,local-sgd --vary seed=1,2,3 --workers 2 "${small[@]}" --epochs 2 --out study
expect_code 0
expect_out "report in study/report.html"
[ "$(find study -name report.html | wc -l)" -eq 1 ] || fail "more than one page"
page_data study/report.html >data.json
python3 - <<'PY' || fail "other cases"
import json
data = json.load(open("data.json"))
assert [c["algorithm"] for c in data["cases"]] == ["sync", "local-sgd"], data["cases"]
assert [r["case"] for r in data["runs"]] == [0, 0, 0, 1, 1, 1]
assert [r["repetition"] for r in data["runs"]] == ["seed 1", "seed 2", "seed 3"] * 2
PY

case_ "the table of the page has the numbers of results.json"
python3 - <<'PY' || fail "other numbers"
import json, re
cases = json.load(open("study/results.json"))["cases"]
page = open("study/report.html").read()
table = page[page.index('id="cases"'):]
table = table[:table.index("</table>")]
values = [float(v) for v in re.findall(r'data-value="([^"]*)"', table)]
for case in cases:
    assert case["accuracy"] in values and case["loss"] in values, (case["accuracy"], values)
PY

case_ "runs that were started one by one are grouped by what differs"
for seed in 1 2; do
    muster train "${small[@]}" --epochs 1 --lr 0.1 --seed "$seed" --out "single/a$seed"
    muster train "${small[@]}" --epochs 1 --lr 0.01 --seed "$seed" --out "single/b$seed"
done
muster report single/a1 single/a2 single/b1 single/b2 --out together.html
expect_code 0
page_data together.html >data.json
python3 - <<'PY' || fail "other groups"
import json
data = json.load(open("data.json"))
assert [c["settings"] for c in data["cases"]] == [{"optimizer.lr": "0.1"}, {"optimizer.lr": "0.01"}], data["cases"]
assert [r["case"] for r in data["runs"]] == [0, 0, 1, 1]
PY

case_ "a setting that only some runs have is a difference, unless it belongs to another choice"
muster train "${small[@]}" --epochs 1 --lr 0.1 --delay 1ms --out single/delay
muster report single/a1 single/delay --format md --out groups.md
grep -q '2 runs of 2 cases' groups.md || fail "$(cat groups.md)"
muster train "${small[@]}" --epochs 1 --lr 0.1 --optimizer adam --out single/adam
muster report single/a1 single/adam --format md --out groups.md
head -n 7 groups.md | grep -q 'beta' && fail "options of adam are columns: $(cat groups.md)"

case_ "a run that is named twice is one"
ln -s a1 single/link
muster report single/a1 single/a1/ single/link single/a2 --format md --out groups.md
grep -q '^2 runs of 1 case' groups.md || fail "$(cat groups.md)"

case_ "means are over the runs that finished, and the state says so"
cp -r single/a2 single/killed
rm single/killed/*/result.json
python3 - single/killed/*/attempts.jsonl <<'PY'
import json, sys
row = json.loads(open(sys.argv[1]).readline())
row.update(end=None, reason=None, pid=999999999)
open(sys.argv[1], "w").write(json.dumps(row) + "\n")
PY
sed -i 's/^seed: .*/seed: 3/' single/killed/effective.yaml
muster report single/a1 single/killed --format csv --out killed_csv
python3 - <<'PY' || fail "other mean"
import csv, glob, json
row = next(csv.DictReader(open("killed_csv/report.csv")))
alone = json.load(open(glob.glob("single/a1/*/result.json")[0]))
assert float(row["accuracy"]) == alone["test_accuracy"] and row["seeds"] == "1", row
PY
muster report single/a1 single/killed --format md --out groups.md
grep -q '1 of 2 finished; killed' groups.md || fail "$(cat groups.md)"

case_ "a part of the seeds of a study has means of its own"
muster report study --only '*seed=1*,*seed=2*' --format csv --out part_csv
python3 - <<'PY' || fail "other means"
import csv, json
runs = json.load(open("study/results.json"))["runs"]
for row in csv.DictReader(open("part_csv/report.csv")):
    values = [r["accuracy"] for r in runs if r["values"]["algorithm"] == row["algorithm"] and r["seed"] != "3"]
    assert row["seeds"] == "2" and abs(float(row["accuracy"]) - sum(values) / 2) < 1e-12, (row, values)
PY

case_ "results.json without cases or states is no reason to crash"
mkdir -p broken
cp -r single/a1/* broken/
echo '{"cases": [], "runs": [{"name": "lenet5_figures"}, {"name": "gone"}]}' >broken/results.json
muster report broken --format md
expect_code 0

case_ "a hostile name stays text"
name='<script>alert(1)</script>'
muster train "${small[@]}" --epochs 1 --name "$name" --out hostile
cp -r hostile/*/ "hostile_copy"
muster report hostile
expect_code 0
grep -q '<script>alert' hostile/report.html && fail "the name became markup"
muster report hostile --format md
grep -q '<script>' hostile/report.md && fail "the name became markup"

case_ "a killed run is reported as far as it went"
cp -r one killed
rm killed/*/result.json
printf '{"round": 99, "epo' >>killed/lenet5_figures/metrics.jsonl
muster report killed
expect_code 0
page_data killed/report.html | grep -q '"test_accuracy"' || fail "no curve"

case_ "a damaged line is named on the page, and the others are drawn"
cp -r one damaged
sed -i '1s/.*/no row/' damaged/lenet5_figures/metrics.jsonl
muster report damaged
expect_code 0
grep -q 'metrics.jsonl:1' damaged/report.html || fail "the line is not named"
page_data damaged/report.html | grep -q '"test_accuracy"' || fail "no curve"

case_ "--format md has the tables"
muster report study --format md
expect_code 0
expect_out "study/report.md"
grep -q '^| sync' study/report.md || fail "no row"

case_ "--format csv has the cases, and every measured value"
muster report study --format csv --out csv
expect_code 0
expect_file csv/report.csv
[ "$(grep -c ',test_accuracy,' csv/curves.csv)" -ge 12 ] || fail "too few rows"

case_ "--format svg has a picture per metric and axis, and those of each run"
muster report study --format svg --out pictures
expect_code 0
expect_file pictures/test_accuracy_round.svg
expect_file pictures/algorithm=sync_seed=1/confusion.svg
python3 - pictures <<'PY' || fail "a picture is no XML"
import pathlib, sys
from xml.etree import ElementTree
pictures = list(pathlib.Path(sys.argv[1]).rglob("*.svg"))
assert len(pictures) > 20, len(pictures)
for picture in pictures:
    ElementTree.parse(picture)
PY

case_ "the curves of --format svg are the means over seeds"
python3 - <<'PY' || fail "other means"
import csv, json
rows = list(csv.DictReader(open("csv/curves.csv")))
cases = {c["values"]["algorithm"]: c["accuracy"] for c in json.load(open("study/results.json"))["cases"]}
for name, accuracy in cases.items():
    mine = [r for r in rows if r["case"] == name and r["metric"] == "test_accuracy" and r["worker"] == "-1"]
    last = max(int(r["round"]) for r in mine)
    values = [float(r["value"]) for r in mine if int(r["round"]) == last]
    assert len(values) == 3 and abs(sum(values) / 3 - accuracy) < 1e-12, (name, values, accuracy)
PY

case_ "--only shows a part of a study"
muster report study --only 'algorithm=sync*' --out part.html
expect_code 0
page_data part.html >data.json
python3 -c '
import json
data = json.load(open("data.json"))
assert [c["algorithm"] for c in data["cases"]] == ["sync"] and len(data["runs"]) == 3, data["cases"]
' || fail "other cases"
muster report study --only 'nothing*'
expect_code 2
expect_err "--only: no run is called nothing*"

case_ "--target says when runs reached it"
muster report study --target 0.05 --format md --out target.md
expect_code 0
grep -q 'seconds to 5 %' target.md || fail "no such column: $(cat target.md)"

case_ "with --json, stdout is one JSON object"
muster train "${small[@]}" --epochs 2 --json --out json
expect_code 0
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$WORK/.out" || fail "$out"
expect_file json/report.html

case_ "mistakes are named"
muster report study --format pdf
expect_code 2
expect_err "--format: 'pdf' is not html, md, csv or svg"
muster report nowhere
expect_code 2
expect_err "nowhere"
muster report study --out missing/folder/x.html
[ "$code" -ne 0 ] || fail "no error"

case_ "a report that cannot be written costs no results"
mkdir blocked
mkdir blocked/report.html
muster train "${small[@]}" --epochs 1 --out blocked/run
expect_code 0

case_ "the curves of a run with a validation part are marked at its lowest loss"
muster train --dataset figures --figures.train-count 300 --figures.test-count 100 --model mnist_conv --momentum 0.9 --lr 0.02 \
    --batch-size 8 --epochs 20 --validation 0.1 --quiet --out marked
expect_code 0
python3 - <<'PYTHON' || fail "marked elsewhere"
import glob, json, re
page = open("marked/report.html").read()
data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1))
rows = [json.loads(line) for line in open(glob.glob("marked/**/metrics.jsonl", recursive=True)[0])]
best = min((r for r in rows if "validation_loss" in r), key=lambda r: r["validation_loss"])
assert data["runs"][0]["best_round"] == best["round"] > 0, (data["runs"][0]["best_round"], best["round"])
PYTHON

finish
