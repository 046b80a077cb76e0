"""ϑ by a general solver: slow, small, and sharing nothing with the package."""

import clarabel
import numpy as np
from scipy import sparse


def theta(
    adjacency: np.ndarray, weights: np.ndarray | None = None, variant: str = "lovasz"
) -> float:
    """max cᵀXc over X ⪰ 0, tr X = 1, X_ij = 0 on edges, c = √w, to about 1e-7.

    "schrijver": and X ≥ 0. "szegedy": X_ij ≤ 0 on edges instead.
    """
    return optimum(adjacency, weights, variant)[0]


def optimum(
    adjacency: np.ndarray, weights: np.ndarray | None = None, variant: str = "lovasz"
) -> tuple[float, np.ndarray]:
    """t = ϑ_w(G), and K with K_ii = 1, K_ij = 0 on non-edges, tK ⪰ √w√wᵀ, nearly.

    min t over Z = tI + Σ_e y_e (E_ij + E_ji) − ccᵀ ⪰ 0; then K = (Z + ccᵀ)/t = I + Σ_e …/t.
    "schrijver": e over all pairs, y ≤ 0 on non-edges. "szegedy": y ≥ 0.
    """
    n = len(adjacency)
    if n == 0:
        return 0.0, np.empty((0, 0))
    c = np.ones(n) if weights is None else np.sqrt(weights)
    linked = np.asarray(adjacency) != 0
    i, j = np.nonzero(np.triu(linked | (variant == "schrijver"), k=1))
    sign = {"lovasz": 0 * i, "schrijver": np.where(linked[i, j], 0, -1), "szegedy": 0 * i + 1}
    signed = np.flatnonzero(sign[variant])
    # Clarabel's cone: columns of the upper triangle one after the other, off-diagonals times √2.
    place = np.arange(n) * (np.arange(n) + 1) // 2
    triangle = n * (n + 1) // 2
    rows = np.concatenate([place + np.arange(n), place[j] + i, triangle + np.arange(signed.size)])
    columns = np.concatenate([np.zeros(n, dtype=int), 1 + np.arange(i.size), 1 + signed])
    values = np.concatenate([np.ones(n), np.full(i.size, np.sqrt(2)), sign[variant][signed]])
    a = sparse.csc_matrix((-values, (rows, columns)), shape=(triangle + signed.size, 1 + i.size))
    column, row = np.tril_indices(n)
    b = np.zeros(triangle + signed.size)
    b[:triangle] = -c[row] * c[column] * np.where(row == column, 1, np.sqrt(2))
    q = np.zeros(1 + i.size)
    q[0] = 1
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    zero = sparse.csc_matrix((q.size, q.size))
    cone = [clarabel.PSDTriangleConeT(n), clarabel.NonnegativeConeT(signed.size)]
    # The first is too much for one graph in five thousand, the second for fewer still.
    for accuracy, settings.equilibrate_enable in ((1e-9, True), (1e-8, True), (1e-8, False)):
        settings.tol_gap_abs = settings.tol_gap_rel = accuracy
        solution = clarabel.DefaultSolver(zero, q, a, b, cone, settings).solve()
        t, y = solution.x[0], np.asarray(solution.x[1:])
        K, X = np.eye(n), np.empty((n, n))
        K[i, j] = K[j, i] = y / t
        z = np.asarray(solution.z)[:triangle]
        X[row, column] = X[column, row] = z / np.where(row == column, 1, np.sqrt(2))
        if _proven(t, K, X, c, linked, variant):
            return t, K
    raise AssertionError(f"no optimal pair: {solution.status}")


def _proven(t, K, X, c, linked, variant) -> bool:
    """Whether both sides are feasible and near each other, whatever the solver says."""
    apart = ~linked & ~np.eye(len(c), dtype=bool)
    small = 1e-7 * max(1.0, c.max()) ** 2
    off_edges, on_edges = K[apart], X[linked]
    return (
        np.linalg.eigvalsh(t * K - np.outer(c, c))[0] > -1e-7 * (1 + t)
        and np.linalg.eigvalsh(X)[0] > -1e-7
        and (variant != "szegedy" or K.min() > -small)
        and (variant != "schrijver" or X.min() > -1e-7)
        and (off_edges < small).all()
        and (variant == "schrijver" or not off_edges.any())
        and (on_edges < 1e-7).all()
        and (variant == "szegedy" or (on_edges > -1e-7).all())
        and abs(np.trace(X) - 1) < 1e-7
        and abs(c @ X @ c - t) < 1e-6 * (1 + t)
    )
