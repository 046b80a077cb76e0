"""The rows of the comparison: their data, splits, methods and grids."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from lovasz.classify.splits import Split, random_splits
from lovasz.graphs import Graph
from lovasz.reproduce.engine.cells import Cell
from lovasz.reproduce.items import sbm
from lovasz.reproduce.items.kernels.entrants import BASELINES
from lovasz.reproduce.items.uci_mnist import GRAPHS, MNIST, UCI

TrainingSetting = dict[str, float]
FEW_LABELS: tuple[TrainingSetting, ...] = tuple(
    {"lr": 0.01, "weight_decay": decay, "dropout": dropout}
    for decay in (5e-4, 5e-3)
    for dropout in (0.5, 0.8)
)
"""The grid of rows with twenty labels per class and many features, which overfit easily."""
OTHERS: tuple[TrainingSetting, ...] = tuple(
    {"lr": rate, "weight_decay": decay, "dropout": dropout}
    for rate in (0.01, 0.05)
    for decay, dropout in ((5e-4, 0.5), (5e-5, 0.2))
)
"""The grid of rows with half of all labels, or with identity features."""
COMMON = {"hidden": 64, "epochs": 300, "patience": 100}
"""The settings that all networks share."""
RUNS = 10
"""Number of runs per graph."""
PLAIN = ("lcn-ls", "gcn", "lcn-normalized", "learned")
"""Networks that are run on all rows, in addition to ``auto``."""
FEATURED = (*PLAIN, "gprgnn", "appnp-consistent", "learned-consistent", "ppr-consistent")
"""Networks that are run on rows with features, in addition to the baselines."""
CITATION = ("cora", "citeseer", "pubmed")
"""Rows with the public split."""
HETEROPHILOUS = ("texas", "cornell", "chameleon-filtered", "actor", "squirrel")
"""Rows with ten published splits."""
LARGE = ("amazon-photo", "amazon-computers", "coauthor-cs", "coauthor-physics")
"""Rows with random splits of equally many nodes per class."""
BLOCKS = {f"sbm {name}": setting for name, setting in sbm.SETTINGS.items()}
"""Row of a block model -> number of blocks, p and q."""
BLOCK_NODES = 500
"""Number of nodes of a block model."""
BARE = (*UCI, *MNIST, *BLOCKS)
"""Rows with identity features."""
WITH_FEATURES = (*CITATION, *HETEROPHILOUS, *LARGE)
"""Rows with features."""
ABLATION = ("ppr", "similar-consistent", "edges")
"""Networks that show what single parts contribute, run on the citation networks."""
COST = {
    "cora": 4.0, "citeseer": 5.0, "pubmed": 30.0, "texas": 2.0, "cornell": 2.0, "actor": 12.0,
    "chameleon-filtered": 3.0, "squirrel": 25.0, "amazon-photo": 20.0, "amazon-computers": 40.0,
    "coauthor-cs": 40.0, "coauthor-physics": 90.0,
}  # fmt: skip
"""Estimated seconds of a network with one hop, extrapolated from Cora."""


def cells(quick: bool) -> list[Cell]:
    """The cells, with the most important rows first."""
    if quick:
        return [Cell("kernels", "texas", m, data=("texas",)) for m in ("gcn", "ppr")]
    made = []
    for row in (*WITH_FEATURES, *BARE):
        slow = {"edges": 4.0, "gat": 3.0, "lcn": 10.0, "auto": 10.0}
        parts = range(GRAPHS) if row in MNIST else [None]
        for part, method in product(parts, methods_of(row)):
            consistent = 2.0 if "consistent" in method else 1.0
            cost = COST.get(row, 3.0) * slow.get(method, consistent)
            data = () if row in BLOCKS else ("mnist",) if row in MNIST else (row,)
            made.append(Cell("kernels", row, method, part=part, cost=cost, data=data))
    return made


def methods_of(row: str) -> tuple[str, ...]:
    """The methods that are run on a row: ``auto``, and single networks."""
    if row in BARE:
        return ("auto", "lcn", *PLAIN)
    more = ABLATION if row in CITATION else ("edges",) if row in HETEROPHILOUS else ()
    return ("auto", *dict.fromkeys((*BASELINES, *FEATURED)), *more)


def settings_of(row: str) -> tuple[TrainingSetting, ...]:
    """The grid of a row, which is the same for every network."""
    return FEW_LABELS if row in (*CITATION, *LARGE) else OTHERS


class RowData(NamedTuple):
    """The data of one row: one split per run."""

    graph: Graph
    features: Any
    """Features as in the source, or None for the identity."""
    y: np.ndarray
    splits: list[Split]


def load_row(row: str, count: int, number: int = 0) -> RowData:
    """Load a row with ``count`` splits.

    If the row consists of several graphs, ``number`` is the seed of the graph and of its splits.
    """
    from lovasz.datasets import load
    from lovasz.graphs.families import planted_partition

    if row in BLOCKS:
        planted = planted_partition(BLOCK_NODES, *BLOCKS[row], seed=0)
        splits = random_splits(planted.y, (0.2, 0.1, 0.7), count, seed=0)
        return RowData(planted.graph, None, planted.y, splits)
    if row in MNIST:
        data = load("mnist", n=MNIST[row][0], classes=MNIST[row][1], seed=number)
    else:
        data = load(row)
    if row in BARE:
        splits = random_splits(data.y, (0.1, 0.1, 0.8), count, seed=number)
        return RowData(data.graph, None, data.y, splits)
    if row in CITATION:
        public = data.splits["public"]
        splits = [Split(public["train"], public["val"], public["test"])] * count
    elif row in HETEROPHILOUS:
        given = [data.splits[str(b)] for b in range(count)]
        splits = [Split(s["train"], s["val"], s["test"]) for s in given]
    else:
        splits = [split_per_class(data.y, seed) for seed in range(count)]
    return RowData(data.graph, data.features, data.y, splits)


def split_per_class(y: np.ndarray, seed: int, train: int = 20, validation: int = 30) -> Split:
    """A random split with fixed numbers of nodes per class (Shchur et al., 2018)."""
    rng = np.random.default_rng(seed)
    groups = [rng.permutation(np.flatnonzero(y == c)) for c in np.unique(y[y >= 0])]
    parts = zip(*(np.split(g, [train, train + validation]) for g in groups), strict=True)
    return Split(*(np.sort(np.concatenate(part)) for part in parts))
