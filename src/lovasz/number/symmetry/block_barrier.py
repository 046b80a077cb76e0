"""Small semidefinite programmes in several blocks, by Newton steps on a logarithmic barrier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

STEPS = 200
"""Most Newton steps."""
SHRINK = 0.15
"""Factor by which the barrier weakens after a step that stayed near the central path."""
NEAR = 0.5
"""Length of a Newton step, in the norm of the barrier, that counts as near the central path."""


@dataclass(frozen=True)
class BlockSolution:
    """A pair of nearly optimal solutions of :func:`minimise_blocks`."""

    v: np.ndarray
    """The unknowns; the first is the objective."""
    dual: list[np.ndarray]
    """One matrix X_k ⪰ 0 per block, with Σ_k ⟨A_ki, X_k⟩ = 1 for i = 0, else 0."""
    gap: float
    """Σ_k ⟨S_k, X_k⟩, the difference of the two objectives."""


def minimise_blocks(
    coefficients: Sequence[np.ndarray],
    constants: Sequence[np.ndarray],
    start: np.ndarray,
    *,
    tol: float = 1e-10,
    stop: Callable[[], bool] = lambda: False,
) -> BlockSolution:
    """Minimise v_0 over S_k(v) = Σ_i v_i A_ki − C_k ⪰ 0 for every block k.

    ``coefficients[k]`` has shape (p, s, s), ``constants[k]`` (s, s), and ``start`` is strictly
    feasible. It ends when the gap is ``tol`` times the objective or rounding allows no more.

    With the Newton step dv and dS = Σ dv_i A_i, the matrices X = μ (S⁻¹ − S⁻¹ dS S⁻¹) satisfy the
    equations of the dual exactly, and X ⪰ 0 if the step is shorter than 1.

    >>> A = np.array([np.eye(2), [[0, 1], [1, 0]]])  # min t: t I + y ⪰ C
    >>> round(float(minimise_blocks([A], [np.diag([1.0, 3.0])], np.array([5.0, 0])).v[0]), 8)
    3.0
    """
    v, size = start.astype(np.float64), sum(len(C) for C in constants)
    goal = np.zeros(len(v))
    goal[0] = 1.0
    mu = max(abs(float(v[0])), 1.0) / size
    best: BlockSolution | None = None
    for _ in range(STEPS):
        inverses = [np.linalg.inv(S) for S in slacks(coefficients, constants, v)]
        products = [
            np.einsum("ab,ibc->iac", T, A, optimize=True)
            for T, A in zip(inverses, coefficients, strict=True)
        ]
        gradient = sum(np.einsum("iaa->i", R) for R in products)
        flat = [R.reshape(len(v), -1) for R in products]
        turned = [R.transpose(0, 2, 1).reshape(len(v), -1) for R in products]
        hessian = sum(a @ b.T for a, b in zip(flat, turned, strict=True))
        hessian = (hessian + hessian.T) / 2
        dv, length = _newton(hessian, gradient - goal / mu)
        if length < 1:
            found = _certified(coefficients, constants, inverses, products, v, dv, mu)
            if best is None or found.gap < best.gap:
                best = found
            if found.gap <= tol * max(abs(float(v[0])), 1e-300) or stop():
                break
        moved = _advance(coefficients, constants, v, dv, length)
        if moved is None:
            break
        v = moved
        if length < NEAR:
            mu *= SHRINK
    if best is None:
        empty = [np.zeros_like(C) for C in constants]
        return BlockSolution(v, empty, np.inf)
    return best


def slacks(
    coefficients: Sequence[np.ndarray], constants: Sequence[np.ndarray], v: np.ndarray
) -> list[np.ndarray]:
    """S_k(v) of every block."""
    return [np.tensordot(v, A, axes=1) - C for A, C in zip(coefficients, constants, strict=True)]


def _newton(hessian: np.ndarray, residual: np.ndarray) -> tuple[np.ndarray, float]:
    """The Newton step and its length; the matrix is scaled to a unit diagonal first."""
    scale = 1 / np.sqrt(np.diag(hessian).clip(min=1e-300))
    scaled = hessian * np.outer(scale, scale)
    try:
        dv = scale * np.linalg.solve(scaled, scale * residual)
    except np.linalg.LinAlgError:
        dv = scale * np.linalg.lstsq(scaled, scale * residual, rcond=1e-13)[0]
    return dv, float(np.sqrt(max(dv @ residual, 0.0)))


def _certified(
    coefficients: Sequence[np.ndarray],
    constants: Sequence[np.ndarray],
    inverses: Sequence[np.ndarray],
    products: Sequence[np.ndarray],
    v: np.ndarray,
    dv: np.ndarray,
    mu: float,
) -> BlockSolution:
    dual = []
    for T, R in zip(inverses, products, strict=True):
        X = mu * (T - np.tensordot(dv, R, axes=1) @ T)
        dual.append((X + X.T) / 2)
    pairs = zip(slacks(coefficients, constants, v), dual, strict=True)
    return BlockSolution(v, dual, float(sum((S * X).sum() for S, X in pairs)))


def _advance(
    coefficients: Sequence[np.ndarray],
    constants: Sequence[np.ndarray],
    v: np.ndarray,
    dv: np.ndarray,
    length: float,
) -> np.ndarray | None:
    """v after a step that stays strictly feasible, or None if no step does."""
    step = 1.0 if length < 1 else 1 / (1 + length) if length < 4 else 0.9
    for _ in range(40):
        moved = v + step * dv
        if all(_is_definite(S) for S in slacks(coefficients, constants, moved)):
            return moved
        step /= 2
    return None


def _is_definite(S: np.ndarray) -> bool:
    try:
        np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        return False
    return True
