#!/usr/bin/env python3
"""algorithm_tables.py MUSTER [PAGE] - the tables of docs/reference/algorithms/README.md, from what algorithms declare.

Writes the two tables between the marks of the page again, from `MUSTER algorithms --json`. A test compares
the page with what this makes of it (tests/e2e/test_docs.sh).
"""
import json
import re
import subprocess
import sys
from pathlib import Path

KIND = {
    "lockstep": "lockstep",
    "shared-memory": "asynchronous, shared memory",
    "peer-to-peer": "asynchronous, peer-to-peer",
}
LIMIT = {
    "optimum": "optimum",
    "biased": "near the optimum",
    "mean of own": "mean of own optima",
    "own": "own optimum",
}
ALONE = {"same bits": "same bits", "rounding": "within rounding", "own form": "see its page"}


def kind(a):
    if a["one_worker_only"]:
        return "one worker"
    if a["kind"] == "server-based":
        return f"server, {'asynchronous' if a['is_asynchronous'] else 'synchronous'}"
    return KIND[a["kind"]]


def bytes_of(a):
    once = "" if a["bytes_once"] == "0" or a["bytes_once"].startswith("0 ..") else f"`{a['bytes_once']}` once"
    if a["bytes"] == "0":
        return once or "0"
    return f"`{a['bytes']}`" + (f", {once}" if once else "")


def table(algorithms):
    lines = [
        "| name | what it does | kind | ends at | bytes sent in a round | one worker |",
        "|---|---|---|---|---|---|",
    ]
    for a in algorithms:
        link = f"[{a['name']}]({a['name']}.md)"
        cells = [link, a["summary"], kind(a), LIMIT[a["limit"]], bytes_of(a), ALONE[a["one_worker"]]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(muster, page="docs/reference/algorithms/README.md"):
    listed = json.loads(subprocess.run([muster, "algorithms", "--json"], check=True, capture_output=True).stdout)
    text = Path(page).read_text()
    for mark, has_graph in ("workers", False), ("graphs", True):
        rows = table([a for a in listed["algorithms"] if a["needs_graph"] == has_graph])
        block = f"<!-- table of {mark}: tools/algorithm_tables.py -->\n\n{rows}\n\n<!-- end of table -->"
        pattern = rf"<!-- table of {mark}: .*?<!-- end of table -->"
        if not re.search(pattern, text, re.S):
            sys.exit(f"{page} has no table of {mark}")
        text = re.sub(pattern, lambda _: block, text, flags=re.S)
    Path(page).write_text(text)


main(*sys.argv[1:])
