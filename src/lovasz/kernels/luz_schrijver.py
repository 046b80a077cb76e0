"""The Luz–Schrijver kernel: one eigenvalue makes any edge weighting orthonormal."""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from lovasz.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.kernels.local import normalize

EXACT_UP_TO = 600  # nodes; a dense eigenvalue is as fast as Lanczos there, and has no tolerance


def ls(
    graph: Graph,
    *,
    weights: Literal["adjacency", "normalized"] = "adjacency",
    tol: float = 1e-5,
) -> sparse.csr_array:
    """K(C) = I + C / |λ_min(C)| for C = A, or C = D^-½ A D^-½ with ``weights="normalized"``.

    K(C) is in 𝒦(G): unit diagonal, zero off the edges, positive semidefinite. ``adjacency`` is
    the kernel of the LCN paper; ``normalized`` keeps hubs from setting λ_min for everybody.
    A graph without edges gives I. ``tol`` is the relative residual of λ_min, by which K errs to
    the safe side; at ten million nodes 1e-3 saves half of the products with C.
    """
    if not 0 < tol <= 1e-2:  # above, Lanczos may stop at an eigenvalue that is not the least
        raise LovaszError(f"ls tol={tol}; pass a number above 0 and up to 0.01")
    if weights not in ("adjacency", "normalized"):
        raise LovaszError(f"ls weights={weights!r} is not known; use 'adjacency' or 'normalized'")
    C = graph.adjacency if weights == "adjacency" else normalize(graph.adjacency)
    identity = sparse.eye_array(graph.n, format="csr")
    if C.nnz == 0:
        return identity
    return (identity + C / depth(C, tol=tol)).tocsr()


def depth(C: sparse.csr_array, *, tol: float = 1e-5) -> float:
    """|λ_min(C)| of a symmetric matrix with zero trace, from above by the error of its method.

    The sum of the eigenvalues is zero, so λ_min < 0 unless C = 0. Erring upwards keeps
    I + C/depth positive semidefinite. A dense solver errs by a few n·ε‖C‖. A Lanczos pair
    (θ, v) has an eigenvalue within ‖Cv − θv‖ of θ; it is taken to be the smallest.
    """
    n = C.shape[0]
    if n <= EXACT_UP_TO:
        values = scipy.linalg.eigvalsh(C.toarray())
        return float(-values[0] + n * np.finfo(float).eps * np.abs(values).max())
    start = np.random.default_rng(0).standard_normal(n)  # fixed: the same graph, the same kernel
    try:
        (value,), vectors = eigsh(C, k=1, which="SA", v0=start, tol=tol, maxiter=100 * 20)
    except ArpackNoConvergence:
        return spectral_bound(C)
    vector = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    return float(min(-value + np.linalg.norm(C @ vector - value * vector), spectral_bound(C)))


def spectral_bound(C: sparse.csr_array) -> float:
    """A proven bound: ‖C‖₂² = ‖C²‖₂ ≤ the largest row sum of |C|²."""
    magnitude = abs(C)
    return float(np.sqrt((magnitude @ magnitude.sum(axis=1)).max()))
