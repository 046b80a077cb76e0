"""Colours found and proven on DIMACS graphs, beside networkx's greedy strategies and DSATUR.

    LOVASZ_DATA=… python benchmarks/coloring.py [--time-limit 15] [--effort 30] [--jobs 1] [NAME …]

The table has one row per graph: "ω ≥" is the size of the clique found, "ϑ̄ ≥" the proven lower
bound on ϑ of the complement, "χ ≥" the final proven bound and its proof. Then come the numbers of
colours of lovasz, of the best of networkx's six other greedy strategies ("random_sequential" with
ten seeds), and of DSATUR. Times are measured after a warm-up call, which loads what numba compiled.
The last lines say whether lovasz never uses more colours, and how many are proven optimal.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from pathlib import Path

import networkx as nx
from joblib import Parallel, delayed

import lovasz

STRATEGIES = (
    "largest_first",
    "smallest_last",
    "independent_set",
    "connected_sequential_bfs",
    "connected_sequential_dfs",
)
SEEDS = 10
Row = tuple[str, int, int, int, bool]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--time-limit", type=float, default=15)
    parser.add_argument("--effort", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=1, help="graphs at a time")
    options = parser.parse_args()
    folder = Path(os.environ["LOVASZ_DATA"]) / "graphs" / "coloring"
    paths = sorted(folder.glob("*.col.gz"), key=lambda path: path.name.lower())
    if options.names:
        paths = [folder / f"{name}.col.gz" for name in options.names]
    print(f"limit {options.time_limit:g} s a graph, effort {options.effort:g}, one core a graph\n")
    print(
        f"{'graph':<16}{'n':>5}{'m':>8}{'ω ≥':>5}{'ϑ̄ ≥':>10}{'χ ≥':>5}{'ours':>6}{'greedy':>8}"
        f"{'DSATUR':>8}{'s':>7}  proven by"
    )
    measured = Parallel(options.jobs, return_as="generator")(
        delayed(measure)(path, options.time_limit, options.effort) for path in paths
    )
    rows = []
    for line, row in measured:
        print(line, flush=True)
        rows.append(row)
    conclude(rows)


def measure(path: Path, time_limit: float, effort: float) -> tuple[str, Row]:
    """What to print of a graph, and what to conclude from."""
    lovasz.coloring(nx.gnp_random_graph(40, 0.5, seed=0))
    name = path.name.removesuffix(".col.gz")
    graph = lovasz.as_graph(path, weights="drop")
    started = time.perf_counter()
    ours = lovasz.coloring(graph, time_limit=time_limit, effort=effort)
    seconds = time.perf_counter() - started
    network = nx.from_scipy_sparse_array(graph.adjacency)
    greedy, dsatur = best_greedy(network), colors_of(network, "DSATUR")
    proven = (ours.proof if ours.proof != "witness" else "clique") if ours.optimal else "–"
    line = (
        f"{name:<16}{graph.n:>5}{graph.m:>8}{len(ours.witness):>5}{ours.theta[0]:>10.4f}"
        f"{ours.lower:>5}{ours.size:>6}{greedy:>8}{dsatur:>8}{seconds:>7.1f}  {proven}"
    )
    return line, (name, ours.size, greedy, dsatur, ours.optimal)


def best_greedy(network: nx.Graph) -> int:
    found = [colors_of(network, strategy) for strategy in STRATEGIES]
    drawn = [colors_of(network, partial(random_order, seed=seed)) for seed in range(SEEDS)]
    return min(found + drawn)


def random_order(network: nx.Graph, colors: dict, seed: int) -> list:
    return nx.coloring.strategy_random_sequential(network, colors, seed)


def colors_of(network: nx.Graph, strategy) -> int:
    return max(nx.coloring.greedy_color(network, strategy).values()) + 1


def conclude(rows: list[Row]) -> None:
    worse = [name for name, size, greedy, dsatur, _ in rows if size > min(greedy, dsatur)]
    fewer = sum(size < min(greedy, dsatur) for _, size, greedy, dsatur, _ in rows)
    proven = sum(optimal for *_, optimal in rows)
    print(f"\n{len(rows)} graphs: more colours than the best of the others on {len(worse)}", end="")
    print(f" ({', '.join(worse)})" if worse else "", end="")
    print(f", fewer on {fewer}; proven optimal {proven}")


if __name__ == "__main__":
    main()
