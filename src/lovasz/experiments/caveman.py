"""Table "Caveman graph experiment": accuracy, and how near nodes of a colour lie.

The classes are halves of the colours of an optimal colouring of the complement. A cave without
its one edge is two colours, so a class is no union of caves. The colouring is a cover of the
graph by ϑ(G) cliques; an independent set of that size proves it optimal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lovasz.experiments.cell import Cell, Context, Item, Results
from lovasz.experiments.methods import GRID, best, merge, prepare
from lovasz.experiments.section import Section
from lovasz.graphs.families import caveman
from lovasz.kernels.optimal import optimal
from lovasz.protocol import random_splits

PUBLISHED: Mapping[str, tuple[float, float, float, float]] = {
    # gcn lcn avg_same avg_diff
    "caveman-50-10": (92, 93, 0.83, -0.008),
    "caveman-75-6": (77, 80, 0.80, -0.005),
    "caveman-100-5": (71, 73, 0.79, -0.003),
    "caveman-100-7": (81, 81, 0.80, -0.003),
}
METHODS = ("gcn", "gcn-raw", "lcn", "lcn-ls")
SHARES = (0.2, 0.2, 0.6)
SPLITS, ASSIGNMENTS = 10, 5


def cells(quick: bool) -> list[Cell]:
    """Every graph by every method."""
    rows = list(PUBLISHED)[2:3] if quick else PUBLISHED
    cost = {"lcn": 20.0}
    return [Cell("caveman", row, m, cost.get(m, 4.0)) for row in rows for m in METHODS]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Accuracy over random halves of the colours, ten splits each, and the mean products."""
    cliques, size = map(int, cell.row.split("-")[1:])
    graph = caveman(cliques, size).graph
    colours = colour(graph)
    method = prepare(cell.method, graph, device=context.device)
    released, tuned = [], []
    for seed in range(1 if context.quick else ASSIGNMENTS):
        y = halves(colours, seed=seed)
        splits = random_splits(y, SHARES, 3 if context.quick else SPLITS, seed=seed)
        tried = method.tried(y, splits, seed=100 * seed, grid=GRID[:1] if context.quick else GRID)
        released.append(tried[0].as_json())
        tuned.append(best(tried).as_json())
    found = {
        "readings": {"released": merge(released), "tuned": merge(tuned)},
        "colours": int(colours.max()) + 1,
        "products": products(method.kernel.toarray(), colours),
        **method.facts,
    }
    if cell.method == "lcn":
        lifted = optimal(graph, choice="lifted", device=context.device).kernel
        found["products of the lifted kernel"] = products(lifted.toarray(), colours)
    return found


def colour(graph: Any) -> np.ndarray:
    """The colour of each node in an optimal colouring of the complement."""
    from lovasz.errors import LovaszError
    from lovasz.number.combinatorial import clique_cover, independent_set

    colours = np.unique(clique_cover(graph), return_inverse=True)[1]
    alone = independent_set(graph, np.ones(graph.n))
    if colours.max() + 1 != len(alone):
        raise LovaszError(f"the cover by {colours.max() + 1} cliques is not proven optimal")
    return colours


def halves(colours: np.ndarray, *, seed: int) -> np.ndarray:
    """A random half of the colours is class 0, the other half class 1."""
    count = int(colours.max()) + 1
    one = np.random.default_rng(seed).permutation(count)[: count // 2]
    return np.isin(colours, one).astype(np.int64)


def products(K: np.ndarray, colours: np.ndarray) -> dict[str, float]:
    """Mean of K_ij over pairs of one colour, and over pairs of two."""
    same = colours[:, None] == colours[None, :]
    pairs = ~np.eye(len(K), dtype=bool)
    return {
        "avg_same": round(float(K[same & pairs].mean()), 4),
        "avg_diff": round(float(K[~same].mean()), 5),
    }


def section(results: Results) -> Section:
    raise NotImplementedError


ITEM = Item("caveman", "Caveman graphs", cells, measure, section)
