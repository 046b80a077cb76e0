"""Checks of what callers pass."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Whether an option is a finite real number, and not, say, a word."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))
