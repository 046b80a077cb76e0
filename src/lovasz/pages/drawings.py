"""Pictures of the nodes: the graph or its matrix, and the learned embedding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lovasz.base.extras import needed_for
from lovasz.graphs import Graph
from lovasz.linalg.principal import principal_plane
from lovasz.pages import style
from lovasz.pages.layout import neighbourhood, place_names
from lovasz.pages.style import FAINT, NAME, PAPER, columns, cut_text

with needed_for("a page"):
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path

DENSE = 25
"""Graphs of a larger mean degree are drawn as a matrix: their edges would cover the picture."""
DRAWN_NODES = 1000
"""Largest number of nodes in a drawing of nodes and edges."""
NAMED_NODES = 60
"""Drawings of at most this many nodes show their names."""
POINTS = 2500
"""Largest number of points in a picture of an embedding."""
VECTOR_EDGES = 1500
"""Drawings of at most this many edges have them as vectors, others as pixels."""
CELLS = 400
"""Largest number of rows of the matrix image; in larger graphs one row stands for several nodes."""
_EDGE = "#6485aa"
"""Colour of an edge in the matrix. Pixels cannot follow the theme; this reads on both pages."""


@dataclass(frozen=True)
class Nodes:
    """A graph with what is known of its nodes."""

    graph: Graph
    labels: np.ndarray
    """(n,) class that each node was given, -1 where it was given none."""
    predicted: np.ndarray
    """(n,) predicted class."""
    confidence: np.ndarray
    """(n,) confidence in the predicted class, in [0, 1]."""

    @property
    def given(self) -> np.ndarray:
        """(n,) whether a node was given a label."""
        return self.labels >= 0

    @property
    def shown(self) -> np.ndarray:
        """(n,) class in whose colour a node is drawn: the given one, or else the predicted one."""
        return np.where(self.given, self.labels, self.predicted)

    @property
    def dense(self) -> bool:
        """Whether the graph is drawn as a matrix."""
        return 2 * self.graph.m > DENSE * self.graph.n


def paint_nodes(figure: Figure, nodes: Nodes, rows: np.ndarray, position: np.ndarray) -> None:
    """Draw nodes as dots: solid where the label was given, hollow where it was predicted.

    ``position`` holds one point of [-1, 1]² for each of the ``rows`` to draw.
    """
    axes = _bare_axes(figure)
    width, height = (figure.get_size_inches() * 72).tolist()
    # One unit of the axes is one unit of the figure, so that names can be placed by size.
    margin = 20 if rows.size <= NAMED_NODES else 8
    tall = max(float(np.abs(position[:, 1]).max()), 1e-9)
    position = position * ((width / 2 - margin), (height / 2 - margin) / tall)
    axes.set_xlim(-width / 2, width / 2)
    axes.set_ylim(-height / 2, height / 2)
    _draw_edges(axes, nodes.graph.adjacency[rows][:, rows], position)
    size = float(np.clip(90 / np.sqrt(rows.size), 3.2, 10))
    _draw_points(axes, position, nodes.shown[rows], nodes.given[rows], size)
    if rows.size <= NAMED_NODES:
        names = [cut_text(nodes.graph.nodes[row], 14) for row in rows]
        widths = np.array([5.4 * columns(name) for name in names])
        places = place_names(position, widths, 10, size / 2 + 4, width / 2)
        for name, (x, y) in zip(names, places, strict=True):
            axes.text(x, y, name, ha="center", va="center_baseline", fontsize=9, color=NAME)


def _bare_axes(figure: Figure) -> Axes:
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    return axes


def _draw_edges(axes: Axes, adjacency: sparse.csr_array, position: np.ndarray) -> None:
    upper = sparse.triu(adjacency, k=1, format="coo")
    lines = np.stack([position[upper.row], position[upper.col]], axis=1)
    if 0 < len(lines) <= VECTOR_EDGES:  # one path is small, and follows the theme
        codes = np.tile([Path.MOVETO, Path.LINETO], len(lines))
        path = Path(lines.reshape(-1, 2), codes)
        axes.add_patch(PathPatch(path, fill=False, edgecolor=FAINT, linewidth=0.7, alpha=0.7))
    elif len(lines):  # grey pixels suit both themes, and add up to dark places
        opacity = float(np.clip(900 / len(lines), 0.06, 0.45))
        axes.add_collection(
            LineCollection(
                list(lines), colors="#808080", linewidths=0.6, alpha=opacity, rasterized=True
            ),
            autolim=False,
        )


def _draw_points(
    axes: Axes, position: np.ndarray, codes: np.ndarray, given: np.ndarray, size: float
) -> None:
    """Draw dots class by class, the largest class first, and solid dots above hollow ones."""
    order = np.argsort(-np.bincount(codes), kind="stable").tolist()
    for solid in (False, True):
        for code in order:
            chosen = (codes == code) & (given == solid)
            if chosen.any():
                axes.plot(
                    *position[chosen].T, linestyle="none", marker=style.class_marker(code),
                    markersize=size * (1.15 if solid else 0.9), clip_on=False,
                    markerfacecolor=style.class_color(code) if solid else PAPER,
                    markeredgecolor=PAPER if solid else style.class_color(code),
                    markeredgewidth=size / 16 if solid else max(0.7, size / 6),
                    zorder=4 if solid else 3,
                )  # fmt: skip


def paint_matrix(figure: Figure, nodes: Nodes) -> None:
    """Draw the adjacency matrix, with nodes sorted by predicted class and then by confidence.

    A cell of the image is a block of node pairs. Its shade is the share of them that are edges,
    so that every edge counts, however large the graph is.
    """
    n = nodes.graph.n
    order = np.lexsort((-nodes.confidence, nodes.predicted))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    cells = min(n, CELLS)
    density = edge_density(nodes.graph, place * cells // n, cells)
    image = np.zeros((cells, cells, 4))
    image[..., :3] = to_rgb(_EDGE)
    image[..., 3] = np.clip(density / max(float(np.quantile(density, 0.999)), 1e-300), 0, 1)
    axes = figure.subplots()
    axes.set_aspect("equal")
    axes.imshow(image, extent=(0, n, n, 0), interpolation="nearest")
    _class_bars(axes, np.bincount(nodes.predicted), n)
    axes.set_xlim(-0.045 * n, n)
    axes.set_ylim(n, -0.045 * n)
    axes.set_axis_off()


def edge_density(graph: Graph, block: np.ndarray, cells: int, most: int = 4_000_000) -> np.ndarray:
    """Return the (cells, cells) shares of the node pairs of two blocks that are edges.

    If there are more than ``most`` stored entries, an evenly spaced part is counted and scaled up.
    """
    adjacency = graph.adjacency
    stride = max(1, -(-adjacency.nnz // most))
    entries = np.arange(0, adjacency.nnz, stride)
    row = np.searchsorted(adjacency.indptr, entries, side="right") - 1
    key = block[row] * cells + block[adjacency.indices[entries]]
    count = np.bincount(key, minlength=cells * cells).reshape(cells, cells) * float(stride)
    size = np.bincount(block, minlength=cells)
    pairs = np.outer(size, size) - np.diag(size)  # a node is not its own neighbour
    return count / np.maximum(pairs, 1)


def _class_bars(axes: Axes, counts: np.ndarray, n: int) -> None:
    """Draw a bar in the colour of each class along the left and the top side."""
    start = 0
    for code, count in enumerate(counts):
        hue = style.class_color(code)
        for corner, size in (
            ((-0.04 * n, start), (0.028 * n, count)),
            ((start, -0.04 * n), (count, 0.028 * n)),
        ):
            axes.add_patch(Rectangle(corner, *size, facecolor=hue, edgecolor=PAPER, linewidth=0.8))
        start += int(count)


def embedding_rows(labels: np.ndarray, limit: int = POINTS) -> np.ndarray:
    """Return all rows, or ``limit`` of them: a fifth labelled nodes and the rest at random."""
    if labels.size <= limit:
        return np.arange(labels.size)
    rng = np.random.default_rng(0)
    labelled = rng.permutation(np.flatnonzero(labels >= 0))[: limit // 5]
    others = np.setdiff1d(np.arange(labels.size), labelled, assume_unique=True)
    return np.sort(np.concatenate([labelled, rng.permutation(others)[: limit - labelled.size]]))


def paint_embedding(figure: Figure, nodes: Nodes, vectors: np.ndarray, rows: np.ndarray) -> None:
    """Draw the vectors that the network learned of the nodes, in their principal plane."""
    points, share = principal_plane(vectors[rows])
    axes = figure.subplots()
    size = float(np.clip(130 / np.sqrt(max(rows.size, 1)), 3.0, 8))
    _draw_points(axes, points, nodes.shown[rows], nodes.given[rows], size)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.margins(0.04)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"first component, {100 * share[0]:.0f} % of the variance")
    axes.set_ylabel(f"second component, {100 * share[1]:.0f} %")


def drawn_rows(nodes: Nodes) -> np.ndarray:
    """Return the rows of the nodes that :func:`paint_nodes` is to draw."""
    return neighbourhood(nodes.graph, np.flatnonzero(nodes.labels >= 0), DRAWN_NODES)
