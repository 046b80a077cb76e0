"""Scaling the rows of arrays, and rows and columns of symmetric sparse matrices."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def normalize(adjacency: sparse.csr_array, exponent: float = 0.5) -> sparse.csr_array:
    """D^-a A D^-a with D the row sums of |A|; rows of isolated nodes stay zero."""
    factors = inverse_root(abs(adjacency).sum(axis=1))
    return scale_symmetrically(adjacency, factors if exponent == 0.5 else factors ** (2 * exponent))


def inverse_root(degrees: np.ndarray) -> np.ndarray:
    """1/√d, and 0 if d is not positive (isolated nodes, negative weights)."""
    roots, out = np.sqrt(np.abs(degrees)), np.zeros(len(degrees))
    inverse: np.ndarray = np.divide(1.0, roots, out=out, where=degrees > 0)
    return inverse


def scale_symmetrically(matrix: sparse.csr_array, factors: np.ndarray) -> sparse.csr_array:
    """diag(f) M diag(f), bit-for-bit symmetric when M is."""
    scaled = matrix.tocsr(copy=True)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(scaled.indptr))
    # The product f_i f_j commutes, so entries (i, j) and (j, i) are rounded alike.
    scaled.data *= factors[rows] * factors[scaled.indices]
    return scaled


def unit_rows(vectors: np.ndarray, *, least: float = 1e-12) -> np.ndarray:
    """The rows scaled to length one. Rows of length ``least`` or less become zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: np.ndarray = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > least)
    return scaled
