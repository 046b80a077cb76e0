"""The page of a colouring: the graph in its colours, the classes, and what is proven."""

from __future__ import annotations

from functools import partial

import numpy as np

import lovasz
from lovasz.base.extras import needed_for
from lovasz.colors.coloring_result import Coloring
from lovasz.colors.proof_sentences import (
    explain_coloring,
    summarize_coloring,
    write_lower,
    write_upper,
)
from lovasz.graphs import Graph
from lovasz.pages import drawings
from lovasz.pages.layout import spring
from lovasz.pages.style import FONTS, class_color, draw_svg
from lovasz.pages.template import environment
from lovasz.pages.viewer import GraphView, graph_view

with needed_for("a page"):
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

LISTED_CLASSES = 24
"""Largest number of rows in the table of classes."""
LISTED_NODES = 12
"""Largest number of nodes that the table names per class."""


def render_coloring(graph: Graph, found: Coloring, *, title: str, command: str) -> str:
    """Return the page as one HTML document that refers to no other file."""
    sizes = np.bincount(found.colors, minlength=found.size)
    low, high = found.theta
    return (
        environment()
        .get_template("pages/coloring.html")
        .render(
            title=title,
            fonts=FONTS,
            version=lovasz.__version__,
            found=found,
            graph=graph,
            cliques=found.kind == "clique cover",
            summary=summarize_coloring(found),
            sentences=explain_coloring(found),
            theta=write_lower(low) if low == high else f"{write_lower(low)} – {write_upper(high)}",
            picture=_picture(graph, found) if graph.n else None,
            viewer=_viewer(graph, found, title) if graph.n else None,
            sizes=_sizes(sizes) if graph.n else None,
            classes=found.classes[:LISTED_CLASSES],
            left_out=max(found.size - LISTED_CLASSES, 0),
            named=LISTED_NODES,
            command=command,
            notes=graph.notes,
        )
    )


def _in_witness(graph: Graph, found: Coloring) -> np.ndarray:
    return np.isin(np.arange(graph.n), [graph.positions[v] for v in found.witness])


def _viewer(graph: Graph, found: Coloring, title: str) -> GraphView:
    """Return the graph to explore, each node in its colour."""
    cliques = found.kind == "clique cover"
    return graph_view(
        graph,
        labels=found.colors,
        classes=range(found.size),
        given=_in_witness(graph, found),
        title=title,
        words={
            "class": "clique" if cliques else "colour",
            "kind": "largest independent set" if cliques else "largest clique",
            "given": "in it",
            "predicted": "not in it",
        },
    )


def _picture(graph: Graph, found: Coloring) -> dict[str, object]:
    """Draw nodes and edges, or the adjacency matrix if there are too many edges to draw."""
    labels = np.where(_in_witness(graph, found), found.colors, -1)
    nodes = drawings.Nodes(graph, labels, found.colors, np.zeros(graph.n))
    if nodes.dense:
        paint = partial(drawings.paint_matrix, nodes=nodes)
        svg = draw_svg(
            paint, name="graph", label="Adjacency matrix by colour", width=420, height=420
        )
        return {"svg": svg, "matrix": True, "drawn": graph.n}
    rows = drawings.drawn_rows(nodes)
    position = spring(graph.adjacency[rows][:, rows])
    paint = partial(drawings.paint_nodes, nodes=nodes, rows=rows, position=position)
    svg = draw_svg(paint, name="graph", label="The graph in its colours", width=620, height=460)
    return {"svg": svg, "matrix": False, "drawn": len(rows)}


def _sizes(sizes: np.ndarray) -> object:
    return draw_svg(
        partial(_paint_sizes, sizes=sizes),
        name="sizes",
        label="Nodes of each class, from the largest",
        width=400,
        height=240,
    )


def _paint_sizes(figure: Figure, sizes: np.ndarray) -> None:
    axes = figure.subplots()
    hues = [class_color(c) for c in range(len(sizes))]
    if len(sizes) <= 200:
        axes.bar(
            np.arange(len(sizes)), sizes, 0.85, color=[class_color(c) for c in range(len(sizes))]
        )
    else:  # bars would be thinner than a pixel
        axes.fill_between(np.arange(len(sizes)), sizes, step="mid", color=hues[0], linewidth=0)
    axes.set_xlabel("class")
    axes.set_ylabel("nodes")
    axes.set_xlim(-0.6, len(sizes) - 0.4)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
