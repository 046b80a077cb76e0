"""What auto expects of itself on the rows of the comparison of defaults, and how often it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lovasz.base.text import pluralize
from lovasz.pages.reproduction.section import Entry, Table
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.engine.classifier_runs import coverage, write_shares
from lovasz.reproduce.items.defaults.pattern_rows import PATTERNS
from lovasz.reproduce.items.defaults.task_rows import (
    BARE,
    CITATION,
    DRAWN,
    GRAPHS,
    LABELS_ONLY,
    LARGE,
    SHARES,
    SKLEARN_TABLES,
    TABLES,
)
from lovasz.reproduce.items.uci_mnist import UCI
from lovasz.reproduce.tables.numbers import write_runs

Scores = Mapping[str, Any]
"""The scores of all runs of one method on one row."""
GOAL = 93.0
"""The share of fits in per cent whose interval is to hold the test accuracy."""


def _tables(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name} {share}" for name in names for share in SHARES)


KINDS_OF_DATA: dict[str, tuple[str, ...]] = {
    "dense blocks": ("3 blocks .7/.6", "2 blocks .5/.45"),
    "sparse blocks": ("3 blocks, sparse",),
    "degree-corrected blocks": ("3 blocks, degree-corrected",),
    "heterophilous blocks": ("3 blocks, heterophilous",),
    "blocks with features": ("3 blocks with features", "3 blocks with features, heterophilous"),
    "a social network, 42 classes": ("social 5 %", "social 10 %"),
    "citations with validation nodes": CITATION,
    "citations, 20 labels per class": tuple(LABELS_ONLY),
    "small web graphs": ("texas", "cornell"),
    "classes that are no blocks": tuple(PATTERNS),
    "web graphs": ("chameleon-filtered", "squirrel"),
    "actors": ("actor",),
    "purchases and coauthors": LARGE,
    "a club and blogs": tuple(BARE),
    "tables of scikit-learn": _tables([*SKLEARN_TABLES]),
    "tables of LIBSVM": _tables([*UCI]),
}
"""Kind of data -> its rows, for the coverage of the expected interval."""


def trust_table(results: Results) -> Table:
    """What auto expects of itself, and what its answers rest on."""
    body: list[list[Entry | str]] = []
    for row in (*DRAWN, *GRAPHS, *TABLES):
        if auto := results.get((row, "auto")):
            expected = [value for value in auto["expected"] if value is not None]
            inside, fits = coverage(auto)
            body.append(
                [row, write_runs(auto["test"]), write_runs(auto["macro_f1"]), write_runs(expected),
                 f"{inside} of {fits}", write_runs(auto["error"]), _by_chance(auto),
                 write_shares(auto)]
            )  # fmt: skip
    return Table(
        "auto in detail: accuracy and mean F1 score of the classes on the test nodes in per cent, "
        "the accuracy that it expects, in how many fits the 95 % interval of that holds the test "
        "accuracy, the expected calibration error (ten bins, in points), the error by chance that "
        "right probabilities would have on as many test nodes, and the candidates with the largest "
        "mean shares in its answers.",
        ["dataset", "accuracy", "macro-F1", "expected", "interval holds", "calibration error",
         "by chance", "rests on"],
        body,
    )  # fmt: skip


def _by_chance(cell: Scores) -> str:
    """The calibration error by chance, or a dash for a cell that was measured without it."""
    return write_runs(cell["error_by_chance"]) if "error_by_chance" in cell else "–"


def coverage_table(results: Results) -> Table:
    """In how many fits of each kind of data the interval holds the test accuracy."""
    body: list[list[Entry | str]] = []
    counts, widths = [], []
    for kind, rows in KINDS_OF_DATA.items():
        cells = [cell for row in rows if (cell := results.get((row, "auto")))]
        inside, fits = _counts(cells)
        if fits:
            width = [w for cell in cells for w in _widths(cell)]
            body.append([kind, f"{inside} of {fits}", f"{np.mean(width):.1f}"])
            counts.append((inside, fits))
            widths += width
    if body:
        inside, fits = np.sum(counts, axis=0)
        total = f"{inside} of {fits} ({100 * inside / fits:.1f} %; goal: {GOAL:g} %)"
        body.append([f"all {pluralize(len(body), 'kind')}", total, f"{np.mean(widths):.1f}"])
    return Table(
        "In how many fits of auto the 95 % interval of the expected accuracy holds the test "
        "accuracy, and the mean width of the interval in points, by kind of data. Fits with too "
        "few labels for an interval are not counted.",
        ["kind of data", "interval holds", "width"],
        body,
    )


def _counts(cells: Sequence[Scores]) -> tuple[int, int]:
    """How many intervals hold, of how many."""
    found = [coverage(cell) for cell in cells]
    return sum(inside for inside, _ in found), sum(fits for _, fits in found)


def _widths(cell: Scores) -> list[float]:
    """The widths of the intervals of a cell."""
    pairs = zip(cell["low"], cell["high"], strict=True)
    return [high - low for low, high in pairs if low is not None]


def coverage_sentence(results: Results) -> str:
    """How often the interval of the expected accuracy is right."""
    autos = [cell for (_, method), cell in results.items() if method == "auto"]
    if not autos:
        return ""
    inside, fits = _counts(autos)
    without = sum(len(cell["test"]) for cell in autos) - fits
    error = np.mean([np.mean(cell["error"]) for cell in autos])
    text = f"The expected calibration error of auto is {error:.1f} points on average."
    if chance := [np.mean(c["error_by_chance"]) for c in autos if "error_by_chance" in c]:
        text += f" Right probabilities would have {np.mean(chance):.1f} by chance."
    if fits:
        text = (
            f"The 95 % interval of the accuracy that auto expects holds the test accuracy in "
            f"{inside} of {pluralize(fits, 'fit')} ({100 * inside / fits:.1f} %; the goal is "
            f"{GOAL:g} %). {text}"
        )
    if without:
        text += f" {pluralize(int(without), 'fit')} had too few labels for an interval."
    return text
