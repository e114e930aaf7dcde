#!/usr/bin/env python3
"""docs_commands.py commands|links|extend ROOT [TREE] - the pages README.md and docs/**/*.md hold.

commands: every line of a code block that begins with `muster` (after `$`, VARIABLE=value and
`mpirun ...`, if any; those with mpirun where it is installed) is run in the order of its page, in a scratch folder of the page, by the program $MUSTER, and
must exit 0. `>`, quotes and a trailing backslash work as in a shell. Prints a line per failure. A
block that begins with ```python is run by python3 in the same folder, and must exit 0 too.

So that all of it takes seconds, and that nothing is needed but the program:
- `train`, `run`, `compare`, `reproduce` and `scale` get --max-steps 2 (4 after --resume) and the set `figures` a few hundred samples,
  unless the page says how many; a file with `tune` keeps its steps, because settings that do not train are never chosen;
- the real data sets are tiny files made here, of the right form; HOME is a scratch folder with the
  same files in ~/data;
- experiments/ is there;
- runs/ANYTHING that does not exist is the experiment that the page's last train or run made (a
  small one, if the page had none yet), and <name> after it is the run's name.

extend: puts the files and lines of docs/howto/extend.md into TREE, a copy of the sources, so that it can be
built; `commands ROOT docs/howto/extend.md` then runs that page's commands by the program that came of it.

links: every relative link leads to a file and a heading.

A comment before a code block changes what is done with it:
- <!-- file: NAME --> the block is the content of a file that later commands read
- <!-- adds to: FILE after: TEXT --> the block's lines come after the first line with TEXT in FILE
- <!-- output --> what the block shows after a command is what the program prints, line by line
  (a line ... stands for any lines)
- <!-- exits N --> the commands must end with this code, and print what the block shows
- <!-- needs MODULE --> the block is run only if python3 has this module
- <!-- not run: REASON --> the block is left out
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

COMMAND = re.compile(r"^(?:\$ )?((?:[A-Z_]+=\S* )*(?:mpirun (?:-\S+(?: [^-\s]\S*)? )+)?muster(?: .*)?)$")
MARKER = re.compile(r"^<!-- (file: \S+|adds to: \S+ after: .+|output|exits \d+|needs \w+|not run: .+) -->$")
EXTEND = "docs/howto/extend.md"  # its commands need a program that was built with its code
COMMANDS_MIN = 30  # fewer: the pages are not read as they should be
TIMEOUT_S = 120

# So that mpirun starts more processes than there are cores, as root, on this host alone.
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl": "self,vader",
}


# --- pages ---


class Block:
    def __init__(self, line, marker, language=""):
        self.line, self.marker, self.language = line, marker, language
        self.lines = []


def blocks_of(text):
    """The code blocks of a page: fenced, or indented by four. A marker belongs to the next one."""
    blocks, marker, fence, block = [], None, None, None
    for number, line in enumerate(text.splitlines(), 1):
        if fence is not None:
            if line.strip() == fence:
                fence = block = None
            else:
                block.lines.append(line)
        elif line.startswith("```"):
            fence, block = "```", Block(number + 1, marker, line[3:].strip())
            blocks.append(block)
            marker = None
        elif line.startswith("    "):
            if block is None:
                block = Block(number, marker)
                blocks.append(block)
                marker = None
            block.lines.append(line[4:])
        elif line.strip() == "" and block is not None:
            block.lines.append("")
        else:
            block = None
            found = MARKER.match(line.strip())
            if found:
                marker = found.group(1)
            elif line.strip():
                marker = None
    return blocks


def commands_of(block):
    """(line number, command, lines shown after it) of every command of the block."""
    found, lines = [], list(enumerate(block.lines, block.line))
    while lines:
        number, line = lines.pop(0)
        match = COMMAND.match(line.strip())
        if match is None:
            if found and line.strip():
                found[-1][2].append(line.rstrip())
            continue
        command = match.group(1)
        while command.endswith("\\") and lines:
            command = command[:-1] + lines.pop(0)[1].strip()
        found.append((number, command, []))
    return found


def pages(root):
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


# --- docs/howto/extend.md ---


def add_lines(path, after, lines):
    old = path.read_text().splitlines()
    places = [i for i, line in enumerate(old) if after in line]
    if not places:
        return [f"{EXTEND}: {path.name} has no line with {after}"]
    old[places[0] + 1 : places[0] + 1] = [line for line in lines if line.strip()]
    path.write_text("\n".join(old) + "\n")
    return []


def extend(root, tree):
    """The files and lines of the page, put into a copy of the source tree."""
    problems, files = [], 0
    for block in blocks_of((root / EXTEND).read_text()):
        marker = block.marker or ""
        if re.match(r"file: .*/", marker):
            (tree / marker[6:]).parent.mkdir(parents=True, exist_ok=True)
            (tree / marker[6:]).write_text("\n".join(block.lines).rstrip() + "\n")
            files += 1
        elif marker.startswith("adds to: "):
            path, after = re.match(r"adds to: (\S+) after: (.+)", marker).groups()
            problems += add_lines(tree / path, after, block.lines)
    return problems if files >= 4 else [f"{EXTEND} has {files} files of code, fewer than four"]


# --- tiny data sets of the right form ---


def write_idx(folder, stem, count):
    pixels = bytes((7 * i + i // 784) % 256 for i in range(28 * 28 * count))
    labels = bytes(i % 10 for i in range(count))
    (folder / f"{stem}-images-idx3-ubyte").write_bytes(
        struct.pack(">IIII", 0x803, count, 28, 28) + pixels
    )
    (folder / f"{stem}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, count) + labels)


def write_cifar(path, count, label_bytes):
    pixels = bytes(i % 251 for i in range(3072))
    path.write_bytes(b"".join(bytes([i % 10] * label_bytes) + pixels for i in range(count)))


def make_data(folder):
    for name in ("mnist", "fashion-mnist", "cifar-10-batches-bin", "cifar-100-binary"):
        (folder / name).mkdir(parents=True)
    for name in ("mnist", "fashion-mnist"):
        write_idx(folder / name, "train", 200)
        write_idx(folder / name, "t10k", 50)
    for i in range(1, 6):
        write_cifar(folder / "cifar-10-batches-bin" / f"data_batch_{i}.bin", 20, 1)
    write_cifar(folder / "cifar-10-batches-bin" / "test_batch.bin", 10, 1)
    write_cifar(folder / "cifar-100-binary" / "train.bin", 100, 2)
    write_cifar(folder / "cifar-100-binary" / "test.bin", 10, 2)


# --- running ---


def has_mpi():
    module = Path(os.environ["MUSTER"]).resolve().parent / "libmuster_mpi.so"
    return shutil.which("mpirun") is not None and module.exists()


class Page:
    """The commands of one page, in its scratch folder."""

    def __init__(self, name, folder, environment):
        self.name, self.folder, self.environment = name, folder, environment
        self.run = None  # (experiment, run) folder that the last train or run made
        self.problems, self.count = [], 0

    def shell(self, command):
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def last_run(self):
        if self.run is None:
            self.execute("muster train --dataset figures --validation 0.1")
        return self.run or ("no-experiment", "no-run")

    def with_runs(self, command):
        """runs/X and <name> replaced; a folder that exists, or is about to be made, stays."""

        def replace(match):
            path = match.group()
            if (self.folder / path).exists() or re.search(r"--out[ =]$", command[: match.start()]):
                return path
            return self.last_run()[0]

        command = re.sub(r"\bruns/(?:<\w+>|[\w.,+=-]+)", replace, command)
        return command.replace("<name>", self.last_run()[1]) if "<name>" in command else command

    def told(self, command):
        files = [self.folder / word for word in command.split() if word.endswith(".yaml")]
        return command + "".join(f.read_text() for f in files if f.is_file())

    def uses_figures(self, command):
        told = self.told(command)
        return re.search(r"\bfigures\b", told) and "count" not in told.replace("-", "_")

    def shortened(self, command):
        match = re.search(r"\bmuster (train|run|compare|reproduce|scale|data show|data partition)(?![\w-])", command)
        if match is None or "--help" in command:
            return command
        more = ""
        if not match.group(1).startswith("data") and "--max-steps" not in command and "tune: {" not in self.told(command):
            more += " --max-steps 4" if "--resume" in command else " --max-steps 2"
        if "--resume" not in command and self.uses_figures(command):
            more += " --figures.train-count 600 --figures.test-count 200"
        return command[: match.end()] + more + command[match.end() :]

    def execute(self, command):
        done = self.shell(self.shortened(command))
        made = re.search(r'^results in (.+)/([^/\n]+)$|"run_dir": "(.+)/([^/"]+)"', done.stdout, re.M)
        if made:
            self.run = (made.group(1) or made.group(3), made.group(2) or made.group(4))
        return done

    def check(self, number, command, shown, marker):
        if command.startswith("mpirun ") and not has_mpi():
            return
        self.count += 1
        expected = int(marker.split()[1]) if marker and marker.startswith("exits") else 0
        done = self.execute(self.with_runs(command))
        if done.returncode != expected:
            self.problems.append(
                f"{self.name}:{number}: exit code {done.returncode}, not {expected}: {command}\n"
                f"    {done.stdout.strip()[-600:]}"
            )
        elif marker is not None:
            said = [" ".join(line.split()) for line in done.stdout.splitlines()]
            for line in shown:
                if line.strip() != "..." and " ".join(line.split()) not in said:
                    self.problems.append(f"{self.name}:{number}: the program does not say: {line}")

    def check_python(self, block):
        """Runs a block of Python and looks at its exit code; what it prints is not compared."""
        self.count += 1
        (self.folder / ".block.py").write_text(self.with_runs("\n".join(block.lines)) + "\n")
        done = self.shell("python3 .block.py")
        if done.returncode != 0:
            self.problems.append(
                f"{self.name}:{block.line}: exit code {done.returncode} of this Python\n"
                f"    {done.stdout.strip()[-600:]}"
            )

    def check_block(self, block):
        marker = block.marker
        if marker and marker.startswith(("not run", "adds to")):
            return
        if marker and marker.startswith("needs "):
            if self.shell(f"python3 -c 'import {marker[6:]}'").returncode != 0:
                return
            marker = None
        if marker and marker.startswith("file: "):
            (self.folder / marker[6:]).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / marker[6:]).write_text("\n".join(block.lines) + "\n")
            return
        if block.language == "python":
            self.check_python(block)
            return
        for number, command, shown in commands_of(block):
            self.check(number, command, shown, marker)


def check_commands(root, only=None):
    """The commands of one page, or of all but the one that needs a program of its own."""
    chosen = [root / only] if only else [page for page in pages(root) if page != root / EXTEND]
    scratch = Path(tempfile.mkdtemp())
    problems, count = [], 0
    try:
        make_data(scratch / "home" / "data")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MUSTER", "XDG_"))}
        environment.update(
            **MPI_ENVIRONMENT,
            HOME=str(scratch / "home"),
            MUSTER_DATA=str(scratch / "home" / "data"),
            COLUMNS="80",
            PATH=f"{Path(os.environ['MUSTER']).resolve().parent}:{os.environ['PATH']}",
        )
        for path in chosen:
            folder = scratch / path.relative_to(root).with_suffix("")
            folder.mkdir(parents=True)
            (folder / "experiments").symlink_to(root.resolve() / "experiments")
            page = Page(path.relative_to(root).as_posix(), folder, environment)
            for block in blocks_of(path.read_text()):
                page.check_block(block)
            problems += page.problems
            count += page.count
    finally:
        shutil.rmtree(scratch)
    if only is None and count < COMMANDS_MIN:
        problems.append(f"only {count} commands were found in the pages")
    return problems


# --- links ---


def prose(text):
    """The page without its code."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text):
    """The names that headings get: lower case, hyphens for spaces, other signs left out."""
    without_code = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    heads = re.findall(r"^#+ +(.*?) *$", without_code, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def check_links(root):
    problems = []
    for page in [*pages(root), *sorted(root.glob("*.md"))]:
        text = page.read_text()
        links = re.findall(r"\]\(([^)\s]+)\)", prose(text))
        links += re.findall(r'(?:src|href|srcset)="([^"]+)"', prose(text))
        for link in links:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = page.parent / path if path else page
            if not target.exists():
                problems.append(f"{page.relative_to(root)}: links to {link}, which does not exist")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
                problems.append(f"{page.relative_to(root)}: {link}: there is no such heading")
    return sorted(set(problems))


def main():
    what, root, more = sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3:]
    if what == "extend":
        problems = extend(root, Path(more[0]))
    else:
        problems = {"commands": check_commands, "links": check_links}[what](root, *more)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
