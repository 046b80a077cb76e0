"""ϑ by a general solver: slow, small, and sharing nothing with the package."""

import clarabel
import numpy as np
from scipy import sparse


def theta(adjacency: np.ndarray, weights: np.ndarray | None = None) -> float:
    """ϑ_w(G) = max cᵀXc over X ⪰ 0, tr X = 1, X_ij = 0 on edges, c = √w, to about 1e-7."""
    return optimum(adjacency, weights)[0]


def optimum(adjacency: np.ndarray, weights: np.ndarray | None = None) -> tuple[float, np.ndarray]:
    """t = ϑ_w(G), and K with K_ii = 1, K_ij = 0 on non-edges, tK ⪰ √w√wᵀ, nearly.

    min t over Z = tI + Σ_e y_e (E_ij + E_ji) − ccᵀ ⪰ 0; then K = (Z + ccᵀ)/t = I + Σ_e …/t.
    """
    n = len(adjacency)
    if n == 0:
        return 0.0, np.empty((0, 0))
    c = np.ones(n) if weights is None else np.sqrt(weights)
    i, j = np.nonzero(np.triu(np.asarray(adjacency) != 0, k=1))
    # Clarabel's cone: columns of the upper triangle one after the other, off-diagonals times √2.
    place = np.arange(n) * (np.arange(n) + 1) // 2
    rows = np.concatenate([place + np.arange(n), place[j] + i])
    columns = np.concatenate([np.zeros(n, dtype=int), 1 + np.arange(i.size)])
    values = np.concatenate([np.ones(n), np.full(i.size, np.sqrt(2))])
    triangle = n * (n + 1) // 2
    a = sparse.csc_matrix((-values, (rows, columns)), shape=(triangle, 1 + i.size))
    column, row = np.tril_indices(n)
    b = -c[row] * c[column] * np.where(row == column, 1, np.sqrt(2))
    q = np.zeros(1 + i.size)
    q[0] = 1
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    zero = sparse.csc_matrix((q.size, q.size))
    cone = [clarabel.PSDTriangleConeT(n)]
    for accuracy in (1e-9, 1e-8):  # the first is too much for one graph in five thousand
        settings.tol_gap_abs = settings.tol_gap_rel = accuracy
        solution = clarabel.DefaultSolver(zero, q, a, b, cone, settings).solve()
        t, y = solution.x[0], np.asarray(solution.x[1:])
        K, X = np.eye(n), np.empty((n, n))
        K[i, j] = K[j, i] = y / t
        X[row, column] = X[column, row] = solution.z / np.where(row == column, 1, np.sqrt(2))
        if _proven(t, K, X, c, X[i, j]):
            return t, K
    raise AssertionError(f"no optimal pair: {solution.status}")


def _proven(t, K, X, c, on_edges) -> bool:
    """Whether both sides are feasible and near each other, whatever the solver says."""
    return (
        np.linalg.eigvalsh(t * K - np.outer(c, c))[0] > -1e-7 * (1 + t)
        and np.linalg.eigvalsh(X)[0] > -1e-7
        and np.abs(on_edges).max(initial=0) < 1e-7
        and abs(np.trace(X) - 1) < 1e-7
        and abs(c @ X @ c - t) < 1e-6 * (1 + t)
    )
