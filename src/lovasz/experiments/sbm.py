"""Figure "Test accuracy plots for graphs from the stochastic block model".

Blocks of equal size, probability p inside and q between, 100 to 1,000 nodes, 20 % of the nodes to
learn from, 10 % to choose by, 70 % to test. Beside the networks the Bayes-optimal labels, which
know p and q: no method can do better on average.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lovasz.experiments.cell import Cell, Context, Item, Results
from lovasz.experiments.methods import GRID, answer_scores, best, merge, prepare
from lovasz.experiments.section import Section
from lovasz.graphs.families import planted_partition
from lovasz.protocol import random_splits

SETTINGS = {
    "2 classes .5/.45": (2, 0.5, 0.45),
    "2 classes .55/.45": (2, 0.55, 0.45),
    "2 classes .6/.4": (2, 0.6, 0.4),
    "3 classes .6/.4": (3, 0.6, 0.4),
    "3 classes .7/.6": (3, 0.7, 0.6),
    "3 classes .9/.8": (3, 0.9, 0.8),
}
SIZES = tuple(range(100, 1001, 100))
METHODS = ("gcn", "lcn", "lcn-ls", "bayes")
SHARES = (0.2, 0.1, 0.7)
GRAPHS, SPLITS = 2, 5


def cells(quick: bool) -> list[Cell]:
    """Every setting and size by every method."""
    settings = ("2 classes .55/.45", "3 classes .6/.4") if quick else SETTINGS
    sizes = (100, 200) if quick else SIZES
    return [
        Cell("sbm", f"{setting} n={n}", method, 60 * (n / 1000) ** 2)
        for setting in settings
        for n in sizes
        for method in METHODS
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Accuracy on some graphs of a setting, with the paper's hyper-parameters and with tuned."""
    name, n = cell.row.split(" n=")
    classes, p, q = SETTINGS[name]
    readings: dict[str, list[Any]] = {}
    facts: dict[str, list[Any]] = {}
    for seed in range(1 if context.quick else GRAPHS):
        graph, y, _ = planted_partition(int(n), classes, p, q, seed=seed)
        splits = random_splits(y, SHARES, 2 if context.quick else SPLITS, seed=seed)
        if cell.method == "bayes":
            found = {"bayes": _bayes(graph, y, splits, p, q)}
        else:
            method = prepare(cell.method, graph, device=context.device, gap=1e-5)
            grid = GRID[:1] if context.quick else GRID
            tried = method.tried(y, splits, seed=100 * seed, grid=grid)
            found = {"released": tried[0], "tuned": best(tried)}
            for fact, value in method.facts.items():
                facts.setdefault(fact, []).append(value)
        for reading, scores in found.items():
            readings.setdefault(reading, []).append(scores.as_json())
    return {"readings": {name: merge(parts) for name, parts in readings.items()}, **facts}


def _bayes(graph: Any, y: np.ndarray, splits: Any, p: float, q: float) -> Any:
    """Belief propagation on the whole graph, given the labels of the training nodes."""
    from lovasz.experiments.belief import bayes_labels

    classes = int(y.max()) + 1
    matrix = np.where(np.eye(classes, dtype=bool), p, q)
    prior = np.bincount(y) / len(y)
    answers = []
    for split in splits:
        known = np.full(len(y), -1)
        known[split.train] = y[split.train]
        answers.append(bayes_labels(graph, known, probabilities=matrix, prior=prior).argmax(1))
    return answer_scores(answers, y, splits, "known p, q")


def section(results: Results) -> Section:
    raise NotImplementedError


ITEM = Item("sbm", "Stochastic block models", cells, measure, section)
