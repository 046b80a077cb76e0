"""Fractional covers of a hypergraph, whose least value ρ*(H) bounds ϑ(H) from above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs.hyperconvert import as_hypergraph


@dataclass(frozen=True)
class Cover:
    """A fractional cover of the nodes by hyperedges: ϑ(H) ≤ ``value``.

    >>> cover = fractional_cover([[0, 1, 2], [2, 3]])
    >>> cover.value, cover.weights.tolist()
    (2.0, [1.0, 1.0])
    """

    value: float
    """Σ x_e plus 1 for each node in no hyperedge, which is ρ*(H) or, by rounding, barely more."""
    weights: np.ndarray
    """x, one entry per hyperedge; every node in some hyperedge has Σ_{e ∋ i} x_e ≥ 1."""


def fractional_cover(hypergraph: Any) -> Cover:
    """ρ*(H) = min Σ_e x_e over x ≥ 0 with Σ_{e ∋ i} x_e ≥ 1 for every node, by linear programming.

    >>> fractional_cover([[0, 1], [1, 2], [2, 0]]).value
    1.5
    """
    from scipy.optimize import linprog

    H = as_hypergraph(hypergraph)
    alone = int((H.degrees == 0).sum())
    if H.m == 0:
        return Cover(float(alone), np.zeros(0))
    covered = sparse.csr_array(H.incidence[H.degrees > 0])
    solution = linprog(np.ones(H.m), A_ub=-covered, b_ub=-np.ones(covered.shape[0]))
    if solution.x is None:
        raise LovaszError(f"the linear programme of the cover failed: {solution.message}")
    x = np.clip(solution.x, 0.0, 1.0)
    x /= min(1.0, float((covered @ x).min()))  # a cover, whatever the tolerance of the solver
    return Cover(float(x.sum()) + alone, x)
