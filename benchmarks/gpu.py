"""LCN's training loop on a GPU beside PyTorch Geometric: time per epoch, and the floor.

    python benchmarks/gpu.py                                     # needs a GPU; LOVASZ_DATA for data
    python benchmarks/gpu.py --device cpu --nodes 2000 --epochs 12    # the same on a CPU, small

The network has two layers, 16 hidden units, dropout 0.5 on both inputs, Adam and L2; one network
is trained unless the column says otherwise. An epoch is a training step and the validation
accuracy, which is waited for, as in a loop that prints it. Times are medians after the first ten
epochs.

- "lovasz": :mod:`lovasz.nn.engine.loop`, an epoch recorded as a CUDA graph; "uncaptured": the
  same, kernel by kernel; "x runs": so many splits at once, time per run. Sparse features stay
  sparse, and a step touches only what its labels can see.
- "GCNConv": PyTorch Geometric's usual loop, dense features, normalised edges cached; "GCNConv
  CSR": with the edges as a sparse tensor; "LovaszConv": our layer in that same loop.

Cora and Pubmed have their public split, the block model (10 blocks, average degree 10, 64
features) 20 % of its nodes for training and 10 % for validation. All have the LS kernel
(normalised), GCNConv its own of the same pattern. Where data is absent, a random graph of the
same size stands in, and the name says so.

The floor is the time to move, at the speed of a large copy on that device, what "lovasz" must
read and write once for every product: the non-zeros of X and K that the labels can see, the
operands and results of the products with K, the weights and the state of Adam. Activations
between products are left out, so it cannot be reached.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from scipy import sparse

import lovasz
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings, train
from lovasz.nn.engine.operators import receptive_field

HIDDEN, SKIP = 16, 10
Found = dict[tuple[str, str], tuple[float, np.ndarray | None]]
SIZES = {"cora": (2708, 5278, 1433, 18, 7), "pubmed": (19717, 44324, 500, 50, 3)}


@dataclass(frozen=True)
class Problem:
    """What to train on."""

    name: str
    graph: Graph
    K: sparse.csr_array
    features: Any
    y: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]

    @property
    def classes(self) -> int:
        return int(self.y.max()) + 1


def load_problem(name: str, nodes: int, runs: int) -> Problem:
    rng = np.random.default_rng(0)
    title, labels = name, None
    if name == "sbm":
        inside, outside = 5 / (nodes / 10), 5 / (nodes * 9 / 10)  # five neighbours each
        graph, y, _ = planted_partition(nodes, 10, inside, outside, seed=0)
        means = rng.standard_normal((10, 64))
        features = (means[y] + 3 * rng.standard_normal((nodes, 64))).astype(np.float32)
        title = f"sbm, n={nodes:,}"
    else:
        try:
            from lovasz.datasets import load

            data = load(name)
            graph, y, features = data.graph, data.y, sparse.csr_array(data.features)
            labels = data.splits["public"]["train"], data.splits["public"]["val"]
        except (lovasz.LovaszError, ImportError):
            graph, y, features = stand_in(name, rng)
            title = f"{name}-sized, random"
            order = rng.permutation(graph.n)
            count = 20 * (int(y.max()) + 1)
            labels = order[:count], order[count : count + 500]
    splits = [labels] if labels is not None else []
    while len(splits) < runs:
        order = rng.permutation(graph.n)
        sizes = (graph.n // 5, graph.n // 10) if labels is None else [*map(len, labels)]
        ends = np.cumsum(sizes)
        splits.append((order[: ends[0]], order[ends[0] : ends[1]]))
    start = time.perf_counter()
    K = lovasz.kernel(graph, "ls", weights="normalized")
    print(f"{title}: {graph.n:,} nodes, {graph.m:,} edges, {features.shape[1]} features; ", end="")
    print(f"kernel in {time.perf_counter() - start:.1f} s", flush=True)
    return Problem(title, graph, K, features, y, splits)


def stand_in(name: str, rng: np.random.Generator) -> tuple[Graph, np.ndarray, sparse.csr_array]:
    n, m, d, per_row, classes = SIZES[name]
    graph = Graph.from_edges(*rng.integers(0, n, (2, m + m // 50)), n=n)
    columns = np.concatenate([rng.choice(d, per_row, replace=False) for _ in range(n)])
    rows = np.arange(0, n * per_row + 1, per_row)
    X = sparse.csr_array((np.ones(columns.size, np.float32), columns, rows), shape=(n, d))
    return graph, rng.integers(0, classes, n), X


def run_lovasz(
    problem: Problem, epochs: int, device: str, *, runs: int = 1, capture: bool = True
) -> tuple[list[float], np.ndarray]:
    """Seconds of each epoch, a run; and the logits."""
    ticks: list[float] = []
    result = train(
        problem.K, problem.y, problem.splits[:runs], features=problem.features,
        classes=problem.classes, device=device,
        settings=Settings(hidden=HIDDEN, epochs=epochs, capture=capture),
        callback=lambda epoch, note: ticks.append(time.perf_counter()),
    )  # fmt: skip
    return list(np.diff(ticks) / runs), result.logits


class Peer(torch.nn.Module):
    """The usual two layers."""

    def __init__(self, layer: Any, widths: tuple[int, int, int]) -> None:
        super().__init__()
        self.first, self.second = (layer(*widths[i : i + 2]) for i in (0, 1))

    def forward(self, x, *edges):
        x = self.first(F.dropout(x, 0.5, self.training), *edges).relu()
        return self.second(F.dropout(x, 0.5, self.training), *edges)


def run_peer(problem: Problem, epochs: int, device: str, kind: str) -> tuple[list[float], None]:
    from torch_geometric.nn import GCNConv

    from lovasz.nn import LovaszConv

    X = problem.features.toarray() if sparse.issparse(problem.features) else problem.features
    x = torch.as_tensor(X, dtype=torch.float32, device=device)
    y = torch.as_tensor(problem.y, dtype=torch.int64, device=device)
    learn, judge = (torch.as_tensor(nodes, device=device) for nodes in problem.splits[0])
    layer = LovaszConv if kind == "LovaszConv" else GCNConv
    model = Peer(
        lambda a, b: layer(a, b, cached=True, bias=False), (x.shape[1], HIDDEN, problem.classes)
    ).to(device)
    edges = edges_of(problem, kind, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    ticks = []
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(model(x, *edges)[learn], y[learn]).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            right = model(x, *edges)[judge].argmax(1) == y[judge]
            float(right.float().mean())
        ticks.append(time.perf_counter())
    return list(np.diff(ticks)), None


def edges_of(problem: Problem, kind: str, device: str) -> tuple[torch.Tensor, ...]:
    if kind == "GCNConv CSR":
        A = problem.graph.adjacency
        parts = (torch.as_tensor(a.astype(np.int64), device=device) for a in (A.indptr, A.indices))
        ones = torch.ones(A.nnz, device=device)
        return (torch.sparse_csr_tensor(*parts, ones, size=A.shape),)
    matrix = (problem.K if kind == "LovaszConv" else problem.graph.adjacency).tocoo()
    index = torch.as_tensor(np.stack(matrix.coords).astype(np.int64), device=device)
    if kind == "GCNConv":
        return (index,)
    return index, torch.as_tensor(matrix.data, dtype=torch.float32, device=device)


def floor_of(problem: Problem, speed: float) -> float:
    """Seconds to move the bytes of an epoch of one network; see the docstring of this file."""
    X, moved = problem.features, 0
    widths = (HIDDEN, problem.classes)
    for rows, passes in zip(problem.splits[0], (2, 1), strict=True):  # forth and back; forth
        matrices, fields = receptive_field(problem.K, np.unique(rows), 2)
        seen = X[fields[0]]
        moved += passes * (8 * seen.nnz if sparse.issparse(X) else 4 * seen.size)
        for M, width in zip(matrices, widths, strict=True):
            moved += passes * (8 * M.nnz + 4 * width * sum(M.shape))
    moved += 7 * 4 * HIDDEN * (X.shape[1] + problem.classes)  # Adam: w, g, m, v in, w, m, v out
    return moved / speed


def bandwidth(device: str) -> float:
    """Bytes a second of a large copy, read and write counted."""
    count = 2**28 if device.startswith("cuda") else 2**25
    source = torch.zeros(count, device=device)
    target, times = torch.empty_like(source), []
    for _ in range(7):
        wait(device)
        start = time.perf_counter()
        target.copy_(source)
        wait(device)
        times.append(time.perf_counter() - start)
    return 2 * source.numel() * 4 / min(times)


def wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def measure(side: Any, notes: list[str], title: str) -> tuple[float, np.ndarray | None]:
    """Median seconds per epoch and the logits; NaN and a note where it fails."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        try:
            seconds, logits = side()
            value = statistics.median(seconds[SKIP:] or seconds)
        except Exception as problem:
            notes.append(f"{title}: {type(problem).__name__}: {str(problem).splitlines()[0]}")
            value, logits = float("nan"), None
    notes += [f"{title}: {w.message}" for w in caught if w.category is RuntimeWarning]
    return value, logits


SIDES: dict[str, Callable[..., Any]] = {  # in the order they are measured
    "GCNConv": lambda *given, runs: run_peer(*given, "GCNConv"),
    "GCNConv CSR": lambda *given, runs: run_peer(*given, "GCNConv CSR"),
    "LovaszConv": lambda *given, runs: run_peer(*given, "LovaszConv"),
    "uncaptured": lambda *given, runs: run_lovasz(*given, capture=False),
    "lovasz": lambda *given, runs: run_lovasz(*given),
    "runs": lambda *given, runs: run_lovasz(*given, runs=runs),
}
COLUMNS = ("lovasz", "uncaptured", "runs", "GCNConv", "GCNConv CSR", "LovaszConv")


def measure_all(problems: list[Problem], options: argparse.Namespace) -> tuple[Found, list[str]]:
    """Side by side, the graphs inside: a GPU that a failed capture upsets has done the rest."""
    found: Found = {}
    notes: list[str] = []
    for side, run in SIDES.items():
        for problem in problems:
            given = problem, options.epochs, options.device
            title = f"{problem.name}, {side}"
            result = measure(lambda: run(*given, runs=options.runs), notes, title)  # noqa: B023
            print(f"{title}: {result[0] * 1e3:.3f} ms", file=sys.stderr, flush=True)
            found[problem.name, side] = result
    return found, notes


def print_line(problem: Problem, found: Found, speed: float) -> None:
    cells = "".join(f"{found[problem.name, side][0] * 1e3:12.3f}" for side in COLUMNS)
    ours, first = found[problem.name, "lovasz"]
    second = found[problem.name, "uncaptured"][1]
    bound, ratio = floor_of(problem, speed), found[problem.name, "GCNConv"][0] / ours
    apart = np.nan if first is None or second is None else np.abs(first - second).max()
    print(f"{problem.name:21}{cells}{bound * 1e3:9.4f}{ratio:8.1f}{ours / bound:8.1f}{apart:9.0e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--graphs", nargs="*", default=["cora", "pubmed", "sbm"])
    parser.add_argument("--nodes", type=int, default=10**6, help="of the block model")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    on_gpu = options.device.startswith("cuda")
    if on_gpu and not torch.cuda.is_available():
        parser.error("no GPU here; use --device cpu, and --nodes to make it small")
    name = torch.cuda.get_device_name() if on_gpu else f"CPU, {torch.get_num_threads()} threads"
    problems = [load_problem(graph, options.nodes, options.runs) for graph in options.graphs]
    speed = bandwidth(options.device)
    found, notes = measure_all(problems, options)
    print(f"\n{name}, torch {torch.__version__}, a copy moves {speed / 1e9:,.0f} GB/s")
    print("milliseconds an epoch; gain = GCNConv / lovasz; above = lovasz / floor;")
    print("apart = largest difference of a logit between lovasz and uncaptured\n")
    heads = "".join(f"{f'{options.runs} runs' if c == 'runs' else c:>12}" for c in COLUMNS)
    print(f"{'graph':21}{heads}{'floor':>9}{'gain':>8}{'above':>8}{'apart':>9}")
    for problem in problems:
        print_line(problem, found, speed)
    print("".join(f"\n* {note}" for note in notes), flush=True)


if __name__ == "__main__":
    main()
