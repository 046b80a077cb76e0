"""Figure "Embeddings learnt": what the hidden layer makes of a block model, in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from lovasz.experiments.cell import Cell, Context, Item, Results
from lovasz.experiments.methods import RELEASED, prepare
from lovasz.experiments.sbm import SETTINGS, SHARES
from lovasz.experiments.section import Picture, Section, Table
from lovasz.experiments.summary import NOT_RUN, title_of
from lovasz.graphs.families import planted_partition
from lovasz.protocol import random_splits

ROWS = ("2 classes .55/.45", "2 classes .6/.4", "3 classes .6/.4", "3 classes .9/.8")
METHODS = ("gcn", "lcn", "lcn-ls")
NODES = 1000


def cells(quick: bool) -> list[Cell]:
    """Settings (b), (c), (e), (f) of the figure before, by method."""
    rows = ROWS[2:3] if quick else ROWS
    return [
        Cell("embeddings", row, method, cost=20.0 if method == "lcn" else 3.0)
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
        # A hidden layer all of whose units died is a point.
        "points": np.round(points / (np.abs(points).max() or 1), 3).tolist(),
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
    """A picture a setting, and how much of the variance lies between the classes."""
    rows = [row for row in ROWS if any((row, m) in results for m in METHODS)]
    return Section(
        ITEM.title,
        protocol=(
            f"Block models of {NODES} nodes (seed 0), one split of 20/10/70, the released "
            "hyper-parameters. Shown is the hidden layer, ReLU(K W⁰), of every node in the plane "
            "of its two principal components; the colour is the block. The paper does not say how "
            "it projects, and of its settings (b), (c), (e), (f) only two can be read off.",
        ),
        verdict=_verdict(results, rows),
        tables=(_table(results, rows),),
        pictures=tuple(
            Picture(
                f"embeddings-{number}",
                f"Hidden layers of the networks on {row}, coloured by block",
                f"{row}.",
                partial(_paint, results=results, row=row),
                width=760,
                height=270,
            )
            for number, row in enumerate(rows)
        ),
    )


def _paint(figure: Any, *, results: Results, row: str) -> None:
    from lovasz.report.style import color

    for panel, method in zip(figure.subplots(1, len(METHODS)), METHODS, strict=True):
        panel.set_title(title_of(method))
        panel.set_xticks([])
        panel.set_yticks([])
        if not (found := results.get((row, method))):
            continue
        points, y = np.array(found["points"]), np.array(found["y"])
        colours = [color(int(code)) for code in y]
        panel.scatter(*points.T, s=7, c=colours, alpha=0.7, linewidths=0, rasterized=True)
        panel.set_xlabel(f"{found['accuracy']:.1f} % right")


def _table(results: Results, rows: Sequence[str]) -> Table:
    def entry(row: str, method: str, key: str) -> str:
        found = results.get((row, method))
        return NOT_RUN if not found else f"{(1 if key == 'accuracy' else 100) * found[key]:.1f}"

    names = [title_of(m) for m in METHODS]
    return Table(
        "Test accuracy of the network shown, and the share of the hidden layer’s variance that "
        "lies between the means of the classes, both in per cent.",
        ["setting", *[f"{n}: right" for n in names], *[f"{n}: between" for n in names]],
        [
            [row, *[entry(row, m, key) for key in ("accuracy", "between") for m in METHODS]]
            for row in rows
        ],
    )


def _verdict(results: Results, rows: Sequence[str]) -> list[str]:
    pairs = [
        (results[row, "lcn"], results[row, "gcn"])
        for row in rows
        if (row, "lcn") in results and (row, "gcn") in results
    ]
    if not pairs:
        return []
    right = sum(lcn["accuracy"] > gcn["accuracy"] for lcn, gcn in pairs)
    spread_out = sum(gcn["between"] > lcn["between"] for lcn, gcn in pairs)
    return [
        f"LCN labels more nodes rightly than GCN in {right} of {len(pairs)} pictures; the paper "
        f"says that it does, with embeddings that are easier to read. In {spread_out} of "
        f"{len(pairs)} it is GCN’s hidden layer that has the larger share of its variance between "
        "the classes."
    ]


ITEM = Item("embeddings", "Embeddings learnt", cells, measure, section)
