#!/usr/bin/python3
"""torch_graphs.py - rounds over a graph in plain PyTorch, as the other side of bench/graphs.

One process holds all nodes and takes them in turn, as S001 does: a model per node, parameters flattened to vectors,
neighbours read from memory. The graph is a ring, mixing is Jacobi, batches are cut beforehand. Trains for so many
seconds and says in one line of JSON how many samples all nodes did together per second.
"""

import argparse
import json
import pathlib
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--algorithm", required=True, choices=["dinno", "dsgd", "dsgt"])
parser.add_argument("--nodes", type=int, default=10)
parser.add_argument("--model", default="mnist_conv")
parser.add_argument("--batch", type=int, default=64, help="of each node")
parser.add_argument("--layout", choices=["default", "channels_last"], default="default")
parser.add_argument("--seconds", type=float, default=2.5)
parser.add_argument("--warm-up", type=float, default=0.5, help="seconds before the window")
parser.add_argument("--data-dir", default="/usr/share/datasets/fashion-mnist")
ARGS = parser.parse_args()

try:
    import torch
    from torch.nn.utils import parameters_to_vector, vector_to_parameters

    import torch_networks
except ImportError as missing:
    print(json.dumps({"error": f"PyTorch is not here: {missing}"}), flush=True)
    sys.exit(3)

RHO, PRIMAL_STEPS, LR = 0.5, 2, 0.005


def fail(text, code):
    print(json.dumps({"error": text}), flush=True)
    sys.exit(code)


class Node:
    """A model, its part of the samples, and what the algorithm keeps."""

    def __init__(self, network, samples):
        self.model, self.criterion = network.model(), network.loss
        self.batches, self.next = list(network.batches(*samples)), 0
        self.dual = torch.zeros_like(self.vector())

    def vector(self):
        return parameters_to_vector(self.model.parameters()).detach()

    def set(self, vector):
        vector_to_parameters(vector, self.model.parameters())

    def loss(self):
        x, y = self.batches[self.next]
        self.next = (self.next + 1) % len(self.batches)
        self.model.zero_grad(set_to_none=True)
        return self.criterion(self.model(x), y)

    def gradient(self):
        self.loss().backward()
        return parameters_to_vector([p.grad for p in self.model.parameters()])


def neighbours(nodes, i):
    return sorted({(i - 1) % len(nodes), (i + 1) % len(nodes)} - {i})


def mix(nodes, vectors):
    """Metropolis weights of a ring."""
    result = []
    for i in range(len(nodes)):
        near = neighbours(nodes, i)
        result.append((vectors[i] + sum(vectors[j] for j in near)) / (1 + len(near)))
    return result


# --- one round of each ---


def primal(node, here, near):
    """A few steps of a new Adam on the loss with dual and penalty."""
    optimizer = torch.optim.Adam(node.model.parameters(), lr=LR)
    for _ in range(PRIMAL_STEPS):
        loss = node.loss()
        theta = parameters_to_vector(node.model.parameters())
        penalty = sum((theta - (here + there) / 2).square().sum() for there in near)
        (loss + theta @ node.dual + RHO * penalty).backward()
        optimizer.step()


def dinno_round(nodes):
    vectors = [node.vector() for node in nodes]
    for i, node in enumerate(nodes):
        near = [vectors[j] for j in neighbours(nodes, i)]
        node.dual += RHO * sum(vectors[i] - there for there in near)
        primal(node, vectors[i], near)


def dsgd_round(nodes):
    for node, mixed in zip(nodes, mix(nodes, [node.vector() for node in nodes])):
        node.set(mixed)
        node.set(mixed - LR * node.gradient())


class Dsgt:
    def __init__(self, nodes):
        self.old = [node.gradient() for node in nodes]
        self.y = list(self.old)

    def __call__(self, nodes):
        moved = [node.vector() - LR * y for node, y in zip(nodes, self.y)]
        for node, mixed in zip(nodes, mix(nodes, moved)):
            node.set(mixed)
        new = [node.gradient() for node in nodes]
        self.y = [y + g - old for y, g, old in zip(mix(nodes, self.y), new, self.old)]
        self.old = new


# --- the window ---


def rounds_for(seconds, step, nodes):
    count, start, elapsed = 0, time.perf_counter(), 0.0
    while elapsed < seconds:
        step(nodes)
        count += 1
        elapsed = time.perf_counter() - start
    return count / elapsed


def main():
    if torch_networks.blas() == "reference":
        fail("a fast BLAS for PyTorch is not here, only the reference one", 3)
    if not pathlib.Path(ARGS.data_dir).is_dir():
        fail(f"Fashion-MNIST is not here: no folder {ARGS.data_dir}", 3)
    network = torch_networks.Network(ARGS.model, ARGS.batch, layout=ARGS.layout)
    _, x, y = network.samples(ARGS.data_dir)
    nodes = [Node(network, (x[i :: ARGS.nodes], y[i :: ARGS.nodes])) for i in range(ARGS.nodes)]
    step = {"dinno": lambda: dinno_round, "dsgd": lambda: dsgd_round, "dsgt": lambda: Dsgt(nodes)}[ARGS.algorithm]()
    draws = PRIMAL_STEPS if ARGS.algorithm == "dinno" else 1

    rounds_for(ARGS.warm_up, step, nodes)
    rounds = rounds_for(ARGS.seconds, step, nodes)
    loss = float(nodes[0].loss())
    if loss != loss:
        fail("the loss is not a number", 2)
    print(
        json.dumps(
            {
                "program": "pytorch",
                "version": torch.__version__,
                "algorithm": ARGS.algorithm,
                "model": ARGS.model,
                "nodes": ARGS.nodes,
                "threads": torch.get_num_threads(),
                "parameters": nodes[0].vector().numel(),
                "loss": loss,
                "round_ms": 1e3 / rounds,
                "samples_per_s": rounds * draws * ARGS.batch * ARGS.nodes,
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
