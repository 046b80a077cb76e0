"""The sentences of the page on the comparison of kernels."""

from __future__ import annotations

import numpy as np

from lovasz.base.text import pluralize
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.engine.classifier_runs import coverage, name_dated
from lovasz.reproduce.items.kernels.row_results import (
    describe_deficit,
    runs_of,
    single_networks,
)
from lovasz.reproduce.items.kernels.rows import (
    BARE,
    BLOCKS,
    CITATION,
    HETEROPHILOUS,
    LARGE,
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
        _steps(results),
        _calibration(results),
        name_dated(results),
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
    if not behind:
        return (
            "auto is never more than one standard error below the best single network: "
            f"{', '.join(said)}."
        )
    return (
        "auto is at most one standard error below the best single network on "
        f"{', '.join(said)}. It is behind on {', '.join(behind)}."
    )


def _deficit(results: Results, row: str) -> str | None:
    """By how much auto is behind on a row, "" if it is not, and None if it was not run."""
    auto, others = runs_of(results, row, "auto"), single_networks(results, row)
    return describe_deficit(row, auto, others) if auto and others else None


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
    """How far the probabilities of auto, and the accuracy that it expects, can be trusted."""
    found = [a for row in (*WITH_FEATURES, *BARE) if (a := results.get((row, "auto")))]
    if not found:
        return ""
    error = np.mean([np.mean(a["error"]) for a in found])
    inside, fits = np.sum([coverage(a) for a in found], axis=0)
    seconds = np.median(np.concatenate([a["seconds"] for a in found]))
    return (
        f"Over {pluralize(len(found), 'row')}, the expected calibration error of auto is "
        f"{error:.1f} points on average. The 95 % interval of the accuracy that it expects holds "
        f"the test accuracy in {inside} of {pluralize(int(fits), 'fit')}. A fit takes "
        f"{seconds:.1f} seconds in the median."
    )
