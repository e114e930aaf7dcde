#!/usr/bin/env python3
"""check_words.py [ROOT] - texts for users are in plain English.

Looks for words and patterns that Muster no longer uses, and names the plain word: in the prose of
Markdown files (not in code blocks or `code`), in string literals of src/, and in comments of
experiment files. Lines of Markdown prose have at most 100 characters, not counting the targets of
links; tables, headings and code are exempt.
"""

import re
import sys
from pathlib import Path

import sources

WIDTH = 100

# pattern -> what to write instead
WORDS = {
    r"(is|are|was|were|be) told": "is reported, is printed, is warned about",
    r"tells? (how|what|which|who|whether|more|of|that|it)": "prints, reports, says",
    r"anew": "from scratch, again",
    r"(goes|go|went|going) on (with|from|as|where|in|until|after)": "resumes, continues",
    r"and go on": "and continue",
    r"beside": "next to, in addition to",
    r"(stands?|stood) (in|for itself|twice|there|under|at|alone|beside)": "is",
    r"nobody|somebody|everybody": "name the worker, the process or the user",
    r"whom": "write two sentences",
    r"(is|are) refused|refuses|refused by": "is rejected, rejects",
    r"mend(s|ed|ing)?": "fix",
    r"(was|were|is|are) dealt|deals? (the|out|samples)": "partitioned, assigned",
    r"h[eo]ld(s|ing)? (\w+ )?up": "delay",
    r"take[ns]? for": "treated as, mistaken for",
    r"(is|are) none": "is not one of, does not exist",
    r"(is|are) no (\w+s|mistake|square|number|folder|file|run)\b": "is not a",
    r"keep(s|ing)? step|keeps no step": "is synchronous",
    r"what (\w+ )+(is|are) worth": "its accuracy, how it scales",
    r"can be had": "is available",
    r"as (they|it) comes? to": "as it can",
    r"the latter|the former": "repeat the noun",
    r"paranoid (?!mode)": "checks of invariants",
}

_WORDS = [(re.compile(rf"\b(?:{p})\b", re.I), plain) for p, plain in WORDS.items()]
_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:\\.|[^\'\\\n])*\'|("(?:\\.|[^"\\\n])*")', re.S)


def findings(text):
    for pattern, plain in _WORDS:
        for match in pattern.finditer(text):
            yield match.group(), plain


def prose_lines(text):
    """(number, line) of what is prose: no fenced or indented code, no comment."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    ") and not line.startswith("<!--"):
            yield number, line


def is_long(line):
    return not line.startswith(("|", "#", "![")) and len(re.sub(r"\]\([^)]*\)", "]", line)) > WIDTH


def check_markdown(path, name, is_generated):
    for number, line in prose_lines(path.read_text()):
        words = re.sub(r"`[^`]*`", "``", line)
        for found, plain in findings(words):
            yield f'{name}:{number}: "{found}": write {plain}'
        if is_long(line) and not is_generated:
            yield f"{name}:{number}: {len(line)} characters; prose has at most {WIDTH}"


def check_strings(path, name):
    text = path.read_text()
    for match in _STRING.finditer(text):
        for found, plain in findings(match[1] or ""):
            yield f'{name}:{sources.line_of(text, match.start())}: "{found}": write {plain}'


def check_comments(path, name):
    for number, line in enumerate(path.read_text().split("\n"), 1):
        comment = line[line.index("#"):] if "#" in line else ""
        for found, plain in findings(comment):
            yield f'{name}:{number}: "{found}": write {plain}'


def problems(root):
    root = Path(root)
    for path in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("experiments/*.md")]):
        name = path.relative_to(root).as_posix()
        yield from check_markdown(path, name, name == "docs/reference/config.md")
    for path in sorted(root.glob("experiments/**/*.yaml")):
        yield from check_comments(path, path.relative_to(root).as_posix())
    for path, name in sources.files(root, "src"):
        yield from check_strings(path, name)


if __name__ == "__main__":
    sources.finish(list(problems(sys.argv[1] if len(sys.argv) > 1 else ".")))
