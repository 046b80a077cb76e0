"""The same system for small cores, where calls from Python would take most of the time.

What :class:`.system.System` does entry by entry in many calls is compiled here into one; the
formulas are those explained there. ϑ on the CPU only: pairs with a sign are not handled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import linalg
from scipy.linalg import lapack

from lovasz.number.solvers.newton import EXACT, REFINE, Direction, Point, System

FUSED_UP_TO = 90
"""Nodes; beyond, products of matrices take the time, and Schur matrices may be in blocks."""
LONG = 2.0
"""Steps are cut to 1; how much longer they could be does not matter."""
LOOSE = {"reassoc", "contract"}
"""Sums in any order, so that they run in vectors; infinities and NaNs stay what they are."""
NONE = np.zeros(0)


class FusedSystem(System):
    """See :class:`.system.System`."""

    def point(self, X: Any, Z: Any, t: float) -> Point:  # noqa: D102
        roots = self.on.cholesky(X), self.on.cholesky(Z)
        return Point(X, Z, t, *roots, NONE, NONE, float(X.ravel() @ Z.ravel()))

    def _moved(self, point: Point, step: Direction, alpha: float, beta: float) -> Any:
        t = point.t + beta * step.dt
        return *_move(point.X, step.dX, alpha, point.Z, step.dZ, beta, t, self.c), t

    def _inverse(self, point: Point) -> Any:
        # L⁻¹ is needed five times an iteration, and a product with it is faster than solving.
        X, _ = lapack.dtrtri(point.X_root.T, lower=0)
        Z, _ = lapack.dtrtri(point.Z_root.T, lower=0)
        self.inverses = X.T, Z.T
        return Z @ Z.T if self.edge_form else X @ X.T

    def _eliminated(self) -> tuple[Any, Any, float]:
        return _eliminate(self.W, self.V, self.root.T, self.first, self.second, self.edge_form)

    def lengths(self, point: Point, step: Direction) -> tuple[float, float]:  # noqa: D102
        X, Z = self.inverses
        return _length(X, step.dX), _length(Z, step.dZ)

    def direction(self, target: float, predictor: Direction | None = None) -> Direction:  # noqa: D102
        aim = target * self.W - self.V
        if predictor is not None:
            dU, dV = predictor.dX, predictor.dZ
            dU, dV = (dV, dU) if self.edge_form else (dU, dV)
            _subtract(aim, self.W @ dU @ dV)
        dU, dV, dt, residual = _direct(
            aim, self.W, self.V, self.root.T, self.first, self.second, self.border, self.bordered,
            self.pivot, self.weight, self.edge_form,
        )  # fmt: skip
        if not np.isfinite(residual):
            raise linalg.LinAlgError("the Schur matrix is singular")
        dX, dZ = (dV, dU) if self.edge_form else (dU, dV)
        _place(dX, dZ, self.not_in_X, self.not_in_Z, dt)
        return Direction(dX, dZ, dt, NONE, NONE)


@njit(cache=True)
def _move(X, dX, alpha, Z, dZ, beta, t, c):
    """X + α dX, scaled to trace 1, and Z + β dZ with t − c² on its diagonal."""
    n, trace = len(c), 0.0
    X, Z = X + alpha * dX, Z + beta * dZ
    for i in range(n):
        trace += X[i, i]
        Z[i, i] = t - c[i] ** 2
    X /= trace
    return X, Z


@njit(cache=True)
def _length(inverse, change):
    """−1/λ_min(L⁻¹ D L⁻ᵀ) to four digits, rather too short; LONG where it is more than that.

    By bisection: of the pivots of T − x as many are negative as T has eigenvalues below x.
    """
    diagonal, beside = _tridiagonal(inverse @ change @ inverse.T)
    low, high = 0.0, -1 / LONG
    for i in range(len(diagonal)):  # Gershgorin's discs
        after = beside[i + 1] if i + 1 < len(beside) else 0.0
        low = min(low, diagonal[i] - abs(beside[i]) - abs(after))
    if low >= high or not _any_below(diagonal, beside, high):
        return LONG
    for _ in range(60):  # enough for all that is finite
        if high - low <= -1e-4 * high:
            break
        middle = (low + high) / 2
        if _any_below(diagonal, beside, middle):
            high = middle
        else:
            low = middle
    return -1 / low


@njit(cache=True)
def _any_below(diagonal, beside, x):
    """Whether the tridiagonal matrix has an eigenvalue below x."""
    pivot = diagonal[0] - x
    for i in range(1, len(diagonal)):
        if pivot <= 0:
            return True
        pivot = diagonal[i] - x - beside[i] ** 2 / pivot
    return pivot <= 0


@njit(cache=True, fastmath=LOOSE)
def _tridiagonal(A):
    """Diagonal and what is left of it (from 1 on) after Householder's reflections; A is lost."""
    n = len(A)
    diagonal, beside, q = np.empty(n), np.zeros(n), np.empty(n)
    for i in range(n - 1, 0, -1):
        v, norm, scale = A[i], 0.0, 0.0
        for k in range(i):
            norm += v[k] ** 2
        diagonal[i] = v[i]
        beside[i] = -np.sqrt(norm) if v[i - 1] > 0 else np.sqrt(norm)
        half = norm - v[i - 1] * beside[i]  # ‖v‖²/2 of the v to come
        v[i - 1] -= beside[i]
        if half == 0:
            continue
        for j in range(i):
            row, product = A[j], 0.0
            for k in range(i):
                product += row[k] * v[k]
            q[j] = product / half
            scale += v[j] * q[j]
        for j in range(i):
            q[j] -= scale / (2 * half) * v[j]
        for j in range(i):
            row, x, y = A[j], v[j], q[j]
            for k in range(i):
                row[k] -= x * q[k] + y * v[k]
    diagonal[0] = A[0, 0]
    return diagonal, beside


@njit(cache=True)
def _eliminate(W, V, root, first, second, edge_form):
    """``System._eliminated``."""
    border, corner = np.empty(first.size), 0.0
    if edge_form:
        product = W @ V
        corner = np.trace(product)
        for p in range(first.size):
            border[p] = product[first[p], second[p]] + product[second[p], first[p]]
    else:
        for p in range(first.size):
            border[p] = 2.0 * (first[p] == second[p])
    bordered = border.copy()
    _solve(root, bordered)
    return border, bordered, corner - border @ bordered


@njit(cache=True)
def _direct(aim, W, V, root, first, second, border, bordered, pivot, weight, edge_form):
    """dU, dV, dt and the residual: ``System.direction`` and ``System._expand``, without signs."""
    n, size = len(W), first.size
    values, dt, more, best = np.zeros(size), 0.0, 0.0, np.inf
    right, right_t = _measure(aim, first, second), np.trace(aim) if edge_form else 0.0
    enough = EXACT * np.sqrt(right @ right + right_t**2)
    kept = aim, aim, dt
    for _ in range(1 + REFINE):
        for p in range(size):
            if first[p] == second[p]:
                right[p] += 2 * weight * right_t
        _solve(root, right)
        more = (right_t - border @ right) / pivot
        values += right - more * bordered
        dt += more
        dU = _combine(n, first, second, values, dt if edge_form else 0.0)
        dV = aim.copy()
        _subtract(dV, W @ dU @ V)
        right, right_t = _measure(dV, first, second), np.trace(dV) if edge_form else -np.trace(dU)
        for p in range(size):
            if first[p] == second[p]:
                right[p] -= 2 * dt
        residual = np.sqrt(right @ right + right_t**2)
        if not residual < 0.5 * best:
            break
        best, kept = residual, (dU, dV, dt)
        if residual <= enough:
            break
    return kept[0], kept[1], kept[2], best


@njit(cache=True, fastmath=LOOSE)
def _solve(root, right):
    """(L Lᵀ)⁻¹ right, in place, ``root`` = Lᵀ stored by rows; below its diagonal is anything."""
    for p in range(len(right)):
        right[p] /= root[p, p]
        x, row, after = right[p], root[p, p + 1 :], right[p + 1 :]
        for q in range(len(row)):
            after[q] -= x * row[q]
    for p in range(len(right) - 1, -1, -1):
        total, row, after = 0.0, root[p, p + 1 :], right[p + 1 :]
        for q in range(len(row)):
            total += row[q] * after[q]
        right[p] = (right[p] - total) / root[p, p]


@njit(cache=True)
def _subtract(matrix, product):
    """Take the symmetric part of ``product`` away, in place."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            matrix[i, j] -= (product[i, j] + product[j, i]) / 2
            matrix[j, i] = matrix[i, j]


@njit(cache=True)
def _combine(n, first, second, values, dt):
    """Σ_p values_p B_p + dt I."""
    out = np.zeros((n, n))
    for p in range(first.size):
        i, j = first[p], second[p]
        out[i, j] += values[p]
        out[j, i] += values[p]
    for i in range(n):
        out[i, i] += dt
    return out


@njit(cache=True)
def _measure(matrix, first, second):
    """⟨B_p, M⟩."""
    out = np.empty(first.size)
    for p in range(first.size):
        out[p] = 2 * matrix[first[p], second[p]]
    return out


@njit(cache=True)
def _place(dX, dZ, not_in_X, not_in_Z, dt):
    """In place: zeros where they belong, tr dX = 0, and dt on the diagonal of dZ."""
    n, trace = len(dX), 0.0
    for i in range(n):
        trace += dX[i, i]
        for j in range(n):
            if not_in_X[i, j]:
                dX[i, j] = 0.0
            if not_in_Z[i, j]:
                dZ[i, j] = 0.0
    for i in range(n):
        dX[i, i] -= trace / n
        dZ[i, i] = dt
