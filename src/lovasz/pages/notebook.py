"""What notebooks show: a line of facts, a picture or a table, and small graphs to explore."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from markupsafe import Markup
from scipy import sparse
from scipy.sparse import csgraph

from lovasz.base.text import pluralize
from lovasz.clustering.communities_result import Communities
from lovasz.colors.coloring_result import Coloring
from lovasz.graphs import Graph
from lovasz.linalg.kernel_matrix import Kernel
from lovasz.number.result import Theta
from lovasz.pages.style import class_color
from lovasz.pages.template import environment
from lovasz.pages.viewer import GraphView, classifier_view, graph_view

if TYPE_CHECKING:  # it needs torch, which a notebook about ϑ does not
    from lovasz.classify.lcn import LCNClassifier

NOTEBOOK_NODES = 5_000
"""Graphs of at most this many nodes are shown in a notebook."""
NOTEBOOK_EDGES = 50_000
"""Graphs of at most this many edges are shown in a notebook."""
NOTEBOOK_CLASSES = 12
"""Largest number of classes in the table of a notebook."""
INTERVAL_WIDTH = 360
"""Width of the picture of an interval."""
KERNEL_CELLS = 64
"""Largest number of rows of the picture of a kernel, each of which may stand for several nodes."""
KERNEL_TINTS = (0.05, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The opacities in the picture of a kernel; an entry has the first that is not below its share of
the largest. Entries below a tenth of the first may be rounding errors, and are left out."""


def draw_html(shown: object) -> str:
    """Return what a notebook shows for a result of ``_DRAWINGS`` or a fitted classifier."""
    for kind, draw in _DRAWINGS.items():
        if isinstance(shown, kind):
            return _render(**draw(shown))
    return _render(**_draw_classifier(cast("LCNClassifier", shown)))


def _render(
    headline: str,
    facts: Sequence[str] = (),
    picture: Markup | None = None,
    classes: list[dict[str, Any]] | None = None,
    view: GraphView | None = None,
) -> str:
    return (
        environment()
        .get_template("pages/notebook.html")
        .render(
            headline=headline, facts=facts, picture=picture, classes=classes or [],
            listed=NOTEBOOK_CLASSES, view=None if view is None else Markup(view.to_html()),
        )
    )  # fmt: skip


def _is_small(graph: Graph) -> bool:
    return 0 < graph.n <= NOTEBOOK_NODES and graph.m <= NOTEBOOK_EDGES


def _counts(graph: Graph) -> str:
    return f"{pluralize(graph.n, 'node')}, {pluralize(graph.m, 'edge')}"


def _too_large(graph: Graph) -> list[str]:
    if _is_small(graph) or not graph.n:
        return []
    return [
        "It is too large for a cell; lovasz.pages.viewer.graph_view(graph)"
        ".to_html(standalone=True) makes a page to explore it."
    ]


def _draw_graph(graph: Graph) -> dict[str, Any]:
    facts = [*graph.notes]
    if graph.n:
        degrees = graph.degrees
        facts.append(
            f"{degrees.mean():.1f} neighbours per node on average, {degrees.max():,} at most, "
            f"{pluralize(int((degrees == 0).sum()), 'node')} without any"
        )
    return {
        "headline": f"Graph: {_counts(graph)}{', weighted' if graph.weighted else ''}",
        "facts": [*facts, *_too_large(graph)],
        "view": graph_view(graph, title="Graph") if _is_small(graph) else None,
    }


def _draw_theta(found: Theta) -> dict[str, Any]:
    removed = [f"{name}: {count:,}" for name, count in found.reduction.items() if count]
    proven, interval = found.certificate == "proven", f"{found.lower!r} ≤ ϑ ≤ {found.upper!r}"
    facts = [
        f"proven: {interval}, a gap of {found.gap:.1e}"
        if proven
        else f"probabilistic: {interval}, a gap of {found.gap:.1e}; the upper bound holds with "
        f"probability 1 − 10⁻¹², and ϑ ≤ {found.proven_upper!r} is proven",
        f"{pluralize(found.kernel.shape[0], 'node')}, {found.method}, {found.seconds:.2f} s; "
        f"{found.status}",
    ]
    return {
        "headline": f"ϑ = {found.value:.10g}" if found.exact is None else f"ϑ = {found.exact}",
        "facts": [*facts, *(["reduction, " + ", ".join(removed)] if removed else [])],
        "picture": draw_interval(found.lower, found.value, found.upper, proven=proven),
    }


def draw_interval(lower: float, value: float, upper: float, *, proven: bool = True) -> Markup:
    """Return a picture of an interval with its ends and a mark at ``value``."""
    wide, left = INTERVAL_WIDTH - 40, 20
    same = f"{lower:.10g}" == f"{upper:.10g}"  # a bar between equal numbers would say nothing
    at = 0.5 if same else (value - lower) / (upper - lower)
    mark = left + wide * min(max(at, 0.0), 1.0)
    if same:
        bar = Markup("")
        certain = "proven" if proven else "probable"
        how = "exactly" if lower == upper else f"{certain} to ten digits"
        ends = Markup('<text x="{}" y="40" text-anchor="middle">{}, {}</text>').format(
            mark, f"{value:.10g}", how
        )
    else:
        bar = Markup('<path d="M{0},12v12M{0},18H{1}M{1},12v12"/>').format(left, left + wide)
        ends = Markup(
            '<text x="{}" y="40">{}</text><text x="{}" y="40" text-anchor="end">{}</text>'
        ).format(left - 16, f"{lower:.10g}", left + wide + 16, f"{upper:.10g}")
    return Markup(
        '<svg viewBox="0 0 {} 48" width="{}" height="48" role="img" aria-label="ϑ is between {} '
        'and {}">{}<circle cx="{}" cy="18" r="5"/>{}</svg>'
    ).format(
        INTERVAL_WIDTH, INTERVAL_WIDTH, f"{lower:.10g}", f"{upper:.10g}", bar, f"{mark:.1f}", ends
    )


def _draw_kernel(K: Kernel) -> dict[str, Any]:
    nodes, *facts = K.facts()
    drawn = "the larger an entry, the darker; negative ones are orange"
    if K.shape[0] > KERNEL_CELLS:
        drawn += (
            "; a cell shows the largest entry of several nodes, and rows are ordered so that "
            "neighbours are close"
        )
    return {
        "headline": f"Kernel {K.name}: {nodes}",
        "facts": [", ".join(facts), drawn],
        "picture": draw_matrix(K),
    }


def draw_matrix(K: sparse.csr_array) -> Markup:
    """Return a picture of a symmetric matrix, one square per entry or per block of entries."""
    n = K.shape[0]
    cells = min(n, KERNEL_CELLS)
    place = np.arange(n)
    if n > cells:
        pattern = sparse.csr_matrix((K.data, K.indices, K.indptr), shape=K.shape)
        place[csgraph.reverse_cuthill_mckee(pattern, symmetric_mode=True)] = np.arange(n)
    cell = place * cells // n
    entries = K.tocoo()
    shade = np.zeros((2, cells, cells))
    for sign, kept in enumerate((entries.data > 0, entries.data < 0)):
        where = sign, cell[entries.row[kept]], cell[entries.col[kept]]
        np.maximum.at(shade, where, np.abs(entries.data[kept]))
    most = max(float(shade.max()), np.finfo(float).tiny)
    tints = np.searchsorted(np.array(KERNEL_TINTS), shade / most, side="left")
    faint, drawn = KERNEL_TINTS[0] / 10 * most, Markup()
    for (sign, color), (tint, opacity) in product(
        enumerate((class_color(0), class_color(1))), enumerate(KERNEL_TINTS)
    ):
        rows, columns = np.nonzero((tints[sign] == tint) & (shade[sign] > faint))
        if len(rows):
            squares = "".join(f"M{x},{y}h1v1h-1z" for y, x in zip(rows, columns, strict=True))
            drawn += Markup('<path d="{}" style="fill:{};stroke:none" fill-opacity="{}"/>').format(
                squares, color, opacity
            )
    side = max(160, 5 * cells)
    return Markup(
        '<svg viewBox="0 0 {0} {0}" width="{1}" height="{1}" role="img" aria-label="The entries '
        'of the kernel, {0} rows and {0} columns">{2}</svg>'
    ).format(cells, side, drawn)


def _draw_communities(found: Communities) -> dict[str, Any]:
    graph = found.graph
    view = None
    if _is_small(graph):
        view = graph_view(
            graph, labels=found.membership, classes=found.names, confidence=found.confidence,
            title="Communities", words={"class": "community", "probability": "confidence"},
        )  # fmt: skip
    return {
        "headline": f"{pluralize(found.k, 'community', 'communities')} of {_counts(graph)}",
        "facts": _too_large(graph),
        "classes": _class_rows(found.names, found.membership),
        "view": view,
    }


def _draw_coloring(found: Coloring) -> dict[str, Any]:
    cliques = found.kind == "clique cover"
    proven = "the least possible" if found.optimal else f"at least {found.lower} are needed"
    noun = "clique" if cliques else "colour"
    view = None
    if _is_small(found.graph):
        members = set(found.witness)
        view = graph_view(
            found.graph, labels=found.colors, classes=range(found.size),
            given=np.array([node in members for node in found.nodes]), title=noun.capitalize(),
            words={"class": noun, "given": "in it", "predicted": "not in it",
                   "kind": "largest independent set" if cliques else "largest clique"},
        )  # fmt: skip
    return {
        "headline": f"{pluralize(found.size, noun)} for {_counts(found.graph)}",
        "facts": [
            f"{proven} (proof: {found.proof}), {found.seconds:.2f} s",
            *_too_large(found.graph),
        ],
        "classes": _class_rows(range(found.size), found.colors),
        "view": view,
    }


def _draw_classifier(fitted: LCNClassifier) -> dict[str, Any]:
    P = np.asarray(fitted.predict_proba())
    answers = P.argmax(axis=1)
    facts = [f"the answer rests most on {fitted.chosen_}"]
    expected, interval = fitted.expected_accuracy_, fitted.expected_range_
    if expected is not None and interval is not None:
        low, high = interval
        facts.append(
            f"expected accuracy on unlabelled nodes {100 * expected:.0f} % "
            f"({100 * low:.0f} to {100 * high:.0f} %)"
        )
    problem: Any = getattr(fitted, "_problem", None)
    given: np.ndarray | None = None if problem is None else problem.codes
    view = None
    if given is not None and _is_small(problem.graph):
        view = classifier_view(problem.graph, fitted.classes_.tolist(), given, P)
    return {
        "headline": f"LCNClassifier: {pluralize(len(P), 'node')}, "
        f"{pluralize(P.shape[1], 'class', 'classes')}",
        "facts": facts if problem is None else facts + _too_large(problem.graph),
        "classes": _class_rows(fitted.classes_.tolist(), answers, given),
        "view": view,
    }


def _class_rows(
    names: Sequence[Any], codes: np.ndarray, given: np.ndarray | None = None
) -> list[dict[str, Any]]:
    """Return one row per class with the number of its nodes, the largest class first."""
    counts = np.bincount(codes, minlength=len(names))
    known = None if given is None else np.bincount(given[given >= 0], minlength=len(names))
    return [
        {
            "code": code,
            "name": str(names[code]),
            "count": int(counts[code]),
            "given": None if known is None else int(known[code]),
            "share": 100 * counts[code] / max(int(counts.max()), 1),
            "color": class_color(code),
        }
        for code in np.argsort(-counts, kind="stable").tolist()
    ]


_DRAWINGS: dict[type, Any] = {
    Graph: _draw_graph,
    Theta: _draw_theta,
    Kernel: _draw_kernel,
    Communities: _draw_communities,
    Coloring: _draw_coloring,
}
"""How each type is drawn; what is none of them is a classifier."""
