"""The accuracies of a table of datasets by methods, asked in the words of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.tables.summary import better, spread

BEST = "lcn-best"


@dataclass(frozen=True)
class Accuracies:
    """What was measured of a table, and the paper's numbers."""

    results: Results
    published: Mapping[str, Sequence[float]]
    columns: Sequence[str]
    methods: Sequence[str]
    headline: str

    @cached_property
    def readings(self) -> list[str]:
        """Those that some network has, in the order measured."""
        found = (name for cell in self.results.values() for name in cell["readings"])
        return list(dict.fromkeys(found))

    @property
    def shown(self) -> list[str]:
        """The columns of a table: the paper's, then ours."""
        ours = [method for method in self.methods if method not in self.columns]
        both = {"lcn", "lcn-ls"} <= set(self.methods)
        return [*self.columns, *ours, *([BEST] if both else [])]

    def rows(self, reading: str) -> list[str]:
        """Those where something was measured."""
        return [
            row
            for row in self.published
            if any(self.test(row, method, reading) for method in self.methods)
        ]

    def paper(self, row: str) -> dict[str, float]:
        """The published row; "lcn-best" stands beside the paper's LCN."""
        values = dict(zip(self.columns, self.published[row], strict=True))
        return values | ({BEST: values["lcn"]} if "lcn" in values else {})

    def test(self, row: str, method: str, reading: str) -> list[float] | None:
        """Test accuracies, one a split; None: not run."""
        if method == BEST:
            first, second = (self._scores(row, name, reading) for name in ("lcn", "lcn-ls"))
            return better(first, second)["test"] if first and second else None
        scores = self._scores(row, method, reading)
        return scores["test"] if scores else None

    def _scores(self, row: str, method: str, reading: str) -> dict[str, Any] | None:
        found = self.results.get((row, method), {}).get("readings", {})
        if reading not in found and all(name.endswith("identity") for name in found):
            # A method that reads no features: the same, whatever the features.
            reading = f"{reading.partition(' ')[0]} identity"
        return found.get(reading)

    def gaps(self, method: str, reading: str) -> dict[str, tuple[float, float, float]]:
        """Row -> (our mean, its sd, the paper's number), where there are both."""
        found = {}
        for row in self.published:
            test, paper = self.test(row, method, reading), self.paper(row).get(method)
            if test and paper is not None:
                found[row] = (*spread(test), paper)
        return found

    def distance(self, method: str) -> dict[str, float]:
        """Reading -> mean absolute difference, for the readings that the method itself has."""
        source = "lcn" if method == BEST else method
        own = {name for (_, m), c in self.results.items() if m == source for name in c["readings"]}
        found = {}
        for reading in self.readings:
            gaps = self.gaps(method, reading)
            if gaps and reading in own:
                found[reading] = float(
                    np.mean([abs(mean - paper) for mean, _, paper in gaps.values()])
                )
        return found


def describe(reading: str) -> str:
    """A reading in words.

    >>> describe("70% identity")
    '70 % of the labels and identity features'
    """
    labels, _, features = reading.partition(" ")
    kind = {
        "identity": "identity features",
        "identity, released": "identity features, released hyper-parameters",
        "raw": "the raw features",
    }.get(features, features)
    return f"{labels.replace('%', ' %')} of the labels" + (f" and {kind}" if kind else "")
