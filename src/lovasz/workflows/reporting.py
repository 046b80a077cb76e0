"""From a fitted classifier to the content of its report page."""

from __future__ import annotations

import platform
from importlib.metadata import version

import numpy as np

import lovasz
from lovasz.base.text import join_words, pluralize
from lovasz.classify.candidates import is_auto
from lovasz.classify.lcn import LCNClassifier
from lovasz.classify.problem import Problem
from lovasz.graphs.hypergraph import Expansion
from lovasz.pages.report import Method, NextLabel, Report, SuspiciousLabel
from lovasz.workflows.advice import (
    collect_evidence,
    explaining_code,
    suggest_labels,
    word_forecast,
)

SETTINGS = (
    "hidden", "layers", "dropout", "lr", "weight_decay", "epochs", "patience", "device",
    "precision",
)  # fmt: skip
"""The parameters of the classifier that the page lists."""
PACKAGES = ("torch", "numpy", "scipy", "networkx", "matplotlib")
"""The packages whose versions the page lists."""
FEW_LABELS = 5
"""The page warns of classes with fewer given labels than this."""
NO_CLASS = ("-1", "none", "null", "nan", "na", "n/a", "?")
"""Names of classes, in lower case, that may stand for no class."""
SIGNS = ({"-1", "1"}, {"-1", "+1"})
"""The names of two classes that are signs, so that -1 is one of them. Beside 0 and 1 it may well
stand for no class."""
WORTH_NAMING = 0.05
"""Candidates with at least this share in the answer are named in a sentence."""
UNBALANCED = 5
"""The page shows macro-F1 if one class has this many times the given labels of another."""
APART = 0.05
"""The page shows macro-F1 if it differs from the expected accuracy by more than this."""


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
    suggested = suggest_labels(problem, classifier)
    evidence = collect_evidence(problem, classifier, [node for node, _ in suggested])
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
        expectation=_word_expectation(problem, classifier),
        rests_on=_word_shares(classifier),
        suspicious=_list_suspicious(classifier),
        next_labels=tuple(NextLabel(str(node), reason) for node, reason in suggested),
        forecast=word_forecast(classifier) if suggested else "",
        evidence=evidence,
        ask_for_evidence=explaining_code(problem, evidence),
        tried=classifier.tried_ if len(classifier.tried_) > 1 else {},
        shares=classifier.blend_.shares,
        notes=_list_warnings(problem, classifier),
    )


def describe_splits(what: str, shares: tuple[float, float, float], count: int) -> str:
    """Say how the networks on two kernels were compared."""
    return (
        f"{count} random splits of {what}: {shares[0]:.0%} to learn from, "
        f"{shares[1]:.0%} to choose the epoch by, {shares[2]:.0%} held out. "
        "The methods have the same splits, seeds, network and training code; only the kernel "
        "differs."
    )


def describe_folds(problem: Problem, classifier: LCNClassifier, *, given: bool) -> str:
    """Say how the answer of all candidates was compared with GCN."""
    judges, count = len(classifier.blend_.judges), len(classifier.tried_)
    if given:
        how = (
            f"The {judges:,} validation nodes, from which nothing was learned, judge both methods "
            f"in {len(classifier.parts_.runs)} groups; the epoch of a network was chosen by the "
            "groups that do not judge it"
        )
    else:
        folds = sum(len(nodes) > 0 for _, nodes in classifier.parts_.runs)
        how = (
            f"{judges:,} of the {int((problem.codes >= 0).sum()):,} given labels in {folds} folds, "
            "class by class: for each fold, both methods learned from the other labels and were "
            "judged by the fold; the epoch of a network was chosen by the other folds"
        )
    return (
        f"{how}. lovasz is the delivered model, in which {count} candidates answer together; the "
        f"weights that answered for a label were fitted to other labels. {_word_rival(classifier)} "
        "Nothing was trained again for the comparison."
    ) + ("" if given else " The answers for unlabelled nodes come from runs on all given labels.")


def _word_rival(classifier: LCNClassifier) -> str:
    """Say what the answer of all candidates is compared with."""
    if classifier.network_ is not None:
        return "GCN is one of the candidates, trained on the same labels with the same code."
    return (
        "With --fast no network is trained, so it is not compared with GCN but with label "
        "spreading, one of the candidates."
    )


def has_blend(classifier: LCNClassifier) -> bool:
    """Return whether several candidates answer together."""
    return max(classifier.blend_.shares.values()) < 1


def _word_expectation(problem: Problem, classifier: LCNClassifier) -> str:
    """Say how many answers are expected to be right; empty if too few nodes were held out."""
    found = classifier.expectation_
    if found is None:
        return ""
    which = "unlabelled" if (problem.codes < 0).any() else "further"
    text = (
        f"Expect {100 * found.accuracy:.0f} % of the answers for {which} nodes to be right "
        f"(95 % interval {100 * found.low:.0f} to {100 * found.high:.0f} %), by "
        f"{found.judged:,} labels that were kept from the model"
    )
    if classifier.noisy:
        text += ", some of which may be wrong themselves"
    if not has_blend(classifier):
        text += ". This may be a little too high, because the same labels chose the network"
    given = np.bincount(problem.codes[problem.codes >= 0], minlength=len(problem.classes))
    unbalanced = given.max() >= UNBALANCED * given.min()
    if unbalanced or abs(found.accuracy - found.macro_f1) > APART:
        text += (
            f". Macro-F1, in which every class counts the same, is {100 * found.macro_f1:.0f} %"
            + (", because some classes are much rarer than others" if unbalanced else "")
        )
    return text + "."


def _word_shares(classifier: LCNClassifier) -> str:
    """Say which candidates the answer rests on; empty if there is only one."""
    if not has_blend(classifier):
        return ""
    shares = sorted(classifier.blend_.shares.items(), key=lambda item: -item[1])
    named = [f"{name} ({100 * share:.0f} %)" for name, share in shares if share >= WORTH_NAMING]
    text = f"The answer rests on {join_words(named or [shares[0][0]])}"
    if not len(classifier.blend_.held_out):
        return text + ", in equal shares, because too few labels could be kept to weigh them by."
    if rest := len(shares) - len(named):
        text += f"; {rest} {'other has' if rest == 1 else 'others have'} less than 5 %"
        text += "." if rest == 1 else " each."
        return text
    return text + "."


def _list_suspicious(classifier: LCNClassifier) -> tuple[SuspiciousLabel, ...]:
    codes = {name: code for code, name in enumerate(classifier.classes_.tolist())}
    return tuple(
        SuspiciousLabel(str(node), codes[given], codes[suggested], probability)
        for node, given, suggested, probability in classifier.suspicious_
    )


def _list_settings(classifier: LCNClassifier) -> dict[str, str]:
    """Return everything that decides the result, and the versions it was computed with."""
    chosen = {"kernel": classifier.kernel_name_, "propagation": classifier.propagation_}
    if is_auto(classifier.kernel):
        network = f"{classifier.network_} (the largest share among networks)"
        if classifier.network_ is None:
            network = "none, because of --fast"
        chosen = {"kernel": "auto", "network": network}
    chosen["seed"] = str(classifier.seed_)
    settings = {name: str(getattr(classifier, name)) for name in SETTINGS}
    versions = {"lovasz": lovasz.__version__, "Python": platform.python_version()}
    return chosen | settings | versions | {package: version(package) for package in PACKAGES}


def _list_warnings(problem: Problem, classifier: LCNClassifier) -> tuple[str, ...]:
    """Return what a reader should know before trusting the labels."""
    graph, codes = problem.graph, problem.codes
    notes = [f"The input was made simple: {note}." for note in graph.notes]
    if isinstance(graph, Expansion) and graph.hypergraph is not None:
        notes.insert(
            0,
            f"The input is a hypergraph of {pluralize(graph.hypergraph.m, 'hyperedge')}; the edges "
            "here join nodes that share one.",
        )
    if lonely := int(classifier.unreached_.sum()):
        notes.append(_word_unreached(lonely, problem, classifier))
    given = np.bincount(codes[codes >= 0], minlength=len(problem.classes))
    few = [f"{c} ({k})" for c, k in zip(problem.classes, given, strict=True) if k < FEW_LABELS]
    if few:
        more = f" and {len(few) - 10} more" if len(few) > 10 else ""
        notes.append(f"Classes with fewer than five given labels: {', '.join(few[:10])}{more}.")
    notes += [
        f"{str(name)!r} is taken for a class, that of {pluralize(int(count), 'node')}; leave the "
        "class empty where it is not known."
        for name, count in zip(problem.classes, given, strict=True)
        if str(name).lower() in NO_CLASS and {*map(str, problem.classes)} not in SIGNS
    ]
    return tuple(notes)


def _word_unreached(count: int, problem: Problem, classifier: LCNClassifier) -> str:
    """Say how the nodes that no label reaches were answered."""
    which = f"{pluralize(count, 'node')} {'is' if count == 1 else 'are'} in parts of the graph"
    if not is_auto(classifier.kernel):
        how = "guesses"
    elif problem.features is not None:
        how = "answered from their features"
    else:
        how = "answered with the class shares"
    return (
        f"{which} without a label: {how}. Label one in each part of the graph, or leave these "
        "nodes out."
    )
