"""Kernels that a caller gives as a matrix instead of a name."""

from __future__ import annotations

from typing import Any

from lovasz.base.errors import LovaszError


def check_given(kernel: Any, n: int) -> None:
    """Refuse a kernel that is neither a name nor an n x n matrix."""
    shape = getattr(kernel, "shape", type(kernel).__name__)
    if shape != (n, n):
        raise LovaszError(f"kernel is {shape}; give a name or a matrix of {n} x {n}")
