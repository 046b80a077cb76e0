"""ϑ of real graphs: the proven interval, its gap, the time, and what was left to solve.

    LOVASZ_DATA=… python benchmarks/real.py [--tol 1e-6] [--time-limit 900] [NAME …]

A name is one of ``lovasz data list``, or ``mnist-2000-17`` for 2000 images of the digits 1 and 7
(``mnist-2000`` for all ten), or ``gnp-4000`` for G(4000, ½), see instances.py. Times are after
one warm-up call, which loads what numba compiled.
"""

from __future__ import annotations

import argparse
import time

import networkx as nx

from instances import build
from lovasz import Graph
from lovasz.datasets import load
from lovasz.number import theta

NAMES = [
    *("cora", "citeseer", "pubmed", "polblogs", "actor", "chameleon", "squirrel"),
    *("coauthor-cs", "ionosphere", "fourclass", "sonar", "heart", "breast-cancer"),
    *("mnist-500-12", "mnist-500-38", "mnist-500-49"),
]
"""Minutes on a CPU; with a GPU also amazon-photo, amazon-computers, coauthor-physics, diabetes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--time-limit", type=float, default=900)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    theta(nx.gnp_random_graph(40, 0.3, seed=0))
    print(f"tol {options.tol:g}, limit {options.time_limit:g} s, device {options.device}\n")
    head = f"{'graph':18}{'n':>7}{'m':>9}{'left':>7}{'largest':>9}{'lower':>18}{'upper':>18}"
    print(f"{head}{'gap':>9}{'s':>8}  method")
    for name in options.names:
        graph = graph_of(name)
        start = time.perf_counter()
        result = theta(graph, tol=options.tol, time_limit=options.time_limit, device=options.device)
        seconds = time.perf_counter() - start
        left, largest = result.reduction["left"], result.reduction["largest"]
        print(
            f"{name:18}{graph.n:7}{graph.m:9}{left:7}{largest:9}{result.lower:18.8f}"
            f"{result.upper:18.8f}{result.gap:9.0e}{seconds:8.2f}  {result.method}",
            flush=True,
        )


def graph_of(name: str) -> Graph:
    """The graph of a dataset, of MNIST with its size and digits in the name."""
    if name.startswith("gnp-"):
        return build(name)
    if not name.startswith("mnist-"):
        return load(name).graph
    _, n, *digits = name.split("-")
    classes = tuple(map(int, digits[0])) if digits else None
    return load("mnist", n=int(n), classes=classes, seed=0).graph


if __name__ == "__main__":
    main()
