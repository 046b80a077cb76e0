"""How much of the time until a limit a search by low-rank sweeps keeps for its last certificate."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TypeVar

from lovasz.number.proofs.elimination import DENSE_RATE
from lovasz.number.solvers.contract import Referee
from lovasz.number.solvers.low_rank_rows import HostRows

T = TypeVar("T")

LAST_SHARE = 0.5
"""Share of the time until a limit that is kept for the last certificate, unless it needs less."""
LAST_SECONDS = 0.5
"""Seconds that the last certificate may take besides the following."""
LAST_SWEEPS = 76
"""Number of sweeps that take as long as what the last certificate needs of products with D."""
LAST_PASSES = 4
"""The same for the lower bound, which is computed on the CPU."""
LAST_SQUARES = 10
"""Number of products such as DᵀD that the last certificate takes."""
LAST_STEPS = 220.0
"""Sweeps of one coordinate that take as long as the products with one vector of the last
certificate, for a gap of 1. Their number grows with the inverse square root of the gap."""
WORTH_SHOWING = 10.0
"""A certificate on the way is made when the search has taken this many times as long."""
NOTHING = 0.01
"""Seconds below which no certificate was made."""


class Clock:
    """Keeps enough of the time until a limit for the last certificate."""

    def __init__(self, referee: Referee, rows: HostRows) -> None:
        self.referee, self.rows, self.started = referee, rows, time.monotonic()
        self.most = LAST_SHARE * referee.left()
        self.factorisation = rows.n**3 / 3 / DENSE_RATE
        self.needed, self.known = self.most, False

    def learn(self, pace: float, r: int, gap: float) -> None:
        """Expect what the last certificate needs, if a sweep of r coordinates takes ``pace``."""
        if not self.known:
            here = self.rows.pace_on_cpu(pace, r)
            tests = min(self.factorisation, LAST_STEPS / math.sqrt(gap) / r * here)
            squares = LAST_SQUARES * 2 * self.rows.n * r**2 / self.rows.rate()
            expected = LAST_SECONDS + LAST_SWEEPS * pace + LAST_PASSES * here + tests + squares
            self.needed = min(self.most, expected)

    def late(self) -> bool:
        """Whether it is time for the last certificate."""
        return self.referee.stop() or self.hurried(1.0)

    def hurried(self, share: float) -> bool:
        """Whether less than this share of what the last certificate needs is left."""
        return self.referee.left() < share * self.needed

    def has_time_to_show(self) -> bool:
        """Whether a certificate on the way is cheap, compared with the search so far."""
        return time.monotonic() - self.started > WORTH_SHOWING * self.needed

    def ends(self) -> None:
        """Share out what is left, because the last certificate begins."""
        self.needed, self.known = min(self.needed, self.referee.left()), True

    def timed(self, task: Callable[[], T]) -> T:
        """Do a task that makes a certificate, or nothing, and learn how long that takes."""
        started = time.monotonic()
        result = task()
        seconds = time.monotonic() - started
        if seconds > NOTHING:
            self.needed, self.known = min(self.needed, 2 * seconds), True
        return result
