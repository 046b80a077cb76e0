"""The page about the communities of a graph: a map, the sorted matrix, the spectrum, tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for
from lovasz.clustering.communities_result import Communities
from lovasz.graphs import Graph
from lovasz.linalg.principal import principal_plane
from lovasz.linalg.scaling import unit_rows
from lovasz.pages import drawings, style
from lovasz.pages.layout import neighbourhood, spring
from lovasz.pages.style import FAINT, FONTS, NAME, PAPER, cut_names, cut_text, draw_svg
from lovasz.pages.template import environment
from lovasz.pages.viewer import GraphView, graph_view

with needed_for("a page"):
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

LISTED = 30
"""Largest number of communities in the table and in the legend."""
MEMBERS = 6
"""Number of nodes that the table names per community."""
DOUBTS = 12
"""Largest number of nodes in the table of doubtful nodes."""
TINY = 2
"""Communities of at most this many nodes are not listed if there are larger ones."""


@dataclass(frozen=True)
class CommunitiesPage:
    """Everything on a page about communities."""

    graph: Graph
    found: Communities
    given: np.ndarray
    """(n,) community of each node that came with a label, -1 for the other nodes."""
    title: str
    command: str
    asked: int | None
    """The number of communities asked for, or None if the number was found."""
    refined: bool
    """Whether belief propagation refined the communities."""


def render_communities(page: CommunitiesPage) -> str:
    """Return the page as one HTML document that refers to no other file."""
    found, n = page.found, page.graph.n
    if n == 0:
        raise LovaszError("the graph has no nodes; there is nothing to report on")
    labelled = page.given >= 0
    # If no node came with a label, all dots are drawn solid.
    labels = page.given if labelled.any() else found.membership
    nodes = drawings.Nodes(page.graph, labels, found.membership, found.confidence)
    names = cut_names([str(name) for name in found.names], 40)
    rows = _rows(page, names)
    return (
        environment()
        .get_template("pages/communities.html")
        .render(
            page=page,
            title=page.title,
            n=n,
            names=names,
            version=lovasz.__version__,
            fonts=FONTS,
            labelled=int(labelled.sum()),
            map=_map(nodes, found),
            viewer=_viewer(page, nodes),
            matrix=_matrix(nodes),
            spectrum=_spectrum(found),
            rows=rows,
            doubts=_doubts(page, names),
            rest=found.k - len(rows),
            tiny=sum(len(members) <= TINY for members in found),
            inside=100 * _inside(page.graph, found.membership),
            confidence=100 * float(found.confidence.mean()) if n else 0.0,
        )
    )


def _vectors(nodes: drawings.Nodes, found: Communities) -> np.ndarray | None:
    """Return the vectors of the nodes of a graph with too many edges for springs, or None."""
    vectors = found.spectrum.vectors[:, : max(found.k, 2)]
    fits = nodes.dense and len(vectors) == nodes.graph.n and vectors.shape[1] > 1
    return unit_rows(vectors) if fits else None


def _viewer(page: CommunitiesPage, nodes: drawings.Nodes) -> GraphView:
    """Return the graph to explore, each node with its community."""
    vectors = _vectors(nodes, page.found)
    labelled = page.given >= 0
    return graph_view(
        page.graph,
        positions=None if vectors is None else principal_plane(vectors)[0],
        labels=page.found.membership,
        classes=page.found.names,
        given=labelled if labelled.any() else None,
        confidence=page.found.confidence,
        title=page.title,
        words={"class": "community", "predicted": "found", "probability": "confidence"},
    )


def _map(nodes: drawings.Nodes, found: Communities) -> dict[str, Any]:
    """Draw the graph with springs, or by its vectors if it has too many edges to draw."""
    vectors = _vectors(nodes, found)
    if vectors is not None:
        rows = drawings.embedding_rows(nodes.labels)
        picture = draw_svg(
            partial(drawings.paint_embedding, nodes=nodes, vectors=vectors, rows=rows),
            name="map", label=f"{rows.size:,} nodes by their vectors, coloured by community.",
            height=400,
        )  # fmt: skip
        return {"picture": picture, "drawn": rows.size, "springs": False}
    rows = neighbourhood(nodes.graph, np.argsort(-nodes.graph.degrees)[:50], drawings.DRAWN_NODES)
    position = spring(nodes.graph.adjacency[rows][:, rows].tocsr())
    picture = draw_svg(
        partial(drawings.paint_nodes, nodes=nodes, rows=rows, position=position),
        name="map", label=f"Drawing of {rows.size:,} nodes, coloured by community.",
        height=float(np.clip(400 * np.abs(position[:, 1]).max(), 150, 400)),
    )  # fmt: skip
    return {"picture": picture, "drawn": rows.size, "springs": True}


def _matrix(nodes: drawings.Nodes) -> Markup:
    return draw_svg(
        partial(drawings.paint_matrix, nodes=nodes),
        name="matrix", label="Adjacency matrix, nodes sorted by community.", height=400,
    )  # fmt: skip


def _spectrum(found: Communities) -> Markup | None:
    if not len(found.spectrum.values):
        return None
    return draw_svg(
        partial(paint_spectrum, found=found),
        name="spectrum",
        label=f"The {len(found.spectrum.values)} largest eigenvalues of the kernel in order.",
        height=260,
    )  # fmt: skip


def paint_spectrum(figure: Figure, found: Communities) -> None:
    """Draw the eigenvalues in descending order, with a dashed line where the noise ends."""
    axes = figure.subplots()
    values, cut = found.spectrum.values, found.spectrum.cut
    place = np.arange(1, len(values) + 1)
    above = values > cut if np.isfinite(cut) else np.ones(len(values), dtype=bool)
    for chosen, hue in ((above, style.RIGHT), (~above, style.NEITHER)):
        axes.vlines(place[chosen], 1, values[chosen], color=hue, linewidth=1.4)
        axes.plot(
            place[chosen], values[chosen], "o", color=hue, markersize=5.5,
            markeredgecolor=PAPER, markeredgewidth=0.6, zorder=3,
        )  # fmt: skip
    if np.isfinite(cut):
        axes.axhline(cut, color=FAINT, linestyle=(0, (4, 3)), linewidth=1)
        axes.annotate(
            "noise below", (1, cut), (0, 3), xycoords=("axes fraction", "data"),
            textcoords="offset points", ha="right", va="bottom", fontsize=9, color=NAME,
        )  # fmt: skip
    axes.set_xlim(0.3, len(values) + 0.7)
    axes.set_ylim(bottom=1)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.set_xlabel("number of the eigenvalue")
    axes.set_ylabel("eigenvalue of K")


def _rows(page: CommunitiesPage, names: list[str]) -> list[dict[str, Any]]:
    """One row of the table for each of the largest communities."""
    found, graph = page.found, page.graph
    sizes = np.bincount(found.membership, minlength=found.k)
    source, target = (found.membership[end] for end in graph.edges())
    ends = np.bincount(source, minlength=found.k) + np.bincount(target, minlength=found.k)
    inside = 2 * np.bincount(source[source == target], minlength=found.k)
    lines = []
    order = np.argsort(-sizes, kind="stable")[:LISTED]
    listed = order if sizes.max() <= TINY else order[sizes[order] > TINY]
    for code in listed.tolist():
        rows = np.flatnonzero(found.membership == code)
        first = rows[np.argsort(-graph.degrees[rows], kind="stable")[:MEMBERS]]
        more = "" if len(rows) <= MEMBERS else ", …"
        lines.append({
            "code": code, "name": names[code], "size": int(sizes[code]),
            "inside": None if ends[code] == 0 else 100 * inside[code] / ends[code],
            "confidence": 100 * float(found.confidence[rows].mean()),
            "members": ", ".join(cut_text(graph.nodes[row], 16) for row in first) + more,
        })  # fmt: skip
    return lines


def _doubts(page: CommunitiesPage, names: list[str]) -> list[dict[str, Any]]:
    """One row for each of the nodes whose community is least certain."""
    found = page.found
    order = np.argsort(found.confidence, kind="stable")[:DOUBTS]
    return [
        {
            "node": cut_text(page.graph.nodes[row], 40),
            "code": int(found.membership[row]),
            "name": names[found.membership[row]],
            "confidence": 100 * float(found.confidence[row]),
            "degree": int(page.graph.degrees[row]),
        }
        for row in order
        if found.confidence[row] < 0.995
    ]


def _inside(graph: Graph, membership: np.ndarray) -> float:
    """Return the share of the edges that have both ends in one community."""
    source, target = graph.edges()
    return float((membership[source] == membership[target]).mean()) if graph.m else 0.0
