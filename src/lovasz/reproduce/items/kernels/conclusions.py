"""The sentences of the page on the comparison of kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lovasz.base.text import pluralize
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.items.kernels.entrants import BASELINES, ENTRANTS
from lovasz.reproduce.items.kernels.row_results import describe_deficit, result_of, runs_of
from lovasz.reproduce.items.kernels.rows import (
    AUTO,
    BARE,
    BLOCKS,
    CITATION,
    HETEROPHILOUS,
    LARGE,
    PLAIN,
    WITH_FEATURES,
)
from lovasz.reproduce.items.uci_mnist import MNIST, UCI

PAPER = {"cora": 82.6, "citeseer": 73.5, "pubmed": 79.7}
"""The published accuracy of the paper's LCN."""


def conclude(results: Results) -> list[str]:
    """One paragraph per question that the results can answer."""
    said = (
        _citations(results),
        _penalty(results),
        _all_rows(results),
        _parts(results),
        _steps(results),
        _calibration(results),
    )
    return [text for text in said if text]


def _citations(results: Results) -> str:
    """Whether auto reaches the paper's LCN on the citation networks."""
    said = []
    for row in CITATION:
        auto, gcn = runs_of(results, row, "auto"), runs_of(results, row, "gcn")
        if auto and gcn:
            mean = float(np.mean(auto))
            reached = "at or above" if mean >= PAPER[row] else "below"
            said.append(
                f"{row} {mean:.1f} (GCN {np.mean(gcn):.1f}), {reached} the published {PAPER[row]:g}"
            )
    return f"Accuracy of auto on the citation networks: {'; '.join(said)}." if said else ""


def _penalty(results: Results) -> str:
    """Whether the consistency penalty does for Â what it does for our kernel."""
    said, ahead = [], 0
    for row in CITATION:
        names = ("ppr", "ppr-consistent", "appnp", "appnp-consistent")
        tests = [runs_of(results, row, name) for name in names]
        if all(tests):
            plain, ours, bare, theirs = (float(np.mean(test or [])) for test in tests)
            ahead += ours > theirs
            said.append(
                f"{row} from {plain:.1f} to {ours:.1f}, with Â from {bare:.1f} to {theirs:.1f}"
            )
    if not said:
        return ""
    return (
        "The consistency penalty changes the accuracy of PageRank with K(D^-½AD^-½) as follows: "
        f"{'; '.join(said)}. With the penalty, our kernel is ahead of Â on {ahead} of {len(said)} "
        "rows, so the gain from the penalty is not due to our kernel."
    )


def _all_rows(results: Results) -> str:
    """On which rows auto is the best or within one standard error of the best."""
    groups = {
        "the citation networks": CITATION,
        "Texas to Squirrel, Amazon and Coauthor": (*HETEROPHILOUS, *LARGE),
        "UCI and MNIST": (*UCI, *MNIST),
        "the block models": tuple(BLOCKS),
    }
    said, behind = [], []
    for group, rows in groups.items():
        lost = {row: words for row in rows if (words := _deficit(results, row)) is not None}
        if lost:
            behind += [words for words in lost.values() if words]
            level = sum(not words for words in lost.values())
            said.append(f"{level} of {len(lost)} rows in {group}")
    if not said:
        return ""
    text = (
        "None of the candidates of auto, the four baselines and the exact Lovász kernel is more "
        f"than one standard error ahead of auto on {', '.join(said)}."
    )
    return text + (f" auto is behind on {', '.join(behind)}." if behind else "")


def _deficit(results: Results, row: str) -> str | None:
    """By how much auto is behind on a row, "" if it is not, and None if it was not run."""
    auto = runs_of(results, row, "auto")
    rivals = dict.fromkeys((*BASELINES, "lcn", *AUTO))
    others = {n: t for n in rivals if (t := runs_of(results, row, n))}
    return describe_deficit(row, auto, others) if auto and others else None


def _parts(results: Results) -> str:
    """What the mean over partitions of the labels is worth to every kernel, and to auto."""
    names = ("lcn", *PLAIN)
    rows = [r for r in BARE if all((r, n) in results for n in (*names, "auto"))]
    if not rows:
        return ""
    said = [
        f"{ENTRANTS[n].title} from {_mean(results, rows, n, 'test'):.1f} to "
        f"{_mean(results, rows, n, 'mean'):.1f}"
        for n in names
    ]
    deficits = (
        describe_deficit(r, results[r, "auto"]["test"], {n: results[r, n]["mean"] for n in names})
        for r in rows
    )
    behind = [words for words in deficits if words]
    text = (
        "Part of this is due to the mean over partitions of the labels. Over the "
        f"{len(rows)} rows with identity features, that mean takes the accuracy of "
        f"{', '.join(said)}; auto has {_mean(results, rows, 'auto', 'test'):.1f}. Compared with "
        "kernels that answer with the same mean, auto is within one standard error of the best on "
        f"{pluralize(len(rows) - len(behind), 'row')}."
    )
    return text + (f" It is behind on {', '.join(behind)}." if behind else "")


def _mean(results: Results, rows: Sequence[str], name: str, key: str) -> float:
    """The mean over rows of the mean over the runs of each row."""
    return float(np.mean([np.mean(results[row, name][key]) for row in rows]))


def _steps(results: Results) -> str:
    """What each step from K(A) to ``auto`` contributes on the citation networks."""
    said = []
    for row in CITATION:
        steps = ("lcn-ls", "lcn-normalized", "ppr", "ppr-consistent", "edges", "appnp-consistent")
        means = {s: float(np.mean(t)) for s in steps if (t := runs_of(results, row, s))}
        if len(means) == len(steps):
            said.append(
                f"{row}: C = A {means['lcn-ls']:.1f}, C normalised {means['lcn-normalized']:.1f}, "
                f"with PageRank {means['ppr']:.1f}, and with consistency "
                f"{means['ppr-consistent']:.1f} (with Â instead of K: "
                f"{means['appnp-consistent']:.1f}). Learned C with PageRank has "
                f"{means['edges']:.1f}, compared with {means['ppr']:.1f}"
            )
    return f"Accuracy after each step. {'. '.join(said)}." if said else ""


def _calibration(results: Results) -> str:
    """How far the probabilities of auto can be trusted."""
    found = [a for row in (*WITH_FEATURES, *BARE) if (a := result_of(results, row, "auto"))]
    if not found:
        return ""
    raw, calm = (np.mean([np.mean(a[k]) for a in found]) for k in ("raw_error", "error"))
    off = np.mean([abs(np.mean(a["expected"]) - np.mean(a["test"])) for a in found])
    text = (
        f"Over {len(found)} rows, calibration changes the expected calibration error of auto from "
        f"{raw:.1f} to {calm:.1f} points. The accuracy that its mean probability predicts differs "
        f"from the measured one by {off:.1f} points on average."
    )
    mixed = [np.mean(a["test"]) - np.mean(a["expected"]) for a in found if "name" not in a]
    if not mixed or np.mean(mixed) <= 0:
        return text
    return text + (
        f" On the rows where networks answer together, it predicts {np.mean(mixed):.1f} points "
        "less than the measured accuracy. A mean of calibrated probabilities is less confident "
        "than it could be, and there are no labels left to sharpen it with, because some network "
        "has learned from every label."
    )
