"""Kernels with the sparsity of A + I that are not orthonormal: GCN's and the bare adjacency."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph


def adjacency(graph: Graph) -> sparse.csr_array:
    """A itself; the released code of the LCN paper used it for its GCN."""
    return graph.adjacency.copy()


def gcn(graph: Graph) -> sparse.csr_array:
    """D̃^-½ (A + I) D̃^-½ with D̃ the row sums of A + I (Kipf and Welling, 2017)."""
    looped = (graph.adjacency + sparse.eye_array(graph.n, format="csr")).tocsr()
    return scale_symmetrically(looped, inverse_root(looped.sum(axis=1)))


def normalize(adjacency: sparse.csr_array, exponent: float = 0.5) -> sparse.csr_array:
    """D^-a A D^-a, a = ½ unless told; rows of isolated nodes stay zero."""
    factors = inverse_root(abs(adjacency).sum(axis=1))
    return scale_symmetrically(adjacency, factors if exponent == 0.5 else factors ** (2 * exponent))


def inverse_root(degrees: np.ndarray) -> np.ndarray:
    """1/√d, and 0 where d is not positive (isolated nodes, negative weights)."""
    return np.divide(1.0, np.sqrt(np.abs(degrees)), out=np.zeros(len(degrees)), where=degrees > 0)


def scale_symmetrically(matrix: sparse.csr_array, factors: np.ndarray) -> sparse.csr_array:
    """diag(f) M diag(f), bit-for-bit symmetric when M is."""
    scaled = matrix.tocsr(copy=True)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(scaled.indptr))
    # f_i f_j first: the product commutes, so entries (i, j) and (j, i) round alike.
    scaled.data *= factors[rows] * factors[scaled.indices]
    return scaled
