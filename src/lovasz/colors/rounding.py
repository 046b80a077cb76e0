"""Cliques and independent sets out of the vectors of ϑ.

Karger, Motwani and Sudan 1998: nodes far along a random Gaussian direction tend to be adjacent
in G, as vectors of non-adjacent nodes are orthogonal. Nodes are taken in the order of their
projection as long as they are adjacent to all taken before; the best of a few directions is the
next clique.
"""

from __future__ import annotations

import numpy as np

from lovasz.graphs import Graph

DIRECTIONS = 64
"""Drawn in all, so that the products are one of matrices;"""
TRIED = 4
"""of them for a clique, beside the vector of its first node."""


def round_cover(
    adjacent: np.ndarray, K: np.ndarray, V: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The clique of each node. ``adjacent`` is the matrix of the graph, K = V Vᵀ the kernel."""
    score = V @ rng.standard_normal((V.shape[1], DIRECTIONS))
    clique, degree = np.full(len(K), -1), adjacent.sum(axis=1)
    left, count = np.arange(len(K)), 0
    while left.size:
        lonely = left[degree[left].argmin()]
        aims = [K[left, lonely], *score[left][:, rng.integers(DIRECTIONS, size=TRIED)].T]
        members = max((_grow(adjacent, left, aim) for aim in aims), key=len)
        clique[members] = count
        degree -= adjacent[:, members].sum(axis=1)
        left = left[clique[left] < 0]
        count += 1
    return clique


def factor(K: np.ndarray) -> np.ndarray:
    """V with V Vᵀ = K, a row a node; what rounding made negative is dropped."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(values.clip(min=0))


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
