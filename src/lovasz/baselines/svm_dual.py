"""The dual of a support vector machine without bias: a concave quadratic over a box."""

from __future__ import annotations

from typing import Any

MOST = 100
"""Largest number of Newton steps."""
RIDGE = 1e-10
"""Multiple of the largest diagonal entry of Q that is added to the diagonal, so that a singular Q
can be factorised; it is far below the tolerance of the result."""


def solve_box(Q: Any, C: float, start: Any, *, tol: float = 1e-9) -> Any:
    """Return argmax Σα − ½ αᵀQα over 0 ≤ α ≤ C, for a positive semidefinite torch matrix Q.

    This is Bertsekas' projected Newton method: entries that the gradient holds at a bound take a
    gradient step and the others a Newton step, both clipped to the box, with a line search along
    the clipped arc. It ends when a clipped gradient step moves no entry by ``tol`` · max(1, C).
    From the solution for a nearby Q this takes a few factorisations.

    >>> import torch
    >>> Q = torch.tensor([[1.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
    >>> [round(x, 4) for x in solve_box(Q, 1.0, torch.zeros(2, dtype=torch.float64)).tolist()]
    [0.6667, 0.6667]
    >>> solve_box(Q, 0.5, torch.zeros(2, dtype=torch.float64)).tolist()
    [0.5, 0.5]
    """
    alpha = start.clamp(0, C)
    for _ in range(MOST):
        slope = Q @ alpha - 1
        moved = (alpha - (alpha - slope).clamp(0, C)).abs()
        if float(moved.max()) <= tol * max(1.0, C):
            break
        near = min(1e-3 * C, float(moved.norm()))
        held = ((alpha <= near) & (slope > 0)) | ((alpha >= C - near) & (slope < 0))
        step = _direction(Q, slope, held)
        found = _search(Q, C, alpha, slope, step, held)
        if found is None:  # what is left to gain is below rounding
            break
        alpha = found
    return alpha


def value(Q: Any, alpha: Any) -> float:
    """Return Σα − ½ αᵀQα."""
    return float(alpha.sum() - alpha @ (Q @ alpha) / 2)


def _direction(Q: Any, slope: Any, held: Any) -> Any:
    """Return minus the gradient, with the Newton step on the entries that are not held."""
    import torch

    step = -slope / float(Q.diagonal().max().clamp_min(1e-300))
    free = torch.nonzero(~held)[:, 0]
    part = Q[free][:, free].clone()
    part.diagonal().add_(RIDGE * float(Q.diagonal().max()))
    factor, failed = torch.linalg.cholesky_ex(part)
    if len(free) and not int(failed):
        step[free] = -torch.cholesky_solve(slope[free, None], factor)[:, 0]
    return step


def _search(Q: Any, C: float, alpha: Any, slope: Any, step: Any, held: Any) -> Any:
    """Return the first point of the clipped arc that gains enough, halving from a whole step."""
    size = 1.0
    for _ in range(40):
        point = (alpha + size * step).clamp(0, C)
        change = point - alpha
        # This is value(alpha) − value(point) without cancellation.
        loss = float(slope @ change + change @ (Q @ change) / 2)
        promised = size * (slope * step)[~held].sum() + (slope * change)[held].sum()
        if loss <= 1e-4 * float(promised):
            return point
        size /= 2
    return None
