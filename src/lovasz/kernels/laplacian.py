"""Regularised inverses of the graph Laplacian, the classical kernels on graphs."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.base.checks import is_number
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.kernels.by_component import by_component
from lovasz.linalg.scaling import inverse_root, normalize

SMALLEST = 1e-8
"""Smallest value of c. Below it the inverse is dominated by rounding."""


def laplacian(graph: Graph, *, c: float = 1.0) -> sparse.csr_array:
    """(c I + L)⁻¹ with L = D − A ("Un-Lap" in the LCN paper)."""
    _check(c)
    return by_component(graph, "laplacian", lambda A: _inverse(_laplacian(A), c))


def normalized_laplacian(graph: Graph, *, c: float = 1.0) -> sparse.csr_array:
    """(c I + D^-½ L D^-½)⁻¹ ("N-Lap"); an isolated node has L = 0, hence the entry 1/c."""
    _check(c)
    return by_component(
        graph, "normalized-laplacian", lambda A: _inverse(normalized(A).toarray(), c)
    )


def k_scaling(graph: Graph, *, c: float = 1.0) -> sparse.csr_array:
    """S^-½ (c I + L)⁻¹ S^-½ with S the diagonal of the inverse ("KS"); its diagonal is 1."""
    _check(c)

    def scaled(A: sparse.csr_array) -> np.ndarray:
        inverse = _inverse(_laplacian(A), c)
        root = inverse_root(np.diag(inverse))
        found: np.ndarray = inverse * root[:, None] * root[None, :]
        return found

    return by_component(graph, "k-scaling", scaled)


def normalized(A: sparse.csr_array) -> sparse.csr_array:
    """D^-½ L D^-½ = I − D^-½ A D^-½ on nodes with neighbours, 0 on isolated ones."""
    present = (abs(A).sum(axis=1) > 0).astype(float)
    return (sparse.diags_array(present) - normalize(A)).tocsr()


def _laplacian(A: sparse.csr_array) -> np.ndarray:
    dense: np.ndarray = -A.toarray()
    np.fill_diagonal(dense, A.sum(axis=1))
    return dense


def _inverse(L: np.ndarray, c: float) -> np.ndarray:
    L[np.diag_indices_from(L)] += c
    try:
        factor = scipy.linalg.cho_factor(L, lower=True, overwrite_a=True)
    except np.linalg.LinAlgError:
        raise LovaszError(
            f"c I + L is not positive definite for c={c:g} (negative edge weights); "
            "raise c or drop the weights"
        ) from None
    inverse: np.ndarray = scipy.linalg.cho_solve(factor, np.eye(len(L)), overwrite_b=True)
    return inverse


def _check(c: float) -> None:
    if not (is_number(c) and c >= SMALLEST):
        raise LovaszError(f"c={c!r} must be a number >= {SMALLEST:g}; L alone has no inverse")
