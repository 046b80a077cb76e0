"""What a search returns, an independent set with a clique cover, and how parts are combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lovasz.base.rounding import sum_outward


@dataclass(frozen=True)
class SetAndCover:
    """An independent set and a clique cover of one graph, and what is proven.

    |chosen| ≤ α ≤ ``upper`` and ``lower`` ≤ χ(Ḡ) ≤ size; ϑ is in the interval ``theta``.
    """

    chosen: np.ndarray
    """Rows of the independent set."""
    clique: np.ndarray
    """(n,) the number of each node's clique, from 0 without gaps."""
    lower: int
    """A proven lower bound on the size of every clique cover."""
    upper: int
    """A proven upper bound on the size of every independent set."""
    theta: tuple[float, float]
    """Proven bounds on ϑ."""
    proofs: frozenset[str] = frozenset()
    """What ``lower`` comes from if not from the size of ``chosen``."""

    @property
    def size(self) -> int:
        """Number of cliques."""
        return int(self.clique.max()) + 1 if len(self.clique) else 0


def prove_by_counting(chosen: np.ndarray, clique: np.ndarray) -> SetAndCover:
    """The pair with the bounds that counting proves: |chosen| ≤ α ≤ ϑ ≤ χ(Ḡ) ≤ size."""
    size = int(clique.max()) + 1 if len(clique) else 0
    return SetAndCover(chosen, clique, len(chosen), size, (float(len(chosen)), float(size)))


def unite_covers(parts: Sequence[np.ndarray], pairs: Sequence[SetAndCover], n: int) -> SetAndCover:
    """The pair of a disjoint union, where α, ϑ and χ(Ḡ) add up."""
    clique, base = np.empty(n, dtype=np.int64), 0
    for part, pair in zip(parts, pairs, strict=True):
        clique[part] = pair.clique + base
        base += pair.size
    chosen = [part[pair.chosen] for part, pair in zip(parts, pairs, strict=True)]
    return SetAndCover(
        np.concatenate(chosen),
        clique,
        sum(pair.lower for pair in pairs),
        sum(pair.upper for pair in pairs),
        sum_outward([pair.theta for pair in pairs]),
        frozenset().union(*(pair.proofs for pair in pairs)),
    )


def join_covers(parts: Sequence[np.ndarray], pairs: Sequence[SetAndCover], n: int) -> SetAndCover:
    """The pair of a join, where α, ϑ and χ(Ḡ) are the largest among the parts.

    Cliques of different parts with the same number together are one clique.
    """
    clique = np.empty(n, dtype=np.int64)
    for part, pair in zip(parts, pairs, strict=True):
        clique[part] = pair.clique
    largest = max(range(len(pairs)), key=lambda p: len(pairs[p].chosen))
    return SetAndCover(
        parts[largest][pairs[largest].chosen],
        clique,
        max(pair.lower for pair in pairs),
        max(pair.upper for pair in pairs),
        (max(pair.theta[0] for pair in pairs), max(pair.theta[1] for pair in pairs)),
        frozenset().union(*(pair.proofs for pair in pairs)),
    )
