"""Where the time of ϑ of a large sparse graph goes, and how far sweeps are from what is possible.

    python benchmarks/sparse_profile.py [--family 3-regular] [--nodes 100000] [--time-limit 300]

Seconds of the parts of one ``lovasz.theta``, compiled code in the cache. A sweep
does 10 m r operations for m edges and r coordinates. It reads a row of D per end of an edge, and
reads and writes each row once: (2m + 2n) 4r bytes, if no row is found in the cache. The rate inside
the cache is that of the same loop on a graph of CACHED nodes of the same degree and rank.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from lovasz.graphs import Graph
from lovasz.linalg.anderson import Anderson
from lovasz.number import bracket, theta
from lovasz.number.proofs import certify_sparse
from lovasz.number.solvers import low_rank, low_rank_dual
from lovasz.number.solvers.low_rank_order import Order
from sparse import FAMILIES, random_graph

CACHED = 2_000
"""Number of nodes of a graph whose vectors stay in the cache."""
REPEATS = 50
"""Number of sweeps of that graph."""
PARTS: tuple[tuple[Any, str, str], ...] = (
    (Order, "sweep", "sweeps"),
    (Anderson, "__call__", "mixing"),
    (low_rank, "repair", "negative eigenvalues"),
    (low_rank.Sweeper, "dual", "estimates of the gap"),
    (low_rank_dual.Dual, "solution", "solution with M"),
    (low_rank, "restore", "restoration"),
    (certify_sparse, "upper_bound", "attempt to prove"),
    (certify_sparse, "probable_bound", "probable bound"),
    (certify_sparse, "lower_bound", "lower bound"),
    (bracket.Bracket, "count", "counting"),
)
"""Where a part is called, its name there, and what it is called here."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", choices=list(FAMILIES), default="3-regular")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--tol", type=float, default=1e-5)
    parser.add_argument("--time-limit", type=float, default=300)
    options = parser.parse_args()
    theta(random_graph(2_000, 10), tol=1e-6, device="cpu")  # loads what is compiled
    graph = FAMILIES[options.family](options.nodes)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    seconds, calls, work = Counter[str](), Counter[str](), Counter[str]()
    for place, name, label in PARTS:
        setattr(place, name, timed(getattr(place, name), label, seconds, calls, work))
    wall, started = time.monotonic(), time.process_time()
    found = theta(graph, tol=options.tol, time_limit=options.time_limit, device="cpu")
    total, wall = time.process_time() - started, time.monotonic() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{options.family}, {graph.n:,} nodes: gap {found.gap:.1e}, {found.certificate}, "
        f"{total:.0f} CPU s, {wall:.0f} s, {peak:.1f} GiB, {found.status.partition(':')[0]}"
    )
    for label, value in seconds.most_common():
        print(f"  {label:22}{calls[label]:6} times{value:9.2f} s{100 * value / wall:5.0f} %")
    per_sweep = seconds["sweeps"] / max(calls["sweeps"], 1)
    entries = work["entries"] / max(calls["sweeps"], 1)
    ends = 2 * graph.m / graph.n  # of edges, per node; the core has about as many
    rate = 5 * ends * entries / per_sweep / 1e9
    bandwidth = 4 * (ends + 2) * entries / per_sweep / 1e9
    print(f"a sweep takes {1e3 * per_sweep:.1f} ms: {rate:.1f} GFlop/s, {bandwidth:.1f} GB/s")
    print(f"inside the cache: {cached_rate(options.family, entries / graph.n):.1f} GFlop/s")


def timed(
    function: Callable[..., Any],
    label: str,
    seconds: Counter[str],
    calls: Counter[str],
    work: Counter[str],
) -> Callable[..., Any]:
    """The function, counting its calls and seconds."""

    def counted(*args: Any, **options: Any) -> Any:
        started = time.monotonic()
        try:
            return function(*args, **options)
        finally:
            seconds[label] += time.monotonic() - started
            calls[label] += 1
            if label == "sweeps":
                work["entries"] += args[1].size

    return counted


def cached_rate(family: str, r: float) -> float:
    """Operations per second, in units of 10⁹, of sweeps of a small graph of this rank."""
    graph: Graph = FAMILIES[family](CACHED)
    state = low_rank.Sweeper(graph, np.ones(graph.n))
    state.D = state._random_start(low_rank.in_lanes(r))
    beta, times = state.rows.penalties(state.D, low_rank.PENALTY), []
    for _ in range(REPEATS):
        started = time.perf_counter()
        state.rows.sweep(state.D, state.moving, state.w, beta, low_rank.RELAXATION, -np.inf)
        times.append(time.perf_counter() - started)
    return 10 * graph.m * state.D.shape[1] / min(times) / 1e9


if __name__ == "__main__":
    main()
