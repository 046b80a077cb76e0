"""Time limits: how many seconds are left, and whether something still fits into them."""

from __future__ import annotations

import math
import os
from time import monotonic
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError


class Deadline:
    """The moment at which a time limit ends, counted from now; None is no limit.

    >>> deadline = Deadline(60)
    >>> deadline.allows(1), deadline.allows(3600), deadline.missed
    (True, False, True)
    """

    missed: bool
    """Whether something was left out because it did not fit."""

    def __init__(self, seconds: float | None = None) -> None:
        check_time_limit(seconds)
        self.started = monotonic()
        self.until = math.inf if seconds is None else self.started + float(seconds)
        self.missed = False
        self._whole: Deadline | None = None

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.until < math.inf

    def left(self) -> float:
        """Return the seconds that are left, negative after the end, or ∞ without a limit."""
        return self.until - monotonic()

    def allows(self, seconds: float = 0.0) -> bool:
        """Return whether more than so many seconds are left, and note it in ``missed`` if not."""
        fits = self.left() > seconds
        if not fits:
            self.missed = True
            if self._whole is not None:
                self._whole.missed = True
        return fits

    def fits(self, seconds: float) -> bool:
        """Return whether work of so many CPU seconds is expected to end in time; see ``allows``."""
        return self.allows(seconds * crowding() if self.limited else seconds)

    def over(self) -> bool:
        """Return whether the limit has passed: ``not allows()``."""
        return not self.allows()

    def share(self, part: float) -> Deadline:
        """Return an earlier end, after ``part`` of what is left; what it misses, this misses."""
        child = Deadline()
        child.until = monotonic() + part * max(self.left(), 0.0)
        child._whole = self if self._whole is None else self._whole
        return child


def crowding() -> float:
    """Return how many processes share a core of this machine, at least 1."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1.0, load / (os.cpu_count() or 1))


def check_time_limit(seconds: Any, name: str = "time_limit") -> None:
    """Raise unless a time limit is None or a number of seconds from 0 on."""
    number = isinstance(seconds, int | float | np.number) and not isinstance(seconds, bool)
    if seconds is not None and not (number and seconds >= 0):
        raise LovaszError(f"{name}={seconds!r} must be seconds, 0 or more")
