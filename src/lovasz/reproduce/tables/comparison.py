"""A table of datasets by methods: our accuracies beside the published ones, and its sentences.

A cell of such a table holds ``{"readings": {"70% identity": {"test": [...], "validation": [...],
"loss": [...], "setting": [...]}, ...}, "theta": [[lower, upper], ...]}`` with accuracies in per
cent. A reading is one way to read the paper where it does not say what it did. Any cell may be
missing; the page says nothing about cells that were not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from lovasz.base.rounding import format_down, format_up
from lovasz.pages.reproduction.section import Entry, Picture, Section, Table
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.tables.numbers import (
    Gap,
    better_of_two,
    compare_row,
    draw_gaps,
    mark_best,
    mean_and_sd,
    title_of,
    write_mean_sd,
)

BEST = "lcn-best"
"""The LCN whose kernel does better on validation, chosen for each split."""


@dataclass(frozen=True)
class ComparedTable:
    """What was measured for one table, and the paper's numbers."""

    results: Results
    published: Mapping[str, Sequence[float]]
    """Row -> one number for each of ``columns``."""
    columns: Sequence[str]
    """The methods of the paper's table."""
    methods: Sequence[str]
    """All methods that are run."""
    headline: str
    """The reading that the text and the picture are about."""

    @cached_property
    def readings(self) -> list[str]:
        """The readings that some method has, in the order in which they were measured."""
        found = (name for cell in self.results.values() for name in cell["readings"])
        return list(dict.fromkeys(found))

    @property
    def shown(self) -> list[str]:
        """The columns of our table: the paper's, then those that only we have."""
        ours = [method for method in self.methods if method not in self.columns]
        both = {"lcn", "lcn-ls"} <= set(self.methods)
        return [*self.columns, *ours, *([BEST] if both else [])]

    def rows(self, reading: str) -> list[str]:
        """The rows in which something was measured."""
        return [
            row
            for row in self.published
            if any(self.test(row, method, reading) for method in self.methods)
        ]

    def paper(self, row: str) -> dict[str, float]:
        """The published row; "lcn-best" is compared with the paper's LCN."""
        values = dict(zip(self.columns, self.published[row], strict=True))
        return values | ({BEST: values["lcn"]} if "lcn" in values else {})

    def test(self, row: str, method: str, reading: str) -> list[float] | None:
        """Test accuracies, one per split, or None if the method was not run."""
        scores = self._scores(row, "lcn" if method == BEST else method, reading)
        if method == BEST:
            other = self._scores(row, "lcn-ls", reading)
            scores = better_of_two(scores, other) if scores and other else None
        return scores["test"] if scores else None

    def _scores(self, row: str, method: str, reading: str) -> dict[str, Any] | None:
        found: dict[str, Any] = self.results.get((row, method), {}).get("readings", {})
        if reading not in found and all(name.endswith("identity") for name in found):
            # This method does not use features, so its scores are the same with any features.
            reading = f"{reading.partition(' ')[0]} identity"
        return found.get(reading)

    def gaps(self, method: str, reading: str) -> dict[str, Gap]:
        """Row -> (our mean, its sd, the paper's number), for rows that have both."""
        found = {}
        for row in self.published:
            test, paper = self.test(row, method, reading), self.paper(row).get(method)
            if test and paper is not None:
                found[row] = (*mean_and_sd(test), paper)
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


def describe_reading(reading: str) -> str:
    """A reading in words.

    >>> describe_reading("70% identity")
    '70 % of the labels and identity features'
    """
    labels, _, features = reading.partition(" ")
    kind = {
        "identity": "identity features",
        "identity, released": "identity features, released hyper-parameters",
        "raw": "the raw features",
    }.get(features, features)
    return f"{labels.replace('%', ' %')} of the labels" + (f" and {kind}" if kind else "")


def comparison_section(table: ComparedTable, title: str, protocol: Sequence[str]) -> Section:
    """One table per reading, ϑ of the graphs, a picture, and what the numbers say."""
    return Section(
        title,
        [*protocol, *_explain_columns(table)],
        _verdict(table),
        [
            *(_accuracies(table, reading) for reading in table.readings),
            *_distances(table),
            *_intervals(table),
        ],
        _pictures(table),
    )


def _explain_columns(table: ComparedTable) -> list[str]:
    counts = {
        (row, method): len(next(iter(cell["readings"].values()))["test"])
        for (row, method), cell in table.results.items()
    }
    if not counts:
        return []
    most = max(counts.values())
    fewer = [f"{title_of(m)} on {row} ({n})" for (row, m), n in counts.items() if n < most]
    return [
        f"Every number is the mean over {most} split{'s' if most > 1 else ''} of the labels, "
        "with the sample standard deviation. Each split chooses its settings on its validation "
        f"nodes. {title_of('lcn')} propagates with the central Lovász kernel for the proven upper "
        "bound on ϑ in the last table; that kernel is optimal where the gap in the table is small. "
        f"{title_of('lcn-ls')} propagates with K_LS. For each split, {title_of(BEST)} uses the one "
        "of the two that does better on validation.",
        *(
            [f"These have fewer splits, because not all graphs were run: {'; '.join(fewer)}."]
            * bool(fewer)
        ),
    ]


def _accuracies(table: ComparedTable, reading: str) -> Table:
    rows = table.rows(reading)
    shown = table.shown
    body: list[list[Entry | str]] = []
    for row in rows:
        ours = {method: table.test(row, method, reading) for method in shown}
        paper = {name: v for name, v in table.paper(row).items() if name in table.columns}
        entries = compare_row(ours, paper)
        body.append([row, *(entries[method] for method in shown)])
    if len(rows) > 1:
        body.append([f"mean of {len(rows)} rows", *_means(table, reading, rows)])
    blind = [
        title_of(method)
        for method in table.columns
        if any((row, method) in table.results for row in rows)
        and not any(
            reading in table.results.get((row, method), {}).get("readings", {}) for row in rows
        )
    ]
    note = (
        f" These methods use no features, so their numbers are those with identity features: "
        f"{', '.join(blind)}."
        if blind
        else ""
    )
    return Table(
        f"Test accuracy in %, {describe_reading(reading)}.{note}",
        ["dataset", *map(title_of, shown)],
        body,
    )


def _means(table: ComparedTable, reading: str, rows: Sequence[str]) -> list[Entry]:
    """Means over the rows; a method that lacks a row has none, as it would not be comparable."""
    ours = {}
    for method in table.shown:
        tests = [table.test(row, method, reading) for row in rows]
        if all(tests):
            ours[method] = float(np.mean([mean_and_sd(test)[0] for test in tests if test]))
    paper = {
        method: float(np.mean([table.paper(row)[method] for row in rows]))
        for method in table.columns
    }
    marks = mark_best(ours, paper)
    return [
        Entry(
            f"{ours[method]:.1f}" if method in ours else "–",
            marks.get(method, ""),
            f"{paper[method]:.1f}" if method in paper else "",
        )
        for method in table.shown
    ]


def _distances(table: ComparedTable) -> list[Table]:
    """How far each method is from the paper in each reading."""
    rows: list[list[Entry | str]] = []
    for method in (*table.columns, BEST):
        found = table.distance(method)
        if not found:
            continue
        nearest = mark_best({name: -value for name, value in found.items()}, {})
        line = [
            Entry(f"{found[name]:.1f}", nearest[name]) if name in found else "–"
            for name in table.readings
        ]
        rows.append([title_of(method), *line])
    if not rows or len(table.readings) < 2:
        return []
    caption = (
        "Mean absolute difference from the paper in points, over the rows that were run. "
        f"{title_of(BEST)} is compared with the paper’s LCN. The nearest reading is marked."
    )
    return [Table(caption, ["method", *table.readings], rows)]


def _intervals(table: ComparedTable) -> list[Table]:
    """The proven bounds on ϑ behind the exact kernels."""
    rows: list[list[Entry | str]] = []
    for row in table.published:
        bounds = table.results.get((row, "lcn"), {}).get("theta")
        if not bounds:
            continue
        lower, upper = np.array(bounds, dtype=float).T
        gap = float(((upper - lower) / upper).max())
        ends = [_range(lower, format_down), _range(upper, format_up)]
        rows.append([row, f"{len(bounds)}", *ends, f"{gap:.0e}" if gap else "0"])
    if not rows:
        return []
    caption = (
        "Proven lower and upper bounds on ϑ of the graphs, and the largest relative gap between "
        "them. If a row has several graphs, each bound is given from its least to its greatest "
        "value."
    )
    return [Table(caption, ["dataset", "graphs", "ϑ ≥", "ϑ ≤", "gap"], rows)]


def _range(values: np.ndarray, outwards: Callable[[float, int], str]) -> str:
    """The least and the greatest value, rounded so that a bound stays a bound."""
    low, high = (outwards(float(v), 4) for v in (values.min(), values.max()))
    return low if low == high else f"{low} – {high}"


def _pictures(table: ComparedTable) -> list[Picture]:
    pairs = [
        (method, paper, table.gaps(method, table.headline))
        for method, paper in ((BEST, "lcn"), ("gcn", "gcn"))
    ]
    rows = [
        row
        for row in table.published
        if any(table.test(row, method, table.headline) for method, _, _ in pairs)
    ]
    if not rows:
        return []
    return [
        Picture(
            "accuracy",
            "Accuracies of LCN and GCN, ours and published, one line per dataset; the table has "
            "the numbers.",
            f"Our accuracies (filled, with one standard deviation) and the published ones "
            f"(hollow), with {describe_reading(table.headline)}. {title_of(BEST)} is compared "
            "with the paper’s LCN.",
            partial(draw_gaps, rows=rows, pairs=pairs),
            height=60 + 27 * len(rows),
        )
    ]


def _verdict(table: ComparedTable) -> list[str]:
    """Paragraphs on where we agree with the paper and where we do not."""
    if not table.readings:
        return []
    said = [_wins(table), _average(table)]
    said += [_differing(table, method, of) for method, of in ((BEST, "lcn"), ("gcn", "gcn"))]
    return [sentence for sentence in [*said, _closest(table)] if sentence]


def _wins(table: ComparedTable) -> str:
    """On how many rows LCN is above GCN."""
    parts = []
    for reading in table.readings:
        # If not all graphs of a row were run, use the splits that both methods have.
        pairs = [
            tuple(mean_and_sd(run)[0] for run in zip(*zip(lcn, gcn, strict=False), strict=True))
            for row in table.published
            if (lcn := table.test(row, BEST, reading)) and (gcn := table.test(row, "gcn", reading))
        ]
        if pairs:
            above = sum(lcn > gcn for lcn, gcn in pairs)
            lead = np.mean([lcn - gcn for lcn, gcn in pairs])
            parts.append(
                f"with {describe_reading(reading)} on {above} of {len(pairs)} rows "
                + f"({lead:+.1f} points on average)".replace("-", "−")
            )
    if not parts:
        return ""
    paper = [
        values for row in table.published if {"lcn", "gcn"} <= (values := table.paper(row)).keys()
    ]
    won = sum(values["lcn"] > values["gcn"] for values in paper)
    return (
        f"{title_of(BEST)} is above GCN {'; '.join(parts)}. "
        f"In the paper LCN is above GCN on {won} of {len(paper)} rows."
    )


def _average(table: ComparedTable) -> str:
    """Our mean over the rows against the paper's mean over the same rows."""
    gaps = table.gaps(BEST, table.headline)
    if not gaps:
        return ""
    ours, paper = (float(np.mean([gap[k] for gap in gaps.values()])) for k in (0, 2))
    return (
        f"With {describe_reading(table.headline)}, {title_of(BEST)} reaches {ours:.1f} % on "
        f"average over {_rows(len(gaps))}; the paper’s LCN has {paper:.1f} % there."
    )


def _differing(table: ComparedTable, method: str, of: str) -> str:
    """The rows that differ from the paper by more than 2 standard deviations or 3 points."""
    gaps = table.gaps(method, table.headline)
    if not gaps:
        return ""
    far = [
        f"{row} {write_mean_sd(mean, sd)} against {paper:.1f}"
        for row, (mean, sd, paper) in gaps.items()
        if abs(mean - paper) > 3 or abs(mean - paper) > 2 * sd
    ]
    start = f"{title_of(method)} with {describe_reading(table.headline)}"
    if not far:
        return (
            f"{start} is within 3 points and 2 standard deviations of the paper’s {title_of(of)} "
            f"on {_rows(len(gaps))}."
        )
    return (
        f"{start} differs from the paper’s {title_of(of)} by more than 3 points or 2 standard "
        f"deviations on {len(far)} of {_rows(len(gaps))}: {'; '.join(far)}."
    )


def _rows(count: int) -> str:
    return "the one row that was run" if count == 1 else f"the {count} rows that were run"


def _closest(table: ComparedTable) -> str:
    """Which reading is nearest to the paper, for which methods."""
    nearest: dict[str, list[str]] = {}
    for method in (*table.columns, BEST):
        found = table.distance(method)
        if len(found) > 1:
            reading = min(found, key=lambda name: found[name])
            nearest.setdefault(reading, []).append(f"{title_of(method)} ({found[reading]:.1f})")
    if not nearest:
        return ""
    parts = [f"{describe_reading(reading)} for {', '.join(m)}" for reading, m in nearest.items()]
    return (
        "The reading nearest to the paper, with the mean distance in points, is "
        f"{'; '.join(parts)}."
    )
