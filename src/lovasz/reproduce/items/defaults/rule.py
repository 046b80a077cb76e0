"""The rule by which auto is judged, which was fixed before anything was run.

On every row, auto is at most one paired standard error below the best single method. On block
models it is also within ``NEAR`` points of the best possible answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.items.defaults.task_rows import OURS, methods_of

NEAR = 2.0
"""Number of points below the best possible answer that the rule allows."""


class Comparison(NamedTuple):
    """auto beside the best of the single methods on a row."""

    rival: str
    """The single method with the highest mean accuracy."""
    lead: float
    """Mean over runs of the accuracy of auto less that of the rival, in points."""
    error: float
    """Standard error of this mean, from the differences of single runs."""

    @property
    def behind(self) -> bool:
        """Whether auto breaks the rule."""
        return -self.lead > self.error

    @property
    def ahead(self) -> bool:
        """Whether auto leads by more than one standard error."""
        return self.lead > self.error


def runs_of(results: Results, row: str, method: str) -> list[float] | None:
    """Test accuracies, one per run, or None if the method was not run."""
    found = results.get((row, method))
    return found["test"] if found else None


def single_methods(results: Results, row: str) -> dict[str, list[float]]:
    """The accuracies of the methods other than ours and the best possible answer."""
    names = [name for name in methods_of(row) if name not in (*OURS, "bayes")]
    return {name: runs for name in names if (runs := runs_of(results, row, name))}


def compare(results: Results, row: str, ours: str = "auto") -> Comparison | None:
    """Compare auto with the best single method; None if one of them is missing."""
    auto, others = runs_of(results, row, ours), single_methods(results, row)
    if not auto or not others:
        return None
    rival = max(others, key=lambda name: float(np.mean(others[name])))
    return Comparison(rival, *paired(auto, others[rival]))


def paired(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Mean difference of two methods on the same runs, and its standard error.

    A single run has no standard error, and 0 is returned for it.

    >>> paired([80.0, 84.0], [81.0, 87.0])
    (-2.0, 1.0)
    """
    gaps = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else 0.0
    return float(gaps.mean()), float(error)


def below_ceiling(results: Results, row: str) -> float | None:
    """Points by which auto is below the best possible answer, or None if either is missing."""
    auto, bayes = runs_of(results, row, "auto"), runs_of(results, row, "bayes")
    return float(np.mean(bayes) - np.mean(auto)) if auto and bayes else None
