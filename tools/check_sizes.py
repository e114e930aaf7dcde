#!/usr/bin/env python3
"""check_sizes.py [ROOT] - files of at most 500 lines, functions of at most 60.

A function is what stands between a "{" and a "}" in the first column, as the formatter puts them.
The per-ISA kernels (src/kernel/simd/) are exempt.
"""

import re
import sys

import sources

FILE_LINES = 500
FUNCTION_LINES = 60
EXEMPT = "src/kernel/simd/"


def functions(lines):
    """(line of the opening brace, lines of the body, name)"""
    start = None
    for number, line in enumerate(lines, 1):
        if line.rstrip() == "{":
            start = number
        elif line.startswith("}") and start is not None:
            head = " ".join(lines[max(0, start - 6) : start - 1])
            names = re.findall(r"(\w+)\s*\(", head.rsplit("}", 1)[-1].rsplit(";", 1)[-1])
            yield start, number - start - 1, names[0] if names else "?"
            start = None


def check(root):
    problems = []
    for path, name in sources.files(root, "src", "tests"):
        if name.startswith(EXEMPT):
            continue
        lines = sources.code(path.read_text()).splitlines()
        if len(lines) > FILE_LINES:
            problems.append(f"{name}:{FILE_LINES + 1}: {len(lines)} lines; {FILE_LINES} is the limit")
        for start, length, function in functions(lines):
            if length > FUNCTION_LINES:
                problems.append(
                    f"{name}:{start}: {function} has {length} lines; {FUNCTION_LINES} is the limit"
                )
    return problems


if __name__ == "__main__":
    sources.finish(check(sys.argv[1] if len(sys.argv) > 1 else "."))
