#!/usr/bin/env python3
"""make_pictures.py [--check] PROGRAM [FOLDER] - the pictures of the pages, in docs/pictures/ or FOLDER.

What PROGRAM deals and draws is asked of it; time lines are simulated. The same program gives the
same bytes. --check writes nothing, and finds pictures that are not what this makes, are missing or
are too many: exit code 1. Only Python's standard library is needed.

    tools/make_pictures.py build/release/muster
"""

import sys
from pathlib import Path

from pictures import averaging, graphs, partitions, run, servers

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
AGAIN = "make it again: tools/make_pictures.py build/release/muster"


def make(program):
    """name -> text of every picture"""
    return {
        **run.draw(),
        **servers.draw(),
        **averaging.draw(),
        **partitions.draw(program),
        **graphs.draw(program),
    }


def check(pictures, folder):
    """What is wrong with the folder."""
    problems = []
    for name, text in pictures.items():
        path = folder / name
        if not path.exists():
            problems.append(f"{path}: missing; {AGAIN}")
        elif path.read_text() != text:
            problems.append(f"{path}: not what the program and the script make now; {AGAIN}")
    for path in sorted(folder.iterdir()):
        if path.name not in pictures:
            problems.append(f"{path}: not made by tools/make_pictures.py")
    return problems


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    names = arguments[is_check:]
    if len(names) not in (1, 2):
        sys.exit("usage: make_pictures.py [--check] PROGRAM [FOLDER]")
    pictures = make(names[0])
    folder = Path(names[1]) if len(names) == 2 else FOLDER
    if is_check:
        problems = check(pictures, folder)
        print("".join(f"{problem}\n" for problem in problems), end="")
        return 1 if problems else 0
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pictures.items():
        (folder / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
