"""What solvers return: they are called as solver(graph, c, tol=…, stop=…), c = √w, and only have
to come close. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Candidate:
    """An approximate pair of solutions of the two programmes

    max cᵀXc  over X ⪰ 0, tr X = 1, X_ij = 0 on edges, and
    min t     over t I + A*(y) − c cᵀ ⪰ 0, A*(y) supported on the edges,

    with c = √w, all ones without weights, or of their variants. The certificate
    makes exact bounds of any of them.
    """

    edge_values: np.ndarray | None
    """(m,) y on the edges, in the order of ``graph.edges()``."""
    factor: np.ndarray | None = None
    """(n, r) V with X ≈ V Vᵀ; either this or ``matrix``."""
    matrix: np.ndarray | None = None
    """(n, n) X."""
    t: float | None = None
    """λ_max(c cᵀ − A*(y)), where it is known to rounding."""
    excess: np.ndarray | None = None
    """(n, n) S ≥ 0 on the non-edges, for ϑ′: t I + A*(y) − S − c cᵀ ⪰ 0; other entries are free."""
    iterations: int = 0
    converged: bool = False


Stop = Callable[[], bool]
"""True when the time is up; a solver then returns what it has."""
