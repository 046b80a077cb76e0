"""ϑ of all 11,117 connected graphs of 8 nodes: graphs per second, beside loops over other solvers.

    python benchmarks/batch.py [--jobs 2] [--sample 300] [--every 1] > benchmarks/batch.txt

The graphs are those of networkx's atlas on 7 nodes with a further node, told apart by igraph's
canonical labelling. Ours reads a file of graph6 lines and proves an interval of relative width
1e-6; the rows of the command also have the bounds on α and on clique covers. The peers get a
random sample and are asked for 1e-6: SCS and Clarabel called directly (see solve.py), and, if it
is installed, through CVXPY as one would write it. "outside" is the number of answers that are
further than 1e-5 ϑ from our interval. Seconds of the CPU include the processes that were started,
so they count on a busy machine, too; wall seconds are those of this run.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import igraph
import networkx as nx

import lovasz
from solve import TOL, problem_of, solve_clarabel, solve_scs

SEED = 0
WRONG = 1e-5
CONNECTED = {8: 11_117}
WIDTHS = (8, 9, 9, 11, 8, 9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--every", type=int, default=1, help="take every so many-th graph")
    options = parser.parse_args()
    lines = connected_graphs()[:: options.every]
    load = os.getloadavg()[0]
    print(f"{len(lines):,} graphs, {os.cpu_count()} cores, load before the run {load:.1f}")
    print(
        f"{'':44}{'graphs':>8}{'CPU s':>9}{'wall s':>9}{'per CPU s':>11}{'ratio':>8}{'outside':>9}"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graphs.g6")
        path.write_bytes(b"".join(lines))
        base = report("loop over lovasz.theta", lines, lambda: loop(lines))
        many = [("theta_many", 1), (f"theta_many, jobs={options.jobs}", options.jobs)]
        for name, jobs in many:
            report(name, lines, lambda jobs=jobs: list(lovasz.theta_many(path, jobs=jobs)), base)
        for jobs in (1, options.jobs):
            table = Path(folder, f"{jobs}.csv")
            words = ("theta", str(path), "--csv", str(table), "--jobs", str(jobs))
            report(f"lovasz theta --csv --jobs {jobs}", lines, lambda w=words: command(*w), base)
    sample = random.Random(SEED).sample(lines, min(options.sample, len(lines)))
    graphs = [lovasz.as_graph(nx.from_graph6_bytes(line.strip())) for line in sample]
    known = [lovasz.theta(graph, tol=TOL) for graph in graphs]
    for name, solve in peers().items():
        report(name, sample, lambda solve=solve: [solve(graph) for graph in graphs], base, known)


def connected_graphs() -> list[bytes]:
    """Every connected graph of 8 nodes once, as a line of graph6."""
    found: dict[tuple[Any, ...], bytes] = {}
    for seven in nx.graph_atlas_g():
        if len(seven) != 7 or not nx.is_connected(seven):
            continue
        for subset in range(1, 2**7):
            near = [(node, 7) for node in range(7) if subset >> node & 1]
            graph = igraph.Graph(8, [*seven.edges, *near])
            canonical = graph.permute_vertices(graph.canonical_permutation())
            key = tuple(sorted(canonical.get_edgelist()))
            if key not in found:
                found[key] = nx.to_graph6_bytes(nx.Graph(graph.get_edgelist()), header=False)
    if len(found) != CONNECTED[8]:
        sys.exit(f"{len(found):,} graphs in place of {CONNECTED[8]:,}")
    return list(found.values())


def loop(lines: Sequence[bytes]) -> list[Any]:
    """What one writes without theta_many."""
    return [lovasz.theta(nx.from_graph6_bytes(line.strip())) for line in lines]


def command(*words: str) -> None:
    """Run ``lovasz`` in a process of its own."""
    subprocess.run([sys.executable, "-m", "lovasz", *words], check=True, capture_output=True)


def report(
    name: str,
    lines: Sequence[bytes],
    work: Callable[[], list[Any] | None],
    base: float | None = None,
    known: Sequence[Any] = (),
) -> float:
    """Print a row; return the graphs per second of the CPU."""
    cpu, wall = cpu_seconds(), time.monotonic()
    answers = work()
    cpu, wall = cpu_seconds() - cpu, time.monotonic() - wall
    rate = len(lines) / cpu
    ratio = f"{rate / base:8.2f}" if base else " " * 8
    outside = sum(
        not (1 - WRONG) * ours.lower <= value <= (1 + WRONG) * ours.upper
        for ours, value in zip(known, answers or (), strict=False)
    )
    shown = f"{outside:9}" if known else ""
    print(f"{name:44}{len(lines):8,}{cpu:9.2f}{wall:9.2f}{rate:11.1f}{ratio}{shown}", flush=True)
    return rate


def cpu_seconds() -> float:
    """CPU seconds of this process and of those it has started and that are done.

    The processes of joblib go on living, so they are asked to end first.
    """
    if "joblib" in sys.modules:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=True)
    own, others = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def peers() -> dict[str, Callable[[Any], float]]:
    """The solvers that are installed, each as a function of a graph."""
    direct = {"SCS": solve_scs, "Clarabel": solve_clarabel}
    found: dict[str, Callable[[Any], float]] = {
        f"{name}, called directly": lambda graph, solve=solve: solve(problem_of(graph), 60)[0]
        for name, solve in direct.items()
    }
    try:
        import cvxpy
    except ImportError:
        print("CVXPY is not installed")
        return found
    for name, settings in {"SCS": {"eps": TOL}, "CLARABEL": {}}.items():
        found[f"CVXPY {cvxpy.__version__} + {name}"] = lambda graph, name=name, settings=settings: (
            solve_cvxpy(graph, name, settings)
        )
    return found


def solve_cvxpy(graph: Any, solver: str, settings: dict[str, Any]) -> float:
    """max ⟨J, X⟩ over X ⪰ 0, tr X = 1, X_ij = 0 on edges."""
    import cvxpy

    i, j = graph.edges()
    X = cvxpy.Variable((graph.n, graph.n), PSD=True)
    constraints = [cvxpy.trace(X) == 1, X[i, j] == 0]
    return float(cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(X)), constraints).solve(solver, **settings))


if __name__ == "__main__":
    main()
