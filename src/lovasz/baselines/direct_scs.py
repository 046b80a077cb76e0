"""ϑ by a general solver, SCS (O'Donoghue et al., 2016), called directly on one small programme.

With one variable y_e per edge and B_e the matrix that is 1 at both places of e,

    ϑ(G) = min t  such that  tI + Σ_e y_e B_e − J ⪰ 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for
from lovasz.graphs import Graph

MOST_STEPS = 10**7
"""Largest number of iterations, which is never the reason to stop."""


def theta_by_scs(graph: Graph, tol: float = 1e-6) -> float:
    """Return ϑ as SCS computes it to the accuracy ``tol``; nothing is proven about it.

    One variable per non-edge instead took it 1.5 to 13 times longer on every graph tried; its MKL
    backend is up to a third slower than QDLDL with the OpenBLAS of its wheel.
    """
    with needed_for("a comparison with SCS"):
        import scs

    n, (i, j) = graph.n, edges_of(graph)
    start = np.arange(n) * n - np.arange(n) * (np.arange(n) - 1) // 2  # columns, from the diagonal
    a, b, c = edge_programme(start, start[i] + j - i, n)
    solver = scs.SCS(
        {"A": a, "b": b, "c": c}, {"s": [n]}, eps_abs=tol, eps_rel=tol, max_iters=MOST_STEPS,
        verbose=False, linear_solver=scs.LinearSolver.QDLDL,
    )  # fmt: skip
    info = solver.solve()["info"]
    if info["status"] != "solved":
        raise LovaszError(f"SCS ends with {info['status']!r}; try a larger tol")
    return float(info["pobj"])


def edges_of(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends i < j of the edges, row by row."""
    i, j = sparse.triu(graph.adjacency, k=1).nonzero()
    return i.astype(np.int64), j.astype(np.int64)


def edge_programme(
    rows_of_diagonal: np.ndarray, rows_of_edges: np.ndarray, n: int
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return A, b, c of min cᵀx over b − Ax ⪰ 0, x = (t, y), with the matrix as a triangle.

    The rows are the places of the diagonal and of the edges in the triangle, which solvers order
    differently. Off-diagonal entries are scaled by √2, as both SCS and Clarabel want them.
    """
    m = rows_of_edges.size
    rows = np.concatenate([rows_of_diagonal, rows_of_edges])
    columns = np.concatenate([np.zeros(n, dtype=np.int64), 1 + np.arange(m)])
    values = np.concatenate([np.full(n, -1.0), np.full(m, -np.sqrt(2))])
    triangle = n * (n + 1) // 2
    a = sparse.csc_matrix((values, (rows, columns)), shape=(triangle, 1 + m))
    b = np.full(triangle, -np.sqrt(2))
    b[rows_of_diagonal] = -1
    c = np.zeros(1 + m)
    c[0] = 1
    return a, b, c
