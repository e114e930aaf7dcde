#!/usr/bin/env python3
"""check_layers.py [ROOT] - a folder of src/ includes only what stands in its row.

The table is that of ARCHITECTURE.md. Tests are not held to it.
"""

import sys

import sources

_LOW = ["base", "format", "conf", "kernel", "data", "nn", "optim", "graph", "comm", "record"]
_LOW += ["problem", "algo"]

MAY_INCLUDE = {
    "base": [],
    "format": ["base"],
    "conf": ["base"],
    "kernel": ["base"],
    "data": ["base", "format", "conf", "kernel"],
    "nn": ["base", "conf", "kernel"],
    "optim": ["base", "conf", "kernel"],
    "graph": ["base", "conf"],
    "comm": ["base", "conf", "kernel"],
    "record": ["base", "format", "conf", "kernel"],
    "problem": ["base", "conf", "kernel", "data", "nn", "record"],
    "algo": ["base", "conf", "kernel", "optim", "graph", "comm", "problem"],
    "train": _LOW,
    "study": _LOW + ["train"],
    "report": ["base", "conf", "record"],
    "web": ["base", "conf", "record", "report"],
    "bench": _LOW + ["train"],
    "cli": _LOW + ["train", "study", "bench", "report", "web"],
}


def check(root):
    problems = []
    for path, name in sources.files(root, "src"):
        folder = name.split("/")[1]
        if folder not in MAY_INCLUDE:
            problems.append(f"{name}:1: {folder} is not a folder of the table of layers")
            continue
        allowed = [folder] + MAY_INCLUDE[folder]
        for line, header, is_system in sources.includes(path.read_text()):
            top = header.split("/")[0]
            if is_system:
                continue
            if "/" not in header or top not in MAY_INCLUDE:
                problems.append(f'{name}:{line}: "{header}": write it as "folder/file.h"')
            elif top not in allowed:
                problems.append(
                    f'{name}:{line}: {folder} may not include "{header}"; '
                    f"only {', '.join(allowed)}"
                )
    return problems


if __name__ == "__main__":
    sources.finish(check(sys.argv[1] if len(sys.argv) > 1 else "."))
