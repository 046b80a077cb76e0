"""``graph_view``: what the viewer shows of a graph, encoded compactly."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.graphs.operations import induced
from lovasz.pages.large_layout import arrange
from lovasz.pages.layout import neighbourhood
from lovasz.pages.style import FONTS, PALETTE, SHAPES, clean, cut_text
from lovasz.pages.viewer.assets import script_hash, viewer_script, viewer_style
from lovasz.pages.viewer.encoding import embed_json, encode_edges, encode_shares, encode_varints

VIEWED_NODES = 200_000
"""Largest number of nodes in a viewer; of larger graphs it shows a part."""
VIEWED_EDGES = 1_000_000
"""Largest number of edges in a viewer; if there are more, it has none."""
NAME_COLUMNS = 400
"""Names are cut to this many columns, so that the size of a page has a limit."""
HEIGHT = 0.72
"""Height of a computed picture over its width, which suits a screen."""
FLATTEST = 0.05
"""Least height of given positions over their width, or width over height: nodes on a line are drawn
in the middle of a strip."""
PLAIN_ROWS = 200
"""Largest number of rows of the table that browsers without script show."""


@dataclass(frozen=True, eq=False, repr=False)
class GraphView:
    """A graph as the viewer shows it. :func:`graph_view` makes one."""

    graph: Graph
    """The nodes and edges that are shown."""
    rows: np.ndarray
    """The row of each shown node in the whole graph."""
    size: tuple[int, int]
    """The number of nodes and of edges of the whole graph."""
    positions: np.ndarray
    """(n, 2) where the nodes stand."""
    labels: np.ndarray
    """(n,) class of each node, -1 for none."""
    classes: tuple[str, ...]
    """The names of the classes."""
    given: np.ndarray | None
    """(n,) whether the class of a node was given, or None if nodes are not told apart."""
    confidence: np.ndarray | None
    """(n,) probability of the class of each node, in [0, 1]."""
    runner_up: np.ndarray | None
    """(n,) the second most probable class of each node, -1 for none."""
    runner_up_confidence: np.ndarray | None
    """(n,) its probability."""
    cards: dict[int, list[str]]
    """Lines of text for the cards of some of the nodes, by position in ``rows``."""
    title: str
    """The name of the picture."""
    words: dict[str, str]
    """What a class, a given node and another node are called."""

    def __repr__(self) -> str:
        return f"GraphView({self.graph.n:,} of {self.size[0]:,} nodes)"

    @cached_property
    def names(self) -> list[str]:
        """The names of the nodes as text on one line."""
        return [cut_text(name, NAME_COLUMNS) for name in self.graph.nodes]

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the script reads: numbers as base64 text, names as lists of text."""
        x, y, aspect = _quantised(self.positions)
        drawn = self.graph.m <= VIEWED_EDGES
        numbered = isinstance(self.graph.nodes, range)
        return {
            "title": clean(self.title),
            "n": self.graph.n,
            "m": self.graph.m if drawn else 0,
            "size": list(self.size),
            "aspect": aspect,
            "x": encode_shares(x),
            "y": encode_shares(y),
            "edges": encode_edges(self.graph) if drawn else None,
            "names": None if numbered else self.names,
            "labels": encode_varints(self.labels + 1),
            "classes": [cut_text(name, NAME_COLUMNS) for name in self.classes],
            "given": None if self.given is None else encode_varints(self.given),
            "confidence": _shares(self.confidence),
            "runnerUp": None if self.runner_up is None else encode_varints(self.runner_up + 1),
            "runnerUpConfidence": _shares(self.runner_up_confidence),
            "cards": {
                str(row): [cut_text(line, NAME_COLUMNS) for line in lines]
                for row, lines in self.cards.items()
            },
            "palette": list(PALETTE),
            "shapes": [path for _, path in SHAPES],
            "words": self.words,
        }

    def to_json(self) -> str:
        """Return the data as JSON, which is also safe between the script tags of a page."""
        return embed_json(self.data)

    def to_html(self, standalone: bool = False) -> str:
        """Return a fragment with script, style and data, or a whole page if ``standalone``."""
        if standalone:
            from lovasz.pages.template import environment

            template = environment().get_template("pages/viewer/page.html")
            return template.render(title=self.title or "Graph", fonts=FONTS, viewer=self)
        return str(
            Markup("<div><style>{}</style>\n{}\n<script>{}</script></div>").format(
                self.style, self.element(), self.script
            )
        )

    def element(self, fallback: Markup | None = None) -> Markup:
        """Return the element that the script turns into a viewer, data included.

        A browser without script shows ``fallback`` and a plain table of the first nodes.
        """
        return Markup(
            '<div class="lovasz-viewer" data-lovasz-viewer>'
            '<script type="application/json">{}</script>'
            '<div class="lv-static">{}</div><noscript>{}</noscript></div>'
        ).format(Markup(self.to_json()), fallback or Markup(""), self.plain_table())

    @property
    def style(self) -> Markup:
        """The style sheet, for the head of a page."""
        return Markup(viewer_style())

    @property
    def script(self) -> Markup:
        """The script, for the end of a page."""
        return Markup(viewer_script())

    @property
    def policy(self) -> Markup:
        """What the content security policy of a page says about scripts."""
        return Markup(f"script-src '{script_hash()}'")

    def plain_table(self) -> Markup:
        """Return the table that browsers without script show."""
        from lovasz.pages.template import environment

        template = environment().get_template("pages/viewer/plain_table.html")
        return Markup(template.render(view=self, count=min(self.graph.n, PLAIN_ROWS)))


def graph_view(
    graph: Graph,
    *,
    positions: np.ndarray | None = None,
    labels: np.ndarray | None = None,
    classes: Sequence[Hashable] = (),
    given: np.ndarray | None = None,
    confidence: np.ndarray | None = None,
    runner_up: np.ndarray | None = None,
    runner_up_confidence: np.ndarray | None = None,
    cards: Mapping[Hashable, Sequence[str]] | None = None,
    title: str = "",
    words: Mapping[str, str] | None = None,
) -> GraphView:
    """Return a graph as the viewer shows it.

    Parameters
    ----------
    graph : the graph. Of more than ``VIEWED_NODES`` nodes a part is shown, grown around given ones.
    positions : (n, 2) where the nodes stand; by default :func:`~lovasz.pages.large_layout.arrange`.
    labels : (n,) class of each node, -1 for none; by default no node has one.
    classes : the names of the classes.
    given : (n,) mask of nodes whose class was given; these are drawn solid.
    confidence : (n,) probability of the class of each node.
    runner_up, runner_up_confidence : (n,) the second most probable class, and its probability.
    cards : node -> lines of text that its card shows, such as the evidence for its class.
    title : what the picture is called.
    words : other words for "class", "given", "predicted", "probability", for "kind", which says
        whether a class was given or predicted, and for "why", the heading of the lines of a card.
    """
    codes = np.full(graph.n, -1) if labels is None else np.asarray(labels)
    known = None if given is None else np.asarray(given, dtype=bool)
    columns: dict[str, np.ndarray | None] = {
        "labels": codes, "given": known, "confidence": confidence, "runner_up": runner_up,
        "runner_up_confidence": runner_up_confidence, "positions": positions,
    }  # fmt: skip
    for name, column in columns.items():
        if column is not None and len(column) != graph.n:
            raise LovaszError(f"{name} has {len(column)} rows; the graph has {graph.n} nodes")
    if codes.size and codes.max() >= len(classes):
        raise LovaszError(f"label {codes.max()} has no name; there are {len(classes)} classes")
    start = np.flatnonzero(codes >= 0 if known is None else known)
    rows = neighbourhood(graph, start, VIEWED_NODES)
    part = graph
    if rows.size < graph.n:
        names = [graph.nodes[row] for row in rows.tolist()]
        part = Graph(induced(graph, rows).adjacency, names)
        columns = {name: None if c is None else np.asarray(c)[rows] for name, c in columns.items()}
    place = columns.pop("positions")
    return GraphView(
        part,
        rows,
        (graph.n, graph.m),
        arrange(part.adjacency) * (1, HEIGHT) if place is None else np.asarray(place, dtype=float),
        classes=tuple(map(str, classes)),
        cards={part.positions[node]: [*lines] for node, lines in (cards or {}).items()
               if node in part.positions},
        title=title,
        words={"class": "class", "given": "given", "predicted": "predicted",
               "kind": "label", "probability": "probability", "why": "Why", **(words or {})},
        **columns,  # type: ignore[arg-type]
    )  # fmt: skip


def classifier_view(
    graph: Graph, classes: Sequence[Any], given: np.ndarray, probabilities: np.ndarray, **more: Any
) -> GraphView:
    """Return a graph with the answers of a classifier: the given class, or else the likeliest.

    ``given`` has the class that each node was given, -1 for none; ``more`` is passed on to
    :func:`graph_view`.
    """
    each = np.arange(graph.n)
    shown = np.where(given >= 0, given, probabilities.argmax(axis=1))
    rest = probabilities.copy()
    rest[each, shown] = -1
    several = len(classes) > 1
    return graph_view(
        graph,
        labels=shown,
        classes=classes,
        given=given >= 0,
        confidence=probabilities[each, shown],
        runner_up=rest.argmax(axis=1) if several else None,
        runner_up_confidence=rest.max(axis=1) if several else None,
        **more,
    )


def _shares(column: np.ndarray | None) -> str | None:
    return None if column is None else encode_shares(column)


def _quantised(position: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return both coordinates in [0, 1], and the height of the picture over its width."""
    if not len(position):
        return np.zeros(0), np.zeros(0), 1.0
    position = np.nan_to_num(position, posinf=0, neginf=0)
    low, high = position.min(axis=0), position.max(axis=0)
    size = high - low
    width, height = np.maximum(size, max(FLATTEST * size.max(), 1e-9)).tolist()
    shares = 0.5 + (position - (low + high) / 2) / (width, height)
    # The y axis of a screen points down.
    return shares[:, 0], 1 - shares[:, 1], round(height / width, 4)
