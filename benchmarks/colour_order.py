"""Whether low-rank sweeps in the order of a colouring converge alike, and pay on several threads.

    python benchmarks/colour_order.py [--nodes 10000] [--periods 100] [--threads-at 100000]

The first table has the estimated gap of :class:`lovasz.number.solvers.low_rank.Sweeper` after some
periods, with the nodes in their own order and by colour (:mod:`lovasz.number.solvers.
low_rank_order`). The second has the wall seconds of one sweep, median of several that alternate, in
the own order, by colour on one thread, and by colour on all cores; the last two must agree to the
last bit. On a machine that others use, threads can show nothing; the load is printed.
"""

from __future__ import annotations

import argparse
import os
import time
from statistics import median

import numpy as np

from lovasz.base.threads import thread_count
from lovasz.graphs import Graph
from lovasz.graphs.operations import components, induced
from lovasz.number.reduction.reduce import reduce
from lovasz.number.solvers.low_rank import PENALTY, RELAXATION, Sweeper
from lovasz.number.solvers.low_rank_order import Order
from sparse import FAMILIES

REPEATS = 9
"""Number of sweeps of each kind."""


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
        own, coloured = (gap_after(graph, order, options.periods) for order in orders(graph))
        colours = len(orders(graph)[1].cuts) - 1
        print(f"{name:20}{graph.n:8,}{colours:9}{own:16.1e}{coloured:11.1e}", flush=True)
    threads = thread_count()
    print(f"\n{'family':20}{'nodes':>8}{'own order':>11}{'one thread':>12}{threads:>8}  seconds")
    for name in FAMILIES:
        graph = largest_core(name, options.threads_at)
        own, one, several = sweep_times(graph)
        print(f"{name:20}{graph.n:8,}{own:11.3f}{one:12.3f}{several:8.3f}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")


def largest_core(name: str, n: int) -> Graph:
    """The largest component of what the reductions leave."""
    graph = FAMILIES[name](n)
    core = induced(graph, reduce(graph, None).kept)
    parts = components(core)
    return induced(core, max(parts, key=len)) if parts else graph


def orders(graph: Graph) -> tuple[Order, Order]:
    """The own order, and that by colour."""
    rng = np.random.default_rng(0)
    return Order.of(graph, rng, coloured=False), Order.of(graph, rng, coloured=True)


def sweeper(graph: Graph, order: Order) -> Sweeper:
    """The engine at its start, with this order."""
    state = Sweeper(graph, np.ones(graph.n))
    state.rows.order = order
    return state


def gap_after(graph: Graph, order: Order, periods: int) -> float:
    """The estimated relative gap after some periods."""
    state = sweeper(graph, order)
    for _ in range(periods):
        state.advance()
    return state.dual().gap(state.value())


def sweep_times(graph: Graph) -> list[float]:
    """Wall seconds of a sweep in the own order, by colour on one thread, and on all cores."""
    own, coloured = orders(graph)
    states = [sweeper(graph, order) for order in (own, coloured, coloured)]
    beta = states[0].rows.penalties(states[0].D, PENALTY)
    taken: list[list[float]] = [[], [], []]
    for _ in range(REPEATS + 1):
        for state, limit, times in zip(states, ("1", "1", ""), taken, strict=True):
            os.environ["OMP_NUM_THREADS"] = limit
            started = time.monotonic()
            state.rows.order.sweep(state.D, state.moving, state.w, beta, RELAXATION)
            times.append(time.monotonic() - started)
    if not np.array_equal(states[1].D, states[2].D):
        raise SystemExit("several threads gave another result than one")
    return [median(times[1:]) for times in taken]


if __name__ == "__main__":
    main()
