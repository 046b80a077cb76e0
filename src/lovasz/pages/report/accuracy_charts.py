"""Charts of the accuracy by split, by class, by confidence and by epoch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lovasz.base.extras import needed_for
from lovasz.pages import style
from lovasz.pages.report.report import Method
from lovasz.pages.report.statistics import ReliabilityBins, score
from lovasz.pages.style import FAINT, INK, PAPER, columns, cut_names, cut_text

with needed_for("a page"):
    from matplotlib.axes import Axes
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import MaxNLocator

WRITTEN_CLASSES = 12
"""Confusion matrices of at most this many classes show counts in their cells."""


def paint_accuracy(figure: Figure, methods: Sequence[Method], baseline: float) -> None:
    """Draw one row per method and one dot per split, with mean and standard deviation above."""
    axes = figure.subplots()
    low, high = accuracy_range(methods, baseline)
    if low < baseline < high:
        axes.axvline(baseline, color=FAINT, linestyle=(0, (4, 3)), linewidth=1)
    for row, method in enumerate(methods):
        percent = np.sort(100 * np.asarray(method.accuracy, dtype=float))
        hue = style.METHODS[row % len(style.METHODS)]
        axes.plot(
            percent, row + 0.02 + 0.1 * _stacked(percent, (high - low) / 45), "o", color=hue,
            markersize=5.5, markeredgecolor=PAPER, markeredgewidth=0.6, clip_on=False, zorder=3,
        )  # fmt: skip
        s = score(method)
        if s.sd is not None:
            ends = np.clip([s.mean - s.sd, s.mean + s.sd], 0, 100)
            axes.plot(ends, [row - 0.2] * 2, color=hue, linewidth=2)
        axes.plot(
            s.mean, row - 0.2, "|", color=INK, markersize=10, markeredgewidth=2.2, clip_on=False
        )
    axes.set_yticks(range(len(methods)), [cut_text(m.name, 22) for m in methods])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(methods) - 0.42, -0.5)
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=high - low > 6))
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("accuracy on held-out nodes, %")


def accuracy_range(methods: Sequence[Method], baseline: float) -> tuple[float, float]:
    """Return the ends of the axis of accuracies, in percent and never beyond 0 and 100.

    The baseline is inside only if it does not squeeze the dots of the methods together.
    """
    low, high = np.inf, -np.inf
    for method in methods:
        s, sd = score(method), score(method).sd or 0.0
        low, high = min(low, s.low, s.mean - sd), max(high, s.high, s.mean + sd)
    room = max(0.06 * (high - low), 0.5)
    if max(high, baseline) - min(low, baseline) <= 2.5 * (high - low):
        low, high = min(low, baseline), max(high, baseline)
    return max(low - room, 0.0), min(high + room, 100.0)


def _stacked(values: np.ndarray, width: float) -> np.ndarray:
    """Return a level for each of the sorted values, so that close ones do not overlap.

    Values closer than ``width`` get different levels, of which a row has room for five.
    """
    levels = np.zeros(values.size)
    last = np.full(5, -np.inf)
    for k, value in enumerate(values):
        free = np.flatnonzero(value - last >= width)
        level = free[0] if free.size else int(last.argmin())
        levels[k], last[level] = level, value
    return levels


def paint_confusion(
    figure: Figure, counts: np.ndarray, classes: Sequence[str], others: int = 0
) -> None:
    """Draw one row per true class; the shade is the share of the row, blue right, orange wrong.

    If ``others`` is not 0, the last row and column sum up that many more classes. Answers from
    one of those to another may be right or wrong, so their cell is grey.
    """
    axes = figure.subplots()
    size = len(counts)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    if size <= WRITTEN_CLASSES:
        _write_cells(axes, counts, share)
    else:
        # The square root makes small shares of many classes visible.
        image = np.zeros((size, size, 4))
        image[..., :3] = to_rgb(style.WRONG)
        image[np.eye(size, dtype=bool), :3] = to_rgb(style.RIGHT)
        if others:
            image[-1, -1, :3] = to_rgb(style.NEITHER)
        image[..., 3] = np.sqrt(share) * 0.95
        axes.imshow(image, interpolation="nearest", zorder=0)
    axes.set_xlim(-0.5, size - 0.5)
    axes.set_ylim(size - 0.5, -0.5)
    axes.set_aspect("auto")
    names = cut_names(classes, 18)
    if others:
        names.append(f"{others:,} others")
    flat = max(map(columns, names)) * size <= 44
    axes.set_xticks(range(size), names, rotation=0 if flat else 90)
    axes.set_yticks(range(size), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")


def _write_cells(axes: Axes, counts: np.ndarray, share: np.ndarray) -> None:
    font = min(11.0, 110 / len(counts))
    for (row, column), count in np.ndenumerate(counts):
        hue = style.RIGHT if row == column else style.WRONG
        # A darker cell would make the count, which is written on top, hard to read.
        opacity = 0.6 * share[row, column]
        axes.add_patch(
            Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, facecolor=hue, alpha=opacity, lw=0)
        )
        axes.add_patch(
            Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fill=False, ec=FAINT, lw=0.4)
        )
        text = f"{count:,}" if count < 100_000 else f"{count / 1000:,.0f}k"
        axes.text(column, row, text, ha="center", va="center", fontsize=font)


def paint_reliability(
    figure: Figure, names: Sequence[str], bins: Sequence[ReliabilityBins]
) -> None:
    """Draw accuracy against confidence, and below it the bin counts of the first method."""
    top, bottom = figure.subplots(2, 1, height_ratios=[3, 1], sharex=True)
    top.plot([0, 100], [0, 100], color=FAINT, linestyle=(0, (4, 3)), linewidth=1)
    for k in range(len(bins)):
        filled = bins[k].count > 0
        x, y = 100 * bins[k].confidence[filled], 100 * bins[k].accuracy[filled]
        hue = style.METHODS[k % len(style.METHODS)]
        # The area shows the number of nodes; bins with next to none are small and not connected.
        area = 5 + 75 * bins[k].count[filled] / bins[k].count.max()
        held = bins[k].count[filled] >= 0.02 * bins[k].count.sum()
        top.plot(x[held], y[held], color=hue, linewidth=1.2, alpha=0.6, zorder=3 - 0.1 * k)
        top.scatter(
            x, y, area, color=hue, edgecolor=PAPER, linewidth=0.6, zorder=3 - 0.1 * k,
            marker="os"[k > 0], label=cut_text(names[k], 22),
        )  # fmt: skip
    figure.legend(
        *top.get_legend_handles_labels(), loc="outside upper left", ncols=2, handletextpad=0.2
    )
    top.set_ylabel("right, %")
    top.set_ylim(-3, 103)
    _bin_counts(bottom, bins[0].count)


def _bin_counts(axes: Axes, count: np.ndarray) -> None:
    width = 100 / len(count)
    centre = width * (np.arange(len(count)) + 0.5)
    axes.bar(centre, count, width * 0.9, color=style.METHODS[0], alpha=0.55)
    for x, y in zip(centre, count, strict=True):
        if y:
            text = f"{y:,}" if y < 10_000 else f"{y / 1000:,.0f}k"
            axes.annotate(text, (x, y), (0, 2), textcoords="offset points", ha="center", fontsize=8)
    axes.set_ylim(0, max(1, count.max()) * 1.35)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, 100)
    axes.set_xlabel("confidence, %")
    axes.set_ylabel("nodes")


def paint_losses(figure: Figure, methods: Sequence[Method]) -> None:
    """Draw the cross-entropy by epoch: validation as a solid line, training dashed."""
    axes = figure.subplots()
    for k, method in enumerate(methods):
        hue = style.METHODS[k % len(style.METHODS)]
        name = cut_text(method.curve_name, 22)
        _band(axes, method.validation_loss, hue, name + ", validation")
        _band(axes, method.train_loss, hue, name + ", training", dashed=True)
    axes.set_ylim(bottom=0)
    _finish_curves(axes, "loss")


def paint_validation_accuracy(figure: Figure, methods: Sequence[Method]) -> None:
    """Draw the accuracy on the validation nodes by epoch."""
    axes = figure.subplots()
    for k, method in enumerate(methods):
        hue = style.METHODS[k % len(style.METHODS)]
        curves = 100 * np.asarray(method.validation_accuracy)
        _band(axes, curves, hue, cut_text(method.curve_name, 22), most=100)
    _finish_curves(axes, "validation accuracy, %")


def _finish_curves(axes: Axes, ylabel: str) -> None:
    axes.set_xlabel("epoch")
    axes.set_ylabel(ylabel)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        axes.figure.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=9)


def _band(
    axes: Axes,
    curves: np.ndarray,
    hue: str,
    label: str,
    dashed: bool = False,
    most: float = np.inf,
) -> None:
    """Draw the mean over the splits with a band of one standard deviation between 0 and ``most``.

    Curves hold NaN after the epoch at which a split stopped.
    """
    curves = np.asarray(curves, dtype=float)
    alive = np.isfinite(curves).any(axis=1) if curves.size else np.zeros(0, dtype=bool)
    epochs = np.flatnonzero(alive)
    epochs = epochs[:: max(1, epochs.size // 300)]  # no screen shows more
    if not epochs.size:
        return
    mean, sd = np.nanmean(curves[epochs], axis=1), np.nanstd(curves[epochs], axis=1)
    dashes = (0, (3, 2)) if dashed else "-"
    axes.plot(epochs + 1, mean, color=hue, linewidth=1.5, linestyle=dashes, label=label)
    low, high = np.clip([mean - sd, mean + sd], 0, most)
    axes.fill_between(epochs + 1, low, high, color=hue, alpha=0.18, linewidth=0)
