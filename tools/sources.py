"""What the checkers share: the C files of a tree, and their code without comments and strings."""

import re
import sys
from pathlib import Path

# A comment, a string or a character; whichever begins first.
_TOKEN = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)


def files(root, *folders):
    """The .c and .h files below these folders of root, in order, with their names from root."""
    root = Path(root)
    for folder in folders:
        if not (root / folder).is_dir():
            sys.exit(f"{root / folder} is no folder; run the checker from the root of the repository")
        for path in sorted((root / folder).rglob("*.[ch]")):
            yield path, path.relative_to(root).as_posix()


def _blank(match):
    kept = "".join(c if c == "\n" else " " for c in match.group())
    return kept if match.group()[0] == "/" else '"' + kept[1:-1] + '"'


def code(text):
    """The text with comments and the insides of strings made blank; lines keep their numbers."""
    return _TOKEN.sub(_blank, text)


def _without_comments(text):
    return _TOKEN.sub(lambda m: _blank(m) if m.group()[0] == "/" else m.group(), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def includes(text):
    """(line, name, is_system) of every #include."""
    text = _without_comments(text)
    for match in _INCLUDE.finditer(text):
        system, own = match.groups()
        yield line_of(text, match.end()), system or own, system is not None


def finish(problems):
    """Prints the problems, and ends the checker: 1 when there are any."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
