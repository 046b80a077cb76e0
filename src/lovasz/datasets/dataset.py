"""What every loader returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lovasz.graphs.graph import Graph

Splits = dict[str, dict[str, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph with labels, and what else its source gives. Rows of everything are nodes."""

    name: str
    graph: Graph
    features: np.ndarray | sparse.csr_array | None
    """One row a node, as in the source (not normalised); an array where the source is a table."""
    y: np.ndarray
    """Code of the class of each node, −1 where the source has none."""
    classes: tuple[str, ...]
    """``classes[c]`` is the name of class c."""
    splits: Splits
    """``splits[name]["train" | "val" | "test"]`` are row numbers."""

    def __repr__(self) -> str:
        columns = "no" if self.features is None else f"{self.features.shape[1]:,}"
        return (
            f"Dataset({self.name}: {self.graph}, {columns} features, {len(self.classes)} classes)"
        )
