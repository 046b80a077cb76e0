"""Cliques and independent sets out of the vectors of ϑ.

Karger, Motwani and Sudan 1998: nodes far along a random Gaussian direction tend to be adjacent
in G, as vectors of non-adjacent nodes are orthogonal. Nodes are taken in the order of their
projection as long as they are adjacent to all taken before; the best of a few directions is the
next clique.
"""

from __future__ import annotations

import numpy as np

from lovasz.graphs import Graph

DIRECTIONS = 4


def factor(K: np.ndarray) -> np.ndarray:
    """V with V Vᵀ = K, a row a node; what rounding made negative is dropped."""
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-9 * max(values[-1], 1.0)
    return vectors[:, kept] * np.sqrt(values[kept])


def round_cover(adjacent: np.ndarray, V: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The clique of each node. ``adjacent`` is the matrix of the graph, V its vectors."""
    clique = np.full(len(V), -1)
    left = np.arange(len(V))
    count = 0
    while left.size:
        # One direction is a node's own vector, that of the node with fewest neighbours left.
        lonely = int(adjacent[np.ix_(left, left)].sum(axis=1).argmin())
        aims = np.column_stack([V[left[lonely]], rng.standard_normal((V.shape[1], DIRECTIONS))])
        found = [_grow(adjacent, left, score) for score in (V[left] @ aims).T]
        clique[max(found, key=len)] = count
        left = left[clique[left] < 0]
        count += 1
    return clique


def _grow(adjacent: np.ndarray, left: np.ndarray, score: np.ndarray) -> np.ndarray:
    """A clique that no node of ``left`` extends, by falling score."""
    fits = left[np.argsort(-score, kind="stable")]
    members = []
    while fits.size:
        members.append(int(fits[0]))
        fits = fits[1:][adjacent[fits[0], fits[1:]]]
    return np.array(members)


def matrix_of(graph: Graph) -> np.ndarray:
    """Which nodes are adjacent."""
    return graph.adjacency.toarray() != 0
