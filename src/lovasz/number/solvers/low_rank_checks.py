"""When the low-rank engine estimates its gap, and when it has stalled."""

from __future__ import annotations

import math

FIRST_CHECK = 12
"""Number of periods before the first estimate of the gap."""
FIRST_CHECK_LARGE = 30
"""Number of periods before the first estimate for graphs of LARGE nodes and more, for which an
estimate costs more and more sweeps are needed."""
LARGE = 20_000
"""Number of nodes from which FIRST_CHECK_LARGE applies."""
SOONEST = 1.1
"""Smallest factor by which the number of periods grows from one estimate to the next."""
LATEST = 1.35
"""Largest factor of that kind. Between them the next estimate is when the gap should be small
enough."""
AIM = 0.6
"""Share of the tolerance at which an estimate is due for graphs of LARGE nodes and more. The rest
is room for the test of the upper bound, which is shorter with more room."""
BASE = 3
"""The rate at which the gap falls is taken over this many estimates, because a single one may be
larger than the one before it."""
PATIENCE = 3
"""The gap has to halve while the number of periods grows by this factor."""
UNKNOWN = 1e-3
"""The gap that is expected before there is an estimate."""


def first_check(n: int) -> int:
    """Number of periods before the first estimate, when it is also known what coordinates do."""
    return FIRST_CHECK if n < LARGE else FIRST_CHECK_LARGE


class Checks:
    """When the gap is estimated, and whether it still falls."""

    def __init__(self, n: int) -> None:
        self.due, self.aim = first_check(n), 1.0 if n < LARGE else AIM
        self.periods: list[int] = []
        self.gaps: list[float] = []

    @property
    def expected(self) -> float:
        """A gap that is likely to be reached before the next estimate."""
        return self.gaps[-1] / 2 if self.gaps else UNKNOWN

    def judged(self, periods: int) -> bool:
        """Whether there is an estimate after this number of periods."""
        return bool(self.periods) and self.periods[-1] == periods

    def add(self, periods: int, gap: float, wanted: float) -> bool:
        """Take an estimate, say when the next is due, and whether the search has stalled."""
        self.periods.append(periods)
        self.gaps.append(gap)
        expected = math.inf
        earlier, since = self.gaps[-BASE:][0], periods - self.periods[-BASE:][0]
        if wanted > 0 and 0 < gap < earlier and (fall := math.log(earlier / gap)) > 0:
            expected = periods + since * math.log(max(gap / (self.aim * wanted), 1.0)) / fall
        soonest, latest = SOONEST * periods + 1, LATEST * periods + 1
        self.due = int(min(max(expected, soonest), latest))
        before = [
            g for p, g in zip(self.periods, self.gaps, strict=True) if PATIENCE * p <= periods
        ]
        return len(before) > 1 and 2 * min(self.gaps) > min(before)

    def forgive(self) -> None:
        """Forget the past estimates, because the search goes on from elsewhere."""
        self.periods, self.gaps = self.periods[-1:], self.gaps[-1:]
