"""Table "Performance on Citeseer, Cora, Pubmed": the public split, ten seeds.

The paper uses K_LS = I + A/|λ_min(A)| here and does not say how the features are scaled, so every
method is run with the raw features and with rows that sum to one (Kipf and Welling). Node2vec,
which the paper describes as using the structure alone, is also run without features.
``lcn-search`` and ``gcn-search`` try more settings that the paper's text allows: any weights C on
the edges, more hidden units and other regularisation, chosen on the validation nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.classify.splits import Split
from lovasz.pages.reproduction.section import Entry, Section, Table
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results
from lovasz.reproduce.engine.methods import GRID, Scores, describe_setting, prepare
from lovasz.reproduce.tables.numbers import (
    NOT_RUN,
    accuracies_of,
    compare_row,
    flatten,
    headline,
    title_of,
    write_interval,
    write_runs,
)

PUBLISHED = {
    # node2vec gcn gpnn lcn-ls
    "citeseer": (23.1, 70.3, 69.7, 73.5),
    "cora": (31.9, 81.5, 81.8, 82.6),
    "pubmed": (42.3, 79.0, 79.3, 79.7),
}
COLUMNS = ("node2vec", "gcn", "gpnn", "lcn-ls")
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "lcn": ("lcn", {"choice": "lifted"}),  # the central kernel needs dense matrices
    "lcn-ls-normalized": ("lcn-ls", {"weights": "normalized"}),
    "node2vec-centred": ("node2vec", {"centred": True}),
}
"""Method of this item -> the method to prepare, and its options."""
METHODS = (
    "node2vec", "node2vec-centred", "gcn", "gcn-raw", "gpnn", "lcn", "lcn-ls",
    "lcn-ls-normalized", "gcn-search", "lcn-search",
)  # fmt: skip
TITLES = {
    "node2vec-centred": "Node2vec, mean removed",
    "lcn": "LCN (exact)",
    "lcn-ls-normalized": "LCN (LS, normalized)",
}
"""Column headings of the methods that other items do not have or name otherwise."""
SEEDS = 10
"""Number of seeds on the public split."""
SEARCH = {
    "hidden": (16, 64),
    "lr": (0.01, 0.05),
    "weight_decay": (5e-4, 5e-3),
    "dropout": (0.5, 0.8),
}
"""The grid of the search."""
SEARCH_SEEDS = 2
"""Number of seeds with which the search compares settings."""


def cells(quick: bool) -> list[Cell]:
    """One cell per dataset and method."""
    rows = ("cora",) if quick else PUBLISHED
    methods = [m for m in METHODS if not quick or m in ("gcn", "lcn-ls")]
    slow = {"gcn-search": 10, "lcn-search": 20, "gpnn": 5, "node2vec": 4, "node2vec-centred": 4}
    size = {"cora": 10, "citeseer": 15, "pubmed": 60}
    return [
        Cell("citation", r, m, cost=size[r] * slow.get(m, 1), data=(r,))
        for r in rows
        for m in methods
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Scores by the scaling of the features, or the best setting of the search."""
    from lovasz.datasets import load

    dataset = load(cell.row)
    public = dataset.splits["public"]
    split = Split(public["train"], public["val"], public["test"])
    splits = [split] * (2 if context.quick else SEEDS)
    if cell.method.endswith("-search"):
        return _search(cell.method, dataset, splits, context.device)
    name, options = VARIANTS.get(cell.method, (cell.method, {}))
    method = prepare(name, dataset.graph, device=context.device, **options)
    grid = GRID[:1] if context.quick else GRID
    kinds: tuple[str, ...] = ("rows sum to 1",) if context.quick else ("raw", "rows sum to 1")
    kinds += ("identity",) if name == "node2vec" else ()
    features = feature_readings(dataset.features)
    readings = {
        kind: method.score(dataset.y, splits, features=features[kind], grid=grid).as_json()
        for kind in kinds
    }
    test = dataset.y[split.test]
    largest = round(100 * float(np.bincount(test).max() / len(test)), 1)
    return {"readings": readings, "largest": largest, **method.facts}


def feature_readings(X: sparse.csr_array) -> dict[str, Any]:
    """The raw features, features with rows that sum to one, and None for the identity."""
    total = np.asarray(abs(X).sum(axis=1), dtype=float).ravel()
    rows = sparse.diags_array(1 / np.where(total > 0, total, 1)) @ X
    return {"raw": X, "rows sum to 1": sparse.csr_array(rows), "identity": None}


def _search(name: str, dataset: Any, splits: Sequence[Split], device: str) -> dict[str, Any]:
    """Try every setting with few seeds, and run the best on validation with all seeds."""
    method = name.removesuffix("-search")
    kernels: dict[str, Any] = {"Â": prepare("gcn", dataset.graph, device=device)}
    if method == "lcn":
        kernels = {
            f"C = {label}": prepare("lcn-ls", dataset.graph, device=device, weights=weights)
            for label, weights in (("A", "adjacency"), ("D^-½ A D^-½", "normalized"))
        }
    features = feature_readings(dataset.features)
    tried: list[tuple[float, str, str, dict[str, float]]] = []
    for (label, prepared), kind in product(kernels.items(), ("raw", "rows sum to 1")):
        for setting in search_grid():
            (scores,) = prepared.tried(
                dataset.y,
                splits[:SEARCH_SEEDS],
                features=features[kind],
                grid=[setting],
            )
            tried.append((float(scores.validation.mean()), label, kind, setting))
    _, label, kind, setting = max(tried, key=lambda entry: entry[0])
    final: Scores = kernels[label].score(dataset.y, splits, features=features[kind], grid=[setting])
    chosen = f"{label}, {kind}, hidden {setting['hidden']}, {describe_setting(setting)}"
    return {"readings": {"search": final.as_json()}, "tried": len(tried), "chosen": chosen}


def search_grid() -> Iterator[dict[str, Any]]:
    """The settings that the search tries."""
    for values in product(*SEARCH.values()):
        yield dict(zip(SEARCH, values, strict=True))


def section(results: Results) -> Section:
    """The table, the search, and the effect of the kernel's weights."""
    return Section(
        ITEM.title,
        protocol=(
            "The split is the public one (20 training labels per class, 500 validation nodes, "
            f"1,000 test nodes), with {SEEDS} seeds. The networks have 16 hidden units, 200 epochs "
            "and the grid of all items. The features are raw, or their rows sum to one. K_LS has "
            "C = A as the paper writes it; “normalized” has C = D^-½ A D^-½, which Theorem 1 also "
            "allows. The exact kernel, which the paper calls out of reach for these graphs, is the "
            "lifted one, and ϑ is exact.",
            "The search tries "
            + " × ".join(f"{name} {' or '.join(map(str, v))}" for name, v in SEARCH.items())
            + ", both scalings of the features and, for LCN, both choices of C, with "
            f"{SEARCH_SEEDS} seeds. The setting that is best on validation is run with {SEEDS} "
            "seeds.",
        ),
        verdict=_verdict(results),
        tables=(_table(results), _searches(results)),
    )


def _table(results: Results) -> Table:
    names = [m for m in METHODS if not m.endswith("-search")]
    body: list[list[Entry | str]] = []
    for row, kind in product(PUBLISHED, ("rows sum to 1", "raw", "identity")):
        ours = {m: accuracies_of(results, row, m, kind) for m in names}
        if any(ours.values()):
            paper = dict(zip(COLUMNS, PUBLISHED[row], strict=True))
            entries = [
                Entry("", paper=entry.paper) if ours[m] is None and kind == "identity" else entry
                for m, entry in compare_row(ours, paper).items()
            ]
            theta = results.get((row, "lcn"), {}).get("theta")
            body.append([row, kind, *entries, write_interval(*theta) if theta else NOT_RUN])
    titles = [TITLES.get(m, title_of(m)) for m in names]
    return Table(
        "Test accuracy in per cent, ours above the paper’s, and ϑ of the graph.",
        ["dataset", "features", *titles, "ϑ"],
        body,
    )


def _searches(results: Results) -> Table:
    body = [
        [row, title_of(method[:3]), write_runs(found["readings"]["search"]["test"]),
         f"{found['tried']}", found["chosen"]]
        for row, method in product(PUBLISHED, ("gcn-search", "lcn-search"))
        if (found := results.get((row, method)))
    ]  # fmt: skip
    return Table(
        "The search: test accuracy of the setting that is best on validation.",
        ["dataset", "method", "accuracy", "settings tried", "chosen"],
        body,
    )


def _verdict(results: Results) -> list[str]:
    said, behind = [], []
    for row in PUBLISHED:
        paper = PUBLISHED[row][-1]
        plain = _best_reading(results, row, "lcn-ls")
        gcn = _best_reading(results, row, "gcn")
        search = results.get((row, "lcn-search"))
        if not (plain and gcn):
            continue
        text = f"{row.capitalize()}: K_LS as the paper writes it gives {plain:.1f}. The published "
        text += f"accuracy is {paper:g}, and GCN with the same code gives {gcn:.1f}."
        if search:
            values = search["readings"]["search"]["test"]
            text += f" The search finds {write_runs(values)} ({search['chosen']}), which "
            text += "reaches" if np.mean(values) >= paper else "does not reach"
            text += " the published accuracy."
        said.append(text)
        behind += [row] if plain < gcn else []
    if behind:
        said.append(
            f"K_LS(A) is behind GCN on {', '.join(behind)}. One hub determines λ_min(A) for the "
            "whole graph, so the entries of K on the edges are small compared with its diagonal. "
            "The theorem allows any C on the edges; the paper’s text says C = A."
        )
    return [*said, *_node2vec(results)]


def _best_reading(results: Results, row: str, method: str) -> float | None:
    """The mean test accuracy in the reading that does best on validation."""
    readings = results.get((row, method), {}).get("readings", {})
    if not readings:
        return None
    found = max(readings.values(), key=lambda scores: np.mean(scores["validation"]))
    return float(np.mean(found["test"]))


def _node2vec(results: Results) -> list[str]:
    rows = [row for row in PUBLISHED if (row, "node2vec") in results]
    if not rows:
        return []
    given = ", ".join(
        f"{row} {PUBLISHED[row][0]:g} and {results[row, 'node2vec']['largest']:g}" for row in rows
    )
    mended = [
        f"{row} {value:.1f}"
        for row in rows
        if (value := _best_reading(results, row, "node2vec-centred"))
    ]
    after = (
        f" If the mean of the vectors is removed first, the accuracies are {', '.join(mended)}."
        if mended
        else ""
    )
    equal = [row for row in rows if PUBLISHED[row][0] == results[row, "node2vec"]["largest"]]
    died = (
        f" On {' and '.join(equal)} they are equal. A network that always answers the same class "
        "has that accuracy, so the paper’s network seems to have died. Almost all entries of the "
        "Gram matrix of the unit vectors are positive, and few ReLUs survive its large row sums."
        if equal
        else ""
    )
    ours = ", ".join(f"{row} {_best_reading(results, row, 'node2vec'):.1f}" for row in rows)
    return [
        "Node2vec: the published accuracy and the share of the largest class among the test nodes "
        f"are {given}.{died} Our accuracies with the same unit vectors are {ours}.{after}"
    ]


ITEM = Item(
    "citation",
    "Citation networks",
    cells,
    measure,
    section,
    flatten(PUBLISHED, COLUMNS),
    partial(headline, reading="rows sum to 1"),
)
