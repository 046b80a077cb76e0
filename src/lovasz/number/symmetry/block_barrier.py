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
    feasible. A diagonal block may be given, and is returned, by its diagonals: (p, s) and (s,).
    It ends when the gap is ``tol`` times the objective or rounding allows no more.

    With the Newton step dv and dS = Σ dv_i A_i, the matrices X = μ (S⁻¹ − S⁻¹ dS S⁻¹) satisfy the
    equations of the dual exactly, and X ⪰ 0 if the step is shorter than 1.

    >>> A = np.array([np.eye(2), [[0, 1], [1, 0]]])  # min t: t I + y ⪰ C
    >>> round(float(minimise_blocks([A], [np.diag([1.0, 3.0])], np.array([5.0, 0])).v[0]), 8)
    3.0
    """
    blocks = [(A, C) for A, C in zip(coefficients, constants, strict=True) if len(C)]
    v = start.astype(np.float64)
    mu = max(abs(float(v[0])), 1.0) / sum(len(C) for _, C in blocks)
    best: BlockSolution | None = None
    for _ in range(STEPS):
        states = [BlockState.at(A, C, v) for A, C in blocks]
        gradient = sum(state.traces() for state in states)
        hessian = np.asarray(sum(state.products() for state in states))
        goal = np.zeros(len(v))
        goal[0] = 1 / mu
        dv, length = _newton(hessian, gradient - goal)
        if length < 1:
            dual = [mu * state.corrected(dv) for state in states]
            gap = sum(float((st.slack * X).sum()) for st, X in zip(states, dual, strict=True))
            if best is None or gap < best.gap:
                best = BlockSolution(v, dual, gap)
            if gap <= tol * max(abs(float(v[0])), 1e-300) or stop():
                break
        moved = _advance(blocks, v, dv, length)
        if moved is None:
            break
        v = moved
        if length < NEAR:
            mu *= SHRINK
    if best is None:
        return BlockSolution(v, [np.zeros_like(C) for _, C in blocks], np.inf)
    return best


@dataclass(frozen=True)
class BlockState:
    """A block at some v: its slack S, S⁻¹ and S⁻¹ A_i; vectors instead if it is diagonal."""

    slack: np.ndarray
    inverse: np.ndarray
    turned: np.ndarray

    @classmethod
    def at(cls, A: np.ndarray, C: np.ndarray, v: np.ndarray) -> BlockState:
        """Evaluate a block."""
        S = slack(A, C, v)
        if A.ndim == 2:
            return cls(S, 1 / S, A / S)
        T = np.linalg.inv(S)
        return cls(S, T, T @ A)

    def traces(self) -> np.ndarray:
        """tr S⁻¹ A_i for every i."""
        found: np.ndarray = (
            self.turned.sum(axis=1) if self.slack.ndim == 1 else np.einsum("iaa->i", self.turned)
        )
        return found

    def products(self) -> np.ndarray:
        """tr S⁻¹ A_i S⁻¹ A_j for all i and j."""
        R = self.turned
        if self.slack.ndim == 1:
            return np.asarray(R @ R.T)
        return np.asarray(R.reshape(len(R), -1) @ R.transpose(0, 2, 1).reshape(len(R), -1).T)

    def corrected(self, dv: np.ndarray) -> np.ndarray:
        """S⁻¹ − S⁻¹ dS S⁻¹."""
        change = np.tensordot(dv, self.turned, axes=1)
        if self.slack.ndim == 1:
            return np.asarray(self.inverse * (1 - change))
        X = self.inverse - change @ self.inverse
        return np.asarray((X + X.T) / 2)


def slack(A: np.ndarray, C: np.ndarray, v: np.ndarray) -> np.ndarray:
    """S(v) of a block."""
    return np.asarray(np.tensordot(v, A, axes=1) - C)


def _newton(hessian: np.ndarray, residual: np.ndarray) -> tuple[np.ndarray, float]:
    """The Newton step and its length; the matrix is scaled to a unit diagonal first."""
    hessian = (hessian + hessian.T) / 2
    scale = 1 / np.sqrt(np.diag(hessian).clip(min=1e-300))
    scaled = hessian * np.outer(scale, scale)
    try:
        dv = scale * np.linalg.solve(scaled, scale * residual)
    except np.linalg.LinAlgError:
        dv = scale * np.linalg.lstsq(scaled, scale * residual, rcond=1e-13)[0]
    return dv, float(np.sqrt(max(dv @ residual, 0.0)))


def _advance(
    blocks: Sequence[tuple[np.ndarray, np.ndarray]], v: np.ndarray, dv: np.ndarray, length: float
) -> np.ndarray | None:
    """v after a step that stays strictly feasible, or None if no step does."""
    step = 1.0 if length < 1 else 1 / (1 + length) if length < 4 else 0.9
    for _ in range(40):
        moved = v + step * dv
        if all(_is_definite(slack(A, C, moved)) for A, C in blocks):
            return moved
        step /= 2
    return None


def _is_definite(S: np.ndarray) -> bool:
    if S.ndim == 1:
        return bool((S > 0).all())
    try:
        np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        return False
    return True
