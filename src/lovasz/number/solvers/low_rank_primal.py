"""The primal solution of the low-rank engine: vectors whose products on the edges vanish."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lovasz.number.solvers.low_rank_rows import HostRows

Product = Callable[[np.ndarray], np.ndarray]
"""A linear map of vectors."""
RESTORATIONS = 4
"""Largest number of Gauss–Newton steps that make d_i·d_j vanish before a certificate."""
RESTORING_STEPS = 40
"""Largest number of steps of conjugate gradients in each of them."""
EXACTLY = 1e-13
"""Share of Σ |d_i|² below which the products on the edges count as zero."""


def restore(
    rows: HostRows,
    D: Any,
    goal: float,
    hurry: Callable[[], bool],
    held: np.ndarray | None = None,
) -> Any:
    """Return D in double precision after steps that make Σ |d_i·d_j| over the edges ≤ ``goal``.

    With ``held``, (m,), products may be negative where it is false, and count only if positive.
    Vectors whose lengths matter less than the goal are set to zero. Each Gauss–Newton step moves D
    by Σ_j λ_ij |d_i|² d_j, where λ solves a positive semidefinite system on the edges.
    """
    D = rows.copy(rows.double(D))
    x = rows.get(D[:, 0])
    order = np.argsort(x)
    D[rows.put(order[np.cumsum(np.maximum(x[order], 0)) <= goal])] = 0
    i, j = rows.ends
    for _ in range(RESTORATIONS):
        products = rows.products(D, D)
        if held is not None:
            products[~held & (products < 0)] = 0
        square = rows.lengths(D) ** 2
        exactly = EXACTLY * float(square.sum())
        wrong = np.abs(products) if held is None else np.maximum(products, 0)
        if float(wrong.sum()) <= max(goal, exactly) or hurry():
            break
        scale = 1 / (2 * square[i] * square[j] + 1e-12)
        moves = None if held is None else held | (products > 0)
        linear = Linearised(rows, D, square, moves)
        multipliers = conjugate_gradients(
            linear, lambda residual: scale * residual, products, np.zeros_like(products),  # noqa: B023
            lambda residual: float(np.abs(residual).sum()) <= goal / 2, RESTORING_STEPS, hurry,
        )  # fmt: skip
        D -= linear.move(multipliers)
    return D


class Linearised:
    """How the products on the edges change with the multipliers, to first order."""

    def __init__(
        self, rows: HostRows, D: Any, square: np.ndarray, moves: np.ndarray | None = None
    ) -> None:
        """``moves`` tells the edges whose products are to change; all of them if it is None."""
        self.rows, self.D, self.moves = rows, D, moves
        self.square, self.moved = rows.column(square, D), None

    def move(self, values: np.ndarray) -> Any:
        """|d_i|² Σ_j value_ij d_j for every node i, in memory that the next call overwrites."""
        self.moved = self.rows.sums(values, self.D, self.moved)
        self.moved *= self.square
        return self.moved

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """The change on the edges."""
        step = self.move(values)
        there = self.rows.products(step, self.D)
        there += self.rows.products(self.D, step)
        return there if self.moves is None else there * self.moves


def conjugate_gradients(
    times: Product,
    precondition: Product,
    right: np.ndarray,
    start: np.ndarray,
    small: Callable[[np.ndarray], bool],
    steps: int,
    hurry: Callable[[], bool],
) -> np.ndarray:
    """Solve ``times(x) = right`` until the residual is ``small``, or there is a hurry."""
    solution = start.copy()
    residual = right - times(solution) if start.any() else right.copy()
    scaled = precondition(residual)
    direction, size = scaled.copy(), float(residual @ scaled)
    for _ in range(steps):
        if size <= 0 or small(residual) or hurry():
            break
        image = times(direction)
        curvature = float(direction @ image)
        if curvature <= 0:
            break
        solution += size / curvature * direction
        residual -= size / curvature * image
        scaled = precondition(residual)
        size, before = float(residual @ scaled), size
        direction *= size / before
        direction += scaled
    return solution
