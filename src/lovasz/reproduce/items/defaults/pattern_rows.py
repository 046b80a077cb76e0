"""Random graphs whose classes are no blocks: what neighbours have, how many there are, and roles.

They were added after auto had been far behind on graphs like them, together with the candidates
that read features beside those of the neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lovasz.graphs import Graph
from lovasz.reproduce.items.defaults.block_rows import Planted

QUICK = 5
"""By how much the number of nodes is divided in a quick run."""
MINED = 0.2
"""Share of the cells of a board that are mines."""
MARKED = 0.3
"""Share of the nodes that are marked."""
NOISE = 8
"""Number of columns of noise."""


@dataclass(frozen=True)
class Mines:
    """A square board whose cells are joined to the eight around them; classes are mine or not.

    On half of the cells the feature is the number of mines around the cell, as a row of zeros and a
    one, on the others one column says that it is hidden.
    """

    side: int = 40
    """Number of cells along one side."""
    featured: bool = True
    """Whether there are features."""
    known: bool = False
    """Whether the best possible answer is known."""

    def __call__(self, seed: int, quick: bool) -> Planted:
        """Draw the mines and what is hidden."""
        rng = np.random.default_rng(seed)
        side = self.side // QUICK if quick else self.side
        cell = np.arange(side * side).reshape(side, side)
        ends = [
            (cell[:-1], cell[1:]), (cell[:, :-1], cell[:, 1:]),
            (cell[:-1, :-1], cell[1:, 1:]), (cell[:-1, 1:], cell[1:, :-1]),
        ]  # fmt: skip
        source, target = (np.concatenate([pair[k].ravel() for pair in ends]) for k in (0, 1))
        graph = Graph.from_edges(source, target, n=side * side)
        y = (rng.random(graph.n) < MINED).astype(int)
        around = np.asarray(graph.adjacency @ y).astype(int)
        hidden = rng.random(graph.n) < 0.5
        X = np.eye(10)[np.where(hidden, 9, around)]
        return Planted(graph, y, X)


@dataclass(frozen=True)
class Counts:
    """A random graph; the class says whether a node has few, some or many marked neighbours.

    The features are the mark and columns of noise.
    """

    nodes: int = 1000
    """Number of nodes."""
    degree: int = 8
    """Mean degree."""
    featured: bool = True
    """Whether there are features."""
    known: bool = False
    """Whether the best possible answer is known."""

    def __call__(self, seed: int, quick: bool) -> Planted:
        """Draw the edges and the marks."""
        rng = np.random.default_rng(seed)
        n = self.nodes // QUICK if quick else self.nodes
        source, target = rng.integers(0, n, (2, n * self.degree // 2))
        graph = Graph.from_edges(source, target, n=n)
        mark = (rng.random(n) < MARKED).astype(float)
        y = np.digitize(np.asarray(graph.adjacency @ mark), [1.5, 3.5])
        return Planted(graph, y, np.column_stack([mark, rng.standard_normal((n, NOISE))]))


@dataclass(frozen=True)
class Hubs:
    """A Barabási–Albert graph; the class of a node is the range that its degree is in."""

    nodes: int = 1000
    """Number of nodes."""
    featured: bool = False
    """Whether there are features."""
    known: bool = False
    """Whether the best possible answer is known."""

    def __call__(self, seed: int, quick: bool) -> Planted:
        """Grow the graph."""
        import networkx as nx

        n = self.nodes // QUICK if quick else self.nodes
        source, target = np.array(nx.barabasi_albert_graph(n, 3, seed=seed).edges).T
        graph = Graph.from_edges(source, target, n=n)
        degrees = np.asarray(graph.adjacency.sum(axis=1)).ravel()
        return Planted(graph, np.searchsorted(np.quantile(degrees, [0.4, 0.7, 0.9]), degrees))


PATTERNS: dict[str, tuple[Callable[[int, bool], Planted], float]] = {
    "mines on a board": (Mines(), 0.1),
    "marked neighbours": (Counts(), 0.3),
    "hubs and leaves": (Hubs(), 0.1),
}
"""Row -> a function of seed and quick that draws a graph, and the share of labels."""
