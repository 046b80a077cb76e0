"""What the parts of a search share, and what they find: an independent set and a clique cover."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lovasz.base.checks import random_generator
from lovasz.base.errors import LovaszError
from lovasz.base.rounding import sum_outward
from lovasz.colors.compiled_random import random_state_of

THETA_SECONDS = 60.0
"""For ϑ of a core, times the effort; where it takes longer, what is proven by then counts."""


class Search:
    """Seeds, the clock, and how much work to do."""

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
        if not 0 <= effort < math.inf:
            raise LovaszError(f"effort={effort!r} must be 0 or more; 1 is usual, 0 greedy only")
        if time_limit is not None and not time_limit >= 0:
            raise LovaszError(f"time_limit={time_limit!r} must be seconds, 0 or more")
        self.effort, self.time_limit, self.started = effort, time_limit, time.monotonic()
        self.rng = random_generator(random_state, "random_state", optional=True)
        self.state = random_state_of(self.rng)
        self.asked = stop or (lambda: False)
        self.cover, self.chosen = cover, chosen
        """Whose optimum is wanted: the clique cover's, the independent set's, or both."""

    def late(self) -> bool:
        """Whether to end with what there is."""
        return self.asked() or self.left() <= 0

    def left(self) -> float:
        """Seconds."""
        if self.time_limit is None:
            return math.inf
        return self.time_limit - (time.monotonic() - self.started)

    def share(self, part: float) -> Callable[[], bool]:
        """Whether ``part`` of the time that is left now has gone: a question to ask later."""
        until = (1 - part) * self.left()
        return lambda: self.asked() or self.left() <= until < math.inf

    def times(self, work: int) -> int:
        """``work`` as the effort has it."""
        return int(min(work * self.effort, 2**62))

    def briefly(self, work: int) -> int:
        """``work`` as a small effort has it: what comes first must not use up the time."""
        return int(work * min(self.effort, 1.0))

    def theta_limit(self) -> float:
        """Seconds for ϑ of a core: half of those left, and some even where none are counted."""
        return min(0.5 * self.left(), THETA_SECONDS * max(self.effort, 0.01))


@dataclass(frozen=True)
class Pair:
    """An independent set and a clique cover of one graph, and what is proven.

    |chosen| ≤ α ≤ ``upper`` and ``lower`` ≤ χ(Ḡ) ≤ size; ϑ is in the interval ``theta``.
    """

    chosen: np.ndarray
    """Rows."""
    clique: np.ndarray
    """The number of each node's clique, from 0 without gaps."""
    lower: int
    upper: int
    theta: tuple[float, float]
    proofs: frozenset[str] = frozenset()
    """What ``lower`` comes from, where it is not counting."""

    @property
    def size(self) -> int:
        """Cliques."""
        return int(self.clique.max()) + 1 if len(self.clique) else 0


def counted(chosen: np.ndarray, clique: np.ndarray) -> Pair:
    """What counting proves: |chosen| ≤ α ≤ ϑ ≤ χ(Ḡ) ≤ size."""
    size = int(clique.max()) + 1 if len(clique) else 0
    return Pair(chosen, clique, len(chosen), size, (float(len(chosen)), float(size)))


def unite(parts: Sequence[np.ndarray], pairs: Sequence[Pair], n: int) -> Pair:
    """Of a disjoint union: α, ϑ and χ(Ḡ) add up."""
    clique, base = np.empty(n, dtype=np.int64), 0
    for part, pair in zip(parts, pairs, strict=True):
        clique[part] = pair.clique + base
        base += pair.size
    chosen = [part[pair.chosen] for part, pair in zip(parts, pairs, strict=True)]
    return Pair(
        np.concatenate(chosen),
        clique,
        sum(pair.lower for pair in pairs),
        sum(pair.upper for pair in pairs),
        sum_outward([pair.theta for pair in pairs]),
        frozenset().union(*(pair.proofs for pair in pairs)),
    )


def join(parts: Sequence[np.ndarray], pairs: Sequence[Pair], n: int) -> Pair:
    """Of a join: the largest of each; cliques of different parts together are cliques."""
    clique = np.empty(n, dtype=np.int64)
    for part, pair in zip(parts, pairs, strict=True):
        clique[part] = pair.clique
    largest = max(range(len(pairs)), key=lambda p: len(pairs[p].chosen))
    return Pair(
        parts[largest][pairs[largest].chosen],
        clique,
        max(pair.lower for pair in pairs),
        max(pair.upper for pair in pairs),
        (max(pair.theta[0] for pair in pairs), max(pair.theta[1] for pair in pairs)),
        frozenset().union(*(pair.proofs for pair in pairs)),
    )
