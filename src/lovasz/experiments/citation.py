"""Table "Performance on Citeseer, Cora, Pubmed": the public split, ten seeds.

The paper uses K_LS = I + A/|λ_min(A)| here and says nothing of how the features are scaled, so
every method is run on the raw features and on rows that sum to one (Kipf and Welling); node2vec,
which the paper calls a method of the structure alone, also on none.
``lcn-search`` and ``gcn-search`` look further, with what the paper's text allows: any weights C
on the edges, more hidden units, other regularisation; chosen on the validation nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.experiments.cell import Cell, Context, Item, Results
from lovasz.experiments.methods import GRID, Scores, describe, prepare
from lovasz.experiments.section import Section
from lovasz.protocol import Split

PUBLISHED = {
    # node2vec gcn gpnn lcn-ls
    "citeseer": (23.1, 70.3, 69.7, 73.5),
    "cora": (31.9, 81.5, 81.8, 82.6),
    "pubmed": (42.3, 79.0, 79.3, 79.7),
}
COLUMNS = ("node2vec", "gcn", "gpnn", "lcn-ls")
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "lcn": ("lcn", {"choice": "lifted"}),  # the central one takes dense matrices
    "lcn-ls-normalized": ("lcn-ls", {"weights": "normalized"}),
    "node2vec-centred": ("node2vec", {"centred": True}),
}
METHODS = (
    "node2vec", "node2vec-centred", "gcn", "gcn-raw", "gpnn", "lcn", "lcn-ls",
    "lcn-ls-normalized", "gcn-search", "lcn-search",
)  # fmt: skip
SEEDS = 10
SEARCH = {
    "hidden": (16, 64),
    "lr": (0.01, 0.05),
    "weight_decay": (5e-4, 5e-3),
    "dropout": (0.5, 0.8),
}
SEARCH_SEEDS = 2


def cells(quick: bool) -> list[Cell]:
    """Every dataset by every method."""
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
    """Scores by what the networks see of the features; or the best of the search."""
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
    kinds = ("rows sum to 1",) if context.quick else ("raw", "rows sum to 1")
    kinds += ("identity",) if name == "node2vec" else ()
    features = scaled(dataset.features)
    readings = {
        kind: method.score(dataset.y, splits, features=features[kind], grid=grid).as_json()
        for kind in kinds
    }
    return {"readings": readings, **method.facts}


def scaled(X: sparse.csr_array) -> dict[str, Any]:
    """The features as they are, with rows that sum to one, and none."""
    total = np.asarray(abs(X).sum(axis=1), dtype=float).ravel()
    rows = sparse.diags_array(1 / np.where(total > 0, total, 1)) @ X
    return {"raw": X, "rows sum to 1": sparse.csr_array(rows), "identity": None}


def _search(name: str, dataset: Any, splits: Sequence[Split], device: str) -> dict[str, Any]:
    """Every setting with few seeds; the best on validation with all."""
    method = name.removesuffix("-search")
    kernels: dict[str, Any] = {"Â": prepare("gcn", dataset.graph)}
    if method == "lcn":
        kernels = {
            f"C = {label}": prepare("lcn-ls", dataset.graph, weights=weights)
            for label, weights in (("A", "adjacency"), ("D^-½ A D^-½", "normalized"))
        }
    features = scaled(dataset.features)
    tried: list[tuple[float, str, str, dict[str, float]]] = []
    for (label, prepared), kind in product(kernels.items(), ("raw", "rows sum to 1")):
        for setting in settings():
            (scores,) = prepared.tried(
                dataset.y,
                splits[:SEARCH_SEEDS],
                features=features[kind],
                grid=[setting],
                device=device,
            )
            tried.append((float(scores.validation.mean()), label, kind, setting))
    _, label, kind, setting = max(tried, key=lambda entry: entry[0])
    final: Scores = kernels[label].score(
        dataset.y, splits, features=features[kind], grid=[setting], device=device
    )
    chosen = f"{label}, {kind}, hidden {setting['hidden']}, {describe(setting)}"
    return {"readings": {"search": final.as_json()}, "tried": len(tried), "chosen": chosen}


def settings() -> Iterator[dict[str, Any]]:
    """The points of the search's grid."""
    for values in product(*SEARCH.values()):
        yield dict(zip(SEARCH, values, strict=True))


def section(results: Results) -> Section:
    raise NotImplementedError


ITEM = Item("citation", "Citation networks", cells, measure, section)
