"""From the content of a report to its HTML."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.linalg.principal import principal_plane
from lovasz.pages import drawings
from lovasz.pages.layout import spring
from lovasz.pages.report import accuracy_charts as charts
from lovasz.pages.report import statistics
from lovasz.pages.report.report import Report
from lovasz.pages.style import FONTS, clean, columns, cut_names, cut_text, draw_svg
from lovasz.pages.template import environment
from lovasz.pages.viewer import GraphView, classifier_view

LEGEND_CLASSES = 40
"""Largest number of classes in the legend, which lists those with the most nodes."""
TABLE_CLASSES = 15
"""Number of classes in tables and in the confusion matrix if there are at least two more."""
SUSPICIOUS_SHOWN = 10
"""Number of suspicious labels on the page."""
MANY_NOTES = 20
"""Up to this many notes are all shown."""
FIRST_NOTES = 10
"""If there are more than MANY_NOTES notes, only the first FIRST_NOTES are expanded."""


def render_report(page: Report) -> str:
    """Return the page as one HTML document that refers to no other file.

    The same report gives the same bytes each time on one machine.
    """
    _check(page)
    nodes = drawings.Nodes(
        page.graph, page.labels, page.probabilities.argmax(axis=1), page.probabilities.max(axis=1)
    )
    counts = statistics.class_counts(page, nodes.predicted)
    long_names = cut_names(page.classes, 60)
    listed = (
        counts
        if len(counts) <= TABLE_CLASSES + 1
        else statistics.largest_classes(counts, TABLE_CLASSES)
    )
    notes = [_clip_classes(note, page.classes) for note in page.notes]
    first = FIRST_NOTES if len(notes) > MANY_NOTES else len(notes)
    return (
        environment()
        .get_template("pages/report/report.html")
        .render(
            page=page,
            title=page.title,
            version=lovasz.__version__,
            fonts=FONTS,
            headline=_headline(page),
            accuracy=_accuracy(page),
            graph=_graph(nodes),
            viewer=_viewer(page, nodes),
            embedding=_embedding(nodes, page.embedding),
            held_out=_held_out(page, [c.code for c in listed]),
            training=_training(page),
            suspicious=page.suspicious[:SUSPICIOUS_SHOWN],
            doubts=statistics.least_certain(page),
            reasons=[_clip_classes(one.reason, page.classes) for one in page.next_labels],
            classes=_classes(page, long_names, counts, listed),
            names=cut_names(page.classes, 30),
            long_names=long_names,
            notes=notes[:first],
            more_notes=notes[first:],
        )
    )


def _check(page: Report) -> None:
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


def _headline(page: Report) -> dict[str, Any]:
    scores = [statistics.score(m) for m in page.methods]
    others = [statistics.compare_paired(page.methods[0], other) for other in page.methods[1:]]
    labelled = int((page.labels >= 0).sum())
    baseline = statistics.largest_class_share(page.methods[0]) if page.methods else None
    low, high = charts.accuracy_range(page.methods, baseline) if baseline is not None else (0, 0)
    return {
        "scores": scores,
        "comparisons": others,
        "verdicts": [statistics.word_verdict(c) for c in others],
        "baseline": baseline,
        "baseline_shown": baseline is not None and low < baseline < high,
        "choices": [said for m in page.methods if (said := statistics.word_choices(m))],
        "labelled": labelled,
        "unlabelled": page.graph.n - labelled,
    }


def _accuracy(page: Report) -> Markup | None:
    if not page.methods:
        return None
    said = "; ".join(
        f"{s.name}: mean {s.mean:.1f} %, from {s.low:.1f} to {s.high:.1f}"
        for s in map(statistics.score, page.methods)
    )
    return draw_svg(
        partial(
            charts.paint_accuracy,
            methods=page.methods,
            baseline=statistics.largest_class_share(page.methods[0]),
        ),
        name="accuracy",
        label=clean(f"Accuracy on held-out nodes, one dot per split. {said}."),
        height=60 + 62 * len(page.methods),
    )


def _graph(nodes: drawings.Nodes) -> dict[str, Any]:
    if nodes.dense:
        picture = draw_svg(
            partial(drawings.paint_matrix, nodes=nodes),
            name="graph",
            label="Adjacency matrix of the graph, nodes sorted by predicted class.",
            height=400,
        )
        return {"dense": True, "picture": picture, "grouped": nodes.graph.n > drawings.CELLS}
    rows = drawings.drawn_rows(nodes)
    position = spring(nodes.graph.adjacency[rows][:, rows].tocsr())
    picture = draw_svg(
        partial(drawings.paint_nodes, nodes=nodes, rows=rows, position=position),
        name="graph",
        label=f"Drawing of {rows.size:,} nodes of the graph, coloured by given or predicted class.",
        height=float(np.clip(400 * np.abs(position[:, 1]).max(), 150, 400)),
    )
    return {"dense": False, "picture": picture, "drawn": rows.size}


def _viewer(page: Report, nodes: drawings.Nodes) -> GraphView:
    """Return the graph to explore; that of a dense graph has the nodes at their vectors."""
    positions = principal_plane(page.embedding)[0] if nodes.dense else None
    return classifier_view(
        page.graph,
        page.classes,
        page.labels,
        page.probabilities,
        positions=positions,
        title=page.title,
        cards=page.evidence,
        words={"why": "Why, and what each adds to the probability"},
    )


def _embedding(nodes: drawings.Nodes, vectors: np.ndarray) -> dict[str, Any]:
    rows = drawings.embedding_rows(nodes.labels)
    picture = draw_svg(
        partial(drawings.paint_embedding, nodes=nodes, vectors=vectors, rows=rows),
        name="embedding",
        label=f"Learned embedding of {rows.size:,} nodes in two dimensions, "
        "coloured by given or predicted class.",
        height=400,
    )
    return {"picture": picture, "drawn": rows.size}


def _held_out(page: Report, codes: list[int]) -> dict[str, Any] | None:
    """The confusion matrix and the calibration on the held-out nodes; None without methods."""
    if not page.methods:
        return None
    size = len(page.classes)
    others = size - len(codes)
    counts = statistics.count_confusion(page.methods[0], size)
    shown = statistics.merge_others(counts, codes) if others else counts
    which = f"the {len(codes)} largest of {size} classes" if others else f"{size} classes"
    bins = [statistics.bin_by_confidence(m) for m in page.methods]
    return {
        "confusion": draw_svg(
            partial(
                charts.paint_confusion,
                counts=shown,
                classes=[page.classes[code] for code in codes],
                others=others,
            ),
            name="confusion",
            label=f"Confusion matrix of {which}: true class by row, predicted by column.",
            height=330 if size <= charts.WRITTEN_CLASSES else 420,
        ),
        "others": others,
        "written": size <= charts.WRITTEN_CLASSES,
        "mistakes": statistics.commonest_confusions(counts),
        "nodes": int(counts.sum()),
        "reliability": draw_svg(
            partial(charts.paint_reliability, names=[m.name for m in page.methods], bins=bins),
            name="reliability",
            label=f"Accuracy against confidence; calibration error {bins[0].error:.1f} points.",
            height=330,
        ),
        "errors": [(m.name, b.error) for m, b in zip(page.methods, bins, strict=True)],
        "bias": bins[0].bias,
    }


def _training(page: Report) -> dict[str, Any] | None:
    """The training curves; ``missing`` says why some could not be drawn."""
    if not page.methods:
        return None
    trained = _any_finite([m.train_loss for m in page.methods])
    validated = _any_finite([m.validation_loss for m in page.methods])
    scored = _any_finite([m.validation_accuracy for m in page.methods])
    missing = None
    if not (trained or validated or scored):
        missing = "No curves are drawn, as no epoch of the training was recorded."
    elif not (validated or scored):
        missing = "No validation curves are drawn, as no split had validation nodes."
    elif not scored:
        missing = "No validation accuracy is drawn, as none was recorded."
    elif not (trained or validated):
        missing = "No loss is drawn, as none was recorded."
    losses = accuracy = None
    if trained or validated:
        kinds = [k for k, there in (("training", trained), ("validation", validated)) if there]
        losses = draw_svg(
            partial(charts.paint_losses, methods=page.methods),
            name="losses",
            label=f"Loss by epoch, {' and '.join(kinds)}: mean and spread over the splits.",
            height=270,
        )
    if scored:
        accuracy = draw_svg(
            partial(charts.paint_validation_accuracy, methods=page.methods),
            name="curve",
            label="Validation accuracy by epoch, mean and spread over the splits.",
            height=270,
        )
    return {
        "losses": losses,
        "overfitting": trained and validated,
        "accuracy": accuracy,
        "missing": missing,
    }


def _any_finite(curves: Sequence[np.ndarray]) -> bool:
    return any(bool(np.isfinite(np.asarray(c, dtype=float)).any()) for c in curves)


def _classes(
    page: Report,
    names: list[str],
    counts: list[statistics.ClassCount],
    listed: list[statistics.ClassCount],
) -> dict[str, Any]:
    legend = statistics.largest_classes(counts, LEGEND_CLASSES)
    codes = {c.code for c in listed}
    rest = [c for c in counts if c.code not in codes]
    given = page.labels >= 0
    return {
        "legend": legend,
        "left_out": len(counts) - len(legend),
        "longest": max(columns(names[c.code]) for c in legend),
        "listed": listed,
        "most": max(1, *(c.predicted for c in listed)),
        "others": len(rest),
        "others_given": sum(c.given for c in rest),
        "others_predicted": sum(c.predicted for c in rest),
        "others_share": sum(c.share for c in rest),
        "disagree": int((page.probabilities[given].argmax(axis=1) != page.labels[given]).sum()),
    }


def _clip_classes(note: str, classes: Sequence[str]) -> str:
    """Return a note with long class names cut as they are in the rest of the page."""
    for name in sorted((c for c in classes if columns(c) > 60), key=len, reverse=True):
        note = note.replace(name, cut_text(name, 60))
    return note
