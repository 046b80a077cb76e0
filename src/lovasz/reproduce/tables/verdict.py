"""What the numbers of a table say, in sentences made of them."""

from __future__ import annotations

import numpy as np

from lovasz.reproduce.tables.accuracies import BEST, Accuracies, describe
from lovasz.reproduce.tables.summary import spread, title_of, write_mean_sd


def verdict(table: Accuracies) -> list[str]:
    """Paragraphs on where we agree with the paper and where not."""
    if not table.readings:
        return []
    said = [_wins(table), _average(table)]
    said += [_differing(table, method, of) for method, of in ((BEST, "lcn"), ("gcn", "gcn"))]
    return [sentence for sentence in [*said, _closest(table)] if sentence]


def _wins(table: Accuracies) -> str:
    """On how many rows LCN is above GCN."""
    parts = []
    for reading in table.readings:
        # Of a row that not all graphs of were run, the splits that both have.
        pairs = [
            tuple(spread(run)[0] for run in zip(*zip(lcn, gcn, strict=False), strict=True))
            for row in table.published
            if (lcn := table.test(row, BEST, reading)) and (gcn := table.test(row, "gcn", reading))
        ]
        if pairs:
            above = sum(lcn > gcn for lcn, gcn in pairs)
            lead = np.mean([lcn - gcn for lcn, gcn in pairs])
            parts.append(
                f"with {describe(reading)} on {above} of {len(pairs)} rows "
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


def _average(table: Accuracies) -> str:
    """Our mean over the rows against the paper's over the same rows."""
    gaps = table.gaps(BEST, table.headline)
    if not gaps:
        return ""
    ours, paper = (float(np.mean([gap[k] for gap in gaps.values()])) for k in (0, 2))
    return (
        f"With {describe(table.headline)}, {title_of(BEST)} reaches {ours:.1f} % on average over "
        f"{_rows(len(gaps))}; the paper’s LCN has {paper:.1f} % there."
    )


def _differing(table: Accuracies, method: str, of: str) -> str:
    """The rows that are off by more than 2 standard deviations or 3 points."""
    gaps = table.gaps(method, table.headline)
    if not gaps:
        return ""
    far = [
        f"{row} {write_mean_sd(mean, sd)} against {paper:.1f}"
        for row, (mean, sd, paper) in gaps.items()
        if abs(mean - paper) > 3 or abs(mean - paper) > 2 * sd
    ]
    start = f"{title_of(method)} with {describe(table.headline)}"
    if not far:
        return (
            f"{start} is within 3 points and 2 standard deviations of the paper’s {title_of(of)} "
            f"on {_rows(len(gaps))}."
        )
    return (
        f"{start} is off the paper’s {title_of(of)} by more than 3 points or 2 standard deviations "
        f"on {len(far)} of {_rows(len(gaps))}: {'; '.join(far)}."
    )


def _rows(count: int) -> str:
    return "the one row that was run" if count == 1 else f"the {count} rows that were run"


def _closest(table: Accuracies) -> str:
    """Which reading is nearest to the paper, for which methods."""
    nearest: dict[str, list[str]] = {}
    for method in (*table.columns, BEST):
        found = table.distance(method)
        if len(found) > 1:
            reading = min(found, key=lambda name: found[name])
            nearest.setdefault(reading, []).append(f"{title_of(method)} ({found[reading]:.1f})")
    if not nearest:
        return ""
    parts = [f"{describe(reading)} for {', '.join(m)}" for reading, m in nearest.items()]
    return f"Nearest to the paper, with the mean distance in points: {'; '.join(parts)}."
