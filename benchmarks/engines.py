"""Which engine is the fastest for ϑ of G(n, p), and which one is chosen.

    python benchmarks/engines.py [--nodes 1000] [--tol 1e-6] [--time-limit 60] [--device cpu]

Mean degrees from 10 to 500. CPU seconds of ``lovasz.theta`` with each ``solver``, one thread,
compiled code in the cache, or seconds by the clock where a GPU works; ∞ stands for an engine that
takes more than the time limit, and the interior point is left out where its linear system has more
than LARGEST rows. "chosen" is
``solver="auto"``, run last and apart from the others, and the ratio is its time over that of the
fastest engine that reached the tolerance.
"""

from __future__ import annotations

import argparse
import math
import os
import time

from lovasz.graphs import Graph
from lovasz.graphs.families import gnp
from lovasz.number import theta
from lovasz.number.solvers.interior_point import schur_size

DEGREES = (10, 14, 20, 30, 40, 60, 100, 200, 350, 500)
"""Mean degrees."""
LARGEST = 4_000
"""Number of rows of its linear system up to which the interior point is run."""
ENGINES = ("low-rank", "splitting", "interior")
"""The engines that are compared."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--degrees", type=float, nargs="*", default=DEGREES)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    n = options.nodes
    for solver in ENGINES:
        for small in gnp(400, 0.05, seed=0), gnp(2_000, 0.01, seed=0):  # loads compiled code
            if solver != "interior" or small.n < 1_000:
                theta(small, tol=1e-3, solver=solver, device=options.device)
    print(f"n = {n}, tol {options.tol:.0e}, device {options.device}", end=", ")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'degree':>8}" + "".join(f"{name:>12}" for name in ENGINES) + "    chosen   ratio  by")
    for degree in options.degrees:
        graph = gnp(n, degree / n, seed=1)
        times = {name: seconds(graph, name, options)[0] for name in ENGINES}
        mine, method = seconds(graph, "auto", options)
        best = min(times.values())
        cells = "".join(f"{value:12.2f}" for value in times.values())
        print(f"{degree:8g}{cells}{mine:10.2f}{mine / best:8.2f}  {method}", flush=True)


def seconds(graph: Graph, solver: str, options: argparse.Namespace) -> tuple[float, str]:
    """CPU seconds to the tolerance, those of the clock beside a GPU, or ∞, and the method."""
    if solver == "interior" and schur_size(graph) > LARGEST:
        return math.inf, "left out"
    clock = time.process_time if options.device == "cpu" else time.perf_counter
    started = clock()
    found = theta(
        graph, tol=options.tol, solver=solver, device=options.device, time_limit=options.time_limit
    )
    taken = clock() - started
    return (taken if found.gap <= options.tol else math.inf), found.method


if __name__ == "__main__":
    main()
