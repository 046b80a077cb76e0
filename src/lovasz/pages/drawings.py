"""The pictures of the nodes: the graph, or its matrix, and the learned embedding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.pages import style
from lovasz.pages.layout import neighbourhood, place_names
from lovasz.pages.style import FAINT, NAME, PAPER, columns, shorten

DENSE = 25
"""Mean degree above which lines between nodes would be a blot."""
DRAWN_NODES = 1000
NAMED_NODES = 60
POINTS = 2500
VECTOR_EDGES = 1500
CELLS = 400
"""Side of the matrix image; larger graphs have several nodes to a row of it."""
_EDGE = "#6485aa"  # of pixels, which cannot follow the theme: reads on white and on black


@dataclass(frozen=True)
class Nodes:
    """The graph with what is known of its nodes."""

    graph: Graph
    labels: np.ndarray
    predicted: np.ndarray
    confidence: np.ndarray

    @property
    def given(self) -> np.ndarray:
        """(n,) whether a node came with a label."""
        return self.labels >= 0

    @property
    def shown(self) -> np.ndarray:
        """(n,) class in whose colour a node is drawn: the given one, else the predicted one."""
        return np.where(self.given, self.labels, self.predicted)

    @property
    def dense(self) -> bool:
        """Whether the graph is drawn as a matrix."""
        return 2 * self.graph.m > DENSE * self.graph.n


def node_link(figure: Figure, nodes: Nodes, rows: np.ndarray, position: np.ndarray) -> None:
    """Nodes as dots: solid in the colour of a given label, hollow in that of a predicted one.

    ``position`` holds a point of [-1, 1]² for each of the ``rows`` to draw.
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
        names = [shorten(nodes.graph.nodes[row], 14) for row in rows]
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
    if 0 < len(lines) <= VECTOR_EDGES:  # one path for all of them: small, and it follows the theme
        codes = np.tile([Path.MOVETO, Path.LINETO], len(lines))
        path = Path(lines.reshape(-1, 2), codes)
        axes.add_patch(PathPatch(path, fill=False, edgecolor=FAINT, linewidth=0.7, alpha=0.7))
    elif len(lines):  # grey pixels that let both themes through; many lines add up to dark places
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
    """Dots class by class, the largest class lowest; solid where given, on top of the hollow."""
    order = np.argsort(-np.bincount(codes), kind="stable").tolist()
    for solid in (False, True):
        for code in order:
            chosen = (codes == code) & (given == solid)
            if chosen.any():
                axes.plot(
                    *position[chosen].T, linestyle="none", marker=style.shape(code),
                    markersize=size * (1.15 if solid else 0.9), clip_on=False,
                    markerfacecolor=style.color(code) if solid else PAPER,
                    markeredgecolor=PAPER if solid else style.color(code),
                    markeredgewidth=size / 16 if solid else max(0.7, size / 6),
                    zorder=4 if solid else 3,
                )  # fmt: skip


def matrix(figure: Figure, nodes: Nodes) -> None:
    """Adjacency matrix, nodes sorted by predicted class and then by confidence.

    A cell of the image is a block of node pairs, and its shade the share of them that are
    edges, so that every edge of a graph of any size counts.
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
    """(cells, cells) share of the node pairs of two blocks that are edges.

    Of more than ``most`` stored entries an evenly spaced part is counted and scaled up.
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
    """A bar in the colour of each class along the left and the top side."""
    start = 0
    for code, count in enumerate(counts):
        hue = style.color(code)
        for corner, size in (
            ((-0.04 * n, start), (0.028 * n, count)),
            ((start, -0.04 * n), (count, 0.028 * n)),
        ):
            axes.add_patch(Rectangle(corner, *size, facecolor=hue, edgecolor=PAPER, linewidth=0.8))
        start += int(count)


def embedding_rows(labels: np.ndarray, limit: int = POINTS) -> np.ndarray:
    """Rows to show of the embedding: all, or a fifth labelled nodes and the rest at random."""
    if labels.size <= limit:
        return np.arange(labels.size)
    rng = np.random.default_rng(0)
    labelled = rng.permutation(np.flatnonzero(labels >= 0))[: limit // 5]
    others = np.setdiff1d(np.arange(labels.size), labelled, assume_unique=True)
    return np.sort(np.concatenate([labelled, rng.permutation(others)[: limit - labelled.size]]))


def principal_plane(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) coordinates along the two directions of most variance, and their shares of it.

    The sign of a singular vector is arbitrary; its largest entry is made positive.
    """
    points = np.nan_to_num(np.asarray(vectors, dtype=float).reshape(len(vectors), -1))
    points = np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))
    centred = points - points.mean(axis=0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    directions = np.zeros((2, points.shape[1]))
    directions[: len(axes[:2])] = axes[:2]
    largest = np.abs(directions).argmax(axis=1)
    directions *= np.where(directions[[0, 1], largest] < 0, -1, 1)[:, None]
    share = np.zeros(2)
    share[: len(singular[:2])] = singular[:2] ** 2 / max(float((singular**2).sum()), 1e-300)
    return centred @ directions.T, share


def embedding(figure: Figure, nodes: Nodes, vectors: np.ndarray, rows: np.ndarray) -> None:
    """What the network learned of each node, seen in its principal plane."""
    points, share = principal_plane(vectors[rows])
    axes = figure.subplots()
    size = float(np.clip(130 / np.sqrt(max(rows.size, 1)), 3.0, 8))
    _draw_points(axes, points, nodes.shown[rows], nodes.given[rows], size)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.margins(0.04)
    axes.set_xlabel(f"first component, {100 * share[0]:.0f} % of the variance")
    axes.set_ylabel(f"second component, {100 * share[1]:.0f} %")


def drawn_rows(nodes: Nodes) -> np.ndarray:
    """Rows of the nodes that :func:`node_link` is to draw."""
    return neighbourhood(nodes.graph, np.flatnonzero(nodes.labels >= 0), DRAWN_NODES)
