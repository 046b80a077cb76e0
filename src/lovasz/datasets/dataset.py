"""What every loader returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs.graph import Graph
from lovasz.graphs.hypergraph import Hypergraph

Splits = dict[str, dict[str, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph with labels, and what else its source gives. Rows of everything are nodes."""

    name: str
    _graph: Graph | None
    features: np.ndarray | sparse.csr_array | None
    """One row a node, as in the source (not normalised); an array where the source is a table.
    Grey levels of images are divided by 255."""
    y: np.ndarray
    """Code of the class of each node, −1 where the source has none."""
    classes: tuple[str, ...]
    """``classes[c]`` is the name of class c."""
    splits: Splits
    """``splits[name]["train" | "val" | "test"]`` are row numbers; hypergraphs have no "val"."""
    hyperedges: tuple[np.ndarray, ...] | None = None
    """The nodes of each hyperedge where the source is a hypergraph; in ``graph`` it is a clique."""

    @property
    def graph(self) -> Graph:
        """The graph; an error where it would be too large to make."""
        if self._graph is None:
            raise LovaszError(
                f"{self.name} has no graph on all its {self.y.size:,} rows; draw some of them, as "
                f"load({self.name!r}, n=2000) does"
            )
        return self._graph

    @property
    def hypergraph(self) -> Hypergraph:
        """The hyperedges with the nodes of ``graph``; an error where the source has none."""
        if self.hyperedges is None:
            raise LovaszError(f"{self.name} is a graph; as_hypergraph(d.graph) makes pairs of it")
        return Hypergraph.from_rows(self.hyperedges, n=self.y.size)

    def __repr__(self) -> str:
        graph = f"{self.y.size:,} rows, no graph" if self._graph is None else self._graph
        columns = "no" if self.features is None else f"{self.features.shape[1]:,}"
        return f"Dataset({self.name}: {graph}, {columns} features, {len(self.classes)} classes)"
