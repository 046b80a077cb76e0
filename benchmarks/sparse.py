"""ϑ of sparse graphs that do not reduce: gap, CPU seconds, memory, and how they grow with n.

    python benchmarks/sparse.py [--sizes 1000 10000 100000] [--tol 1e-5] [--time-limit 100]
        [--only "3-regular" …] [--device cpu]

The families are random graphs of mean degree 4 and 10, random regular graphs of degree 3 and 10,
Barabási–Albert graphs with 5 edges per new node, Delaunay triangulations of random points, and
tori of two odd cycles. Random and regular graphs were drawn by networkx before 2026-11-18, so
values of ϑ in older runs are of other graphs. Each graph is made in one process and solved in
another, with compiled code in the cache; seconds are those of ``lovasz.theta`` by the clock and of
all its threads, and memory is the peak of the process, with the graph and what Python takes. The
certificate is "proven", or "probabilistic" where the upper bound holds with a probability of 1 −
10⁻¹². The exponent is that of the CPU seconds of the last two sizes, if both reached the
tolerance.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple, TypeVar

import networkx as nx
import numpy as np
from scipy.spatial import Delaunay

from lovasz.graphs import Graph, as_graph
from lovasz.number import theta

T = TypeVar("T")


def random_graph(n: int, degree: int) -> Graph:
    """n nodes and n · degree / 2 edges."""
    rng, m = np.random.default_rng(1), n * degree // 2
    pairs = np.sort(rng.integers(n, size=(m + m // 4 + 100, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    return Graph.from_edges(*rng.permutation(pairs)[:m].T, n=n)


def regular_graph(n: int, degree: int) -> Graph:
    """The ends of edges are paired at random; loops and repeated edges are paired again.

    Each is broken up together with two other edges, until there are none.
    """
    rng = np.random.default_rng(1)
    ends = rng.permutation(np.repeat(np.arange(n), degree)).reshape(-1, 2)
    while True:
        ends.sort(axis=1)
        _, first = np.unique(ends[:, 0] * n + ends[:, 1], return_index=True)
        wrong = np.setdiff1d(np.arange(len(ends)), first)
        wrong = np.union1d(wrong, np.flatnonzero(ends[:, 0] == ends[:, 1]))
        if not len(wrong):
            return Graph.from_edges(*ends.T, n=n)
        mixed = np.union1d(wrong, rng.integers(len(ends), size=2 * len(wrong)))
        ends[mixed] = rng.permutation(ends[mixed].ravel()).reshape(-1, 2)


def delaunay(n: int) -> Graph:
    """The Delaunay triangulation of random points in a square."""
    a, b, c = Delaunay(np.random.default_rng(1).random((n, 2))).simplices.T
    return Graph.from_edges(np.concatenate([a, b, c]), np.concatenate([b, c, a]), n=n)


def torus(n: int) -> Graph:
    """The product of two odd cycles, with about n nodes."""
    side = round(math.sqrt(n)) // 2 * 2 + 1
    nodes = np.arange(side**2).reshape(side, side)
    beside = [np.roll(nodes, 1, axis).ravel() for axis in (0, 1)]
    return Graph.from_edges(np.tile(nodes.ravel(), 2), np.concatenate(beside), n=side**2)


FAMILIES: dict[str, Callable[[int], Graph]] = {
    "mean degree 4": lambda n: random_graph(n, 4),
    "mean degree 10": lambda n: random_graph(n, 10),
    "3-regular": lambda n: regular_graph(n, 3),
    "10-regular": lambda n: regular_graph(n, 10),
    "Barabási–Albert 5": lambda n: as_graph(nx.barabasi_albert_graph(n, 5, seed=1)),
    "Delaunay": delaunay,
    "odd torus": torus,
}
"""The families of graphs by name."""


class Row(NamedTuple):
    """What one process found."""

    n: int
    m: int
    value: float
    gap: float
    wall: float
    seconds: float
    memory: float
    certificate: str
    method: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--tol", type=float, default=1e-5)
    parser.add_argument("--time-limit", type=float, default=100)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", nargs="*", default=list(FAMILIES))
    options = parser.parse_args()
    print(f"tol {options.tol:.0e}, time limit {options.time_limit:.0f} s", end="; ")
    print(f"device {options.device}, load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores\n")
    columns = f"{'nodes':>10}{'edges':>11}{'ϑ':>14}{'gap':>9}{'s':>8}{'CPU s':>8}{'GiB':>6}"
    print(f"{'family':20}{columns}{'exponent':>10}  certificate, method")
    for name in options.only:
        before: Row | None = None
        for n in options.sizes:
            graph = apart(make, name, n)
            row = apart(run, graph, options.tol, options.time_limit, options.device)
            show(name, row, before, options.tol)
            before = row if row.gap <= options.tol else None


def apart(function: Callable[..., T], *args: Any) -> T:
    """Call the function in a process of its own, whose memory starts from nothing."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *args).result()


def make(name: str, n: int) -> Graph:
    """Make one graph of a family."""
    return FAMILIES[name](n)


def run(graph: Graph, tol: float, time_limit: float, device: str) -> Row:
    """Solve one graph."""
    theta(random_graph(2_000, 10), tol=1e-6, device="cpu")  # loads what is compiled
    if device != "cpu":
        theta(random_graph(6_000, 6), tol=1e-3, device=device)  # loads what the GPU needs
    wall, started = time.monotonic(), time.process_time()
    found = theta(graph, tol=tol, time_limit=time_limit, device=device)
    wall, seconds = time.monotonic() - wall, time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    status = "" if found.gap <= tol else "; " + found.status.partition(":")[0]
    return Row(
        graph.n, graph.m, found.value, found.gap, wall, seconds, peak, found.certificate,
        found.method + status,
    )  # fmt: skip


def show(name: str, row: Row, before: Row | None, tol: float) -> None:
    """Print one line."""
    exponent = ""
    if before is not None and row.gap <= tol:
        exponent = f"{math.log(row.seconds / before.seconds) / math.log(row.n / before.n):.2f}"
    print(
        f"{name:20}{row.n:10,}{row.m:11,}{row.value:14.4f}{row.gap:9.0e}{row.wall:8.2f}{row.seconds:8.2f}"
        f"{row.memory:6.1f}{exponent:>10}  {row.certificate}, {row.method}",
        flush=True,
    )


if __name__ == "__main__":
    main()
