"""Clique covers from the kernel of ϑ, by Gaussian rounding (Karger, Motwani and Sudan 1998).

The vectors of non-adjacent nodes are orthogonal, so nodes far along a random Gaussian direction
tend to be adjacent in G. Nodes are taken in the order of their projection if they are adjacent to
all taken before. The largest clique from a few directions becomes the next one of the cover.
"""

from __future__ import annotations

import numpy as np

from lovasz.graphs import Graph

DIRECTIONS = 64
"""Number of directions drawn per cover. One matrix product projects on all of them."""
TRIED = 4
"""Number of directions tried per clique, in addition to the vector of its first node."""


def round_cover(
    adjacent: np.ndarray, K: np.ndarray, V: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The clique of each node; ``adjacent`` is the adjacency matrix, K = V Vᵀ the kernel."""
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


def gram_vectors(K: np.ndarray) -> np.ndarray:
    """V with V Vᵀ = K, one row per node. Negative eigenvalues, due to rounding, count as 0."""
    values, vectors = np.linalg.eigh(K)
    found: np.ndarray = vectors * np.sqrt(values.clip(min=0))
    return found


def _grow(adjacent: np.ndarray, left: np.ndarray, score: np.ndarray) -> np.ndarray:
    """A clique that no node of ``left`` extends, grown in the order of falling score."""
    fits = left[np.argsort(-score, kind="stable")]
    members = []
    while fits.size:
        members.append(int(fits[0]))
        fits = fits[1:][adjacent[fits[0], fits[1:]]]
    return np.array(members)


def adjacency_mask(graph: Graph) -> np.ndarray:
    """The adjacency matrix as booleans."""
    adjacent: np.ndarray = graph.adjacency.toarray() != 0
    return adjacent
