"""Checks of the parameters of the classifier, by name and value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lovasz.base.checks import is_number
from lovasz.base.errors import LovaszError
from lovasz.base.extras import require
from lovasz.classify.candidates import is_auto
from lovasz.nn.engine.settings import check_precision

WHOLE = ("hidden", "layers", "epochs", "patience")
"""The parameters that are whole numbers."""
LIMITS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "dropout": ("in [0, 1)", lambda x: 0 <= x < 1),
    "lr": ("> 0", lambda x: x > 0),
    "weight_decay": (">= 0", lambda x: x >= 0),
    "validation_fraction": ("in [0, 1)", lambda x: 0 <= x < 1),
}
"""The limits of the parameters that are real numbers, in words and as a test."""


def check_parameters(estimator: Any) -> None:
    """Refuse parameters outside their limits, by name and value, and networks without torch."""
    check_precision(estimator.precision)
    for name in WHOLE:
        value = getattr(estimator, name)
        whole = isinstance(value, int | np.integer) and 1 <= value < 2**31
        if not (whole or (name == "patience" and value is None)):
            raise LovaszError(f"{name}={value!r} must be a whole number >= 1")
    for name, (wanted, fine) in LIMITS.items():
        value = getattr(estimator, name)
        if not (is_number(value) and fine(value)):
            raise LovaszError(f"{name}={value!r} must be a number {wanted}")
    if not (estimator.fast and is_auto(estimator.kernel)):
        require("torch", what="training a network (without fast=True)")


def seed_of(random_state: Any) -> int:
    """Return an integer seed, drawn at random for None."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**62:
        return int(random_state)
    raise LovaszError(f"random_state={random_state!r} must be None or a whole number below 2^62")
