"""Anderson acceleration of a fixed-point iteration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

MEMORY = 10
"""Number of past iterates that are kept."""


class Anderson:
    """Type-II Anderson acceleration with a safeguard: x ← g − ΔG γ, γ = argmin ‖r − ΔR γ‖.

    Without the safeguard it diverges on crown graphs. A safeguard that forgets the past but does
    not go back drifts away if the iterates span fewer dimensions than are kept, as for graphs of
    codes.
    """

    def __init__(
        self,
        memory: int = MEMORY,
        *,
        single: bool = False,
        nonexpansive: bool = False,
        overwrites: bool = False,
        growth: float = 1.2,
        ridge: float = 1e-12,
    ) -> None:
        """``memory`` is the number of past iterates kept.

        With ``single`` they are kept in single precision, which moves half as many bytes.
        ``nonexpansive`` says that the map is, so that a plain step does not increase the residual.
        With ``overwrites`` each x is overwritten and belongs to this object.
        The past is forgotten when the residual exceeds ``growth`` times the smallest one.
        ``ridge`` is the share of the trace that is added to the diagonal of the inner products.
        """
        self.memory, self.single, self.nonexpansive, self.size = memory, single, nonexpansive, 0.0
        self.growth, self.ridge, self.overwrites = growth, ridge, overwrites
        self.residuals: Any = None  # (memory, entries): differences of successive residuals
        self.images: Any = None
        self.clear()

    def clear(self) -> None:
        """Forget the past, for instance after the map has changed."""
        self.gram = np.zeros((self.memory, self.memory))
        self.right = np.zeros(self.memory)  # inner products of the differences with the residual
        self.kept = 0  # differences stored since the last clearing; the oldest are overwritten
        self.last: tuple[Any, Any, float] | None = None
        self.best = np.inf

    def __call__(self, x: Any, image: Any) -> Any:
        """The next point after x, given the image of x; ``size`` is set to their distance."""
        residual = _overwritten(x, image) if self.overwrites else image - x
        self.size = size = _norm(residual.reshape(-1))
        if self.last is not None and self.kept and size > self.growth * self.best:
            back = self.last[1]
            self.clear()
            if self.nonexpansive:  # go back and take the plain step instead
                self.size = 0.0
                return back
        self.best = min(self.best, size) if self.kept else size
        if self.last is not None:
            self._store(residual, image, *self.last)
        self.last = (residual, image, size)
        if not self.kept:
            return image
        coefficients = self._solve()
        if coefficients is None:
            self.clear()
            return image
        used = len(coefficients)
        mixed = _combine(coefficients, self.images[:used]).reshape(image.shape)
        if isinstance(image, np.ndarray) and mixed.dtype == image.dtype:
            return np.subtract(image, mixed, out=mixed)  # large arrays are dear to make
        return image - mixed

    def _store(
        self, residual: Any, image: Any, last_residual: Any, last_image: Any, last_size: float
    ) -> None:
        """Store the differences of residuals and images, and update the inner products.

        With d = r − r₋ the products with r are ⟨d, r⟩ = (‖r‖² − ‖r₋‖² + ‖d‖²)/2, and for older
        differences d′ they are ⟨d′, r⟩ = ⟨d′, r₋⟩ + ⟨d′, d⟩, so the past is read only once.
        """
        if self.residuals is None:
            shape = (self.memory, len(residual.reshape(-1)))
            self.residuals = _empty(residual, shape, self.single)
            self.images = _empty(residual, shape, self.single)
        at = self.kept % self.memory
        _write_difference(residual.reshape(-1), last_residual.reshape(-1), self.residuals[at])
        _write_difference(image.reshape(-1), last_image.reshape(-1), self.images[at])
        self.kept += 1
        used = min(self.kept, self.memory)
        products = _multiply(self.residuals[:used], self.residuals[at])
        self.gram[at, :used] = self.gram[:used, at] = products
        self.right[:used] += products
        self.right[at] = (self.size**2 - last_size**2 + products[at]) / 2

    def _solve(self) -> np.ndarray | None:
        """The coefficients γ, or None if they are not to be trusted."""
        used = min(self.kept, self.memory)
        gram = self.gram[:used, :used].copy()
        gram.flat[:: used + 1] += self.ridge * np.trace(gram)
        try:
            coefficients = np.linalg.solve(gram, self.right[:used])
        except np.linalg.LinAlgError:
            return None
        return coefficients if np.abs(coefficients).max() <= 1e4 else None


def _overwritten(x: Any, image: Any) -> Any:
    """The difference image − x, written over x."""
    return np.subtract(image, x, out=x) if isinstance(x, np.ndarray) else x.neg_().add_(image)


def _write_difference(a: Any, b: Any, out: Any) -> None:
    """Write a − b into ``out``, without another array for large ones of NumPy."""
    if isinstance(a, np.ndarray):
        np.subtract(a, b, out=out, casting="same_kind")
    else:
        out[:] = a - b


def _norm(vector: Any) -> float:
    return math.sqrt(float(vector @ vector))


def _empty(like: Any, shape: tuple[int, int], single: bool) -> Any:
    """An array of this shape, of the kind and precision of ``like``, or in single precision."""
    if isinstance(like, np.ndarray):
        return np.empty(shape, np.float32 if single else like.dtype)
    return (like[:0].float() if single else like).new_empty(shape)


def _combine(coefficients: np.ndarray, rows: Any) -> Any:
    """Σ_k coefficient_k row_k, of the kind and precision of the rows.

    Tensors are added row by row. In matrix products of CUDA, rows of 2³² bytes or more end in
    reads of memory that is not theirs.
    """
    if isinstance(rows, np.ndarray):
        return coefficients.astype(rows.dtype) @ rows
    total = float(coefficients[0]) * rows[0]
    for share, row in zip(coefficients[1:].tolist(), rows[1:], strict=True):
        total.add_(row, alpha=share)
    return total


def _multiply(rows: Any, row: Any) -> np.ndarray:
    """The inner products of all rows with one of them, row by row on tensors, as above."""
    if isinstance(rows, np.ndarray):
        return np.asarray(rows @ row)
    import torch

    return np.asarray(torch.stack([other @ row for other in rows]).cpu().numpy())
