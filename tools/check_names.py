#!/usr/bin/env python3
"""check_names.py [ROOT] [--list] - public functions are found in the file that their prefix names.

A function that is not static and is declared in a header of src/ follows the rule when its name and
its file's begin with the same word (graph_free in graph.c, topology_period in topology_round.c,
fields_find in field.c), or when its name begins with its subfolder's (mpi_send in comm/mpi/). In every
folder at least SHARE percent do. --list prints the others, and the shares.

Words that the vocabulary of ARCHITECTURE.md has replaced do not come back, in names or comments.
"""

import re
import sys

import sources

SHARE = 90

# what was said -> what is said
REPLACED = {
    "tally": "counters",
    "tallies": "counters",
    "actor": "endpoint, worker or server",
    "actors": "endpoints, workers",
    "parcel": "worker state",
    "parcels": "worker states",
    "lodge": "responder state",
    "desk": "shared model",
    "crew": "endpoint threads",
    "station": "compute context",
    "stations": "compute pool",
    "vigil": "receive",
}

_FUNCTION = re.compile(r"^(?!static\b|typedef\b|#)[A-Za-z_][\w\s\*]*?[\s\*](\w+)\(", re.M)


def definitions(code):
    """Names of functions that are defined here and not static."""
    for match in re.finditer(r"^(?P<head>[A-Za-z_][^;{}#]*?)\n\{", code, re.M):
        head = match["head"]
        if head.startswith(("static", "typedef", "struct", "enum", "union")) and "(" not in head:
            continue
        if head.startswith("static"):
            continue
        name = _FUNCTION.match(head)
        if name and name[1] != "KERNEL":  # an entry of the kernel table
            yield name[1], sources.line_of(code, match.start())


def declared(root):
    names = set()
    for path, name in sources.files(root, "src"):
        if name.endswith(".h"):
            names |= set(re.findall(r"\b(\w+)\s*\(", sources.code(path.read_text())))
    return names


def is_found_in(function, path, name):
    first = function.split("_")[0]
    singular = first[:-1] if first.endswith("s") else first
    places = {path.stem.split("_")[0], path.stem}
    if name.count("/") > 2:
        places.add(path.parent.name)
    return bool({first, singular, first + "s"} & places)


def measure(root):
    """folder -> [(follows, name of the file, line, function)]"""
    public = declared(root)
    folders = {}
    for path, name in sources.files(root, "src"):
        if not name.endswith(".c"):
            continue
        for function, line in definitions(sources.code(path.read_text())):
            if function in public:
                row = (is_found_in(function, path, name), name, line, function)
                folders.setdefault(name.split("/")[1], []).append(row)
    return folders


def replaced_words(root):
    for path, name in sources.files(root, "src"):
        text = path.read_text()
        for match in re.finditer(r"[a-z]+", text, re.I):
            instead = REPLACED.get(match.group().lower())
            if instead:
                line = sources.line_of(text, match.start())
                yield f"{name}:{line}: {match.group()}: say {instead}"


def share(rows):
    return 100 * sum(row[0] for row in rows) / len(rows)


def check(root):
    problems = list(replaced_words(root))
    for folder, rows in measure(root).items():
        if share(rows) < SHARE:
            problems.append(
                f"src/{folder}: {share(rows):.0f} % of the public functions are in the file that "
                f"their prefix names, not {SHARE} %; check_names.py --list names the others"
            )
    return problems


def show(root):
    for folder, rows in measure(root).items():
        for _, name, line, function in (row for row in rows if not row[0]):
            print(f"{name}:{line}: {function}")
        print(f"{folder}: {sum(row[0] for row in rows)} of {len(rows)}, {share(rows):.0f} %")


if __name__ == "__main__":
    given = [argument for argument in sys.argv[1:] if argument != "--list"]
    if "--list" in sys.argv:
        show(given[0] if given else ".")
    else:
        sources.finish(check(given[0] if given else "."))
