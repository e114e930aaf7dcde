# A study that ends with a landscape: its page, its table over seeds, and what is reused.
. "$(dirname "$0")/lib.sh"

cat >study.yaml <<'YAML'
# Does momentum lead to flatter minima?
name: flat
seed: [1, 2]
data: {name: figures, train_count: 640, test_count: 128}
model: mnist_conv
optimizer: {name: sgd, lr: 0.02, momentum: [0.5, 0.9]}
train: {epochs: 4, batch_size: 16, saves_per_epoch: 2, evaluate_train: true}
landscape: {grid: 4, samples: 64, sharpness: true}
quick:
  seed: 1
  landscape: {grid: 3}
YAML

case_ "it has a path of the first seed of each case, and means over all seeds"
muster run study.yaml --out s
expect_code 0
expect_out "landscape in s/landscape.html"
python3 - s <<'PYTHON' || fail "another landscape"
import html, json, pathlib, re, statistics, sys
folder = pathlib.Path(sys.argv[1])
landscape = json.loads((folder / "landscape.json").read_text())
assert len(landscape["grid"]["x"]) == 4 and landscape["data"] == "64 test samples of figures", landscape["data"]
assert [run["name"] for run in landscape["runs"]] == ["momentum 0.5", "momentum 0.9"], landscape["runs"]
assert [len(run["points"]) for run in landscape["runs"]] == [9, 9]
page = (folder / "landscape.html").read_text()
table = page[page.index('id="landscape-runs"'):]
heads = [html.unescape(cell) for cell in re.findall("<th(?: [^>]*)?>(.*?)</th>", table)]
rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", table[:table.index("</table>")])]
rows = [row for row in rows if row]
assert heads == ["case", "train accuracy, %", "test accuracy, %", "gap, points", "train loss", "test loss", "rise",
                 "largest eigenvalue"], heads
for row, momentum in zip(rows, ("0.5", "0.9")):
    runs = [folder / f"momentum={momentum}_seed={seed}" for seed in (1, 2)]
    results = [json.loads((run / "result.json").read_text()) for run in runs]
    sharp = [json.loads((run / "sharpness.json").read_text()) for run in runs]
    assert row[0] == f"momentum {momentum}"
    mean = statistics.mean(100 * (r["final_train_accuracy"] - r["test_accuracy"]) for r in results)
    assert abs(float(row[3].split()[0]) - mean) < 0.0051, (row, mean)
    mean = statistics.mean(s["eigenvalue"] for s in sharp)
    assert row[7].split()[0] == f"{mean:.3g}" and "±" in row[7], (row, mean)
PYTHON

case_ "the report links to it"
[ "$(grep -c 'href="landscape.html">Loss landscape</a>' s/report.html)" -eq 1 ] || fail "no link"
muster report s --out elsewhere.html # from where the link would be wrong
expect_code 0
grep -q landscape.html elsewhere.html && fail "a link to nowhere"

case_ "neither runs nor losses nor sharpness are measured again"
cp s/landscape.npy before.npy
touch -d "2001-01-01" s/momentum=0.5_seed=1/sharpness.json s/landscape.npy
muster run study.yaml --out s
expect_code 0
expect_err "4 of 4 runs had already finished"
expect_err "landscape: the losses in s are used"
expect_out "landscape in s/landscape.html"
[ s/landscape.npy -ot before.npy ] || fail "the losses were written again"
[ s/momentum=0.5_seed=1/sharpness.json -ot before.npy ] || fail "the sharpness was written again"
rm s/landscape.html s/report.html
muster run --resume s
expect_code 0
expect_file s/landscape.html
expect_file s/report.html
expect_same s/landscape.npy before.npy

case_ "other settings of it measure only the landscape"
sed 's/grid: 4/grid: 5/' study.yaml >finer.yaml
muster run finer.yaml --out s
expect_err "4 of 4 runs had already finished"
expect_no_err "are used"
expect_different s/landscape.npy before.npy

case_ "quick and --json"
muster run study.yaml --quick --out q --json
expect_code 0
python3 -c '
import json, sys
assert json.loads(sys.argv[1])["name"] == "flat"
landscape = json.load(open("q/landscape.json"))
assert len(landscape["grid"]["x"]) == 3 and landscape["data"].startswith("64 "), landscape["data"]' "$out" || fail "not so: $out"

case_ "without models there is none, as there is no report"
muster run study.yaml --quick --no-save --out none
expect_code 0
grep -q landscape <<<"$out" && fail "a landscape: $out"
expect_no_file none/landscape.html

case_ "one run alone can have one, too"
cat >one.yaml <<'YAML'
data: {name: figures, train_count: 640, test_count: 128}
model: mnist_conv
train: {epochs: 1, batch_size: 16, saves_per_epoch: 3}
landscape: {}
YAML
muster run one.yaml --out one --quiet
expect_code 0
expect_out "landscape in one/landscape.html"

case_ "a run that came to nothing has a row, but no path"
sed 's/momentum: \[0.5, 0.9\]/momentum: 0.9/; s/lr: 0.02/lr: [0.02, 50]/; s/seed: \[1, 2\]/seed: 1/; /^quick/,$d' study.yaml >wild.yaml
muster run wild.yaml --out wild
expect_out "landscape in wild/landscape.html"
python3 -c '
import json
runs = json.load(open("wild/landscape.json"))["runs"]
assert [run["name"] for run in runs] == ["lr 0.02"], runs
assert ">lr 50</td>" in open("wild/landscape.html").read()' || fail "not so"

case_ "what cannot have a landscape is an error before the first run"
rejects() { # SED-COMMAND MESSAGE
    sed "$1" study.yaml >bad.yaml
    muster run bad.yaml --out bad
    expect_code 2
    expect_err "$2"
    expect_no_file bad
}
rejects 's/saves_per_epoch: 2, //' "bad.yaml:8:1: landscape: run momentum=0.5_seed=1 writes no snapshots; set train.saves_per_epoch"
rejects 's/^model:.*/model: [mnist_conv, lenet5]/' "has another network or data set than the first one"
rejects 's/grid: 4/grids: 4/' "landscape.grids: landscape has no such option; did you mean grid?"
rejects 's/grid: 3/grid: 1/' "quick.landscape.grid: 1 is outside [2, 1000]"
rejects 's/^landscape:.*/landscape: true/' "landscape: expected a map, such as {grid: 25}"
sed 's/^quick:/output: {write: false}\nquick:/' study.yaml >bad.yaml
muster run bad.yaml
expect_code 2
expect_err "landscape: conflicts with output.write: false"
cat >bad.yaml <<'YAML'
runs:
  a: {landscape: {grid: 3}}
YAML
muster run bad.yaml
expect_code 2
expect_err "runs.a.landscape: applies to all runs; move it to the top level"

finish
