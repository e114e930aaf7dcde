"""golden_sharpness.py - the Hessian's eigenvalue of largest magnitude, of networks on two batches.

Products with the Hessian are exact: autograd differentiates twice, in float64. Power iterations go on until the
eigenvalue stands still. The networks are those of golden_networks.py.
"""

import torch
from torch.nn import functional as F

import formula
import golden_networks

BATCHES = [160, 96]  # samples: batches of different sizes count by their samples
INPUT_SHIFT = 1.0  # inputs are positive, like images: one eigenvalue is far larger than the others
CONVERGED = 1e-10
ITERATIONS_MAX = 500

# name, kind of its activations, Muster's model, the same in Python, shape of a sample, classes
CASES = [
    ("sharpness_mlp", "smooth", "{name: mlp, widths: [33, 18], activation: tanh}", golden_networks.mlp, (3, 4, 5), 10),
    ("sharpness_lenet_tanh", "smooth", "{name: lenet_tanh}", lambda: golden_networks.lenet_tanh(1, 10), (1, 32, 32), 10),
    ("sharpness_mnist_conv", "relu", "{name: mnist_conv}", golden_networks.mnist_conv, (1, 28, 28), 10),
]


def mean_loss(module, name, shape, classes):
    total = sum(
        F.cross_entropy(module(formula.tensor(f"{name}/input/{b}", (batch,) + shape, 1.0, INPUT_SHIFT)),
                        formula.labels(f"{name}/label/{b}", batch, classes), reduction="sum")
        for b, batch in enumerate(BATCHES))
    return total / sum(BATCHES)


def largest_eigenvalue(loss, parameters):
    count = sum(p.numel() for p in parameters)
    gradient = torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, parameters, create_graph=True)])
    v = torch.from_numpy(formula.noise("sharpness/start", count))
    eigenvalue, before = 0.0, float("inf")
    for _ in range(ITERATIONS_MAX):
        v = v / v.norm()
        product = torch.cat([g.reshape(-1) for g in torch.autograd.grad(gradient @ v, parameters, retain_graph=True)])
        eigenvalue = (v @ product).item()
        if abs(eigenvalue - before) <= CONVERGED * abs(eigenvalue):
            return eigenvalue
        before, v = eigenvalue, product
    raise RuntimeError("the power iteration does not converge")


def write_sharpness(path):
    out = formula.Writer(path)
    out.text("cases", "\n".join(case[0] for case in CASES))
    out.numbers("batches", BATCHES, exact=True)
    for name, kind, model, make, shape, classes in CASES:
        module = make().train()
        formula.fill_parameters(module, name)
        loss = mean_loss(module, name, shape, classes)
        eigenvalue = largest_eigenvalue(loss, list(module.parameters()))
        out.text(f"{name}/kind", kind)
        out.text(f"{name}/model", model)
        out.numbers(f"{name}/shape", (max(BATCHES),) + shape, exact=True)
        out.numbers(f"{name}/outputs", [classes], exact=True)
        out.numbers(f"{name}/eigenvalue", [eigenvalue], exact=True)
        print(f"  {name}: loss {loss.item():.6f}, eigenvalue {eigenvalue:.6f}")
    out.close()
