"""The type that every reader of a dataset returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs.graph import Graph
from lovasz.graphs.hypergraph import Hypergraph

Splits = dict[str, dict[str, np.ndarray]]
"""Name of the split -> "train", "val" or "test" -> row numbers."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph with labels, and features and splits if its source has them; rows are nodes.

    >>> from lovasz.datasets import load
    >>> karate = load("karate")
    >>> karate.graph.n, karate.classes
    (34, ('Mr. Hi', 'Officer'))
    """

    name: str
    _graph: Graph | None
    features: np.ndarray | sparse.csr_array | None
    """One row per node as in the source, not normalised except that grey levels are divided by
    255. None if there are no features; an array if the source is a table."""
    y: np.ndarray
    """Code of the class of each node, or −1 if the source gives none."""
    classes: tuple[str, ...]
    """``classes[c]`` is the name of class c."""
    splits: Splits
    """``splits[name]["train" | "val" | "test"]`` are row numbers. Hypergraphs have no "val"."""
    hyperedges: tuple[np.ndarray, ...] | None = None
    """The rows of each hyperedge, a clique of ``graph``; None if the source is a graph."""

    @property
    def graph(self) -> Graph:
        """The graph. It is an error to ask for one that would be too large."""
        if self._graph is None:
            raise LovaszError(
                f"{self.name} has no graph on all its {self.y.size:,} rows; draw some of them, as "
                f"load({self.name!r}, n=2000) does"
            )
        return self._graph

    @property
    def hypergraph(self) -> Hypergraph:
        """The hypergraph. It is an error to ask for it if the source is a graph."""
        if self.hyperedges is None:
            raise LovaszError(
                f"{self.name} is a graph, not a hypergraph; use as_hypergraph(d.graph)"
            )
        return Hypergraph.from_rows(self.hyperedges, n=self.y.size)

    def __repr__(self) -> str:
        graph = f"{self.y.size:,} rows, no graph" if self._graph is None else self._graph
        columns = "no" if self.features is None else f"{self.features.shape[1]:,}"
        return f"Dataset({self.name}: {graph}, {columns} features, {len(self.classes)} classes)"
