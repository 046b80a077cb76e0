"""Tables of datasets by methods, our accuracies beside the published ones.

What a cell holds: ``{"readings": {"70% identity": {"test": [...], "validation": [...], "loss":
[...], "setting": [...]}, ...}, "theta": [[lower, upper], ...]}``, accuracies in per cent. Any cell
may be missing; nothing is said of what was not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.rounding import format_down, format_up
from lovasz.pages.reproduction.section import Entry, Picture, Section, Table
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.tables.accuracies import BEST, Accuracies, describe
from lovasz.reproduce.tables.summary import compared, hue, mark_best, spread, title_of
from lovasz.reproduce.tables.verdict import verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def section(
    results: Results,
    *,
    title: str,
    published: Mapping[str, Sequence[float]],
    columns: Sequence[str],
    methods: Sequence[str],
    headline: str = "70% identity",
    protocol: Sequence[str] = (),
) -> Section:
    """Every reading as a table, ϑ of the graphs, a picture, and what the numbers say.

    ``published`` has a number for each of ``columns``; ``methods`` are all that are run.
    ``headline`` is the reading that the text and the picture are about.
    """
    table = Accuracies(results, published, columns, methods, headline)
    return Section(
        title,
        [*protocol, *_read(table)],
        verdict(table),
        [
            *(_accuracies(table, reading) for reading in table.readings),
            *_distances(table),
            *_intervals(table),
        ],
        _pictures(table),
    )


def headline(
    results: Results, row: str, method: str, *, reading: str = "70% identity"
) -> tuple[float, float] | None:
    """Our mean and standard deviation in one reading, for :attr:`Item.headline`."""
    scores = results.get((row, method), {}).get("readings", {}).get(reading)
    return spread(scores["test"]) if scores else None


def flatten(
    published: Mapping[str, Sequence[float]], columns: Sequence[str]
) -> dict[tuple[str, str], float]:
    """Rows of published numbers as :attr:`Item.published` takes them."""
    return {
        (row, method): value
        for row, values in published.items()
        for method, value in zip(columns, values, strict=True)
    }


def _read(table: Accuracies) -> list[str]:
    counts = {
        (row, method): len(next(iter(cell["readings"].values()))["test"])
        for (row, method), cell in table.results.items()
    }
    if not counts:
        return []
    most = max(counts.values())
    fewer = [f"{title_of(m)} on {row} ({n})" for (row, m), n in counts.items() if n < most]
    return [
        f"Every number is a mean over {most} split{'s' if most > 1 else ''} of the labels with "
        "their sample standard deviation. Every split chooses its settings on its validation "
        f"nodes. {title_of('lcn')} propagates with the central Lovász kernel for the proven upper "
        "bound on ϑ in the last table: optimal where the gap there is small. "
        f"{title_of('lcn-ls')} propagates with K_LS, and {title_of(BEST)} with the one that does "
        "better on validation, split by split.",
        *(
            [f"Over fewer splits, not all graphs having been run: {'; '.join(fewer)}."]
            * bool(fewer)
        ),
    ]


def _accuracies(table: Accuracies, reading: str) -> Table:
    rows = table.rows(reading)
    shown = table.shown
    body: list[list[Entry | str]] = []
    for row in rows:
        ours = {method: table.test(row, method, reading) for method in shown}
        paper = {name: v for name, v in table.paper(row).items() if name in table.columns}
        entries = compared(ours, paper)
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
    note = f" Without features, so as with identity: {', '.join(blind)}." if blind else ""
    return Table(
        f"Test accuracy in %, {describe(reading)}.{note}",
        ["dataset", *map(title_of, shown)],
        body,
    )


def _means(table: Accuracies, reading: str, rows: Sequence[str]) -> list[Entry]:
    """Means over the rows; of a method that lacks one, none: it would be a mean of others."""
    ours = {}
    for method in table.shown:
        tests = [table.test(row, method, reading) for row in rows]
        if all(tests):
            ours[method] = float(np.mean([spread(test)[0] for test in tests if test]))
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


def _distances(table: Accuracies) -> list[Table]:
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
        "Mean absolute difference to the paper in points, over the rows that were run; "
        f"{title_of(BEST)} against the paper’s LCN. The nearest reading is marked."
    )
    return [Table(caption, ["method", *table.readings], rows)]


def _intervals(table: Accuracies) -> list[Table]:
    """The proven bounds on ϑ behind the exact kernels."""
    rows: list[list[Entry | str]] = []
    for row in table.published:
        bounds = table.results.get((row, "lcn"), {}).get("theta")
        if not bounds:
            continue
        lower, upper = np.array(bounds, dtype=float).T
        gap = float(((upper - lower) / upper).max())
        rows.append(
            [
                row,
                f"{len(bounds)}",
                _range(lower, format_down),
                _range(upper, format_up),
                f"{gap:.0e}" if gap else "0",
            ]
        )
    if not rows:
        return []
    caption = (
        "ϑ of the graphs: proven lower and upper bounds (from the least to the greatest where a "
        "row has several graphs) and the largest relative gap between them."
    )
    return [Table(caption, ["dataset", "graphs", "ϑ ≥", "ϑ ≤", "gap"], rows)]


def _range(values: np.ndarray, outwards: Callable[[float, int], str]) -> str:
    """From the least to the greatest, rounded so that a bound stays one."""
    low, high = (outwards(float(v), 4) for v in (values.min(), values.max()))
    return low if low == high else f"{low} – {high}"


def _pictures(table: Accuracies) -> list[Picture]:
    rows = [
        row
        for row in table.published
        if any(table.test(row, method, table.headline) for method in (BEST, "gcn"))
    ]
    if not rows:
        return []
    return [
        Picture(
            "accuracy",
            "Accuracies of LCN and GCN, ours and published, a row a dataset; the table has them.",
            f"Ours (filled, with one standard deviation) and published (hollow); "
            f"{describe(table.headline)}. {title_of(BEST)} stands against the paper’s LCN.",
            partial(_dots, table=table, rows=rows),
            height=60 + 27 * len(rows),
        )
    ]


def _dots(figure: Figure, table: Accuracies, rows: Sequence[str]) -> None:
    """A row a dataset: LCN above, GCN below, ours joined to the published number."""
    from lovasz.pages.style import FAINT, PAPER

    axes = figure.subplots()
    for method, shift, marker in ((BEST, -0.17, "o"), ("gcn", 0.17, "s")):
        gaps = table.gaps(method, table.headline)
        colour = hue(method)
        look: Any = {"color": colour, "linestyle": "none", "marker": marker}
        places = [k + shift for k, row in enumerate(rows) if row in gaps]
        found = [gaps[row] for row in rows if row in gaps]
        if not found:
            continue
        ours, sds, paper = (np.array(column) for column in zip(*found, strict=True))
        axes.hlines(places, ours, paper, color=colour, linewidth=0.9, alpha=0.55)
        low, high = ours - np.nan_to_num(sds), np.minimum(100, ours + np.nan_to_num(sds))
        axes.hlines(places, low, high, color=colour, linewidth=4.5, alpha=0.3)
        axes.plot(
            paper, places, **look, markersize=5, markerfacecolor=PAPER, markeredgewidth=1.3,
            clip_on=False, label=f"{title_of('lcn' if method == BEST else method)}, published",
        )  # fmt: skip
        axes.plot(
            ours, places, **look, markersize=5.5, clip_on=False, zorder=4,
            label=f"{title_of(method)}, ours",
        )  # fmt: skip
    for k in range(1, len(rows)):
        axes.axhline(k - 0.5, color=FAINT, linewidth=0.3)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("test accuracy, %")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=9, handletextpad=0.2)
