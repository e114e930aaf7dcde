#!/usr/bin/python3
"""torch_peer.py - PyTorch as the other side of bench/compare.

Trains one of the studies' networks on data in memory: forward, backward, SGD with momentum. First it
writes a line of JSON that says what it is; then it answers each line "window SECONDS" on stdin with
{"samples": ..., "seconds": ...}, until stdin ends. `muster bench --serve` speaks the same.

Batches are slices cut beforehand, so that nothing but training is on the clock.
"""

import argparse
import json
import os
import sys
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--model", required=True)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--input-size", type=int, default=0)
parser.add_argument("--layout", choices=["default", "channels_last"], default="default")
parser.add_argument("--data-dir", default="/usr/share/datasets/fashion-mnist")
ARGS = parser.parse_args()

# Both libraries read these when they are loaded.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(ARGS.threads)

try:
    import torch

    import torch_networks
except ImportError as missing:
    print(json.dumps({"error": f"PyTorch is not here: {missing}"}), flush=True)
    sys.exit(3)

torch.set_num_threads(ARGS.threads)

if ARGS.model not in torch_networks.NETWORKS:
    known = ", ".join(torch_networks.NETWORKS)
    print(json.dumps({"error": f"no network {ARGS.model}; there are {known}"}), flush=True)
    sys.exit(2)


class Trainer:
    def __init__(self):
        network = torch_networks.Network(ARGS.model, ARGS.batch, ARGS.input_size, ARGS.layout)
        self.model = network.model()
        self.optimizer = torch_networks.optimizer(self.model.parameters())
        self.loss = network.loss
        self.data, x, y = network.samples(ARGS.data_dir)
        self.batches = list(network.batches(x, y))
        self.next = 0

    def step(self):
        x, y = self.batches[self.next]
        self.next = (self.next + 1) % len(self.batches)
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.model(x), y).backward()
        self.optimizer.step()

    def window(self, seconds):
        steps, start = 0, time.perf_counter()
        while True:
            self.step()
            steps += 1
            elapsed = time.perf_counter() - start
            if elapsed >= seconds:
                return {"samples": steps * ARGS.batch, "seconds": elapsed}


def main():
    if torch_networks.blas() == "reference":
        print(json.dumps({"error": "a fast BLAS for PyTorch is not here, only the reference one"}), flush=True)
        sys.exit(3)
    trainer = Trainer()
    allocator = "tcmalloc" if "tcmalloc" in os.environ.get("LD_PRELOAD", "") else "system"
    ready = {
        "ready": True,
        "program": "pytorch",
        "version": torch.__version__,
        "model": ARGS.model,
        "data": trainer.data,
        "batch": ARGS.batch,
        "threads": ARGS.threads,
        "parameters": sum(p.numel() for p in trainer.model.parameters()),
        "layout": ARGS.layout,
        "allocator": allocator,
        "blas": torch_networks.blas(),
    }
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command != "window":
            sys.exit(f'torch_peer.py: stdin: "{line.strip()}" is not "window SECONDS"')
        print(json.dumps(trainer.window(float(argument))), flush=True)


if __name__ == "__main__":
    main()
