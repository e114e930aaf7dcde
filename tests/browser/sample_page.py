#!/usr/bin/env python3
"""sample_page.py [FILE] - writes a report page of made-up data, with the real style and scripts.

The tests of the page's script use it: its data are known, and no training is needed.
"""

import base64
import hashlib
import html
import json
import math
import random
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PAGE = SOURCE / "src/report/page"
DYGRAPHS = Path("/usr/share/javascript/dygraphs")


def page_script():
    """Our files in one function, as the build puts them together: main.js is last."""
    files = sorted(PAGE.glob("*.js"), key=lambda path: (path.name == "main.js", path.name))
    return '(function () {\n"use strict";\n' + "\n".join(f.read_text() for f in files) + "\n})();\n"


def policy(scripts):
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    allowed = " ".join(f"'sha256-{h}'" for h in hashes)
    return (f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src {allowed}")


def run_table(rng, rows, per_round, level, rate):
    """An evaluation every 50 rounds, with its counters."""
    rounds = [50 * i for i in range(rows)]
    seconds, clock = [], 0.0
    for _ in rounds:
        seconds.append(round(clock, 6))
        clock += 0.4 * rng.uniform(0.8, 1.2)
    loss = [level + 2.3 * math.exp(-rate * r / 200) * rng.uniform(0.93, 1.07) for r in rounds]
    accuracy = [max(0.1, 1 - value / 2.6) for value in loss]
    return {
        "round": rounds,
        "epoch": {"times": 0.01},
        "samples": {"times": 32 * per_round},
        "gradients": {"times": per_round},
        "bytes": {"times": 4096 * per_round},
        "seconds": seconds,
        "metrics": {"test_loss": loss, "test_accuracy": accuracy,
                    "validation_loss": [value * 1.02 for value in loss]},
    }


def batch_table(rng, rows, level):
    rounds = [7 * (i + 1) for i in range(rows)]
    return {
        "round": rounds,
        "epoch": {"times": 0.01},
        "seconds": [r * 0.008 for r in rounds],
        "metrics": {"batch_loss": [level + 2 * math.exp(-r / 300) + rng.gauss(0, 0.06) for r in rounds],
                    "lr": [0.1 if r < 1500 else 0.01 for r in rounds]},
    }


def worker(rng, number, rows):
    speed = 1 + 0.15 * number
    rounds = [20 * i for i in range(rows)]
    return {"worker": number, "tables": [{
        "round": rounds,
        "gradients": {"times": 1},
        "samples": {"times": 32},
        "seconds": [r * 0.004 * speed * rng.uniform(0.995, 1.005) for r in rounds],
        "metrics": {"batch_loss": [0.3 + 2 * math.exp(-r / 500) + rng.gauss(0, 0.05) for r in rounds],
                    "weight_norm": [8 + math.log1p(r) * speed for r in rounds]},
    }]}


CASES = [(algorithm, workers) for algorithm in ("sync", "local-sgd", "ad-psgd") for workers in (4, 8)]


def study(seeds=5, rows=60, batch_rows=400, workers=10, hostile=None):
    """30 runs: three algorithms, two numbers of workers, five seeds."""
    rng = random.Random(1)
    cases, runs = [], []
    for index, (algorithm, count) in enumerate(CASES):
        name = hostile if hostile and index == 0 else f"{algorithm}, {count} workers"
        cases.append({"name": name, "algorithm": algorithm, "settings": {"transport.workers": str(count)}})
        for seed in range(1, seeds + 1):
            level = 0.08 + 0.03 * index + rng.gauss(0, 0.015)
            rate = (0.9 - 0.1 * index) * rng.uniform(0.9, 1.1)
            runs.append({
                "name": hostile or f"{algorithm}-w{count}-s{seed}", "case": index, "repetition": f"seed {seed}",
                "state": "finished", "best_round": 50 * (rows - 10 + seed),
                "tables": [run_table(rng, rows, count, level, rate), batch_table(rng, batch_rows, level)],
                "workers": [worker(rng, i, 100) for i in range(workers)],
            })
    return {"version": 1, "title": hostile or "Made-up study", "virtual_time": False, "cases": cases, "runs": runs}


def many_runs(count=1000, rows=200, metrics=6):
    """Every run a case of its own, rows and metrics as a large study has them."""
    rng = random.Random(2)
    cases, runs = [], []
    for index in range(count):
        level = rng.uniform(0.1, 0.9)
        rounds = list(range(10, 10 * rows + 10, 10))
        columns = {f"metric_{m}": [level + math.exp(-r / (100 + index)) + rng.gauss(0, 0.01) for r in rounds]
                   for m in range(metrics)}
        cases.append({"name": f"case {index}", "algorithm": f"algorithm {index % 5}",
                      "settings": {"train.lr": str(index)}})
        runs.append({"name": f"run {index}", "case": index, "repetition": "seed 1", "state": "finished", "best_round": None,
                     "tables": [{"round": rounds, "samples": {"times": 32},
                                 "seconds": [r * 0.01 * level for r in rounds], "metrics": columns}]})
    return {"version": 1, "title": "Many runs", "virtual_time": False, "cases": cases, "runs": runs}


def size_text(size):
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


def answer_section(data):
    rows = []
    for index, case in enumerate(data["cases"][:50]):
        finals = [run["tables"][0]["metrics"].get("test_accuracy", [None])[-1]
                  for run in data["runs"] if run["case"] == index and run["tables"]]
        finals = [value for value in finals if value is not None]
        mean = sum(finals) / len(finals) if finals else float("nan")
        mark = ' class="best"' if index == 0 else ' class="tied"' if index == 1 else ""
        workers = case["settings"].get("transport.workers", "")
        rows.append(f'<tr{mark}><td>{html.escape(case["name"])}</td><td class="number">{workers}</td>'
                    f'<td class="number" data-value="{mean!r}">{100 * mean:.2f} ± 0.31 %</td>'
                    f'<td class="number" data-value="{10.0 ** (5 + index)!r}">{size_text(10.0 ** (5 + index))}</td></tr>')
    return ('<section id="answer"><h2>Answer</h2><p>Mean over seeds; ± is half of the 95 % interval.</p>'
            '<div class="scroll"><table class="table"><thead><tr><th>case</th><th class="number">workers</th>'
            '<th class="number">final test accuracy</th><th class="number">bytes sent</th></tr></thead><tbody>'
            + "".join(rows) + '</tbody></table></div>'
            '<p class="note">The marked row is the best; the lighter ones are not distinguishable from it.</p>'
            '<p class="warning">One run of this study was stopped before its end.</p></section>')


def figure(name, number, label):
    values = [[(3 * i + 5 * j) % 11 / 10 for j in range(6)] for i in range(6)]
    cells = "".join(
        f'<rect x="{40 + 40 * j}" y="{10 + 40 * i}" width="40" height="40" fill="var(--heat)" '
        f'fill-opacity="{values[i][j]}"/>' for i in range(6) for j in range(6))
    table = "".join("<tr>" + "".join(f"<td>{value}</td>" for value in row) + "</tr>" for row in values)
    return (f'<figure class="plot" id="f{number}" data-name="{name}"><figcaption><b>Confusion matrix</b> '
            'Rows are true classes, columns are what the model says.</figcaption>'
            f'<div class="scroll"><svg width="320" height="270" viewBox="0 0 320 270" role="img">{cells}'
            f'<text x="40" y="266" fill="var(--ink)" font-size="12">{html.escape(label)}</text>'
            '<line x1="40" y1="250" x2="280" y2="250" stroke="var(--line)"/></svg></div>'
            f'<table class="numbers" hidden><tr><th>a</th><th>b</th><th>c</th><th>d</th><th>e</th><th>f</th></tr>'
            f'{table}</table></figure>')


def runs_section(data, limit=40):
    articles = []
    for index, run in enumerate(data["runs"][:limit]):
        workers = f'<div class="worker-view" data-run="{index}"></div>' if run.get("workers") else ""
        articles.append(f'<article class="run" id="run-{index}" data-run="{index}"><h3>{html.escape(run["name"])}</h3>'
                        f'{figure("confusion", index, run["name"])}<h4>Workers</h4>{workers}</article>')
    return f'<section id="runs"><h2>Runs</h2>{"".join(articles)}</section>'


def page(data):
    scripts = [(DYGRAPHS / "dygraph.min.js").read_text(), page_script()]
    style = (DYGRAPHS / "dygraph.css").read_text() + (PAGE / "report.css").read_text()
    numbers = json.dumps(data).replace("<", "\\u003c")
    title = html.escape(data["title"])
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy(scripts)}">
<title>{title}</title><style>{style}</style></head>
<body><header><h1>{title}</h1><p class="summary">{len(data["runs"])} runs, {len(data["cases"])} cases.</p></header>
<main>{answer_section(data)}
<section id="curves"><h2>Curves</h2><div id="curves-view"></div></section>
{runs_section(data)}
<section id="settings"><h2>Settings</h2><pre>muster run experiment.yaml</pre></section></main>
<script type="application/json" id="data">{numbers}</script>
<script>{scripts[0]}</script><script>{scripts[1]}</script></body></html>
"""


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else "report.html").write_text(page(study()), encoding="utf-8")
