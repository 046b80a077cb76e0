"""LCN's training loop beside PyTorch Geometric's GCNConv: time per epoch, peak memory, the floor.

    make bench                       # or: python benchmarks/train.py [--epochs 60] [--repeats 5]

The same two-layer network (hidden 16, no bias, dropout 0.5 on both inputs, Adam, L2), the same
kernel Â, the same sparse 0/1 features, two CPU threads. "PyG" runs the usual loop: dense
features, a training step and an evaluation for validation accuracy every epoch. "PyG sparse X"
is what an expert can do with the same layer: features as a CSR tensor, dropout on its values.
Every side keeps what it computes once (normalised edges) out of the epoch. "few labels": 20 per
class and 500 for validation, as in the public splits; "20/10/70": the LCN paper's split.

Each measurement runs in a process of its own, so that peak memory means something; the sides
alternate, and medians over the repeats are reported.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

from lovasz.baselines.epochs import SHAPES, LabelledGraph, draw_labelled, our_epochs, pyg_epochs
from memory import mebibytes, reset_peak

SPLITS = ("few labels", "20/10/70")
RUNS = 10


def problem(shape: str, labels: str, runs: int) -> LabelledGraph:
    """The graph of a shape, with few labels or with those of the paper's split."""
    n, classes = SHAPES[shape].nodes, SHAPES[shape].classes
    sizes = (20 * classes, 500) if labels == "few labels" else (n // 5, n // 10)
    return draw_labelled(SHAPES[shape], *sizes, runs=runs)


SIDES = {
    "PyG": pyg_epochs,
    "PyG sparse X": lambda task, epochs: pyg_epochs(task, epochs, thin=True),
    "lovasz": our_epochs,
}


def floor(shape: str, labels: str, runs: int) -> float:
    """Bytes an epoch must move, over the measured bandwidth of this machine, in seconds.

    Whole graph, float32, each array read or written once: the non-zeros of X (8 bytes, twice
    for the training step, once for validation, and 2 random bytes each a run), those of K
    (8 bytes, six products), and the (n, 16·runs) activations, about ten passes. With few
    labels only a part of the graph is touched, so the true floor is lower.
    """
    n, m, d, per_row, classes = SHAPES[shape]
    x, k = n * per_row, 2 * m + n
    weights = runs * 16 * (d + classes) * 4 * 8
    moved = x * (8 * 3 + 2 * runs) + k * 8 * 6 + 10 * n * 16 * runs * 4 + weights
    return moved / bandwidth()


def bandwidth() -> float:
    """Bytes a second of a large copy with two threads (read and write counted)."""
    import torch

    source = torch.zeros(2**26)
    target = torch.empty_like(source)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        target.copy_(source)
        times.append(time.perf_counter() - start)
    return 2 * source.numel() * 4 / min(times)


def measure(side: str, shape: str, labels: str, runs: int, epochs: int) -> tuple[float, float]:
    """Median seconds per epoch and peak MiB above the imports, in a process of its own."""
    command = [sys.executable, __file__, "--child", side, shape, labels, str(runs), str(epochs)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    answer = json.loads(result.stdout.splitlines()[-1])
    return answer["seconds"], answer["mib"]


def child(side: str, shape: str, labels: str, runs: str, epochs: str) -> None:
    import torch
    import torch_geometric.nn  # noqa: F401  # on both sides, so that memory compares

    torch.set_num_threads(2)
    reset_peak()
    before = mebibytes("VmRSS")
    seconds = SIDES[side](problem(shape, labels, int(runs)), int(epochs))
    peak = mebibytes("VmHWM") - before
    print(json.dumps({"seconds": statistics.median(seconds[3:]), "mib": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    print("milliseconds an epoch (median), peak MiB in brackets; ratio = peer / lovasz\n")
    columns = "".join(f"{side:>17}" for side in SIDES)
    print(f"{'graph':13} {'labels':10} {'runs':>4}{columns}{'ratio':>7}{'ratio':>7}{'floor':>7}")
    for shape in SHAPES:
        for labels in SPLITS:
            for runs in (1, RUNS):
                compare(shape, labels, runs, options)


def compare(shape: str, labels: str, runs: int, options: argparse.Namespace) -> None:
    """One line of the table."""
    measured: dict[str, list[tuple[float, float]]] = {side: [] for side in SIDES}
    for _ in range(options.repeats):
        for side, results in measured.items():
            results.append(measure(side, shape, labels, runs, options.epochs))
    cells, times = "", []
    for side, results in measured.items():
        seconds, mib = (statistics.median(column) for column in zip(*results, strict=True))
        times.append(seconds if side == "lovasz" else seconds * runs)  # PyG: one after the other
        cells += f"{times[-1] * 1e3:10.2f} [{mib:4.0f}]"
    ratios = "".join(f"{peer / times[-1]:7.1f}" for peer in times[:-1])
    bound = floor(shape, labels, runs) * 1e3
    print(f"{shape:13} {labels:10} {runs:4}{cells}{ratios}{bound:7.2f}", flush=True)


if __name__ == "__main__":
    main()
