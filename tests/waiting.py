"""How tests wait for processes and threads: until they are done, however busy the machine is."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LONGEST = 600.0
"""Seconds after which a wait is taken for a hang, on the slowest machine imaginable."""


def wait_until(what: Callable[[], T]) -> T:
    """Return the first true answer of a function."""
    end = time.monotonic() + LONGEST
    while not (found := what()):
        assert time.monotonic() < end, f"still nothing after {LONGEST:.0f} seconds"
        time.sleep(0.05)
    return found
