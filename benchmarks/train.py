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

import numpy as np

from memory import mebibytes, reset_peak

SHAPES = {  # nodes, edges, features, non-zeros a row, classes
    "cora-sized": (2708, 5278, 1433, 18, 7),
    "pubmed-sized": (19717, 44324, 500, 50, 3),
}
SPLITS = ("few labels", "20/10/70")
RUNS = 10


def problem(shape: str, labels: str):
    """A random graph with random sparse features and labels: speed does not depend on them."""
    from scipy import sparse

    from lovasz.graphs import Graph

    n, m, d, per_row, classes = SHAPES[shape]
    rng = np.random.default_rng(0)
    ends = rng.integers(0, n, (2, m + m // 50))
    graph = Graph.from_edges(*ends, n=n)
    columns = np.concatenate([rng.choice(d, per_row, replace=False) for _ in range(n)])
    features = sparse.csr_array(
        (np.ones(columns.size, np.float32), columns, np.arange(0, n * per_row + 1, per_row)),
        shape=(n, d),
    )
    y = rng.integers(0, classes, n)
    sizes = (20 * classes, 500) if labels == "few labels" else (n // 5, n // 10)
    splits = []
    for _ in range(RUNS):
        order = rng.permutation(n)
        splits.append((order[: sizes[0]], order[sizes[0] : sum(sizes)]))
    return graph, features, y, splits


def run_lovasz(shape: str, labels: str, runs: int, epochs: int) -> list[float]:
    """Seconds of each epoch of ``runs`` networks trained at once."""
    from lovasz import kernel
    from lovasz.nn import Settings, train

    graph, features, y, splits = problem(shape, labels)
    K = kernel(graph, "gcn")
    ticks: list[float] = []
    train(
        K, y, splits[:runs], features=features, settings=Settings(epochs=epochs), device="cpu",
        callback=lambda epoch, note: ticks.append(time.perf_counter()),
    )  # fmt: skip
    return list(np.diff(ticks))


def run_pyg(shape: str, labels: str, runs: int, epochs: int, *, thin: bool = False) -> list[float]:
    """Seconds of each epoch of one network; ten runs take ten times that."""
    import torch
    import torch.nn.functional as F
    from torch_geometric.nn import GCNConv

    graph, features, y, splits = problem(shape, labels)
    edge_index = torch.as_tensor(np.stack(graph.adjacency.nonzero()))
    x, target = torch.as_tensor(features.toarray()), torch.as_tensor(y)
    x = x.to_sparse_csr() if thin else x
    train_nodes, val_nodes = (torch.as_tensor(nodes) for nodes in splits[0])

    def drop(x, training):
        if not (thin and training):
            return x if thin else F.dropout(x, 0.5, training)
        values = F.dropout(x.values(), 0.5)
        return torch.sparse_csr_tensor(x.crow_indices(), x.col_indices(), values, x.shape)

    class GCN(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = GCNConv(x.shape[1], 16, cached=True, bias=False)
            self.conv2 = GCNConv(16, int(target.max()) + 1, cached=True, bias=False)

        def forward(self, x, edge_index):
            x = self.conv1(drop(x, self.training), edge_index).relu()
            x = F.dropout(x, 0.5, self.training)
            return self.conv2(x, edge_index)

    model = GCN()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    ticks = []
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x, edge_index)[train_nodes], target[train_nodes])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            right = model(x, edge_index).argmax(1) == target
            float(right[val_nodes].float().mean())
        ticks.append(time.perf_counter())
    return list(np.diff(ticks))


SIDES = {
    "PyG": run_pyg,
    "PyG sparse X": lambda *given: run_pyg(*given, thin=True),
    "lovasz": run_lovasz,
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
    seconds = SIDES[side](shape, labels, int(runs), int(epochs))
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
