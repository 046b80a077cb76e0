"""A unit vector for every node, by which nodes of one class tend to be close.

With features X the vectors are the rows of P²X, P = (D + I)⁻¹(A + I): what a network of two hops
sees. Without features they are spectral coordinates of the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import largest_eigenpairs
from lovasz.linalg.scaling import inverse_root, scale_symmetrically, unit_rows

HOPS = 2
"""Number of averages over neighbours that features go through."""
DIMENSIONS = 128
"""Largest number of entries of a vector made of features; more are projected on the directions in
which most of the variance lies."""
COORDINATES = 16
"""Number of spectral coordinates of a graph without features."""


def node_vectors(graph: Graph, features: Any, seed: int) -> np.ndarray:
    """Return (n, d) unit vectors, zero rows where nothing is known about a node."""
    if features is None or features.shape[1] == 0:
        return spectral_vectors(graph)
    return unit_rows(principal_rows(graph, features, seed))


def spectral_vectors(graph: Graph) -> np.ndarray:
    """Return the leading eigenvectors of (D + τI)^-½ A (D + τI)^-½ times eigenvalues, as unit rows.

    τ is the mean degree. The eigenvector of the largest eigenvalue says only how central a node is
    and is left out if the graph is connected.
    """
    A = abs(graph.adjacency)
    if not graph.m or graph.n < 3:
        return np.eye(graph.n)[:, :COORDINATES]
    degrees = np.asarray(A.sum(axis=1)).ravel()
    factors = 1 / np.sqrt(degrees + max(float(degrees.mean()), 1e-12))
    count = min(COORDINATES + 1, graph.n - 1)
    values, vectors = largest_eigenpairs(scale_symmetrically(A, factors), count, magnitude=True)
    return unit_rows((vectors * values)[:, 1:])


def principal_rows(graph: Graph, features: Any, seed: int) -> np.ndarray:
    """Return P²X, projected on its leading right singular vectors if X is wide.

    The projection is that of a randomised range finder (Halko, Martinsson and Tropp, 2011), which
    multiplies with P and X only.
    """
    A = sparse.csr_array(abs(graph.adjacency) + sparse.eye_array(graph.n))
    root = inverse_root(np.asarray(A.sum(axis=1)).ravel())
    P = sparse.csr_array(sparse.diags_array(root**2) @ A)
    X = features if sparse.issparse(features) else np.asarray(features, dtype=np.float64)

    def spread(rows: Any) -> np.ndarray:
        for _ in range(HOPS):
            rows = P @ rows
        return np.asarray(rows)

    if X.shape[1] <= DIMENSIONS:
        return spread(X.toarray() if sparse.issparse(X) else X)
    rng = np.random.default_rng(seed)
    basis = rng.standard_normal((X.shape[1], DIMENSIONS))
    for _ in range(2):
        image = spread(X @ basis)
        for _ in range(HOPS):
            image = P.T @ image
        basis = np.linalg.qr(np.asarray(X.T @ image))[0]
    return spread(X @ basis)
