"""The Luz–Schrijver kernel, which makes any edge weighting orthonormal by one eigenvalue."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.checks import is_number
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.graphs.hypergraph import Expansion
from lovasz.linalg.eigenvalues import smallest_eigenvalue_depth
from lovasz.linalg.scaling import inverse_root, normalize, scale_symmetrically

EXPONENTS = {"adjacency": 0.0, "normalized": 0.5}
"""The named exponents a of C = D^-a W D^-a."""
HYPEREDGE_WEIGHTS = ("hyperedges", "hyperedges-normalized", "incidence")
"""The named weightings that need a hypergraph."""
LEAST_SIMILARITY = 0.05
"""Least similarity of two neighbours, which keeps nodes without common features connected."""
BLOCK = 2**24
"""Number of feature values held at a time when features of neighbours are compared."""


def ls(
    graph: Graph,
    *,
    weights: str | float = "adjacency",
    features: Any = None,
    tol: float = 1e-5,
) -> sparse.csr_array:
    """K(C) = I + C / |λ_min(C)| with C = D^-a W D^-a, D the row sums of |W|.

    ``weights`` is the exponent a; "adjacency" is a = 0, the kernel of the LCN paper, and
    "normalized" is a = ½, which keeps hubs from determining λ_min. W = A or, with ``features``
    (one row per node), W_ij = A_ij · max(cos(x_i, x_j), ``LEAST_SIMILARITY``). For every C on
    the edges K(C) is in 𝒦(G): it has unit diagonal, is zero off the edges and positive
    semidefinite. A graph without edges gives I. ``tol`` is the relative residual of λ_min, by
    which K errs on the safe side; a larger one saves products with C on large graphs.

    The graph of a hypergraph has three more weights: ``hyperedges`` is
    C_ij = Σ_{e ∋ i,j} w_e / (|e| − 1),
    ``hyperedges-normalized`` is D^-½ C D^-½, D the row sums of C, and ``incidence`` is S^-½ C S^-½
    with S_ii = Σ_{e ∋ i} w_e / (|e| − 1). Their |λ_min| is at most max S_ii, max S_ii/D_ii and 1,
    see :mod:`lovasz.hypergraphs`.
    """
    if not 0 < tol <= 1e-2:  # above, ARPACK may stop at an eigenvalue that is not the least
        raise LovaszError(f"ls tol={tol}; pass a number above 0 and up to 0.01")
    if isinstance(weights, str) and weights in HYPEREDGE_WEIGHTS:
        if features is not None:
            raise LovaszError(f"ls weights={weights!r} takes no features; leave one of them out")
        C, proven = _hyperedge_weights(graph, weights)
    else:
        C, proven = _edge_weights(graph, weights, features), np.inf
    identity = sparse.eye_array(graph.n, format="csr")
    if C.nnz == 0:
        return identity
    return (identity + C / min(smallest_eigenvalue_depth(C, tol=tol), proven)).tocsr()


def _edge_weights(graph: Graph, weights: str | float, features: Any) -> sparse.csr_array:
    """C = D^-a W D^-a."""
    exponent: Any = EXPONENTS.get(weights) if isinstance(weights, str) else weights
    if not is_number(exponent) or not 0 <= exponent <= 1:
        known = ", ".join(map(repr, (*EXPONENTS, *HYPEREDGE_WEIGHTS)))
        raise LovaszError(
            f"ls weights={weights!r} is not known; known: {known}, or the exponent a of "
            "C = D^-a A D^-a, a number in [0, 1]"
        )
    W = graph.adjacency if features is None else by_similarity(graph.adjacency, features)
    return W if exponent == 0 else normalize(W, exponent)


def by_similarity(adjacency: sparse.csr_array, features: Any) -> sparse.csr_array:
    """A_ij · max(cos(x_i, x_j), LEAST_SIMILARITY), computed on the edges only."""
    X: Any = features if sparse.issparse(features) else np.asarray(features, dtype=np.float64)
    if X.ndim != 2 or X.shape[0] != adjacency.shape[0]:
        raise LovaszError(
            f"features have shape {X.shape} and the graph {adjacency.shape[0]} nodes; "
            "give one row per node"
        )
    squares = X.multiply(X) if sparse.issparse(X) else X * X
    unit = inverse_root(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel())
    upper = sparse.triu(adjacency, format="coo")
    rows, columns = upper.coords
    cosine = np.empty(len(rows))
    size = max(1, BLOCK // X.shape[1])
    for first in range(0, len(rows), size):
        i, j = rows[first : first + size], columns[first : first + size]
        product = X[i].multiply(X[j]) if sparse.issparse(X) else X[i] * X[j]
        cosine[first : first + size] = np.asarray(product.sum(axis=1)).ravel() * unit[i] * unit[j]
    values = upper.data * np.maximum(cosine, LEAST_SIMILARITY)
    half = sparse.coo_array((values, (rows, columns)), shape=adjacency.shape)
    return (half + half.T).tocsr()


def _hyperedge_weights(graph: Graph, weights: str) -> tuple[sparse.csr_array, float]:
    """C and a proven bound on |λ_min(C)|, for the graph of a hypergraph."""
    H = graph.hypergraph if isinstance(graph, Expansion) else None
    if H is None:
        raise LovaszError(
            f"ls weights={weights!r} needs a hypergraph; pass one, as lovasz.as_hypergraph makes"
        )
    C = H.matrix()
    own = H.incidence @ (H.weights / (H.sizes - 1))
    scale = {
        "hyperedges": np.ones(H.n),
        "hyperedges-normalized": inverse_root(C.sum(axis=1)),
        "incidence": inverse_root(own),
    }[weights]
    # More than the rounding of C, of the sums and of the scaling, which is a few ε per hyperedge.
    rounding = 1 + 8 * np.finfo(float).eps * (int(H.degrees.max(initial=0)) + 4)
    return scale_symmetrically(C, scale), float((own * scale**2).max(initial=0.0)) * rounding
