"""From a fitted classifier to the content of its report page."""

from __future__ import annotations

import platform
from importlib.metadata import version

import numpy as np
from scipy.sparse.csgraph import connected_components

import lovasz
from lovasz.base.text import pluralize
from lovasz.classify.lcn import LCNClassifier
from lovasz.classify.problem import Problem
from lovasz.graphs.hypergraph import Expansion
from lovasz.pages.report import Method, Report

SETTINGS = (
    "hidden", "layers", "dropout", "lr", "weight_decay", "epochs", "patience", "device",
    "precision",
)  # fmt: skip
"""The parameters of the classifier that the page lists."""
PACKAGES = ("torch", "numpy", "scipy", "networkx", "matplotlib")
"""The packages whose versions the page lists."""
FEW_LABELS = 5
"""The page warns of classes with fewer given labels than this."""


def make_report(
    problem: Problem,
    classifier: LCNClassifier,
    methods: tuple[Method, ...],
    sentence: str,
    *,
    title: str,
    command: str,
) -> Report:
    """Return the content of the report page of a classifier that was fitted on ``problem``."""
    return Report(
        title=title,
        graph=problem.graph,
        classes=tuple(str(c) for c in problem.classes),
        labels=problem.codes,
        probabilities=classifier.predict_proba(),
        embedding=classifier.logits_,
        methods=methods,
        protocol=sentence,
        settings=_list_settings(classifier),
        command=command,
        expectation=_word_expectation(classifier),
        tried=classifier.tried_ if len(classifier.tried_) > 1 else {},
        shares=classifier.blend_.shares,
        notes=_list_warnings(problem),
    )


def describe_splits(
    what: str, shares: tuple[float, float, float], count: int, kernels: int = 1
) -> str:
    """Say how the methods were compared."""
    return (
        f"{count} random splits of {what}: {shares[0]:.0%} to learn from, "
        f"{shares[1]:.0%} to choose the epoch and the kernel by, {shares[2]:.0%} held out. "
        "The methods have the same splits, seeds, network and training code"
    ) + (
        "; only the kernel differs."
        if kernels == 1
        else f". LCN chooses one of {kernels} on the validation nodes, by kernel and propagation; "
        "GCN has one."
    )


def has_blend(classifier: LCNClassifier) -> bool:
    """Return whether several candidates answer together."""
    return max(classifier.blend_.shares.values()) < 1


def _word_expectation(classifier: LCNClassifier) -> str:
    """Say how many answers are expected to be right; empty if too few nodes were held out."""
    share, interval = classifier.expected_accuracy_, classifier.expected_range_
    if share is None or interval is None:
        return ""
    low, high = interval
    return (
        f"{100 * share:.0f} % of the labelled nodes that were held out in training were labelled "
        f"correctly (95 % interval {100 * low:.0f} to {100 * high:.0f} %). That is what to expect "
        "of unlabelled nodes that are like the labelled ones"
    ) + (
        "."
        if has_blend(classifier)
        else ", or a little less, because the same nodes chose the network."
    )


def _list_settings(classifier: LCNClassifier) -> dict[str, str]:
    """Return everything that decides the result, and the versions it was computed with."""
    most = " (largest share)" if has_blend(classifier) else ""
    chosen = {
        "kernel": classifier.kernel_name_ + most,
        "propagation": classifier.propagation_ + most,
        "seed": str(classifier.seed_),
    }
    settings = {name: str(getattr(classifier, name)) for name in SETTINGS}
    versions = {"lovasz": lovasz.__version__, "Python": platform.python_version()}
    return chosen | settings | versions | {package: version(package) for package in PACKAGES}


def _list_warnings(problem: Problem) -> tuple[str, ...]:
    """Return what a reader should know before trusting the labels."""
    graph, codes = problem.graph, problem.codes
    notes = [f"The input was made simple: {note}." for note in graph.notes]
    if isinstance(graph, Expansion) and graph.hypergraph is not None:
        notes.insert(
            0,
            f"The input is a hypergraph of {pluralize(graph.hypergraph.m, 'hyperedge')}; the edges "
            "here join nodes that share one.",
        )
    _, component = connected_components(graph.adjacency, directed=False)
    lonely = int((~np.isin(component, component[codes >= 0])).sum())
    if lonely:
        notes.append(
            f"{lonely:,} of {graph.n:,} nodes are guesses: no labelled node is connected to them. "
            "Label one in each part of the graph, or leave these nodes out."
        )
    given = np.bincount(codes[codes >= 0], minlength=len(problem.classes))
    few = [f"{c} ({k})" for c, k in zip(problem.classes, given, strict=True) if k < FEW_LABELS]
    if few:
        more = f" and {len(few) - 10} more" if len(few) > 10 else ""
        notes.append(f"Classes with fewer than five given labels: {', '.join(few[:10])}{more}.")
    return tuple(notes)
