"""Whether low-rank sweeps in the order of a colouring converge alike, and pay on two threads.

    python benchmarks/colour_order.py [--nodes 10000] [--periods 100] [--threads-at 100000]

Nodes of one colour are independent, so they can be moved at the same time, and the result does not
depend on the number of threads. The colouring is greedy, in the order of the nodes. The first table
has the estimated gap of :class:`lovasz.number.solvers.low_rank.Sweeper` after some periods, with
the nodes in their own order and sorted by colour. The second has the wall seconds of one sweep,
median of several that alternate, in the own order, by colour on one thread, and by colour on two.
On a machine that others use, two threads can show nothing; the load is printed.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from statistics import median

import numpy as np
from numba import njit

from lovasz.graphs import Graph
from lovasz.graphs.operations import components, induced
from lovasz.number.reduction.reduce import reduce
from lovasz.number.solvers import low_rank_compiled
from lovasz.number.solvers.low_rank import PENALTY, RELAXATION, Sweeper
from sparse import FAMILIES

REPEATS = 9
"""Number of sweeps of each kind."""
CHUNK = 500
"""Number of nodes of a colour below which they are moved by one thread."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--periods", type=int, default=100)
    parser.add_argument("--threads-at", type=int, default=100_000)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print(f"{'family':20}{'nodes':>8}{'colours':>9}{'gap, own order':>16}{'by colour':>11}")
    for name in FAMILIES:
        graph = largest_core(name, options.nodes)
        sorted_graph, cuts = by_colour(graph)
        own, coloured = (gap_after(g, options.periods) for g in (graph, sorted_graph))
        print(f"{name:20}{graph.n:8,}{len(cuts) - 1:9}{own:16.1e}{coloured:11.1e}", flush=True)
    print(f"\n{'family':20}{'nodes':>8}{'own order':>11}{'one thread':>12}{'two':>8}  seconds")
    for name in ("mean degree 4", "mean degree 10", "3-regular"):
        graph = largest_core(name, options.threads_at)
        own, one, two = sweep_times(graph)
        print(f"{name:20}{graph.n:8,}{own:11.3f}{one:12.3f}{two:8.3f}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")


def largest_core(name: str, n: int) -> Graph:
    """The largest component of what the reductions leave."""
    graph = FAMILIES[name](n)
    core = induced(graph, reduce(graph, None).kept)
    return induced(core, max(components(core), key=len))


def by_colour(graph: Graph) -> tuple[Graph, np.ndarray]:
    """The graph with nodes sorted by colour, and where each colour begins."""
    first, neighbours, _ = Sweeper(graph, np.ones(graph.n)).pattern
    colours = greedy_colours(first, neighbours)
    place = np.empty(graph.n, dtype=np.int64)
    place[np.argsort(colours, kind="stable")] = np.arange(graph.n)
    i, j = graph.edges()
    cuts = np.concatenate([[0], np.cumsum(np.bincount(colours))])
    return Graph.from_edges(place[i], place[j], n=graph.n), cuts


@njit
def greedy_colours(first: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
    """The least colour that no earlier neighbour has, one entry per node."""
    n = len(first) - 1
    colours, seen = np.full(n, -1), np.full(n, -1)
    for i in range(n):
        for p in range(first[i], first[i + 1]):
            if colours[neighbours[p]] >= 0:
                seen[colours[neighbours[p]]] = i
        colours[i] = 0
        while seen[colours[i]] == i:
            colours[i] += 1
    return colours


def gap_after(graph: Graph, periods: int) -> float:
    """The estimated relative gap after some periods."""
    state = Sweeper(graph, np.ones(graph.n))
    for _ in range(periods):
        state.advance()
    return state.dual().gap(state.value())


def sweep_times(graph: Graph) -> tuple[float, ...]:
    """Wall seconds of a sweep in the own order, by colour on one thread, and on two."""
    own = Sweeper(graph, np.ones(graph.n))
    sorted_graph, cuts = by_colour(graph)
    states = [Sweeper(sorted_graph, np.ones(graph.n)) for _ in range(2)]
    moved = sweep_of_nodes()
    with ThreadPoolExecutor(2) as pool:
        kinds: list[Callable[[], None]] = [
            lambda: low_rank_compiled.sweep(own.D, own.y, own.w, *own.pattern, PENALTY, RELAXATION),
            lambda: sweep_by_colour(moved, states[0], cuts, pool, 1),
            lambda: sweep_by_colour(moved, states[1], cuts, pool, 2),
        ]
        taken: list[list[float]] = [[], [], []]
        for _ in range(REPEATS + 1):
            for kind, times in zip(kinds, taken, strict=True):
                started = time.monotonic()
                kind()
                times.append(time.monotonic() - started)
    if not np.array_equal(states[0].D, states[1].D):
        raise SystemExit("two threads gave another result than one")
    return tuple(median(times[1:]) for times in taken)


def sweep_by_colour(
    moved: Callable[..., None],
    state: Sweeper,
    cuts: np.ndarray,
    pool: ThreadPoolExecutor,
    threads: int,
) -> None:
    """One sweep, colour by colour, each shared out among the threads."""
    parts = state.D, state.y, state.w, *state.pattern
    for begin, end in pairwise(cuts):
        shares = np.linspace(begin, end, 1 + (threads if end - begin > CHUNK else 1)).astype(int)
        list(pool.map(lambda a, b: moved(*parts, a, b), shares[:-1], shares[1:]))


def sweep_of_nodes() -> Callable[..., None]:
    """A sweep over the nodes from ``begin`` to ``end``, which lets other threads run."""
    inner = low_rank_compiled.inner.fast

    @njit(nogil=True, fastmath=low_rank_compiled.LOOSE)
    def moved(D, y, w, first, neighbours, edge, begin, end):  # type: ignore[no-untyped-def]
        r, real = D.shape[1], D.dtype.type
        g, half, push, step = np.empty(r, D.dtype), real(0.5), real(PENALTY), real(RELAXATION)
        for i in range(begin, end):
            mine, pull = D[i], real(0)
            g[:] = 0
            for p in range(first[i], first[i + 1]):
                other = D[neighbours[p]]
                weight = real(y[edge[p]]) + push * inner(mine, other)
                for k in range(r):
                    g[k] -= weight * other[k]
                pull += push * other[0]
            for k in range(r):
                g[k] += pull * mine[k]
            g[0] += real(w[i]) - half * pull
            scale = step / np.sqrt(inner(g, g) + real(1e-30))
            for k in range(r):
                g[k] = real(2) * (real(1) - step) * mine[k] + scale * g[k]
            g[0] -= real(1) - step
            scale = half / np.sqrt(inner(g, g) + real(1e-30))
            for k in range(r):
                mine[k] = scale * g[k]
            mine[0] += half
            for p in range(first[i], first[i + 1]):
                if neighbours[p] < i:
                    y[edge[p]] += PENALTY * inner(mine, D[neighbours[p]])

    return moved  # type: ignore[no-any-return]


if __name__ == "__main__":
    main()
