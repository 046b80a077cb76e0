"""The same system for small cores, where calls from Python would take most of the time.

What :class:`.newton.System` does in many calls is compiled here into few; the formulas are
explained there. This is for ϑ on the CPU only: pairs with a sign are not handled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from lovasz.base.compiled import compiled
from lovasz.number.solvers.newton import EXACT, REFINE, Direction, Point, System

FUSED_UP_TO = 90
"""Number of nodes up to which this is used; beyond, products of matrices take the time."""
LONG = 2.0
"""Length that stands for all longer steps, which are cut to 1 anyway."""
LOOSE = {"reassoc", "contract"}
"""Lets numba sum in any order, so that sums run in vectors; infinities and NaNs stay."""
NONE = np.zeros(0)
"""Stands for the values on the pairs with a sign, of which there are none."""


class SmallSystem(System):
    """The system of a small core in NumPy: it differs from System in the lengths of steps."""

    def _inverse(self, point: Point) -> Any:
        # L⁻¹ is needed five times per iteration, and a product with it is faster than solving.
        X, _ = lapack.dtrtri(point.X_root.T, lower=0)
        Z, _ = lapack.dtrtri(point.Z_root.T, lower=0)
        self.inverses = X.T, Z.T
        return Z @ Z.T if self.edge_form else X @ X.T

    def lengths(self, point: Point, step: Direction) -> tuple[float, float]:  # noqa: D102
        X, Z = self.inverses
        return _plain_length(X, step.dX), _plain_length(Z, step.dZ)


class FusedSystem(SmallSystem):
    """The system of a small core in compiled functions."""

    def point(self, X: Any, Z: Any, t: float) -> Point:  # noqa: D102
        roots = self.on.cholesky(X), self.on.cholesky(Z)
        return Point(X, Z, t, *roots, NONE, NONE, float(X.ravel() @ Z.ravel()))

    def _moved(self, point: Point, step: Direction, alpha: float, beta: float) -> Any:
        t = point.t + beta * step.dt
        return *_move(point.X, step.dX, alpha, point.Z, step.dZ, beta, t, self.c), t

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


@compiled
def _move(
    X: np.ndarray,
    dX: np.ndarray,
    alpha: float,
    Z: np.ndarray,
    dZ: np.ndarray,
    beta: float,
    t: float,
    c: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """X + α dX, scaled to trace 1, and Z + β dZ with t − c² on its diagonal."""
    n, trace = len(c), 0.0
    X, Z = X + alpha * dX, Z + beta * dZ
    for i in range(n):
        trace += X[i, i]
        Z[i, i] = t - c[i] ** 2
    X /= trace
    return X, Z


@compiled
def _length(inverse: np.ndarray, change: np.ndarray) -> float:
    """−1/λ_min(L⁻¹ D L⁻ᵀ) to four digits, rather too short, or LONG if it is longer than that."""
    diagonal, beside = _tridiagonal(inverse @ change @ inverse.T)
    return _bisect(diagonal, beside)


def _plain_length(inverse: np.ndarray, change: np.ndarray) -> float:
    """`_length` by LAPACK, whose tridiagonal matrix is the same but for signs and rounding."""
    _, diagonal, beside, _, _ = lapack.dsytrd(inverse @ change @ inverse.T, lower=0)
    return float(_bisect.plain(diagonal.tolist(), [0.0, *beside.tolist()]))


@compiled
def _bisect(diagonal: Any, beside: Any) -> float:
    """−1/λ_min of a tridiagonal matrix T, given with what is left of the diagonal (from 1 on).

    As many pivots of T − x are negative as T has eigenvalues below x.
    """
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


@compiled
def _any_below(diagonal: Any, beside: Any, x: float) -> bool:
    """Whether the tridiagonal matrix has an eigenvalue below x."""
    pivot = diagonal[0] - x
    for i in range(1, len(diagonal)):
        if pivot <= 0:
            return True
        pivot = diagonal[i] - x - beside[i] * beside[i] / pivot  # a float squared may raise
    return bool(pivot <= 0)


@compiled(fastmath=LOOSE)
def _tridiagonal(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


@compiled
def _eliminate(
    W: np.ndarray,
    V: np.ndarray,
    root: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    edge_form: bool,
) -> tuple[np.ndarray, np.ndarray, float]:
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
    return border, bordered, float(corner - border @ bordered)


@compiled
def _direct(
    aim: np.ndarray,
    W: np.ndarray,
    V: np.ndarray,
    root: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    border: np.ndarray,
    bordered: np.ndarray,
    pivot: float,
    weight: float,
    edge_form: bool,
) -> tuple[np.ndarray, np.ndarray, float, float]:
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


@compiled(fastmath=LOOSE)
def _solve(root: np.ndarray, right: np.ndarray) -> None:
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


@compiled
def _subtract(matrix: np.ndarray, product: np.ndarray) -> None:
    """Take the symmetric part of ``product`` away, in place."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            matrix[i, j] -= (product[i, j] + product[j, i]) / 2
            matrix[j, i] = matrix[i, j]


@compiled
def _combine(
    n: int, first: np.ndarray, second: np.ndarray, values: np.ndarray, dt: float
) -> np.ndarray:
    """Σ_p values_p B_p + dt I."""
    out = np.zeros((n, n))
    for p in range(first.size):
        i, j = first[p], second[p]
        out[i, j] += values[p]
        out[j, i] += values[p]
    for i in range(n):
        out[i, i] += dt
    return out


@compiled
def _measure(matrix: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """⟨B_p, M⟩."""
    out = np.empty(first.size)
    for p in range(first.size):
        out[p] = 2 * matrix[first[p], second[p]]
    return out


@compiled
def _place(
    dX: np.ndarray, dZ: np.ndarray, not_in_X: np.ndarray, not_in_Z: np.ndarray, dt: float
) -> None:
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
