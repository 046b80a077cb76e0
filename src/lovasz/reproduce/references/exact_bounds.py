"""α, ϑ, ν(G, A) and χ(Ḡ) of small graphs; nothing is a heuristic.

α comes from branch and bound, χ(Ḡ) from an integer program, ϑ with a proven interval, ν from a
convex program with both of its bounds.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse

SHIFT = 1e-10
"""Added to the diagonal of a singular kernel; what it costs is within the bounds on ν."""


def independence(graph: nx.Graph) -> int:
    """α(G): the largest clique of the complement."""
    return len(nx.max_weight_clique(nx.complement(graph), weight=None)[0])


def optimal_cover(graph: nx.Graph) -> np.ndarray:
    """The clique of each node in a cover by χ(Ḡ) cliques: an optimal colouring of Ḡ.

    A cover by maximal cliques Q is as small as any: min Σ x_Q, Σ_{Q∋i} x_Q ≥ 1, x_Q ∈ {0, 1}.
    A node in several chosen cliques takes the first. Nodes are 0 … n−1.
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


def luz(graph: Any) -> tuple[float, float]:
    """Bounds on ν(G, A) = max_{x≥0} 2xᵀe − xᵀKx, K = I + A/|λ_min(A)|.

    Any x ≥ 0, scaled best, gives (eᵀx)² / xᵀKx ≤ ν. If Kz ≥ e then 2xᵀe − xᵀKx ≤
    2xᵀKz − xᵀKx ≤ zᵀKz for every x ≥ 0, so ν ≤ zᵀKz; z is x, scaled until Kz ≥ e. The x itself
    is a nonnegative least-squares solution: with K + δI = RᵀR, min ‖Rx − R⁻ᵀe‖. Good to the
    rounding of doubles, which is not accounted for.
    """
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import nnls

    from lovasz.kernels import kernel

    K = kernel(graph, "ls").toarray()
    R = cholesky(K + SHIFT * np.eye(len(K)))
    x, _ = nnls(R, solve_triangular(R, np.ones(len(K)), trans="T"), maxiter=100 * len(K))
    value, least = float(x @ K @ x), float((K @ x).min())
    return float(x.sum()) ** 2 / value, value / min(least, 1.0) ** 2


def bounds(graph: nx.Graph) -> dict[str, Any]:
    """All four of a graph on the nodes 0 … n−1."""
    from lovasz import as_graph, theta

    own = as_graph(graph)
    found = theta(own, tol=1e-7, device="cpu")
    return {
        "n": own.n,
        "m": own.m,
        "alpha": independence(graph),
        "theta": [found.lower, found.upper],
        "nu": list(luz(own)),
        "cover": int(optimal_cover(graph).max()) + 1,
    }


def between(graph: nx.Graph, color: np.ndarray) -> list[tuple[int, int]]:
    """The edges whose ends differ in colour."""
    return [(i, j) for i, j in graph.edges if color[i] != color[j]]
