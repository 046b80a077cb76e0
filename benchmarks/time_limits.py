"""Whether time limits are kept: seconds asked and seconds taken, on graphs of many sizes.

    python benchmarks/time_limits.py [--only theta] [--at-least 0] [--at-most 100000]
        [--device cpu]

A limit counts as kept if the call returns within 10 % and two seconds of it. Reading or making the
graph does not count, and code is compiled before. CPU seconds are printed beside, because on a
machine that others use wall-clock seconds are longer. A case is a name, the number of nodes, a
limit, and a function that makes the graph first and returns what is timed; to add one for another
command, add it to CASES.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import networkx as nx
import numpy as np

from lovasz import coloring, communities, embedding, kernel
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph, families
from lovasz.graphs.symmetric_graph import SymmetricGraph
from lovasz.number import theta


class Case(NamedTuple):
    """One call with a time limit."""

    command: str
    name: str
    nodes: int
    limit: float
    prepare: Callable[[float, str], Callable[[], str]]
    """Takes the limit and the device of ϑ, makes the graph, and returns a function that is timed
    and returns what it found."""


def random_graph(n: int, degree: float) -> Graph:
    """n nodes and about n · degree / 2 edges, drawn at random."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, n, (2, round(n * degree / 2)))
    i, j = ends[:, ends[0] != ends[1]]
    return Graph.from_edges(i, j, n=n)


def bound(
    make: Callable[[], Graph | SymmetricGraph], limit: float, device: str
) -> Callable[[], str]:
    """ϑ of a graph within a limit."""
    graph = make()

    def timed() -> str:
        found = theta(graph, tol=1e-9, time_limit=limit, device=device)
        return f"gap {found.gap:.0e}, {found.certificate}, {found.method}"

    return timed


def theta_case(name: str, nodes: int, limit: float, make: Callable[[], Graph]) -> Case:
    """A case of ``theta``."""
    return Case("theta", name, nodes, limit, partial(bound, make))


def lazy_case(name: str, nodes: int, limit: float, make: Callable[[], SymmetricGraph]) -> Case:
    """A case of ``theta`` of a graph that is not written down."""
    return Case("theta", f"{name}, by symmetry", nodes, limit, partial(bound, make))


def colour(make: Callable[[], Graph], limit: float) -> Callable[[], str]:
    """A colouring of a graph within a limit."""
    graph = make()

    def timed() -> str:
        found = coloring(graph, time_limit=limit)
        return f"{found.lower} ≤ χ ≤ {found.upper}"

    return timed


def optimal_kernel(make: Callable[[], Graph], limit: float) -> Callable[[], str]:
    """The kernel "lovasz" of a graph within a limit."""
    graph = make()
    return lambda: f"{kernel(graph, 'lovasz', time_limit=limit).nnz:,} entries"


def groups(make: Callable[[], Graph], limit: float) -> Callable[[], str]:
    """The communities of a graph within a limit."""
    graph = make()

    def timed() -> str:
        found = communities(graph, time_limit=limit)
        return f"{len(found):,} communities, {found.status.partition(':')[0]}"

    return timed


def vectors(make: Callable[[], Graph], limit: float) -> Callable[[], str]:
    """The embedding of a graph within a limit, or the refusal."""
    graph = make()

    def timed() -> str:
        try:
            found = embedding(graph, time_limit=limit)
        except LovaszError as error:
            return f"refused: {error}"
        return f"{found.vectors.shape[1]:,} dimensions, ϑ ≤ {found.upper:.3f}"

    return timed


def communities_case(name: str, nodes: int, limit: float, make: Callable[[], Graph]) -> Case:
    """A case of ``communities``."""
    return Case("communities", name, nodes, limit, lambda limit, _: groups(make, limit))


def embed_case(name: str, nodes: int, limit: float, make: Callable[[], Graph]) -> Case:
    """A case of ``embedding``."""
    return Case("embed", name, nodes, limit, lambda limit, _: vectors(make, limit))


def color_case(name: str, nodes: int, limit: float, make: Callable[[], Graph]) -> Case:
    """A case of ``coloring``."""
    return Case("color", name, nodes, limit, lambda limit, _: colour(make, limit))


def kernel_case(name: str, nodes: int, limit: float, make: Callable[[], Graph]) -> Case:
    """A case of ``kernel``."""
    return Case("kernel", name, nodes, limit, lambda limit, _: optimal_kernel(make, limit))


CASES = [
    theta_case("mean degree 10", 1_000, 0.2, lambda: random_graph(1_000, 10)),
    theta_case("G(n, ½)", 1_000, 3, lambda: families.gnp(1_000, 0.5, seed=1)),
    theta_case("G(n, 0.1)", 3_000, 5, lambda: random_graph(3_000, 300)),
    theta_case("G(n, ½)", 5_000, 10, lambda: families.gnp(5_000, 0.5, seed=1)),
    theta_case("Kneser(16, 6)", 8_008, 10, lambda: as_graph(nx.kneser_graph(16, 6))),
    theta_case("mean degree 10", 10_000, 3, lambda: random_graph(10_000, 10)),
    theta_case("mean degree 100", 10_000, 5, lambda: random_graph(10_000, 100)),
    theta_case("mean degree 10", 30_000, 5, lambda: random_graph(30_000, 10)),
    theta_case("mean degree 100", 30_000, 20, lambda: random_graph(30_000, 100)),
    theta_case("mean degree 4", 100_000, 5, lambda: random_graph(100_000, 4)),
    theta_case("mean degree 4", 100_000, 30, lambda: random_graph(100_000, 4)),
    theta_case("mean degree 10", 100_000, 15, lambda: random_graph(100_000, 10)),
    theta_case("cycles of five", 500_000, 5, lambda: cycles(100_000)),
    theta_case("mean degree 4", 1_000_000, 30, lambda: random_graph(1_000_000, 4)),
    lazy_case("hamming", 2**200, 5, lambda: families.hamming(200, set(range(1, 80)))),
    lazy_case("circulant", 4_001, 5, lambda: families.circulant(4_001, range(1, 900))),
    lazy_case("z_channel", 2**64, 3, lambda: families.z_channel(64)),
    color_case("G(n, ½)", 500, 3, lambda: families.gnp(500, 0.5, seed=1)),
    color_case("mean degree 10", 10_000, 3, lambda: random_graph(10_000, 10)),
    color_case("mean degree 4", 100_000, 5, lambda: random_graph(100_000, 4)),
    kernel_case("G(n, ½)", 300, 2, lambda: families.gnp(300, 0.5, seed=1)),
    kernel_case("G(n, ½)", 1_000, 3, lambda: families.gnp(1_000, 0.5, seed=1)),
    kernel_case("cycles of five", 50_000, 3, lambda: cycles(10_000)),
    embed_case("G(n, ½)", 300, 2, lambda: families.gnp(300, 0.5, seed=1)),
    embed_case("G(n, ½)", 1_000, 3, lambda: families.gnp(1_000, 0.5, seed=1)),
    embed_case("mean degree 10", 3_000, 40, lambda: random_graph(3_000, 10)),
    embed_case("mean degree 10", 10_000, 10, lambda: random_graph(10_000, 10)),
    communities_case("4 blocks", 1_000, 0.3, lambda: blocks(1_000, 4, 12)),
    communities_case("G(n, ½)", 1_000, 2, lambda: families.gnp(1_000, 0.5, seed=1)),
    communities_case("30 blocks", 10_000, 3, lambda: blocks(10_000, 30, 20)),
    communities_case("mean degree 10", 30_000, 3, lambda: random_graph(30_000, 10)),
    communities_case("50 blocks", 100_000, 10, lambda: blocks(100_000, 50, 20)),
    communities_case("cycles of five", 500_000, 5, lambda: cycles(100_000)),
    communities_case("10 blocks", 1_000_000, 20, lambda: blocks(1_000_000, 10, 10)),
]
"""What is timed, in this order."""


def blocks(n: int, k: int, degree: float) -> Graph:
    """k blocks of equal size; three quarters of the edges are inside them."""
    rng = np.random.default_rng(2)
    i, j = rng.integers(0, n, (2, round(n * degree / 2)))
    inside = rng.random(len(i)) < 0.75
    j = np.where(inside, (j // k) * k + i % k, j)
    proper = (i != j) & (j < n)
    return Graph.from_edges(i[proper], j[proper], n=n)


def cycles(count: int) -> Graph:
    """Disjoint cycles of five nodes, each a core of its own."""
    nodes = np.arange(5 * count)
    after = nodes + 1 - 5 * (nodes % 5 == 4)
    return Graph.from_edges(nodes, after, n=5 * count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=None, help="commands")
    parser.add_argument("--at-most", type=int, default=2**200, help="number of nodes")
    parser.add_argument("--at-least", type=int, default=0, help="number of nodes")
    parser.add_argument("--device", default="cpu", help="device of theta")
    options = parser.parse_args()
    if options.device != "cpu":
        theta(random_graph(20_000, 10), time_limit=20, device=options.device)
    for degree in (10, 500):  # loads or compiles what is compiled
        theta(random_graph(4_000 if degree == 10 else 700, degree), time_limit=20, device="cpu")
    coloring(families.gnp(150, 0.5, seed=1), time_limit=20)
    coloring(random_graph(4_000, 10), time_limit=5)
    communities(blocks(2_000, 4, 20))
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print(f"{'command':13}{'graph':25}{'nodes':>10}{'asked':>8}{'taken':>8}{'CPU':>8}  kept")
    for case in CASES:
        wanted = options.at_least <= case.nodes <= options.at_most
        if wanted and case.command in (options.only or [case.command]):
            run(case, options.device)


def count(nodes: int) -> str:
    """A number of nodes, as a power of two if it is a large one."""
    return f"{nodes:,}" if nodes < 10**8 else f"2^{nodes.bit_length() - 1}"


def run(case: Case, device: str) -> None:
    """Time one case and print its line."""
    timed = case.prepare(case.limit, device)
    started, cpu = time.monotonic(), time.process_time()
    found = timed()
    taken, cpu = time.monotonic() - started, time.process_time() - cpu
    kept = "yes" if taken <= 1.1 * case.limit + 2 else "NO "
    print(
        f"{case.command:13}{case.name:25}{count(case.nodes):>10}{case.limit:>8.1f}{taken:>8.1f}{cpu:>8.1f}"
        f"  {kept}   {found}",
        flush=True,
    )


if __name__ == "__main__":
    main()
