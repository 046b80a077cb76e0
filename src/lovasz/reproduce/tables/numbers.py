"""How the page writes numbers, marks the best of a row, and draws curves.

matplotlib is imported only when a picture is drawn, so cells can be measured without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.rounding import format_down, format_up
from lovasz.pages.reproduction.section import Entry
from lovasz.reproduce.engine.cells import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOT_RUN = "not run"
"""What a table shows where nothing was measured."""
Curve = tuple[Sequence[float], Sequence[float]]
"""Means and standard deviations, one of each per point."""
Gap = tuple[float, float, float]
"""Our mean, its standard deviation and the published number."""


def accuracies_of(results: Results, row: str, method: str, reading: str) -> Sequence[float] | None:
    """Test accuracies in per cent, one per run, or None if the cell or the reading is missing."""
    found: dict[str, dict[str, list[float]]] = results.get((row, method), {}).get("readings", {})
    return found.get(reading, {}).get("test")


def headline(
    results: Results, row: str, method: str, *, reading: str
) -> tuple[float, float] | None:
    """Our mean and standard deviation in one reading, for :attr:`Item.headline`."""
    test = accuracies_of(results, row, method, reading)
    return mean_and_sd(test) if test else None


def flatten(
    published: Mapping[str, Sequence[float]], columns: Sequence[str]
) -> dict[tuple[str, str], float]:
    """Published rows in the form of :attr:`Item.published`.

    A row may have more numbers than ``columns``; those after the last column are left out.
    """
    return {
        (row, method): value
        for row, values in published.items()
        for method, value in zip(columns, values, strict=False)
    }


def mean_and_sd(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation, which is NaN for a single value.

    >>> mean_and_sd([1.0, 3.0])
    (2.0, 1.4142135623730951)
    """
    numbers = np.asarray(values, dtype=float)
    sd = float(numbers.std(ddof=1)) if numbers.size > 1 else float("nan")
    return float(numbers.mean()), sd


def curve(runs: Sequence[Sequence[float] | None]) -> Curve:
    """Means and standard deviations of the runs at each point, NaN where there are no runs."""
    pairs = [mean_and_sd(run) if run else (float("nan"), float("nan")) for run in runs]
    return [mean for mean, _ in pairs], [sd for _, sd in pairs]


def write_runs(values: Sequence[float] | None, digits: int = 1) -> str:
    """Mean and standard deviation of some runs as text.

    >>> write_runs([81.0, 85.0]), write_runs([81.0]), write_runs(None)
    ('83.0 ± 2.8', '81.0', 'not run')
    """
    return write_mean_sd(*mean_and_sd(values), digits) if values else NOT_RUN


def write_mean_sd(mean: float, sd: float, digits: int = 1) -> str:
    """A mean and its standard deviation as text; a standard deviation of NaN is left out."""
    if not np.isfinite(sd):
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ± {sd:.{digits}f}"


def write_interval(lower: float, upper: float) -> str:
    """An interval, rounded outwards to one digit more than its ends share.

    An interval of one point is written as a number.

    >>> write_interval(100.0, 100.0), write_interval(11.371403, 11.371473)
    ('100', '11.37140–11.37148')
    >>> write_interval(162.89, 163.38)
    '162.8–163.4'
    """
    if lower == upper:
        return f"{lower:.10g}"
    digits = max(0, math.ceil(-math.log10(upper - lower)))
    return f"{format_down(lower, digits)}–{format_up(upper, digits)}"


def mark_best(
    ours: Mapping[str, float], paper: Mapping[str, float], digits: int = 1
) -> dict[str, str]:
    """Map each name to a mark of :class:`Entry`: highest of ours, highest of the paper's.

    Numbers that agree in the digits shown count as equal. A single number is not marked.

    >>> mark_best({"gcn": 70.04, "lcn": 70.0}, {"gcn": 60.0, "lcn": 80.0})
    {'gcn': 'ours', 'lcn': 'both'}
    """
    first, second = _highest(ours, digits), _highest(paper, digits)
    names = dict.fromkeys([*ours, *paper])
    words = {(True, True): "both", (True, False): "ours", (False, True): "paper"}
    return {name: words.get((name in first, name in second), "") for name in names}


def _highest(values: Mapping[str, float], digits: int) -> set[str]:
    rounded = {name: round(value, digits) for name, value in values.items()}
    top = max(rounded.values(), default=0.0)
    return {name for name, value in rounded.items() if value == top} if len(rounded) > 1 else set()


def compare_row(
    ours: Mapping[str, Sequence[float] | None], paper: Mapping[str, float], digits: int = 1
) -> dict[str, Entry]:
    """The entries of one table row by method: our mean ± sd, the paper's number, the marks."""
    means = {name: mean_and_sd(values)[0] for name, values in ours.items() if values}
    marks = mark_best(means, paper, digits)
    return {
        name: Entry(
            write_runs(values, digits),
            marks.get(name, ""),
            f"{paper[name]:.{digits}f}" if name in paper else "",
        )
        for name, values in ours.items()
    }


def better_of_two(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, list[Any]]:
    """For each split, the scores of the method that does better on validation.

    Accuracy decides, then loss, then the first wins. Both arguments are as
    :meth:`lovasz.reproduce.engine.methods.Scores.as_json` writes them; splits that only one of
    them has are left out.
    """
    keys = zip(
        first["validation"], first["loss"], second["validation"], second["loss"], strict=False
    )
    chosen = [second if (b, -lb) > (a, -la) else first for a, la, b, lb in keys]
    return {
        name: [scores[name][k] for k, scores in enumerate(chosen)]
        for name in ("test", "validation", "loss", "setting")
    }


def color_of(method: str) -> str:
    """The colour of a method, the same on the whole page; grey for anything else.

    "lcn-best" has the colour of "lcn", because no picture shows both.
    """
    from lovasz.pages.style import NEITHER, PALETTE

    places = {
        "lcn": 0, "lcn-best": 0, "lcn-ls": 2, "gpnn": 1, "un-lap": 3, "node2vec": 4,
        "spore": 7, "gcn-raw": 6, "n-lap": 8, "ks": 9, "bayes": 5,
    }  # fmt: skip
    return PALETTE[places[method]] if method in places else NEITHER


def title_of(method: str) -> str:
    """The name of a method on the page; a name that is not a method is returned unchanged."""
    from lovasz.reproduce.engine.methods import NAMES

    return NAMES.get(method, method)


def draw_bands(
    axes: Axes, x: Sequence[float], curves: Mapping[str, Curve], *, legend: bool = True
) -> None:
    """Draw one line per method with a band of one standard deviation, and a legend above.

    If several axes of a figure show the same methods, one of them needs the ``legend``.
    """
    lines = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))
    for number, (name, (mean, sd)) in enumerate(curves.items()):
        middle, width = np.asarray(mean, dtype=float), np.asarray(sd, dtype=float)
        # Markers and dashes tell the methods apart where colours are lost in print.
        axes.plot(
            x, middle, color=color_of(name), label=title_of(name), linewidth=1.6, markersize=4.5,
            marker="os^Dv"[number % 5], linestyle=lines[number % 4],
        )  # fmt: skip
        axes.fill_between(
            x, middle - width, middle + width, color=color_of(name), alpha=0.16, linewidth=0
        )
    if legend:
        handles, labels = axes.get_legend_handles_labels()
        axes.figure.legend(handles, labels, loc="outside upper left", ncols=3, handlelength=2.6)


def draw_gaps(
    figure: Figure,
    rows: Sequence[str],
    pairs: Sequence[tuple[str, str, Mapping[str, Gap]]],
) -> None:
    """Draw one line per row with two methods on it, ours joined to the published number.

    ``pairs`` holds (our method, the paper's method, row -> :data:`Gap`), the upper one first.
    """
    from lovasz.pages.style import FAINT, PAPER

    axes = figure.subplots()
    for (method, published, gaps), shift, marker in zip(pairs, (-0.17, 0.17), "os", strict=True):
        color = color_of(method)
        look: Any = {"color": color, "linestyle": "none", "marker": marker}
        places = [k + shift for k, row in enumerate(rows) if row in gaps]
        found = [gaps[row] for row in rows if row in gaps]
        if not found:
            continue
        ours, sds, paper = (np.array(column) for column in zip(*found, strict=True))
        axes.hlines(places, ours, paper, color=color, linewidth=0.9, alpha=0.55)
        low, high = ours - np.nan_to_num(sds), np.minimum(100, ours + np.nan_to_num(sds))
        axes.hlines(places, low, high, color=color, linewidth=4.5, alpha=0.3)
        axes.plot(
            paper, places, **look, markersize=5, markerfacecolor=PAPER, markeredgewidth=1.3,
            clip_on=False, label=f"{title_of(published)}, published",
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
