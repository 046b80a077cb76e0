"""Hoffman's bound with its primal counterpart: one eigendecomposition, often the whole answer."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from lovasz.graphs import Graph
from lovasz.number.candidate import Candidate

CLUSTER = 1e-7
"""Eigenvalues this close to the least, in units of the spread, count as equal to it."""


def hoffman(graph: Graph) -> Candidate:
    """The Luz–Schrijver pair of a d-regular graph; optimal when the graph is edge-transitive.

    Upper: K = I + A/|λ|, λ = λ_min(A), and t = n|λ| / (d + |λ|). Lower: with E the projection
    onto the eigenspace of λ, X = E − e J, e the mean of E over the edges. The entries of E on
    edges sum to λ tr E < 0, so X ⪰ 0; where they are all equal, as on an edge-transitive graph,
    X vanishes on the edges and ⟨J, X⟩ / tr X = t.

    >>> pentagon = Graph.from_edges(range(5), [1, 2, 3, 4, 0])
    >>> X = hoffman(pentagon).matrix
    >>> round(float(X.sum() / X.trace()), 9)
    2.236067977
    """
    values, vectors = scipy.linalg.eigh(graph.adjacency.toarray().astype(np.float64), driver="evd")
    least, most = values[0], values[-1]
    space = vectors[:, values <= least + CLUSTER * (most - least)]
    E = space @ space.T
    i, j = graph.edges()
    t = graph.n * -least / (most - least)
    return Candidate(np.full(graph.m, t / -least), matrix=E - E[i, j].mean())


def is_regular(graph: Graph) -> bool:
    """Whether all degrees are equal, and not 0."""
    return bool(graph.m and (graph.degrees == graph.degrees[0]).all())
