"""Figure "Embeddings learnt": what the hidden layer makes of a block model, in two dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lovasz.experiments.cell import Cell, Context, Item, Results
from lovasz.experiments.methods import RELEASED, prepare
from lovasz.experiments.sbm import SETTINGS, SHARES
from lovasz.experiments.section import Section
from lovasz.graphs.families import planted_partition
from lovasz.protocol import random_splits

ROWS = ("2 classes .55/.45", "2 classes .6/.4", "3 classes .6/.4", "3 classes .9/.8")
METHODS = ("gcn", "lcn", "lcn-ls")
NODES = 1000


def cells(quick: bool) -> list[Cell]:
    """Settings (b), (c), (e), (f) of the figure before, by method."""
    rows = ROWS[2:3] if quick else ROWS
    return [
        Cell("embeddings", row, method, 20.0 if method == "lcn" else 3.0)
        for row in rows
        for method in METHODS
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """One network with the paper's hyper-parameters; its hidden layer's principal plane."""
    from lovasz.nn.train import train

    classes, p, q = SETTINGS[cell.row]
    n = 150 if context.quick else NODES
    graph, y, _ = planted_partition(n, classes, p, q, seed=0)
    (split,) = random_splits(y, SHARES, 1, seed=0)
    method = prepare(cell.method, graph, device=context.device, gap=1e-5)
    trained = train(
        method.kernel, y, [(split.train, split.validation)], device=context.device, **RELEASED[0]
    )
    W = trained.weights[0][:, 0].detach().cpu().numpy()
    hidden = np.maximum(method.kernel @ W, 0)
    points, share = plane(hidden)
    answers = trained.logits[0].argmax(1)
    return {
        "accuracy": round(100 * float((answers[split.test] == y[split.test]).mean()), 2),
        "between": round(between(hidden, y), 4),
        "share": [round(float(s), 4) for s in share],
        "points": np.round(points / np.abs(points).max(), 3).tolist(),
        "y": y.tolist(),
    }


def plane(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates along the two directions of most variance, and their shares of it."""
    centred = vectors - vectors.mean(axis=0)
    U, singular, _ = np.linalg.svd(centred, full_matrices=False)
    share = singular**2 / max(float((singular**2).sum()), 1e-300)
    return U[:, :2] * singular[:2], share[:2]


def between(vectors: np.ndarray, y: np.ndarray) -> float:
    """The share of the variance that lies between the means of the classes."""
    centred = vectors - vectors.mean(axis=0)
    means = np.stack([centred[y == c].mean(axis=0) for c in range(int(y.max()) + 1)])
    return float((means[y] ** 2).sum() / max(float((centred**2).sum()), 1e-300))


def section(results: Results) -> Section:
    raise NotImplementedError


ITEM = Item("embeddings", "Embeddings learnt", cells, measure, section)
