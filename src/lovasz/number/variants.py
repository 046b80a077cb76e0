"""The three numbers: ϑ, Schrijver's ϑ′ ≤ ϑ and Szegedy's ϑ⁺ ≥ ϑ.

All maximise cᵀXc over X ⪰ 0, tr X = 1, c = √w; they differ in signs. Dually they minimise t over
B = t I + …, Z = B − c cᵀ ⪰ 0, and K = B/t is the kernel:

==========  =========  =============  =========  =============
            X          X              B          B
            on edges   on non-edges   on edges   on non-edges
==========  =========  =============  =========  =============
lovasz      0          free           free       0
schrijver   0          ≥ 0            free       ≤ 0
szegedy     ≤ 0        free           ≥ 0        0
==========  =========  =============  =========  =============

*Duality.* t − cᵀXc = ⟨X, Z⟩ − 2 Σ X_ij B_ij over the pairs i < j, and no term of the sum is
positive. An independent set I gives X = x xᵀ, x = c on I, feasible in all three; a clique cover
a K that is positive inside the cliques and 0 elsewhere. So α ≤ ϑ′ ≤ ϑ ≤ ϑ⁺ ≤ χ(complement).
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from lovasz.graphs import Graph


class Variant(Enum):
    """A row of the table; :attr:`sign` is +1 for X ≥ 0 ≥ B, −1 for X ≤ 0 ≤ B, 0 for neither."""

    LOVASZ = "lovasz"
    SCHRIJVER = "schrijver"
    SZEGEDY = "szegedy"

    @property
    def sign(self) -> int:
        """The sign of X on the pairs where it has one."""
        return {"lovasz": 0, "schrijver": 1, "szegedy": -1}[self.value]

    def pairs(self, graph: Graph) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs i < j with a sign: non-edges, edges or none, ordered by i, then j."""
        if self is Variant.LOVASZ:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        linked = graph.adjacency.toarray() != 0
        i, j = np.nonzero(np.triu(linked if self is Variant.SZEGEDY else ~linked, k=1))
        return i, j

    def nearest(self, X: Any, i: Any, j: Any) -> Any:
        """Return the matrix nearest to X with these signs; X, an array or a tensor, may change.

        ``i``, ``j`` are the edges. For ϑ′ the diagonal is made non-negative, too, as X ⪰ 0 asks.
        """
        if self is Variant.SCHRIJVER:
            X = X.clip(min=0)
        X[i, j] = X[j, i] = X[i, j].clip(max=0) if self is Variant.SZEGEDY else 0.0
        return X
