"""The whole job of ``lovasz classify``: fit, compare on held-out labels, write the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lovasz.base.progress import Callback, shift
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE
from lovasz.classify.candidates import candidates_for, is_auto
from lovasz.classify.evaluation import Outcome, train_and_choose, trials_as_json
from lovasz.classify.lcn import LCNClassifier
from lovasz.classify.named import contender
from lovasz.classify.parameters import seed_of
from lovasz.classify.problem import Problem
from lovasz.classify.schedule import total_epochs
from lovasz.classify.splits import Split, random_splits
from lovasz.graphs.node_tables import write_predictions
from lovasz.pages.report import Method, Report, render_report
from lovasz.workflows.folds import compare_on_folds
from lovasz.workflows.reporting import describe_folds, describe_splits, make_report

SHARES = (0.6, 0.2, 0.2)
"""Shares of the given labels to learn from, to choose by and to hold out in the comparison."""
FEWEST_HELD_OUT = 4
"""A comparison whose splits hold out fewer labels than this says too little and is not made."""
FILES = ("predictions.csv", "report.html", "model/model.json", "model/arrays.npz")
"""The files that :meth:`Job.write` writes."""


@dataclass(frozen=True)
class Job:
    """A labelled graph, and how far to trust the labels."""

    classifier: LCNClassifier
    page: Report

    @property
    def methods(self) -> tuple[Method, ...]:
        """The compared methods, ours first."""
        return self.page.methods

    def write(self, folder: Path) -> None:
        """Write ``predictions.csv``, ``report.html`` and ``model/`` into an existing folder."""
        found, sure = self.classifier, self.page.probabilities.max(axis=1)
        write_predictions(folder / "predictions.csv", found.nodes_, found.transduction_, sure)
        (folder / "report.html").write_text(render_report(self.page), encoding="utf-8")
        self.classifier.save(folder / "model")

    def summary(self) -> dict[str, Any]:
        """Return the numbers for ``--json``."""
        graph, expectation = self.page.graph, self.classifier.expectation_
        auto = is_auto(self.classifier.kernel)
        return {
            "nodes": graph.n,
            "edges": graph.m,
            "labelled": int((self.page.labels >= 0).sum()),
            "classes": self.classifier.classes_.tolist(),
            "kernel": "auto" if auto else self.classifier.kernel_name_,
            "network": self.classifier.network_,
            "propagation": self.classifier.propagation_,
            "tried": trials_as_json(self.classifier.tried_),
            "shares": {k: round(v, 6) for k, v in self.classifier.blend_.shares.items()},
            "expected_accuracy": self.classifier.expected_accuracy_,
            "expected_range": self.classifier.expected_range_,
            "macro_f1": None if expectation is None else expectation.macro_f1,
            "suspicious": [
                dict(zip(("node", "given", "suggested", "probability"), found, strict=True))
                for found in self.classifier.suspicious_
            ],
            "unreached": int(self.classifier.unreached_.sum()),
            "seed": self.classifier.seed_,
            "methods": [
                {
                    "name": method.name,
                    "accuracy": round(method.mean, 6),
                    "sd": round(standard_deviation(method.accuracy), 6),
                    "splits": [round(float(a), 6) for a in method.accuracy],
                }
                for method in self.methods
            ],
            "notes": list(self.page.notes),
        }


def standard_deviation(values: np.ndarray) -> float:
    """Return the sample standard deviation over splits (n − 1), or 0 for one split."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def label_graph(
    problem: Problem,
    classifier: LCNClassifier,
    *,
    validation: np.ndarray | None = None,
    splits: int = 10,
    title: str,
    command: str,
    callback: Callback | None = None,
) -> Job:
    """Label all nodes from the given labels, and compare with GCN on held-out labels.

    ``validation`` holds the rows of labelled nodes that judge and are not learned from. With
    ``kernel="auto"`` the comparison is made on the labels that weighted the candidates, so it
    trains nothing. A network on a named kernel is trained again on ``splits`` random splits.
    """
    update = callback or (lambda done, note: None)
    classifier.fit_problem(problem, validation, callback=update)
    if is_auto(classifier.kernel):
        methods = compare_on_folds(problem, classifier)
        sentence = describe_folds(problem, classifier, given=validation is not None)
        if not methods:
            sentence = (
                f"Too few labels to hold {FEWEST_TO_CALIBRATE} or more of them out, so no accuracy "
                "is claimed."
            )
    else:
        rest = problem
        if validation is not None:
            codes = problem.codes.copy()
            codes[validation] = -1
            rest = problem.with_codes(codes)
        held, sentence = _hold_out(rest, classifier, splits)
        methods = ()
        if held:
            sentence += " The labels themselves come from a model fitted on all given labels."
            methods = compare_with_gcn(
                rest, held, classifier, seed=classifier.seed_,
                callback=shift(update, classifier.epochs),
            )  # fmt: skip
    update(count_epochs(classifier, problem, comparing=bool(methods)), "")
    page = make_report(problem, classifier, methods, sentence, title=title, command=command)
    return Job(classifier, page)


def _hold_out(problem: Problem, classifier: LCNClassifier, count: int) -> tuple[list[Split], str]:
    """Return the splits to compare on, and a sentence about them or about why there are none."""
    seed = seed_of(classifier.random_state)
    held = random_splits(problem.codes, SHARES, count, seed=seed, by_class=True)
    if not held:
        return [], "No comparison was asked for."
    if min(len(split.test) for split in held) < FEWEST_HELD_OUT:
        return [], f"Too few labels to hold {FEWEST_HELD_OUT} or more of them out for a comparison."
    labelled = int((problem.codes >= 0).sum())
    return held, describe_splits(f"the {labelled} given labels, class by class", SHARES, count)


def count_epochs(classifier: LCNClassifier, problem: Problem, *, comparing: bool) -> int:
    """Return the epochs of the fit, and of the comparison if a named kernel has one.

    Every candidate of "auto" counts as if it trained for all epochs, in proportion to its cost.
    """
    if is_auto(classifier.kernel):
        return total_epochs(candidates_for(problem, fast=classifier.fast), classifier.epochs)
    return classifier.epochs * (3 if comparing else 1)


def compare_with_gcn(
    problem: Problem,
    splits: Sequence[Split],
    classifier: LCNClassifier,
    *,
    seed: int,
    callback: Callback,
) -> tuple[Method, ...]:
    """Return the results of LCN with the classifier's kernel, and of GCN, on the same splits."""
    compared = {"GCN": contender(problem, "gcn")}
    if not (isinstance(classifier.kernel, str) and classifier.kernel == "gcn"):
        ours = contender(problem, classifier.kernel, classifier.kernel_options)
        compared = {f"LCN ({next(iter(ours))})": ours, **compared}
    methods, done = [], 0
    for name, networks in compared.items():
        outcome = train_and_choose(
            networks,
            problem.codes,
            splits,
            settings=classifier.training_settings(),
            seed=seed,
            features=problem.features,
            classes=len(problem.classes),
            device=classifier.device,
            callback=shift(callback, done),
        )
        done += len(networks) * classifier.epochs
        methods.append(_as_method(name, outcome, problem.codes, splits))
    return tuple(methods)


def _as_method(name: str, outcome: Outcome, codes: np.ndarray, splits: Sequence[Split]) -> Method:
    """Return what the page shows of an outcome: its answers on held-out nodes, and its curves."""
    held = [(b, split.test) for b, split in enumerate(splits)]
    return Method(
        name=name,
        accuracy=outcome.accuracy(codes, splits),
        truth=np.concatenate([codes[test] for _, test in held]),
        predicted=np.concatenate([outcome.probabilities[b][test].argmax(1) for b, test in held]),
        confidence=np.concatenate([outcome.probabilities[b][test].max(1) for b, test in held]),
        train_loss=outcome.train_loss,
        validation_loss=outcome.validation_loss,
        validation_accuracy=outcome.validation_accuracy,
    )
