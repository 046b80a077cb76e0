"""Diffusion kernels: personalised PageRank and heat."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.base.checks import is_number
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.kernels.adjacency import gcn
from lovasz.kernels.by_component import by_component
from lovasz.kernels.laplacian import normalized

ROUNDING = 1e-14
"""Bound on the rounding error of an eigenvalue of L̄, per row of it."""


def ppr(graph: Graph, *, alpha: float = 0.1) -> sparse.csr_array:
    """α (I − (1−α) Â)⁻¹ with Â the ``gcn`` kernel and α the probability of a restart."""
    if not (is_number(alpha) and 1e-8 <= alpha <= 1):
        raise LovaszError(f"alpha={alpha!r} must be between 1e-8 and 1")

    def diffuse(A: sparse.csr_array) -> np.ndarray:
        step = gcn(Graph(A, range(A.shape[0])))
        found: np.ndarray = scipy.linalg.inv(np.eye(A.shape[0]) - (1 - alpha) * step.toarray())
        return alpha * found

    return by_component(graph, "ppr", diffuse)


def heat(graph: Graph, *, t: float = 3.0) -> sparse.csr_array:
    """exp(−t L̄) with L̄ = D^-½ L D^-½, the flow of heat during the time t."""
    if not (is_number(t) and t >= 0):
        raise LovaszError(f"t={t!r} must be a number >= 0")

    def diffuse(A: sparse.csr_array) -> np.ndarray:
        values, vectors = scipy.linalg.eigh(normalized(A).toarray(), overwrite_a=True)
        values[np.abs(values) < ROUNDING * len(values)] = 0.0  # times a large t it would count
        found: np.ndarray = (vectors * np.exp(-t * values)) @ vectors.T
        return found

    return by_component(graph, "heat", diffuse)
