#!/usr/bin/python3
"""torch_workers.py - PyTorch with several processes, as the other side of bench/workers.

One run is one window: processes are started, warm up, meet, train for so many seconds on data in memory, and the
first says in one line of JSON how many samples all of them did together per second.

  ddp       DistributedDataParallel over gloo
  hogwild   one model in shared memory, an optimiser in every process (torch.multiprocessing)
  ps        an asynchronous parameter server over torch.distributed.rpc: a worker sends its gradient, the server
            steps and replies with all parameters; the server is one more process

Every process has one thread and its own part of the samples, cut into batches beforehand.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--mode", required=True, choices=["ddp", "hogwild", "ps"])
parser.add_argument("--workers", type=int, default=2)
parser.add_argument("--model", default="lenet5")
parser.add_argument("--batch", type=int, default=32, help="of each worker")
parser.add_argument("--layout", choices=["default", "channels_last"], default="default")
parser.add_argument("--seconds", type=float, default=2.5)
parser.add_argument("--warm-up", type=float, default=0.5, help="seconds before the window")
parser.add_argument("--data-dir", default="/usr/share/datasets/fashion-mnist")
ARGS = parser.parse_args()

# Libraries read these when they are loaded. Both ways to send look for a network by the host's name otherwise.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["GLOO_SOCKET_IFNAME"] = os.environ["TP_SOCKET_IFNAME"] = "lo"

try:
    import torch
    import torch.distributed
    import torch.multiprocessing
    from torch.distributed import rpc

    import torch_networks
except ImportError as missing:
    print(json.dumps({"error": f"PyTorch is not here: {missing}"}), flush=True)
    sys.exit(3)

torch.set_num_threads(1)


def fail(text, code):
    print(json.dumps({"error": text}), flush=True)
    sys.exit(code)


class Run:
    """What every process has: made before they are forked, so that data is loaded once."""

    def __init__(self, folder):
        processes = torch.multiprocessing.get_context("fork")
        self.network = torch_networks.Network(ARGS.model, ARGS.batch, layout=ARGS.layout)
        self.data, x, y = self.network.samples(ARGS.data_dir)
        self.parts = [
            list(self.network.batches(x[rank :: ARGS.workers], y[rank :: ARGS.workers])) for rank in range(ARGS.workers)
        ]
        self.store = f"file://{folder}/{{}}"
        self.barrier = processes.Barrier(ARGS.workers)
        self.rates = processes.Array("d", ARGS.workers, lock=False)
        self.loss = processes.Value("d", 0.0, lock=False)

    def parameters(self):
        return sum(p.numel() for p in self.network.model().parameters())


class Stepper:
    """Forward and backward on the next batch of one worker's part."""

    def __init__(self, run, rank, model):
        self.model, self.criterion, self.batches = model, run.network.loss, run.parts[rank]
        self.next = 0

    def gradient(self):
        x, y = self.batches[self.next]
        self.next = (self.next + 1) % len(self.batches)
        self.model.zero_grad(set_to_none=True)
        loss = self.criterion(self.model(x), y)
        loss.backward()
        return loss


# --- timing ---


def time_free(run, rank, step):
    """Workers that do not wait for each other: each has its own rate, over the same seconds."""
    until = time.perf_counter() + ARGS.warm_up
    while time.perf_counter() < until:
        step()
    run.barrier.wait()
    steps, start, elapsed = 0, time.perf_counter(), 0.0
    while elapsed < ARGS.seconds:
        loss = step()
        steps += 1
        elapsed = time.perf_counter() - start
    run.rates[rank] = steps * ARGS.batch / elapsed
    run.barrier.wait()
    if rank == 0:
        run.loss.value = float(loss)


def time_lockstep(run, rank, step):
    """Workers that go together must agree on the number of steps: the first decides it while warming up."""

    def timed(count):
        torch.distributed.barrier()
        start = time.perf_counter()
        for _ in range(count):
            step()
        torch.distributed.barrier()
        return time.perf_counter() - start

    count, elapsed = 4, torch.tensor([0.0])
    while elapsed.item() < ARGS.warm_up:
        count *= 2
        elapsed = torch.tensor([timed(count)])
        torch.distributed.broadcast(elapsed, 0)
    count = max(1, round(count * ARGS.seconds / elapsed.item()))
    run.rates[rank] = count * ARGS.batch / timed(count)
    loss = step()
    if rank == 0:
        run.loss.value = float(loss)


# --- the ways to train ---


def train_ddp(rank, run):
    torch.distributed.init_process_group(
        "gloo", init_method=run.store.format("ddp"), rank=rank, world_size=ARGS.workers
    )
    model = torch.nn.parallel.DistributedDataParallel(run.network.model())
    optimizer = torch_networks.optimizer(model.parameters())
    stepper = Stepper(run, rank, model)

    def step():
        loss = stepper.gradient()
        optimizer.step()
        return loss

    time_lockstep(run, rank, step)
    torch.distributed.destroy_process_group()


def train_hogwild(rank, run, model):
    optimizer = torch_networks.optimizer(model.parameters())
    stepper = Stepper(run, rank, model)

    def step():
        loss = stepper.gradient()
        optimizer.step()
        return loss

    time_free(run, rank, step)


class Server:
    """The model, stepped by whichever gradient arrives."""

    instance = None

    def __init__(self, network):
        self.parameters = list(network.model().parameters())
        self.optimizer = torch_networks.optimizer(self.parameters)
        self.lock = threading.Lock()

    def push(self, gradients):
        with self.lock:
            for parameter, gradient in zip(self.parameters, gradients):
                parameter.grad = gradient
            self.optimizer.step()
            return [parameter.detach() for parameter in self.parameters]


def push_to_server(gradients):
    return Server.instance.push(gradients)


def work_for_server(rank, run):
    model = run.network.model()
    stepper = Stepper(run, rank, model)
    parameters = list(model.parameters())

    def step():
        loss = stepper.gradient()
        fresh = rpc.rpc_sync("server", push_to_server, args=([p.grad for p in parameters],))
        with torch.no_grad():
            for parameter, value in zip(parameters, fresh):
                parameter.copy_(value)
        return loss

    time_free(run, rank, step)


def train_ps(rank, run):
    is_server = rank == ARGS.workers
    if is_server:
        Server.instance = Server(run.network)
    options = rpc.TensorPipeRpcBackendOptions(
        num_worker_threads=ARGS.workers + 1, rpc_timeout=0, init_method=run.store.format("rpc")
    )
    name = "server" if is_server else f"worker{rank}"
    rpc.init_rpc(name, rank=rank, world_size=ARGS.workers + 1, rpc_backend_options=options)
    if not is_server:
        work_for_server(rank, run)
    rpc.shutdown()


def train(run):
    if ARGS.mode == "ddp":
        work, arguments, count = train_ddp, (run,), ARGS.workers
    elif ARGS.mode == "hogwild":
        work, arguments, count = train_hogwild, (run, run.network.model().share_memory()), ARGS.workers
    else:
        work, arguments, count = train_ps, (run,), ARGS.workers + 1
    torch.multiprocessing.start_processes(work, arguments, count, start_method="fork")


def main():
    known = [name for name, (_, shape) in torch_networks.NETWORKS.items() if shape == (1, 28, 28)]
    if ARGS.model not in known:
        fail(f"no network {ARGS.model} for grey images of 28x28; there are {', '.join(known)}", 2)
    if not (torch.distributed.is_available() and rpc.is_available()):
        fail("PyTorch with torch.distributed and its RPC is not here", 3)
    if torch_networks.blas() == "reference":
        fail("a fast BLAS for PyTorch is not here, only the reference one", 3)
    if not pathlib.Path(ARGS.data_dir).is_dir():
        fail(f"Fashion-MNIST is not here: no folder {ARGS.data_dir}", 3)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder)
        train(run)
    print(
        json.dumps(
            {
                "program": "pytorch",
                "version": torch.__version__,
                "mode": ARGS.mode,
                "model": ARGS.model,
                "data": run.data,
                "batch": ARGS.batch,
                "workers": ARGS.workers,
                "parameters": run.parameters(),
                "layout": ARGS.layout,
                "blas": torch_networks.blas(),
                "loss": run.loss.value,
                "samples_per_s": sum(run.rates),
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    main()
