"""A unit vector for every node, by which nodes of one class tend to be close.

The vectors are the rows of P²X, P = (D + I)⁻¹(A + I): what a network of two hops sees. Without
features X = I, and rows of P² are where two steps of a random walk lead; their mean, which only
says how central each node is, is subtracted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.device import one_thread
from lovasz.graphs import Graph
from lovasz.linalg.scaling import unit_rows

HOPS = 2
"""Number of averages over neighbours that features go through."""
DIMENSIONS = 1024
"""Largest number of entries of a vector made of features; more are projected on the directions in
which they vary most."""
IDENTITY_DIMENSIONS = 256
"""Largest number of entries of a vector of a node without features."""
ENTRIES = 15 * 10**6
"""Largest number of entries of all vectors together."""


def node_vectors(graph: Graph, features: Any, seed: int = 0) -> np.ndarray:
    """Return (n, d) unit vectors, zero rows where nothing is known about a node."""
    with one_thread():
        if features is not None and features.shape[1] > 0:
            return unit_rows(principal_rows(graph, features, DIMENSIONS, seed))
        X = sparse.eye_array(graph.n, format="csr")
        H = principal_rows(graph, X, IDENTITY_DIMENSIONS, seed)
        return unit_rows(H - H.mean(axis=0))


def principal_rows(graph: Graph, features: Any, most: int, seed: int) -> np.ndarray:
    """Return P²X, projected on its leading right singular vectors if X has over ``most`` columns.

    The projection is that of a randomised range finder (Halko, Martinsson and Tropp, 2011), which
    multiplies with P and X only.
    """
    A = sparse.csr_array(abs(graph.adjacency) + sparse.eye_array(graph.n))
    P = sparse.csr_array(sparse.diags_array(1 / A.sum(axis=1)) @ A)
    width = min(most, max(1, ENTRIES // graph.n))
    X: Any = features if sparse.issparse(features) else np.asarray(features, dtype=np.float64)

    def spread(rows: Any) -> np.ndarray:
        for _ in range(HOPS):
            rows = P @ rows
        return np.asarray(rows)

    if X.shape[1] <= width:
        return spread(X.toarray() if sparse.issparse(X) else X)
    rng = np.random.default_rng(seed)
    basis = rng.standard_normal((X.shape[1], width))
    for _ in range(2):
        image = spread(X @ basis)
        for _ in range(HOPS):
            image = P.T @ image
        basis = np.linalg.qr(np.asarray(X.T @ image))[0]
    return spread(X @ basis)
