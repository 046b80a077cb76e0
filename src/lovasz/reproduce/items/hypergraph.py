"""Figure "Test accuracy with increase in the heterogeneous edges in the hypergraph".

A hypergraph has 100 nodes in two classes, 20 hyperedges with 35 nodes of one class each, and m
hyperedges with 35 nodes of both classes, mixed 2 : 3. The networks use the clique expansion.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from lovasz.classify.splits import random_splits
from lovasz.pages.reproduction.section import Entry, Picture, Section, Table
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results, joined
from lovasz.reproduce.engine.methods import prepare, released_and_tuned
from lovasz.reproduce.tables.numbers import (
    NOT_RUN,
    accuracies_of,
    compare_row,
    curve,
    draw_bands,
    title_of,
    write_interval,
    write_runs,
)

NODES = 100
"""Number of nodes."""
SIZE = 35
"""Number of nodes per hyperedge."""
HOMOGENEOUS = 20
"""Number of hyperedges whose nodes are of one class."""
MIXED = tuple(range(10, 31, 2))
"""Numbers of hyperedges with nodes of both classes, one per row."""
METHODS = ("gcn", "lcn", "lcn-ls")
SHARES = (0.2, 0.2, 0.6)
"""Shares of training, validation and test nodes."""
HYPERGRAPHS = 5
"""Number of hypergraphs per row."""
SPLITS = 10
"""Number of splits per hypergraph."""


def cells(quick: bool) -> list[Cell]:
    """One cell per number of mixed hyperedges and method."""
    return [
        Cell("hypergraph", str(mixed), method, cost=15.0)
        for mixed in ((10, 30) if quick else MIXED)
        for method in METHODS
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Accuracy on some hypergraphs, and the density of their clique expansions."""
    count = 1 if context.quick else HYPERGRAPHS
    parts = [_measure_hypergraph(cell, context, seed) for seed in range(count)]
    return dict(joined(parts))


def _measure_hypergraph(cell: Cell, context: Context, seed: int) -> dict[str, Any]:
    from lovasz.graphs.graph import Graph
    from lovasz.graphs.hypergraph import Hypergraph, hypergraph

    edges, y = hypergraph(
        n=NODES, size=SIZE, homogeneous=HOMOGENEOUS, heterogeneous=int(cell.row), seed=seed
    )
    expansion = Hypergraph.from_rows(edges, n=NODES).expansion()
    graph = Graph.from_edges(*expansion.edges(), n=NODES)
    splits = random_splits(y, SHARES, 2 if context.quick else SPLITS, seed=seed)
    method = prepare(cell.method, graph, device=context.device)
    return {
        "readings": released_and_tuned(method, y, splits, seed=seed, quick=context.quick),
        "density": [round(2 * graph.m / (NODES * (NODES - 1)), 4)],
        **{fact: [value] for fact, value in method.facts.items()},
    }


def section(results: Results) -> Section:
    """Accuracy against the number of mixed hyperedges."""
    return Section(
        ITEM.title,
        protocol=(
            f"A hypergraph has {NODES} nodes, 50 per class. It has {HOMOGENEOUS} hyperedges with "
            f"{SIZE} nodes of one class each, and m hyperedges with {SIZE} nodes of both classes, "
            "mixed 2 : 3. The networks use the clique expansion and identity features. There are "
            f"{HYPERGRAPHS} hypergraphs for each m (seeds 0 to {HYPERGRAPHS - 1}), with {SPLITS} "
            "splits of 20/20/60 each. The paper gives curves but no numbers.",
        ),
        verdict=_verdict(results),
        tables=(_table(results),),
        pictures=tuple(
            Picture(
                f"hypergraph-{reading}",
                f"Accuracy against the number of mixed hyperedges, {reading} hyper-parameters",
                f"Test accuracy in per cent, {reading} hyper-parameters. The bands are one "
                "standard deviation wide on each side.",
                partial(_paint, results=results, reading=reading),
            )
            for reading in ("released", "tuned")
        ),
    )


def _test(results: Results, mixed: int, method: str, reading: str) -> Sequence[float] | None:
    return accuracies_of(results, str(mixed), method, reading)


def _steps(results: Results) -> list[int]:
    return [m for m in MIXED if any((str(m), method) in results for method in METHODS)]


def _table(results: Results) -> Table:
    body: list[list[Entry | str]] = []
    for mixed in _steps(results):
        ours = {m: _test(results, mixed, m, "released") for m in METHODS}
        tuned = [write_runs(_test(results, mixed, m, "tuned")) for m in METHODS]
        found = next(results[str(mixed), m] for m in METHODS if (str(mixed), m) in results)
        exact = results.get((str(mixed), "lcn"))
        theta = write_interval(*exact["theta"][0]) if exact else NOT_RUN
        full = f"{100 * np.mean(found['density']):.0f} %"
        body.append([str(mixed), *compare_row(ours, {}).values(), *tuned, full, theta])
    names = [title_of(m) for m in METHODS]
    return Table(
        "Test accuracy in per cent, the share of all pairs of nodes that the clique expansion "
        "joins, and ϑ of the first clique expansion.",
        ["m", *names, *[f"{name}, tuned" for name in names], "pairs joined", "ϑ"],
        body,
    )


def _paint(figure: Any, *, results: Results, reading: str) -> None:
    steps = _steps(results)
    axes = figure.subplots()
    runs = {k: [_test(results, m, k, reading) for m in steps] for k in METHODS}
    draw_bands(axes, steps, {method: curve(values) for method, values in runs.items()})
    axes.set_xlabel("mixed hyperedges")
    axes.set_ylabel("accuracy, %")


def _verdict(results: Results) -> list[str]:
    said = []
    for reading in ("released", "tuned"):
        leads = {
            m: float(np.mean(lcn) - np.mean(gcn))
            for m in _steps(results)
            if (gcn := _test(results, m, "gcn", reading))
            and (lcn := _test(results, m, "lcn", reading))
        }
        if not leads:
            continue
        ends = dict.fromkeys((min(leads), max(leads)))
        said.append(
            f"{reading.capitalize()} hyper-parameters: LCN − GCN is "
            f"{' and '.join(f'{leads[m]:+.1f} points at m = {m}' for m in ends)}; LCN is ahead on "
            f"{sum(lead > 0 for lead in leads.values())} of {len(leads)} steps. In the paper LCN "
            "is far ahead at small m and GCN is ahead at large m."
        )
    share = {
        m: float(np.mean(results[str(m), k]["density"]))
        for m in _steps(results)
        for k in METHODS
        if (str(m), k) in results
    }
    if share:
        ends = dict.fromkeys((min(share), max(share)))
        said.append(
            "The clique expansion joins "
            + " and ".join(f"{100 * share[m]:.0f} % of all pairs at m = {m}" for m in ends)
            + ". It loses how many hyperedges two nodes share, which is what tells the classes "
            "apart."
        )
    return said


ITEM = Item("hypergraph", "Hypergraphs by clique expansion", cells, measure, section)
