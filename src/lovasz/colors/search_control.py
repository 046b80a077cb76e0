"""What all parts of a colouring search share: the seed, the clock and the effort."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypedDict

import numpy as np

from lovasz.base.checks import random_generator
from lovasz.base.deadline import Deadline
from lovasz.base.errors import LovaszError
from lovasz.colors.compiled_random import make_random_state

THETA_SECONDS = 60.0
"""Time limit in seconds, times the effort, for ϑ of one core. What is proven by then counts."""


class SearchOptions(TypedDict, total=False):
    """The options of :func:`lovasz.coloring` and its relatives."""

    effort: float
    """How much work to do: 1 is usual, 0 is greedy only."""
    time_limit: float | None
    """Seconds after which the search ends, or None if there is no limit."""
    random_state: int | np.random.Generator
    """Seed, 0 if not given."""
    stop: Callable[[], bool] | None
    """The search ends when this function returns True."""


class SearchControl:
    """The seed, the clock, and how much work to do."""

    def __init__(
        self,
        *,
        effort: float = 1.0,
        time_limit: float | None = None,
        random_state: int | np.random.Generator = 0,
        stop: Callable[[], bool] | None = None,
        cover: bool = True,
        chosen: bool = False,
    ) -> None:
        """``cover`` and ``chosen`` say whether an optimal clique cover and an optimal
        independent set are wanted.
        """
        if not 0 <= effort < math.inf:
            raise LovaszError(f"effort={effort!r} must be 0 or more; 1 is usual, 0 greedy only")
        self.effort, self.deadline = effort, Deadline(time_limit)
        self.rng = random_generator(random_state, "random_state", optional=True)
        self.state = make_random_state(self.rng)
        self.asked = stop or (lambda: False)
        self.cover, self.chosen = cover, chosen

    def late(self) -> bool:
        """Whether to end now with the best answer so far."""
        return self.asked() or self.left() <= 0

    def left(self) -> float:
        """The seconds that are left, infinity without a time limit."""
        return self.deadline.left()

    def share(self, part: float) -> Callable[[], bool]:
        """A function that says whether ``part`` of the time left now has passed."""
        until = (1 - part) * self.left()
        return lambda: self.asked() or self.left() <= until < math.inf

    def times(self, work: int) -> int:
        """``work`` times the effort."""
        return int(min(work * self.effort, 2**62))

    def briefly(self, work: int) -> int:
        """``work`` times the effort, but at most ``work``, for steps that come early.

        They must not use up the time of the later ones.
        """
        return int(work * min(self.effort, 1.0))

    def theta_limit(self) -> float:
        """Seconds for ϑ of a core: half of those left, and never more than THETA_SECONDS allow."""
        return min(0.5 * self.left(), THETA_SECONDS * max(self.effort, 0.01))
