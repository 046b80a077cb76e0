"""A node beside what surrounds it: the features of the candidate "perceptron on surroundings".

With H the main coordinates of the features and P = D⁻¹A, the columns are H, PH, P²H and the
logarithm of 1 + degree: a node's own features, their mean over its neighbours and over walks of two
steps, and how many neighbours there are. An average over a node and its neighbours cannot say that
they differ; here they stay apart (GraphSAGE: Hamilton et al., 2017; H2GCN: Zhu et al., 2020).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph

LONGEST = 2
"""Number of steps of the longest walk."""
SAME = 1e-12
"""A block of columns with a smaller variance than this share of its square size is constant."""


@dataclass(frozen=True)
class Surroundings:
    """How the columns of a graph were scaled."""

    mean: np.ndarray
    """(columns,) means of the columns before they were scaled."""
    factor: np.ndarray
    """(columns,) the factor by which each column is multiplied, 0 for constant ones. All columns of
    a block have the same factor, so the directions of most variance keep the largest columns."""

    @classmethod
    def of(cls, graph: Graph, H: np.ndarray) -> Surroundings:
        """Scale each block of columns to a mean variance of 1, for (n, d) coordinates H."""
        blocks = list_blocks(graph, H)
        mean = np.concatenate([block.mean(axis=0) for block in blocks])
        return cls(mean, np.concatenate([scale_block(block) for block in blocks]))

    def __call__(self, graph: Graph, H: np.ndarray) -> np.ndarray:
        """Return the table of a graph, one row per node, by the same scaling."""
        return self.scale(np.hstack(list_blocks(graph, H)))

    def scale(self, columns: np.ndarray) -> np.ndarray:
        """Return scaled columns."""
        return np.asarray((columns - self.mean) * self.factor, dtype=np.float32)


def mean_matrix(graph: Graph) -> sparse.csr_array:
    """Return P = D⁻¹A with the absolute values of A; the row of an isolated node is 0."""
    A = abs(graph.adjacency)
    degrees = np.asarray(A.sum(axis=1)).ravel()
    return sparse.csr_array(sparse.diags_array(1 / np.where(degrees > 0, degrees, 1)) @ A)


def list_blocks(graph: Graph, H: np.ndarray) -> list[np.ndarray]:
    """Return H, PH, …, and the column of degrees.

    >>> path = Graph.from_edges([0, 1], [1, 2])
    >>> [block.round(2).tolist() for block in list_blocks(path, np.array([[1.0], [0.0], [0.0]]))]
    [[[1.0], [0.0], [0.0]], [[0.0], [0.5], [0.0]], [[0.5], [0.0], [0.5]], [[0.69], [1.1], [0.69]]]
    """
    P, blocks = mean_matrix(graph), [H]
    for _ in range(LONGEST):
        blocks.append(np.asarray(P @ blocks[-1]))
    return [*blocks, describe_degree(np.asarray(abs(graph.adjacency).sum(axis=1)).ravel())]


def describe_degree(degrees: np.ndarray) -> np.ndarray:
    """Return the column of degrees."""
    return np.asarray(np.log1p(np.maximum(degrees, 0))[:, None])


def scale_block(block: np.ndarray) -> np.ndarray:
    """Return the factor of each column of a block."""
    variance, square = float(block.var(axis=0).sum()), float((block**2).mean(axis=0).sum())
    width = block.shape[1]
    return np.full(width, np.sqrt(width / variance) if variance > SAME * square else 0.0)
