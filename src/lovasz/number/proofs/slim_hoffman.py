"""Hoffman's bound and its primal counterpart without n × n arrays, for large sparse graphs.

The pair of :mod:`.hoffman` needs the least eigenvalue λ of A and an orthonormal basis U of its
eigenspace only. If e < 0 is the value of U Uᵀ on the edges, X = U Uᵀ − e J is V Vᵀ, V = (U, √−e 1).
A torus of a million nodes has four columns in U.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import sparse

from lovasz.base.compiled import compiled
from lovasz.graphs import Graph
from lovasz.linalg.eigenspace import least_eigenvectors
from lovasz.number.proofs.hoffman import CLUSTER
from lovasz.number.solvers.contract import Approximation

EVEN = 0.02
"""Share of the tolerance, per neighbour, up to which the products on the edges may differ."""
SURE = 0.1
"""Products that differ by more than an error of this share of that explains are not the same."""
FEW = 3
"""Number of nodes whose distances to all others are compared."""


def alike(graph: Graph) -> bool:
    """Whether some nodes of a connected graph have equally many nodes at each distance.

    In a graph whose nodes symmetry exchanges all have. Random regular graphs do not.

    >>> alike(Graph.from_edges(range(5), [1, 2, 3, 4, 0]))
    True
    >>> alike(Graph.from_edges(range(4), [1, 2, 3, 4]))
    False
    """
    A, some = graph.adjacency, np.linspace(0, graph.n - 1, FEW).astype(np.int64)
    spheres = _spheres.within(FEW * (graph.n + 2 * graph.m))
    first, *others = (spheres(A.indptr, A.indices, node) for node in some.tolist())
    return all(np.array_equal(first, other) for other in others)


@compiled
def _spheres(first: np.ndarray, columns: np.ndarray, source: int) -> np.ndarray:
    """The number of nodes at distance 0, 1, … from a node."""
    n = len(first) - 1
    distance, queue = np.full(n, -1), np.empty(n, np.int64)
    sizes = np.zeros(n, np.int64)
    queue[0], distance[source], sizes[0] = source, 0, 1
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for p in range(first[i], first[i + 1]):
            j = columns[p]
            if distance[j] < 0:
                distance[j] = distance[i] + 1
                sizes[distance[j]] += 1
                queue[tail] = j
                tail += 1
    return sizes


def slim_hoffman(graph: Graph, tol: float, stop: Callable[[], bool]) -> Approximation | None:
    """The pair of :func:`.hoffman.hoffman` for a connected d-regular graph, or None.

    None if the products on the edges differ, if the eigenspace has more than a few dimensions, or
    if ``stop()`` is true before it is known well enough for the relative gap ``tol``.

    >>> from lovasz.number.solvers.contract import never
    >>> pentagon = Graph.from_edges(range(5), [1, 2, 3, 4, 0])
    >>> V = slim_hoffman(pentagon, 1e-6, never).factor
    >>> round(float((V.sum(axis=0) ** 2).sum() / (V**2).sum()), 6)
    2.236068
    """
    d = int(graph.degrees[0])
    A = sparse.csr_array(graph.adjacency, dtype=np.float64)
    i, j = graph.edges()
    for values, vectors, residuals in least_eigenvectors(A, float(d), stop):
        near = values <= values[0] + CLUSTER * (d - values[0])
        if near.all() and len(values) < graph.n:
            return None
        U = vectors[:, near]
        products = np.einsum("ij,ij->i", U[i], U[j])
        e, spread = float(products.mean()), float(np.ptp(products))
        wanted = EVEN * tol / d * U.shape[1] / graph.n
        if e < 0 and spread <= wanted:
            return _pair(graph, float(values[0]), d, U, e)
        apart = math.inf if near.all() else values[~near].min() - values[0]
        if residuals[near].max() / apart * (U**2).sum(axis=1).max() < SURE * wanted:
            return None
    return None


def _pair(graph: Graph, least: float, d: int, U: np.ndarray, e: float) -> Approximation:
    n, t = graph.n, graph.n * -least / (d - least)
    V = np.concatenate([U, np.full((n, 1), math.sqrt(-e))], axis=1)
    z = np.full(n, -least / (d - least))
    return Approximation(np.full(graph.m, t / -least), factor=V, t=t, solution=z, converged=True)
