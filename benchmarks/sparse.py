"""ϑ of sparse graphs that do not reduce: the proven gap, CPU seconds, and how they grow with n.

    python benchmarks/sparse.py [--sizes 1000 10000] [--tol 1e-5] [--time-limit 100] [--large]

The families are random graphs of mean degree 4 and 10, random regular graphs of degree 3 and 10,
Barabási–Albert graphs with 5 edges per new node, Delaunay triangulations of random points, and
tori of two odd cycles. ``--large`` adds 10⁵ nodes, where a proof from above may be too dear;
the bound is then that of a clique cover. One thread, compiled code in the cache; seconds are CPU
seconds of ``lovasz.theta``. The exponent is that of the last two sizes, if both reached the
tolerance.
"""

from __future__ import annotations

import argparse
import math
import resource
import time
from collections.abc import Callable

import networkx as nx
import numpy as np
from scipy.spatial import Delaunay

from lovasz.graphs import Graph, as_graph
from lovasz.number import theta

LARGE = 100_000
"""Number of nodes that ``--large`` adds."""


def random_graph(n: int, degree: int) -> Graph:
    """n nodes and n · degree / 2 edges."""
    return as_graph(nx.gnm_random_graph(n, n * degree // 2, seed=1))


def delaunay(n: int) -> Graph:
    """The Delaunay triangulation of random points in a square."""
    a, b, c = Delaunay(np.random.default_rng(1).random((n, 2))).simplices.T
    return Graph.from_edges(np.concatenate([a, b, c]), np.concatenate([b, c, a]), n=n)


def torus(n: int) -> Graph:
    """The product of two odd cycles, with about n nodes."""
    side = round(math.sqrt(n)) // 2 * 2 + 1
    return as_graph(nx.grid_2d_graph(side, side, periodic=True))


FAMILIES: dict[str, Callable[[int], Graph]] = {
    "mean degree 4": lambda n: random_graph(n, 4),
    "mean degree 10": lambda n: random_graph(n, 10),
    "3-regular": lambda n: as_graph(nx.random_regular_graph(3, n, seed=1)),
    "10-regular": lambda n: as_graph(nx.random_regular_graph(10, n, seed=1)),
    "Barabási–Albert 5": lambda n: as_graph(nx.barabasi_albert_graph(n, 5, seed=1)),
    "Delaunay": delaunay,
    "odd torus": torus,
}
"""The families of graphs by name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--tol", type=float, default=1e-5)
    parser.add_argument("--time-limit", type=float, default=100)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", nargs="*", default=list(FAMILIES))
    options = parser.parse_args()
    theta(random_graph(2_000, 10), tol=1e-6, device="cpu")  # loads what is compiled
    print(f"tol {options.tol:.0e}, time limit {options.time_limit:.0f} s\n")
    columns = f"{'nodes':>8}{'edges':>9}{'ϑ':>14}{'gap':>9}{'CPU s':>8}{'exponent':>10}  method"
    print(f"{'family':20}{columns}")
    for name in options.only:
        before: tuple[int, float] | None = None
        for n in options.sizes + [LARGE] * options.large:
            before = run(name, FAMILIES[name](n), options, before)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"\npeak memory {peak:.1f} GiB")


def run(
    name: str, graph: Graph, options: argparse.Namespace, before: tuple[int, float] | None
) -> tuple[int, float] | None:
    """Print one line, and return the size and seconds if the tolerance was reached."""
    started = time.process_time()
    result = theta(graph, tol=options.tol, time_limit=options.time_limit, device="cpu")
    seconds = time.process_time() - started
    done = result.gap <= options.tol
    exponent = ""
    if before is not None and done:
        exponent = f"{math.log(seconds / before[1]) / math.log(graph.n / before[0]):.2f}"
    print(
        f"{name:20}{graph.n:8,}{graph.m:9,}{result.value:14.4f}{result.gap:9.0e}{seconds:8.2f}"
        f"{exponent:>10}  {result.method}{'' if done else '; ' + result.status.partition(':')[0]}",
        flush=True,
    )
    return (graph.n, seconds) if done else None


if __name__ == "__main__":
    main()
