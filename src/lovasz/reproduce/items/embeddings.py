"""Figure "Embeddings learnt": the hidden layer on a block model, in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.linalg.principal import principal_plane
from lovasz.pages.reproduction.section import Picture, Section, Table
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results
from lovasz.reproduce.engine.methods import RELEASED, prepare
from lovasz.reproduce.items.sbm import SETTINGS, SHARES
from lovasz.reproduce.tables.numbers import NOT_RUN, title_of

ROWS = ("2 classes .55/.45", "2 classes .6/.4", "3 classes .6/.4", "3 classes .9/.8")
"""Settings (b), (c), (e) and (f) of the paper's figure on block models."""
METHODS = ("gcn", "lcn", "lcn-ls")
NODES = 1000
"""Number of nodes of the graph."""


def cells(quick: bool) -> list[Cell]:
    """One cell per setting and method."""
    rows = ROWS[2:3] if quick else ROWS
    return [
        Cell("embeddings", row, method, cost=20.0 if method == "lcn" else 3.0)
        for row in rows
        for method in METHODS
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Train one network with the paper's hyper-parameters, and project its hidden layer."""
    from lovasz.nn import Settings, train

    classes, p, q = SETTINGS[cell.row]
    n = 150 if context.quick else NODES
    graph, y, _ = planted_partition(n, classes, p, q, seed=0)
    (split,) = random_splits(y, SHARES, 1, seed=0)
    method = prepare(cell.method, graph, device=context.device, gap=1e-5)
    trained = train(
        method.kernel,
        y,
        [(split.train, split.validation)],
        settings=Settings(**RELEASED[0]),
        device=context.device,
    )
    W = trained.weights[0][:, 0].detach().cpu().numpy()
    hidden = np.maximum(method.kernel @ W, 0)
    points, share = principal_plane(hidden)
    answers = trained.logits[0].argmax(1)
    return {
        "accuracy": round(100 * float((answers[split.test] == y[split.test]).mean()), 2),
        "between": round(variance_between(hidden, y), 4),
        "share": [round(float(s), 4) for s in share],
        # If all hidden units died, every node is at the origin.
        "points": np.round(points / (np.abs(points).max() or 1), 3).tolist(),
        "y": y.tolist(),
    }


def variance_between(vectors: np.ndarray, y: np.ndarray) -> float:
    """The share of the variance of the vectors that lies between the means of the classes."""
    centred = vectors - vectors.mean(axis=0)
    means = np.stack([centred[y == c].mean(axis=0) for c in range(int(y.max()) + 1)])
    return float((means[y] ** 2).sum() / max(float((centred**2).sum()), 1e-300))


def section(results: Results) -> Section:
    """One picture per setting, and the share of the variance between the classes."""
    rows = [row for row in ROWS if any((row, m) in results for m in METHODS)]
    return Section(
        ITEM.title,
        protocol=(
            f"The graphs are block models of {NODES} nodes (seed 0), with one split of 20/10/70 "
            "and the released hyper-parameters. The pictures show the hidden layer, ReLU(K W⁰), of "
            "every node in the plane of its first two principal components, coloured by block. The "
            "paper does not say how it projects, and only two of its settings (b), (c), (e), (f) "
            "can be read from its figure.",
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
    from lovasz.pages.style import class_color

    for panel, method in zip(figure.subplots(1, len(METHODS)), METHODS, strict=True):
        panel.set_title(title_of(method))
        panel.set_xticks([])
        panel.set_yticks([])
        if not (found := results.get((row, method))):
            continue
        points, y = np.array(found["points"]), np.array(found["y"])
        colours = [class_color(int(code)) for code in y]
        panel.scatter(*points.T, s=7, c=colours, alpha=0.7, linewidths=0, rasterized=True)
        panel.set_xlabel(f"{found['accuracy']:.1f} % correct")


def _table(results: Results, rows: Sequence[str]) -> Table:
    def entry(row: str, method: str, key: str) -> str:
        found = results.get((row, method))
        return NOT_RUN if not found else f"{(1 if key == 'accuracy' else 100) * found[key]:.1f}"

    names = [title_of(m) for m in METHODS]
    return Table(
        "Test accuracy of the network in the picture (correct), and the share of its hidden "
        "layer’s variance that lies between the means of the classes (between), in per cent.",
        ["setting", *[f"{n}: correct" for n in names], *[f"{n}: between" for n in names]],
        [
            [row, *[entry(row, m, key) for key in ("accuracy", "between") for m in METHODS]]
            for row in rows
        ],
    )


def _verdict(results: Results, rows: Sequence[str]) -> list[str]:
    done = [row for row in rows if all((row, m) in results for m in METHODS)]
    if not done:
        return []
    right = sum(
        max(results[row, m]["accuracy"] for m in ("lcn", "lcn-ls"))
        > results[row, "gcn"]["accuracy"]
        for row in done
    )
    said = [
        f"The better of the two LCNs labels more nodes correctly than GCN in {right} of "
        f"{len(done)} pictures. In the paper the blocks are separated in the pictures of LCN."
    ]
    apart = [
        f"{row} ({100 * found['between']:.0f} % of the variance lies between the blocks, "
        f"{found['accuracy']:.0f} % of the test nodes are labelled correctly)"
        for row in done
        if (found := results[row, "gcn"])["between"] > 0.5 and found["accuracy"] < 90
    ]
    if apart:
        said.append(
            "A picture does not measure how accurate a network is. The hidden layer of GCN "
            f"separates the blocks on {', '.join(apart)}; it is the layer after it that fails."
        )
    return said


ITEM = Item("embeddings", "Embeddings learnt", cells, measure, section)
