"""Numbers as the page writes them, and the colours and curves of its pictures.

Nothing here imports matplotlib before a picture is drawn: cells are measured without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.rounding import format_down, format_up
from lovasz.pages.reproduction.section import Entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOT_RUN = "not run"
Curve = tuple[Sequence[float], Sequence[float]]
"""Means and standard deviations."""


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation; that of one value is not known (NaN).

    >>> spread([1.0, 3.0])
    (2.0, 1.4142135623730951)
    """
    numbers = np.asarray(values, dtype=float)
    sd = float(numbers.std(ddof=1)) if numbers.size > 1 else float("nan")
    return float(numbers.mean()), sd


def curve(runs: Sequence[Sequence[float] | None]) -> Curve:
    """Means and standard deviations of a run a point; NaN where there is none."""
    pairs = [spread(run) if run else (float("nan"), float("nan")) for run in runs]
    return [mean for mean, _ in pairs], [sd for _, sd in pairs]


def mean_sd(values: Sequence[float] | None, digits: int = 1) -> str:
    """Mean and standard deviation in few digits.

    >>> mean_sd([81.0, 85.0]), mean_sd([81.0]), mean_sd(None)
    ('83.0 ± 2.8', '81.0', 'not run')
    """
    return write_mean_sd(*spread(values), digits) if values else NOT_RUN


def write_mean_sd(mean: float, sd: float, digits: int = 1) -> str:
    """A mean and a standard deviation, if there is one, in few digits."""
    if not np.isfinite(sd):
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ± {sd:.{digits}f}"


def interval(lower: float, upper: float) -> str:
    """An interval rounded outwards to a digit past those its ends share; one number if it is one.

    >>> interval(100.0, 100.0), interval(11.371403, 11.371473), interval(162.89, 163.38)
    ('100', '11.37140–11.37148', '162.8–163.4')
    """
    if lower == upper:
        return f"{lower:.10g}"
    digits = max(0, math.ceil(-math.log10(upper - lower)))
    return f"{format_down(lower, digits)}–{format_up(upper, digits)}"


def mark_best(
    ours: Mapping[str, float], paper: Mapping[str, float], digits: int = 1
) -> dict[str, str]:
    """Name -> mark of :class:`Entry`: the highest of ours, the highest of the paper's.

    Equal in the digits shown is equal. Nobody is best alone.

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


def compared(
    ours: Mapping[str, Sequence[float] | None], paper: Mapping[str, float], digits: int = 1
) -> dict[str, Entry]:
    """A row of a table: name -> our mean ± sd with the paper's number, the best of both marked."""
    means = {name: spread(values)[0] for name, values in ours.items() if values}
    marks = mark_best(means, paper, digits)
    return {
        name: Entry(
            mean_sd(values, digits),
            marks.get(name, ""),
            f"{paper[name]:.{digits}f}" if name in paper else "",
        )
        for name, values in ours.items()
    }


def better(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Split by split the one that does better on validation: accuracy, then loss, then first.

    Both as :meth:`lovasz.reproduce.engine.methods.Scores.as_json` writes them; as far as both go.
    """
    keys = zip(
        first["validation"], first["loss"], second["validation"], second["loss"], strict=False
    )
    chosen = [second if (b, -lb) > (a, -la) else first for a, la, b, lb in keys]
    return {
        name: [scores[name][k] for k, scores in enumerate(chosen)]
        for name in ("test", "validation", "loss", "setting")
    }


def hue(method: str) -> str:
    """The colour of a method, the same on the whole page; of what is no method, a grey.

    "lcn-best" has the colour of "lcn": a picture shows the one or the other.
    """
    from lovasz.pages.style import NEITHER, PALETTE

    places = {
        "lcn": 0, "lcn-best": 0, "lcn-ls": 2, "gpnn": 1, "un-lap": 3, "node2vec": 4,
        "spore": 7, "gcn-raw": 6, "n-lap": 8, "ks": 9, "bayes": 5,
    }  # fmt: skip
    return PALETTE[places[method]] if method in places else NEITHER


def title_of(method: str) -> str:
    """A method as the page writes it; other names as they are."""
    from lovasz.reproduce.engine.methods import NAMES

    return NAMES.get(method, method)


def bands(
    axes: Axes, x: Sequence[float], curves: Mapping[str, Curve], *, legend: bool = True
) -> None:
    """A line a method with a band of one standard deviation, and a legend above the figure.

    Where several axes of a figure show the same methods, one ``legend`` is enough.
    """
    lines = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))
    for number, (name, (mean, sd)) in enumerate(curves.items()):
        middle, width = np.asarray(mean, dtype=float), np.asarray(sd, dtype=float)
        # Colours may be lost in print; shapes and dashes are not.
        axes.plot(
            x, middle, color=hue(name), label=title_of(name), linewidth=1.6, markersize=4.5,
            marker="os^Dv"[number % 5], linestyle=lines[number % 4],
        )  # fmt: skip
        axes.fill_between(
            x, middle - width, middle + width, color=hue(name), alpha=0.16, linewidth=0
        )
    if legend:
        handles, labels = axes.get_legend_handles_labels()
        axes.figure.legend(handles, labels, loc="outside upper left", ncols=3, handlelength=2.6)
