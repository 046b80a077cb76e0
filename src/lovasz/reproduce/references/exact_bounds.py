"""α, ϑ, ν(G, A) and χ(Ḡ) of small graphs, without heuristics.

α is computed by branch and bound, χ(Ḡ) by an integer program, ϑ as a proven interval, and ν by a
convex program with a lower and an upper bound.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse

SHIFT = 1e-10
"""Added to the diagonal of a singular kernel; the bounds on ν account for it."""


def independence(graph: nx.Graph) -> int:
    """α(G), the size of the largest clique of the complement."""
    return len(nx.max_weight_clique(nx.complement(graph), weight=None)[0])


def optimal_cover(graph: nx.Graph) -> np.ndarray:
    """The clique of each node in a cover by χ(Ḡ) cliques, which is an optimal colouring of Ḡ.

    Some smallest cover consists of maximal cliques Q, so it minimizes Σ x_Q subject to
    Σ_{Q∋i} x_Q ≥ 1, x_Q ∈ {0, 1}. A node in several chosen cliques belongs to the first of them.
    Nodes are 0 … n−1.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    cliques = list(nx.find_cliques(graph))
    members = np.concatenate([np.asarray(q) for q in cliques])
    number = np.repeat(np.arange(len(cliques)), [len(q) for q in cliques])
    incidence = sparse.csr_array((np.ones(len(members)), (members, number)))
    ones = np.ones(len(cliques))
    found = milp(
        ones, constraints=LinearConstraint(incidence, lb=1), bounds=Bounds(0, 1), integrality=ones
    )
    if found.status != 0:
        raise RuntimeError(f"no smallest clique cover of {graph}: {found.message}")
    clique = np.full(len(graph), -1)
    for q in np.flatnonzero(found.x > 0.5)[::-1]:
        clique[cliques[q]] = q
    return np.unique(clique, return_inverse=True)[1]


def luz_bounds(graph: Any) -> tuple[float, float]:
    """Bounds on ν(G, A) = max_{x≥0} 2xᵀe − xᵀKx, K = I + A/|λ_min(A)|.

    Any x ≥ 0 with the best scaling gives (eᵀx)² / xᵀKx ≤ ν. If Kz ≥ e, then 2xᵀe − xᵀKx ≤
    2xᵀKz − xᵀKx ≤ zᵀKz for every x ≥ 0, so ν ≤ zᵀKz; z is x, scaled until Kz ≥ e. The vector x
    solves the nonnegative least-squares problem min ‖Rx − R⁻ᵀe‖ with K + δI = RᵀR. The bounds do
    not account for rounding errors.
    """
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import nnls

    from lovasz.kernels import kernel

    K = kernel(graph, "ls").toarray()
    R = cholesky(K + SHIFT * np.eye(len(K)))
    x, _ = nnls(R, solve_triangular(R, np.ones(len(K)), trans="T"), maxiter=100 * len(K))
    value, least = float(x @ K @ x), float((K @ x).min())
    return float(x.sum()) ** 2 / value, value / min(least, 1.0) ** 2


def sandwich_bounds(graph: nx.Graph) -> dict[str, Any]:
    """The size of a graph on the nodes 0 … n−1, and all four numbers."""
    from lovasz import as_graph, theta

    own = as_graph(graph)
    found = theta(own, tol=1e-7, device="cpu")
    return {
        "n": own.n,
        "m": own.m,
        "alpha": independence(graph),
        "theta": [found.lower, found.upper],
        "nu": list(luz_bounds(own)),
        "cover": int(optimal_cover(graph).max()) + 1,
    }


def bichromatic_edges(graph: nx.Graph, color: np.ndarray) -> list[tuple[int, int]]:
    """The edges whose ends differ in colour."""
    return [(i, j) for i, j in graph.edges if color[i] != color[j]]
