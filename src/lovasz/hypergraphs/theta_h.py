"""ϑ_h(H) of :mod:`lovasz.hypergraphs`, the Lovász number with one weight per hyperedge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.base.rounding import UNIT, down, up
from lovasz.graphs.hyperconvert import as_hypergraph


@dataclass(frozen=True)
class HyperedgeTheta:
    """An interval that provably contains ϑ_h(H), with the weights of its upper end.

    >>> found = hyperedge_theta([[0, 1], [1, 2], [2, 0]])  # a triangle, whose ϑ is 1
    >>> round(found.value, 5), len(found.weights)
    (1.0, 3)
    """

    lower: float
    """A proven lower bound on ϑ_h(H)."""
    upper: float
    """A proven upper bound on ϑ_h(H)."""
    weights: np.ndarray
    """z ≥ 0, one entry per hyperedge; t I + Σ z_e B_e ⪰ J on each component, t its upper bound."""
    kernel: sparse.csr_array
    """K = I + Σ_e z_e B_e / t in 𝒦(H), with K ≥ 0 and upper · K ⪰ J, rows in node order."""

    @property
    def value(self) -> float:
        """The middle of the interval."""
        return (self.lower + self.upper) / 2


def hyperedge_theta(hypergraph: Any, *, tol: float = 1e-6, iterations: int = 200) -> HyperedgeTheta:
    """ϑ_h(H) of :mod:`lovasz.hypergraphs`, component by component.

    The interior-point method uses dense matrices of the size of a component and of its number of
    hyperedges, so it is meant for a few thousand of both at most. The bounds are proven with
    rounding accounted for, whether or not ``tol``, the relative gap, is reached within
    ``iterations`` steps.

    >>> found = hyperedge_theta([[0, 1, 2], [2, 3, 4]])
    >>> found.lower <= 49 / 17 <= found.upper
    True
    """
    H = as_hypergraph(hypergraph)
    if H.n == 0:
        raise LovaszError("the hypergraph has no nodes; ϑ needs at least one")
    if not 0 < tol < 1:
        raise LovaszError(f"tol={tol!r} must be a relative gap between 0 and 1")
    from lovasz.hypergraphs.programme import solve_programme

    graph = H.expansion()
    count, component = connected_components(graph.adjacency, directed=False)
    sizes = np.bincount(component, minlength=count)
    refuse_if_too_large("the programme of ϑ_h", 3 * int(sizes.max()) ** 2, "take a part of it")
    edge_part = component[[int(edge[0]) for edge in H.rows()]] if H.m else np.zeros(0, dtype=int)
    z, scale = np.zeros(H.m), np.ones(H.n)
    lower = upper = float((H.degrees == 0).sum())
    for part in np.unique(edge_part):
        nodes, edges = np.flatnonzero(component == part), np.flatnonzero(edge_part == part)
        incidence = sparse.csr_array(H.incidence[nodes][:, edges])
        low, high, z[edges] = solve_programme(incidence, tol=tol, iterations=iterations)
        lower, upper = down(lower + low, 1), up(upper + high, 1)
        scale[nodes] = high
    K = sparse.csr_array(sparse.diags_array(1 / scale) @ H.spread(z))
    # Shrink by more than rounding, so that K ⪰ 0.
    K.data *= 1 - 8 * UNIT * max(1.0, float(np.linalg.norm(K.data)))
    K.eliminate_zeros()
    identity = sparse.eye_array(H.n, format="csr")
    return HyperedgeTheta(lower, upper, z, sparse.csr_array(K + identity))
