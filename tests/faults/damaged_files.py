#!/usr/bin/env python3
"""damaged_files.py MUSTER [--all] - a file of a run directory is damaged before the next command.

Each file of finished runs and studies is removed, emptied, cut to half, replaced by random bytes or by a folder, gets
one bit flipped or one digit changed. Then a run is resumed, evaluated, exported or shown, or a study is called again:
the command ends by itself with a documented code and a message; or it does the same as without the damage; or it warns.
Files that were good are still there, and a command that only reads changes nothing.
"""

import random
import re
import shutil

import runs

# How many cases of each command a short test has.
SAMPLE = {"train": 40, "graph": 25, "async": 15, "study": 40}
READERS = {
    "evaluate": "evaluate run --split all --json",
    "export": "export run --results csv --out made.csv",
    "show": "show run --json",
}
CONTINUE = {"study": "run study.yaml --out run --quiet"}  # what else goes on: --resume
KEPT = 2  # checkpoints that a run keeps
RESUME_LONGER = "train --resume run --quiet --epochs 3"


def remove(path):
    path.unlink()


def empty(path):
    path.write_bytes(b"")


def halve(path):
    content = path.read_bytes()
    path.write_bytes(content[:len(content) // 2])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x80
    path.write_bytes(content)


def edit(path):
    """Changes the digit nearest to the middle."""
    content = bytearray(path.read_bytes())
    digits = [i for i, byte in enumerate(content) if chr(byte).isdigit()]
    place = min(digits, key=lambda i: abs(i - len(content) // 2))
    content[place] = ord("7" if content[place] != ord("7") else "8")
    path.write_bytes(content)


def scramble(path):
    path.write_bytes(random.Random(1).randbytes(max(path.stat().st_size, 100)))


def make_folder(path):
    path.unlink()
    path.mkdir()


DAMAGES = {"removed": remove, "emptied": empty, "cut to half": halve, "one bit flipped": flip,
           "one digit changed": edit, "random bytes": scramble, "replaced by a folder": make_folder}


class Template:
    """A finished scenario, to be copied for each case, and what the commands make of it without damage."""

    def __init__(self, muster, scenario):
        self.scenario = scenario
        self.box = runs.Sandbox(muster).__enter__()
        self.box.prepare(scenario)
        made = self.box.run(scenario.command)
        assert made.code == 0, made.err
        self.folder = self.box.folder / "run"
        # A study leaves finished runs alone; their result.json is all that it reads of them.
        self.names = ("results.json",) if scenario.name == "study" else runs.RESULTS
        self.commands = dict(READERS) if scenario.name != "study" else {}
        self.commands["continue"] = CONTINUE.get(scenario.name, RESUME_LONGER)
        self.expected = {name: self.undamaged(name) for name in self.commands}

    def files(self):
        return sorted(p.relative_to(self.folder) for p in self.folder.rglob("*") if p.is_file())

    def undamaged(self, name):
        with runs.Sandbox(self.box.muster) as box:
            shutil.copytree(self.folder, box.folder / "run", symlinks=True)
            made = box.run(self.commands[name])
            assert made.code == 0, made.err
            return printed(box), runs.results(box.folder / "run", self.names)


def printed(box):
    """What a command printed or wrote, without what the clock says."""
    text = (box.folder / "standard output").read_text(errors="replace")
    written = box.folder / "made.csv"
    return re.sub(r'"[^"]*(seconds|samples_per_s|time|start|end|bytes)[^"]*": [^,}]*|modified[^,}]*', "", text) + (
        written.read_text() if written.exists() else "")


def contents(folder):
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def is_replaced(checkpoint, after):
    """As many newer checkpoints as a run keeps are there."""
    def number(path):
        found = re.fullmatch(r"round-(\d+)\.safetensors", path.name)
        return int(found[1]) if found else -1
    return number(checkpoint) >= 0 and sum(number(p) > number(checkpoint) for p in after) >= KEPT


def check_kept(before, folder, damaged, reads_only):
    """Good checkpoints are still there; a reader changed nothing at all."""
    after = contents(folder)
    lost = [p for p in before if p not in after and p != damaged and not is_replaced(p, after)
            and (reads_only or "checkpoints" in p.parts)]
    changed = [p for p in before if reads_only and after.get(p, before[p]) != before[p]]
    return [f"{p} was good and is gone" for p in lost] + [f"{p} was changed by a command that reads" for p in changed]


def said_missing(text):
    return text.count('"absent"') + text.count('"damaged"')


def check_difference(template, name, box, outcome, damaged, how):
    """A command that ended well did the same as without the damage, or said that something is missing."""
    text, results = template.expected[name]
    said = outcome.err + (box.folder / "standard output").read_text(errors="replace")
    if "warning: " in outcome.err or damaged.name in said:
        return []
    if name.startswith("show") and said_missing(printed(box)) > said_missing(text):
        return []  # a link to it is listed as absent
    if how == "one digit changed" and damaged.suffix in (".json", ".jsonl"):
        return []  # a number like any other
    if name == "continue":
        return runs.differences(template.scenario, box.folder / "run", results, template.names)
    return [] if printed(box) == text else ["prints something else without a warning"]


def check(template, name, damaged, how):
    with runs.Sandbox(template.box.muster) as box:
        folder = box.folder / "run"
        shutil.copytree(template.folder, folder, symlinks=True)
        DAMAGES[how](folder / damaged)
        before = contents(folder)
        outcome = box.run(template.commands[name])
        found = runs.check_end(outcome) + check_kept(before, folder, damaged, name != "continue")
        if outcome.code == 0 and not found:
            found = check_difference(template, name, box, outcome, damaged, how)
        return found


def make_cases(options, templates):
    for name, sample in SAMPLE.items():
        if options.only not in name:
            continue
        template = Template(options.muster, runs.SCENARIOS[name])
        templates.append(template)
        every = [(damaged, how) for damaged in template.files() for how in DAMAGES
                 if how != "one digit changed" or re.search(rb"\d", (template.folder / damaged).read_bytes())]
        for command, words in template.commands.items():
            for damaged, how in every if options.all else runs.spread(every, sample):
                yield runs.Case(f"{name}: {command}", f"{damaged} {how}; muster {words}",
                                lambda a=(template, command, damaged, how): check(*a))


def main():
    options = runs.arguments("damage files of a run directory").parse_args()
    templates = []
    try:
        runs.report(list(make_cases(options, templates)), options)
    finally:
        for template in templates:
            template.box.__exit__()


if __name__ == "__main__":
    main()
