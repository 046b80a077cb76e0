"""Checks of the numbers and seeds that callers pass."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError

Seed = int | np.random.Generator
"""A random seed: an integer of at least 0, or a generator that is used as it is."""


def is_number(value: Any) -> bool:
    """Whether ``value`` is a finite real number, and not, say, a word.

    >>> is_number(2), is_number(float("inf")), is_number("2")
    (True, False, False)
    """
    real = isinstance(value, int | float | np.number) and not isinstance(value, np.complexfloating)
    return real and bool(np.isfinite(value))


def check_whole(value: Any, name: str, *, least: int = 0) -> int:
    """Return ``value`` as an ``int``, or raise if it is not an integer of at least ``least``.

    ``name`` is what the error message calls the value.

    >>> check_whole(np.int64(3), "k")
    3
    """
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise LovaszError(f"{name}={value!r}; pass a whole number of at least {least}")
    return number


def random_generator(
    seed: Any, name: str = "seed", *, optional: bool = False
) -> np.random.Generator:
    """Return the random generator of ``seed``; a generator is returned as it is.

    ``None``, which draws a fresh seed from the system, is an error unless ``optional``. ``name``
    is what the error message calls the seed.

    >>> int(random_generator(0).integers(100))
    85
    """
    if seed is not None or optional:
        try:
            return np.random.default_rng(seed)
        except (TypeError, ValueError):
            pass
    otherwise = ", or None" if optional else ""
    raise LovaszError(f"{name}={seed!r}; pass a whole number of at least 0{otherwise}")
