"""The rows of the comparison of defaults: their data, labels, methods and cells.

A row has as many tasks as runs. A task is a graph or a table, the nodes whose labels are known, and
the nodes on which all methods are tested. It depends on the row and the number of the run alone, so
all methods have the same tasks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lovasz.base.extras import needed_for
from lovasz.classify.splits import random_splits
from lovasz.graphs import Graph
from lovasz.reproduce.engine.cells import Cell
from lovasz.reproduce.items.defaults.block_rows import BLOCK_MODELS, Planted
from lovasz.reproduce.items.defaults.pattern_rows import PATTERNS
from lovasz.reproduce.items.kernels.rows import split_per_class
from lovasz.reproduce.items.uci_mnist import UCI

OURS = ("auto", "auto-fast")
"""``LCNClassifier()``, and the same with ``fast=True``."""
NETWORKS = ("gcn", "gat", "appnp", "gprgnn")
"""Published networks, which are those of the item "kernels", with biases."""
ON_GRAPHS = ("label-spreading", "spectral", *NETWORKS)
"""Methods that need no features."""
ON_FEATURES = ("logistic", "svm", "mlp")
"""Methods that look at the features alone."""
ON_TABLES = ("label-spreading", *ON_FEATURES, "forest", "knn")
"""Methods for tables without a graph."""
DRAWN: dict[str, Any] = BLOCK_MODELS | PATTERNS
"""Row -> how its random graphs are drawn, and the share of labels."""
CITATION = ("cora", "citeseer", "pubmed")
"""Citation networks with the public split; validation nodes are given."""
LABELS_ONLY = {f"{name}, labels only": name for name in CITATION}
"""The same without validation nodes: 20 labels per class are all that is known."""
HETEROPHILOUS = ("texas", "cornell", "chameleon-filtered", "actor", "squirrel")
"""Graphs with published splits, which include validation nodes."""
LARGE = ("amazon-photo", "amazon-computers", "coauthor-cs", "coauthor-physics")
"""Graphs with 20 labels per class, and no validation nodes."""
BARE = {"karate": 0.12, "polblogs": 0.02}
"""Graph without features -> its share of labels."""
GRAPHS = (*CITATION, *LABELS_ONLY, *HETEROPHILOUS, *LARGE, *BARE)
"""All rows that are graphs from data sets."""
SKLEARN_TABLES = {
    "wine": "load_wine", "digits": "load_digits", "wdbc": "load_breast_cancer", "iris": "load_iris",
}  # fmt: skip
"""Table -> the function of scikit-learn that loads it; "wdbc" is its breast cancer data, which is
not the set of LIBSVM that is called "breast-cancer"."""
SHARES = {"2 %": 0.02, "20 %": 0.2}
"""Shares of labels on tables."""
TABLES = {f"{name} {share}": (name, share) for name in (*SKLEARN_TABLES, *UCI) for share in SHARES}
"""Row of a table -> its data set and its share of labels."""
RUNS = 8
"""Number of runs."""
OTHER_RUNS = {
    **dict.fromkeys(CITATION, 10),
    **dict.fromkeys((*LABELS_ONLY, *HETEROPHILOUS), 5),
    **dict.fromkeys(LARGE, 3),
}
"""Row -> its number of runs, if that is not ``RUNS``."""
QUICK_ROWS = {
    "3 blocks .7/.6": ("auto", "label-spreading", "spectral", "gcn", "bayes"),
    "3 blocks with features": ("logistic", "mlp", "c-and-s", "bayes"),
    "wine 20 %": ("auto-fast", "logistic", "knn"),
}
"""The rows and methods of a quick run."""
COST = {
    "cora": 20.0, "citeseer": 25.0, "pubmed": 90.0, "actor": 60.0, "chameleon-filtered": 10.0,
    "amazon-photo": 60.0, "coauthor-cs": 120.0, "digits": 15.0, "squirrel": 60.0,
    "amazon-computers": 150.0, "coauthor-physics": 250.0,
}  # fmt: skip
"""Rough estimate of the seconds of a fit of LCNClassifier, by data set; others take 5."""


@dataclass(frozen=True)
class Task:
    """What a method is given in one run, and what it is tested on."""

    graph: Graph | None
    """The graph, or None for a table."""
    features: Any
    """Features as in the source, or None if there are none."""
    y: np.ndarray
    train: np.ndarray
    """The nodes whose labels are known."""
    validation: np.ndarray | None
    """Further nodes with known labels, to choose by but not to train on, or None."""
    test: np.ndarray
    planted: Planted | None = None
    """The random graph that the task is about, if it is one."""

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1


def methods_of(row: str) -> tuple[str, ...]:
    """The methods that are run on a row."""
    if row in TABLES:
        return (*OURS, *ON_TABLES)
    draw = DRAWN[row][0] if row in DRAWN else None
    featured = draw.featured if draw else row not in BARE
    more = (*ON_FEATURES, "c-and-s") if featured else ()
    return (*OURS, *ON_GRAPHS, *more, *(["bayes"] if draw and draw.known else []))


def cells(quick: bool) -> list[Cell]:
    """One cell per row and method."""
    rows = {row: methods_of(row) for row in (*DRAWN, *GRAPHS, *TABLES)}
    slow = {"auto": 1.0, "auto-fast": 0.3, "gat": 0.8}
    made = []
    for row, methods in (QUICK_ROWS if quick else rows).items():
        name = source_of(row)
        data = (name,) if name and name not in SKLEARN_TABLES else ()
        cost = COST.get(name, 5.0) * runs_of_row(row, quick)
        made += [
            Cell("defaults", row, method, cost=cost * slow.get(method, 0.2), data=data)
            for method in methods
        ]
    return made


def source_of(row: str) -> str:
    """The name of the data set of a row, or "" for a random graph."""
    if row in DRAWN:
        return ""
    return TABLES[row][0] if row in TABLES else LABELS_ONLY.get(row, row)


def runs_of_row(row: str, quick: bool) -> int:
    """The number of runs of a row."""
    return 2 if quick else OTHER_RUNS.get(row, RUNS)


def load_task(row: str, number: int, quick: bool) -> Task:
    """Load or draw the task of run ``number`` of a row."""
    if row in DRAWN:
        draw, share = DRAWN[row]
        planted = draw(number, quick)
        train, test = draw_labels(planted.y, share, number)
        return Task(planted.graph, planted.features, planted.y, train, None, test, planted)
    if row in TABLES:
        name, written = TABLES[row]
        X, y = load_table(name)
        train, test = draw_labels(y, SHARES[written], number)
        return Task(None, X, y, train, None, test)
    from lovasz.datasets import load

    data = load(source_of(row))
    validation = None
    if row in BARE:
        train, test = draw_labels(data.y, BARE[row], number)
    elif row in LARGE:
        split = split_per_class(data.y, number)
        train, test = split.train, split.test
    else:
        given = data.splits["public" if source_of(row) in CITATION else str(number)]
        train, test = given["train"], given["test"]
        validation = None if row in LABELS_ONLY else given["val"]
    return Task(data.graph, data.features, data.y, train, validation, test)


def load_table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The features and class codes of a table."""
    if name not in SKLEARN_TABLES:
        from lovasz.datasets import load

        data = load(name)
        return np.asarray(data.features, dtype=np.float64), data.y
    with needed_for(f"the table {name!r}"):
        import sklearn.datasets
    X, y = getattr(sklearn.datasets, SKLEARN_TABLES[name])(return_X_y=True)
    return np.asarray(X, dtype=np.float64), np.asarray(y)


def draw_labels(y: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a share of each class, at least one node, to be known; all others are for testing."""
    split = random_splits(y, (share, 0.0, 1 - share), 1, seed=seed, by_class=True)[0]
    return split.train, split.test
