"""Cholesky factorisation by blocks, in place, of matrices too large for one call.

OpenBLAS crashes on matrices of about 16,000 rows with two threads, and torch copies them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

BLOCK = 4096
"""Number of rows and columns of a block."""


def factor(A: Any, cholesky: Callable[[Any], Any], solve_lower: Callable[[Any, Any], Any]) -> None:
    """Overwrite the lower triangle of A by L with L Lᵀ = A, left-looking.

    ``cholesky`` factors a block or raises LinAlgError, and ``solve_lower(L, B)`` is L⁻¹B. A is an
    ndarray or a tensor. The part above the diagonal blocks is left as it is.
    """
    for start in range(0, len(A), BLOCK):
        stop = min(start + BLOCK, len(A))
        done = A[start:stop, :start]
        if start:
            A[start:stop, start:stop] -= done @ done.T
        corner = cholesky(A[start:stop, start:stop])
        A[start:stop, start:stop] = corner
        for row in range(stop, len(A), BLOCK):
            below = A[row : row + BLOCK, start:stop]
            below -= A[row : row + BLOCK, :start] @ done.T
            below[:] = solve_lower(corner, below.T).T


def solve(L: Any, right: Any, solve_lower: Callable[..., Any]) -> Any:
    """(L Lᵀ)⁻¹ right for one right-hand side; ``solve_lower(L, b, transposed)`` solves a block."""
    x, size = right * 1, len(right)
    starts = range(0, size, BLOCK)
    for start in starts:
        part = slice(start, min(start + BLOCK, size))
        x[part] -= L[part, :start] @ x[:start]
        x[part] = solve_lower(L[part, part], x[part], False)
    for start in reversed(starts):
        part = slice(start, min(start + BLOCK, size))
        x[part] -= L[part.stop :, part].T @ x[part.stop :]
        x[part] = solve_lower(L[part, part], x[part], True)
    return x
