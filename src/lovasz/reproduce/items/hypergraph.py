"""Figure "Test accuracy with increase in the heterogeneous edges in the hypergraph".

100 nodes in two classes, 20 hyperedges of 35 nodes of one class, and m of 35 nodes mixed 2 : 3;
networks see the clique expansion.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lovasz.classify.evaluation import random_splits
from lovasz.pages.reproduction.section import Entry, Picture, Section, Table
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results, joined
from lovasz.reproduce.engine.methods import GRID, best, prepare
from lovasz.reproduce.tables.numbers import (
    NOT_RUN,
    compare_row,
    curve,
    draw_bands,
    title_of,
    write_interval,
    write_runs,
)

NODES, SIZE, HOMOGENEOUS = 100, 35, 20
MIXED = tuple(range(10, 31, 2))
METHODS = ("gcn", "lcn", "lcn-ls")
SHARES = (0.2, 0.2, 0.6)
HYPERGRAPHS, SPLITS = 5, 10


def cells(quick: bool) -> list[Cell]:
    """Every number of mixed hyperedges by every method."""
    return [
        Cell("hypergraph", str(mixed), method, cost=15.0)
        for mixed in ((10, 30) if quick else MIXED)
        for method in METHODS
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Accuracy on some hypergraphs, and how full their clique expansions are."""
    from lovasz.graphs.hypergraph import clique_expansion, hypergraph

    readings: dict[str, list[Any]] = {"released": [], "tuned": []}
    density: list[float] = []
    theta: list[Any] = []
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
        theta += [method.facts["theta"]] if "theta" in method.facts else []
    found = {name: joined(parts) for name, parts in readings.items()}
    return {"readings": found, "density": density, **({"theta": theta} if theta else {})}


def section(results: Results) -> Section:
    """Accuracy against the number of mixed hyperedges."""
    return Section(
        ITEM.title,
        protocol=(
            f"{NODES} nodes, 50 a class; {HOMOGENEOUS} hyperedges of {SIZE} nodes of one class and "
            f"m of {SIZE} nodes mixed 2 : 3. Networks see the clique expansion and identity "
            f"features; {HYPERGRAPHS} hypergraphs for each m (seeds 0 to {HYPERGRAPHS - 1}), "
            f"{SPLITS} splits of 20/20/60 each. The paper gives curves, no numbers.",
        ),
        verdict=_verdict(results),
        tables=(_table(results),),
        pictures=tuple(
            Picture(
                f"hypergraph-{reading}",
                f"Accuracy against the number of mixed hyperedges, {reading} hyper-parameters",
                f"Test accuracy in per cent, {reading} hyper-parameters; bands are one standard "
                "deviation.",
                partial(_paint, results=results, reading=reading),
            )
            for reading in ("released", "tuned")
        ),
    )


def _test(results: Results, mixed: int, method: str, reading: str) -> list[float] | None:
    found = results.get((str(mixed), method))
    return found["readings"][reading]["test"] if found else None


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
        "Test accuracy in per cent; how many of the pairs the clique expansion joins, and ϑ of the "
        "first one.",
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
            f"{sum(lead > 0 for lead in leads.values())} of {len(leads)} steps. The paper has LCN "
            "far ahead at small m and GCN ahead at large m."
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
            + ": it forgets how often two nodes meet, which is where the classes show."
        )
    return said


ITEM = Item("hypergraph", "Hypergraphs by clique expansion", cells, measure, section)
