#!/usr/bin/env python3
"""run_hashes.py - what a set of short runs computes, as hashes of their weights.

    run_hashes.py record PROGRAM FILE      trains every run and writes a line per file of weights
    run_hashes.py compare PROGRAM FILE     trains them again and names every line that differs
    run_hashes.py list PROGRAM             prints the runs

PROGRAM is a muster binary. A hash is the SHA-256 of the names, shapes and bytes of the tensors of
model.safetensors, so metadata and the layout of the file do not count. Bits depend on the
instruction set: compare two builds on one machine. Use it before and after a change that must not
change what is computed. Asynchronous algorithms repeat with one worker only. --only TEXT takes the
runs whose name contains TEXT.
"""

import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

FIGURES = "--dataset figures --figures.train-count 240 --figures.test-count 40 --batch-size 16"
UNEVEN = "--partition dirichlet --validation 0.1"
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
          "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1"]

STUDY = """\
seed: [1, 2]
data: {name: figures, train_count: 160, test_count: 40}
train: {epochs: 1, batch_size: 16}
transport: {workers: 3}
optimizer: {name: sgd, lr: [0.1, 0.01]}
runs:
  sync: {algorithm: sync}
  server: {algorithm: ps-sync}
  dsgd: {algorithm: dsgd, graph: cycle}
"""


def algorithms(program):
    """(names of all algorithms, those that repeat with several workers)"""
    listed = json.loads(subprocess.check_output([program, "algorithms", "--json"]))["algorithms"]
    listed = [a for a in listed if not a.get("needs_grid")]  # they train no images
    is_server_based = {"served", "server-based"}
    repeat = [a["name"] for a in listed if not a["one_worker_only"] and
              (a["kind"] == "lockstep" or a["kind"] in is_server_based and "async" not in a["name"])]
    return [a["name"] for a in listed], repeat


def cases(program):
    """(name, how, arguments): how is train, mpi:N, resume or study; "?--flag value" is left out for
    algorithms that reject it"""
    names, repeat = algorithms(program)
    for name in names:
        yield f"one {name}", "train", f"--model mnist_conv --epochs 1 --workers 1 --algorithm {name}"
    for name in repeat:
        yield (f"three {name}", "train",
               f"--model mnist_bn --epochs 1 --workers 3 ?--momentum 0.9 {UNEVEN} --algorithm {name}")
    for name in repeat:
        yield f"mpi {name}", "mpi:3", f"--model mnist_bn --epochs 1 --algorithm {name}"
    for name in names:
        several = 3 if name in repeat else 1
        yield (f"resume {name}", "resume",
               f"--model mnist_bn ?--optimizer adam --workers {several} --algorithm {name}")
    for model in "lenet5", "cnn1", "psgd_cnn", "mlp", "mnist_bn":
        yield f"model {model}", "train", f"--model {model} --epochs 1 --max-steps 6"
    yield ("model cnn2", "train", "--model cnn2 --max-steps 3 --dataset noise --noise.height 32 "
           "--noise.width 32 --noise.channels 3 --noise.train-count 200 --noise.test-count 20")
    for optimizer in "adam", "adamw", "lbfgs":
        yield f"optimizer {optimizer}", "train", f"--model mlp --epochs 1 --optimizer {optimizer}"
    for schedule in "linear", "geometric", "exponential", "cosine", "step", "onecycle":
        yield f"schedule {schedule}", "train", f"--model mnist_conv --epochs 2 --schedule {schedule}"
    for statistics in "average", "local", "recalibrate":
        yield (f"statistics {statistics}", "train",
               f"--model mnist_bn --epochs 1 --workers 3 --algorithm local-sgd --statistics {statistics}")
    yield "clip", "train", "--model mnist_conv --epochs 1 --clip-norm 0.1"
    yield "direct", "train", "--model mnist_conv --epochs 1 --convolution direct"
    yield "study", "study", ""


def without_optional(arguments):
    return re.sub(r"\?--\S+ \S+", "", arguments)


def train(program, arguments, out):
    words = arguments.split()
    data = [] if "--dataset" in words else FIGURES.split()
    return [program, "train", *data, *words, "--quiet", "--name", "x", "--out", out]


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"exit code {result.returncode}: {' '.join(command)}\n{result.stderr}")


def work(program, how, arguments, folder):
    if "?--" in arguments:
        try:
            return work(program, how, arguments.replace("?--", "--"), folder)
        except RuntimeError:
            return work(program, how, without_optional(arguments), folder)
    if how == "train":
        run(train(program, arguments, folder))
    elif how.startswith("mpi:"):
        run([*MPIRUN, "-n", how[4:], *train(program, arguments, folder)])
    elif how == "resume":
        run(train(program, arguments + " --epochs 1", folder))
        run([program, "train", "--resume", folder, "--epochs", "2", "--quiet"])
    else:
        path = folder + ".yaml"
        with open(path, "w") as file:
            file.write(STUDY)
        run([program, "run", path, "--quiet", "--out", folder])
    return None


def tensor_hash(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    header.pop("__metadata__", None)
    total = hashlib.sha256()
    for name in sorted(header):
        begin, end = header[name]["data_offsets"]
        total.update(f"{name} {header[name]['dtype']} {header[name]['shape']}\n".encode())
        total.update(data[begin:end])
    return total.hexdigest()


def hashes(program, only):
    """Yields "NAME\\tHASH" of every model that the runs wrote."""
    scratch = tempfile.mkdtemp()
    try:
        for name, how, arguments in cases(program):
            if only not in name:
                continue
            folder = os.path.join(scratch, name.replace(" ", "_"))
            try:
                work(program, how, arguments, folder)
            except RuntimeError as error:
                yield f"{name}\tfailed"
                print(error, file=sys.stderr)
                continue
            for path, _, files in sorted(os.walk(folder)):
                if "model.safetensors" in files:
                    run_name = os.path.relpath(path, folder)
                    yield f"{name}/{run_name}\t{tensor_hash(os.path.join(path, 'model.safetensors'))}"
    finally:
        shutil.rmtree(scratch)


def compare(program, path, only):
    recorded = dict(line.rstrip("\n").split("\t") for line in open(path))
    wrong = seen = 0
    for line in hashes(program, only):
        name, value = line.split("\t")
        seen += 1
        if recorded.get(name) != value or value == "failed":
            wrong += 1
            print(f"{name}: {value}, recorded {recorded.get(name, 'nothing')}")
    missing = 0 if only else len(recorded) - seen
    print(f"{seen - wrong} of {seen} equal" + (f", {missing} missing" if missing > 0 else ""))
    return wrong > 0 or missing > 0


def main(arguments):
    only = ""
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1]
        del arguments[at:at + 2]
    if arguments[:1] == ["record"] and len(arguments) == 3:
        with open(arguments[2], "w") as file:
            for line in hashes(os.path.abspath(arguments[1]), only):
                print(line, file=file, flush=True)
        return 0
    if arguments[:1] == ["compare"] and len(arguments) == 3:
        return int(compare(os.path.abspath(arguments[1]), arguments[2], only))
    if arguments[:1] == ["list"] and len(arguments) == 2:
        for name, how, given in cases(os.path.abspath(arguments[1])):
            print(f"{name}\t{how}\t{given}")
        return 0
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
