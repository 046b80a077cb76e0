"""Figure "Test accuracy with increase in the heterogeneous edges in the hypergraph".

100 nodes in two classes, 20 hyperedges of 35 nodes of one class, and m of 35 nodes mixed 2 : 3;
networks see the clique expansion.
"""

from __future__ import annotations

from typing import Any

from lovasz.experiments.cell import Cell, Context, Item, Results
from lovasz.experiments.methods import GRID, best, merge, prepare
from lovasz.experiments.section import Section
from lovasz.protocol import random_splits

NODES, SIZE, HOMOGENEOUS = 100, 35, 20
MIXED = tuple(range(10, 31, 2))
METHODS = ("gcn", "lcn", "lcn-ls")
SHARES = (0.2, 0.2, 0.6)
HYPERGRAPHS, SPLITS = 5, 10


def cells(quick: bool) -> list[Cell]:
    """Every number of mixed hyperedges by every method."""
    return [
        Cell("hypergraph", str(mixed), method, 15.0)
        for mixed in ((10, 30) if quick else MIXED)
        for method in METHODS
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Accuracy on some hypergraphs, and how full their clique expansions are."""
    from lovasz.graphs.hypergraph import clique_expansion, hypergraph

    readings: dict[str, list[Any]] = {"released": [], "tuned": []}
    density, theta = [], []
    for seed in range(1 if context.quick else HYPERGRAPHS):
        edges, y = hypergraph(
            n=NODES, size=SIZE, homogeneous=HOMOGENEOUS, heterogeneous=int(cell.row), seed=seed
        )
        graph = clique_expansion(edges, NODES)
        splits = random_splits(y, SHARES, 2 if context.quick else SPLITS, seed=seed)
        method = prepare(cell.method, graph, device=context.device)
        grid = GRID[:1] if context.quick else GRID
        tried = method.tried(y, splits, seed=100 * seed, grid=grid)
        readings["released"].append(tried[0].as_json())
        readings["tuned"].append(best(tried).as_json())
        density.append(round(2 * graph.m / (NODES * (NODES - 1)), 4))
        theta.extend(method.facts.get("theta", []) and [method.facts["theta"]])
    found = {name: merge(parts) for name, parts in readings.items()}
    return {"readings": found, "density": density, **({"theta": theta} if theta else {})}


def section(results: Results) -> Section:
    raise NotImplementedError


ITEM = Item("hypergraph", "Hypergraphs by clique expansion", cells, measure, section)
