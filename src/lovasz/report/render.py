"""From the numbers of a page to its HTML."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import lovasz
from lovasz.errors import LovaszError
from lovasz.report import charts, drawings, summary
from lovasz.report.layout import spring
from lovasz.report.page import Page
from lovasz.report.style import chip, clean, color, draw, shorten_all

LISTED_CLASSES = 40
"""Legends and tables list so many classes at most, those with the most nodes."""


def render(page: Page) -> str:
    """The page as one HTML document that needs nothing else; the same bytes on one machine."""
    _check(page)
    environment = Environment(
        loader=PackageLoader("lovasz.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: (
            clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    environment.filters["thousands"] = lambda number: f"{number:,}"
    environment.filters["one"] = lambda number: f"{number:.1f}"
    environment.globals |= {"chip": chip, "color": color}
    nodes = drawings.Nodes(
        page.graph, page.labels, page.probabilities.argmax(axis=1), page.probabilities.max(axis=1)
    )
    return environment.get_template("page.html").render(
        page=page,
        version=lovasz.__version__,
        headline=_headline(page),
        accuracy=_accuracy(page),
        graph=_graph(nodes),
        embedding=_embedding(nodes, page.embedding),
        held_out=_held_out(page),
        training=_training(page),
        doubts=summary.least_certain(page),
        classes=_classes(page, nodes.predicted),
        names=shorten_all(page.classes, 30),
    )


def _check(page: Page) -> None:
    n, size = page.graph.n, len(page.classes)
    if n == 0:
        raise LovaszError("the graph has no nodes; there is nothing to report on")
    for name, array, shape in (
        ("labels", page.labels, (n,)),
        ("probabilities", page.probabilities, (n, size)),
        ("embedding", page.embedding, (n, *page.embedding.shape[1:])),
    ):
        if array.shape != shape:
            raise LovaszError(
                f"{name} has shape {array.shape}; the graph and classes ask for {shape}"
            )


def _headline(page: Page) -> dict[str, Any]:
    scores = [summary.score(m) for m in page.methods]
    others = [summary.compare(page.methods[0], other) for other in page.methods[1:]]
    labelled = int((page.labels >= 0).sum())
    baseline = summary.largest_class_share(page.methods[0]) if page.methods else None
    return {
        "scores": scores,
        "comparisons": others,
        "verdicts": [summary.verdict(c) for c in others],
        "baseline": baseline,
        "baseline_shown": baseline is not None
        and charts.accuracy_range(page.methods, baseline)[0] < baseline,
        "labelled": labelled,
        "unlabelled": page.graph.n - labelled,
    }


def _accuracy(page: Page) -> Markup | None:
    if not page.methods:
        return None
    said = "; ".join(
        f"{s.name}: mean {s.mean:.1f} %, from {s.low:.1f} to {s.high:.1f}"
        for s in map(summary.score, page.methods)
    )
    return draw(
        partial(
            charts.accuracy,
            methods=page.methods,
            baseline=summary.largest_class_share(page.methods[0]),
        ),
        name="accuracy",
        label=clean(f"Accuracy on held-out nodes, a dot for each split. {said}."),
        height=60 + 62 * len(page.methods),
    )


def _graph(nodes: drawings.Nodes) -> dict[str, Any]:
    if nodes.dense:
        picture = draw(
            partial(drawings.matrix, nodes=nodes),
            name="graph",
            label="Adjacency matrix of the graph, nodes sorted by predicted class.",
            height=400,
        )
        return {"dense": True, "picture": picture, "grouped": nodes.graph.n > drawings.CELLS}
    rows = drawings.drawn_rows(nodes)
    position = spring(nodes.graph.adjacency[rows][:, rows].tocsr())
    picture = draw(
        partial(drawings.node_link, nodes=nodes, rows=rows, position=position),
        name="graph",
        label=f"Drawing of {rows.size:,} nodes of the graph, coloured by predicted class.",
        height=float(np.clip(400 * np.abs(position[:, 1]).max(), 150, 400)),
    )
    return {"dense": False, "picture": picture, "drawn": rows.size}


def _embedding(nodes: drawings.Nodes, vectors: np.ndarray) -> dict[str, Any]:
    rows = drawings.embedding_rows(nodes.labels)
    picture = draw(
        partial(drawings.embedding, nodes=nodes, vectors=vectors, rows=rows),
        name="embedding",
        label=f"Learned embedding of {rows.size:,} nodes in two dimensions, by predicted class.",
        height=400,
    )
    return {"picture": picture, "drawn": rows.size}


def _held_out(page: Page) -> dict[str, Any] | None:
    """Confusion and calibration: what the held-out nodes say about single classes and nodes."""
    if not page.methods:
        return None
    size = len(page.classes)
    counts = summary.confusion(page.methods[0], size)
    bins = [summary.calibration(m) for m in page.methods]
    return {
        "confusion": draw(
            partial(charts.confusion, counts=counts, classes=page.classes),
            name="confusion",
            label=f"Confusion matrix of {size} classes: true class by row, predicted by column.",
            height=330 if size <= charts.WRITTEN_CLASSES else 420,
        ),
        "written": size <= charts.WRITTEN_CLASSES,
        "mistakes": summary.commonest_confusions(counts),
        "nodes": int(counts.sum()),
        "reliability": draw(
            partial(charts.reliability, names=[m.name for m in page.methods], bins=bins),
            name="reliability",
            label=f"Accuracy against confidence; calibration error {bins[0].error:.1f} points.",
            height=330,
        ),
        "errors": [(m.name, b.error) for m, b in zip(page.methods, bins, strict=True)],
        "bias": bins[0].bias,
    }


def _training(page: Page) -> dict[str, Any] | None:
    if not any(np.asarray(m.train_loss).size for m in page.methods):
        return None
    return {
        "losses": draw(
            partial(charts.losses, methods=page.methods),
            name="losses",
            label="Training and validation loss by epoch, mean and spread over the splits.",
            height=270,
        ),
        "accuracy": draw(
            partial(charts.validation_accuracy, methods=page.methods),
            name="curve",
            label="Validation accuracy by epoch, mean and spread over the splits.",
            height=270,
        ),
    }


def _classes(page: Page, predicted: np.ndarray) -> dict[str, Any]:
    counts = summary.class_counts(page, predicted)
    listed = counts
    if len(counts) > LISTED_CLASSES:
        largest = sorted(counts, key=lambda c: (-c.predicted, -c.given, c.code))[:LISTED_CLASSES]
        listed = sorted(largest, key=lambda c: c.code)
    given = page.labels >= 0
    return {
        "listed": listed,
        "left_out": len(counts) - len(listed),
        "longest": max(len(page.classes[c.code]) for c in listed),
        "most": max(c.predicted for c in counts),
        "disagree": int((predicted[given] != page.labels[given]).sum()),
    }
