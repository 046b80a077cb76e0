"""The whole job of ``lovasz classify``: compare on held-out labels, fit on all, write it down."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

import lovasz
from lovasz.base.progress import Callback, shift
from lovasz.classify import candidates as auto
from lovasz.classify.estimator import check_features, scale_features
from lovasz.classify.evaluation import Outcome, train_and_choose, trials_as_json
from lovasz.classify.lcn import LCNClassifier, candidates, is_auto, seed_of
from lovasz.classify.splits import Split, random_splits
from lovasz.graphs import Graph
from lovasz.graphs.graph import counted
from lovasz.graphs.hypergraph import Expansion
from lovasz.graphs.labels import encode
from lovasz.graphs.node_tables import write_predictions
from lovasz.pages.report import Method, Report, render_report

SHARES = (0.6, 0.2, 0.2)  # of the user's labels: learn, choose by, hold out
FEWEST_HELD_OUT = 4  # a split with fewer says too little


@dataclass(frozen=True)
class Job:
    """A labelled graph and how far to trust it."""

    classifier: LCNClassifier
    page: Report

    @property
    def methods(self) -> tuple[Method, ...]:
        """What was compared; LCN first."""
        return self.page.methods

    def write(self, folder: Path) -> None:
        """``predictions.csv``, ``report.html`` and ``model/`` into an existing folder."""
        found, sure = self.classifier, self.page.probabilities.max(axis=1)
        write_predictions(folder / "predictions.csv", found.nodes_, found.transduction_, sure)
        (folder / "report.html").write_text(render_report(self.page), encoding="utf-8")
        self.classifier.save(folder / "model")

    def summary(self) -> dict[str, Any]:
        """The numbers, for ``--json``."""
        graph = self.page.graph
        return {
            "nodes": graph.n,
            "edges": graph.m,
            "labelled": int((self.page.labels >= 0).sum()),
            "classes": self.classifier.classes_.tolist(),
            "kernel": self.classifier.kernel_name_,
            "propagation": self.classifier.propagation_,
            "tried": trials_as_json(self.classifier.tried_),
            "shares": {k: round(v, 6) for k, v in self.classifier.blend_.shares.items()},
            "expected_accuracy": self.classifier.expected_accuracy_,
            "expected_range": self.classifier.expected_range_,
            "seed": self.classifier.seed_,
            "methods": [
                {
                    "name": method.name,
                    "accuracy": round(float(method.accuracy.mean()), 6),
                    "sd": round(spread(method.accuracy), 6),
                    "splits": [round(float(a), 6) for a in method.accuracy],
                }
                for method in self.methods
            ],
            "notes": list(self.page.notes),
        }


def spread(values: np.ndarray) -> float:
    """Standard deviation over splits (n − 1); 0 for one split."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def label_graph(
    graph: Graph,
    y: Any,
    classifier: LCNClassifier,
    *,
    features: Any = None,
    splits: int = 10,
    title: str,
    command: str,
    callback: Callback | None = None,
) -> Job:
    """Label ``graph`` from the user's labels, and compare LCN with GCN on some held out."""
    _, codes = encode(y, graph, None)
    seed = seed_of(classifier.random_state)
    held = random_splits(codes, SHARES, splits, seed=seed, by_class=True)
    if not held:
        sentence = "No comparison was asked for, so no accuracy is claimed."
    elif min(len(split.test) for split in held) < FEWEST_HELD_OUT:
        held = []
        sentence = (
            f"Too few labels to hold {FEWEST_HELD_OUT} or more of them out, so no accuracy is "
            "claimed."
        )
    else:
        count = int((codes >= 0).sum())
        sentence = describe_splits(
            f"the {count} given labels, class by class",
            SHARES,
            splits,
            rounds(classifier, graph, features),
        )
    update = callback or (lambda done, note: None)
    features = check_features(features, graph.nodes)
    classifier.fit(graph, y, features, callback=update)
    methods: tuple[Method, ...] = ()
    if held:
        sentence += " The labels themselves come from a model fitted on all given labels" + (
            ", in which all of these answer together." if blended(classifier) else "."
        )
        methods = compare(
            graph, codes, held, classifier, features=features,
            callback=shift(update, rounds(classifier, graph, features) * classifier.epochs),
        )  # fmt: skip
    page = make_page(graph, codes, classifier, methods, sentence, title=title, command=command)
    return Job(classifier, page)


def describe_splits(
    what: str, shares: tuple[float, float, float], count: int, kernels: int = 1
) -> str:
    """How the methods were compared, in words."""
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


def work(classifier: LCNClassifier, graph: Graph, features: Any, *, comparing: bool) -> int:
    """Epochs in all: the fit, and LCN and GCN when they are compared."""
    count = rounds(classifier, graph, features)
    return classifier.epochs * (2 * count + 1 if comparing else count)


def rounds(classifier: LCNClassifier, graph: Graph, features: Any) -> int:
    """How many networks one fit of the classifier trains."""
    return len(auto.names(graph, features)) if is_auto(classifier.kernel) else 1


def compare(
    graph: Graph,
    codes: np.ndarray,
    splits: Sequence[Split],
    classifier: LCNClassifier,
    *,
    features: Any = None,
    callback: Callback,
) -> tuple[Method, ...]:
    """LCN with the classifier's kernel, and GCN, on the same splits; ``features`` are checked."""
    options = {
        "settings": classifier.training_settings(),
        "device": classifier.device,
        "features": scale_features(features, classifier.scale),
        "classes": int(codes.max()) + 1,
    }
    contenders = {"GCN": "gcn"}
    if not (isinstance(classifier.kernel, str) and classifier.kernel == "gcn"):
        contenders = {"LCN": classifier.kernel, "GCN": "gcn"}
    methods, done = [], 0
    for name, kernel in contenders.items():
        given = classifier.kernel_options if name == "LCN" else None
        kernels = candidates(graph, kernel, given, options["features"])
        outcome = train_and_choose(
            kernels,
            codes,
            splits,
            seed=classifier.seed_,
            callback=shift(callback, done),
            **options,
        )
        done += len(kernels) * classifier.epochs
        methods.append(as_method(_display(name, kernels), outcome, codes, splits))
    return tuple(methods)


def _display(name: str, kernels: dict[str, Any]) -> str:
    if name == "GCN":
        return "GCN"
    return f"LCN ({next(iter(kernels))})" if len(kernels) == 1 else "LCN"


def as_method(name: str, outcome: Outcome, codes: np.ndarray, splits: Sequence[Split]) -> Method:
    """What the page shows of an outcome: its answers on the held-out nodes, its curves."""
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
        chosen=outcome.names if len(outcome.trainings) > 1 else (),
    )


def make_page(
    graph: Graph,
    codes: np.ndarray,
    classifier: LCNClassifier,
    methods: tuple[Method, ...],
    sentence: str,
    *,
    title: str,
    command: str,
) -> Report:
    """The report page of a fitted classifier; ``codes`` are the labels it was given."""
    return Report(
        title=title,
        graph=graph,
        classes=tuple(str(c) for c in classifier.classes_),
        labels=codes,
        probabilities=classifier.predict_proba(),
        embedding=classifier.logits_,
        methods=methods,
        protocol=sentence,
        settings=settings(classifier),
        command=command,
        expectation=expect(classifier),
        tried=classifier.tried_ if len(classifier.tried_) > 1 else {},
        shares=classifier.blend_.shares,
        notes=warnings(graph, codes, classifier),
    )


def expect(classifier: LCNClassifier) -> str:
    """How many answers are right, by the nodes held back; nothing where they are too few."""
    share, interval = classifier.expected_accuracy_, classifier.expected_range_
    if share is None or interval is None:
        return ""
    low, high = interval
    return (
        f"Of the labelled nodes held back while it learned, {100 * share:.0f} % were labelled "
        f"rightly (95 % interval {100 * low:.0f} to {100 * high:.0f} %). That is "
        "what to expect of unlabelled nodes that are like the labelled ones"
    ) + ("." if blended(classifier) else ", or a little less: the same nodes chose the network.")


def blended(classifier: LCNClassifier) -> bool:
    """Whether several candidates answer."""
    return max(classifier.blend_.shares.values()) < 1


def settings(classifier: LCNClassifier) -> dict[str, str]:
    """Everything that decides the result, and the versions it was computed with."""
    most = " (largest share)" if blended(classifier) else ""
    chosen = {
        "kernel": classifier.kernel_name_ + most,
        "propagation": classifier.propagation_ + most,
        "seed": str(classifier.seed_),
    }
    options = {name: str(value) for name, value in classifier.training_options().items()}
    packages = {"lovasz": lovasz.__version__, "Python": platform.python_version()}
    for package in ("torch", "numpy", "scipy", "networkx", "matplotlib"):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            packages[package] = "not installed"
    return chosen | options | packages


def warnings(graph: Graph, codes: np.ndarray, classifier: LCNClassifier) -> tuple[str, ...]:
    """What a reader should know before trusting the labels."""
    notes = [f"The input was made simple: {note}." for note in graph.notes]
    if isinstance(graph, Expansion) and graph.hypergraph is not None:
        H = graph.hypergraph
        notes.insert(
            0,
            f"The input is a hypergraph of {counted(H.m, 'hyperedge')}; the edges here join nodes "
            "that share one.",
        )
    _, component = connected_components(graph.adjacency, directed=False)
    lonely = int((~np.isin(component, component[codes >= 0])).sum())
    if lonely:
        notes.append(
            f"{lonely:,} of {graph.n:,} nodes are guesses: no labelled node is connected to them. "
            "Label one in each part of the graph, or leave these nodes out."
        )
    given = np.bincount(codes[codes >= 0], minlength=len(classifier.classes_))
    few = [f"{c} ({k})" for c, k in zip(classifier.classes_, given, strict=True) if k < 5]
    if few:
        more = f" and {len(few) - 10} more" if len(few) > 10 else ""
        notes.append(f"Classes with fewer than five given labels: {', '.join(few[:10])}{more}.")
    return tuple(notes)


FILES = ("predictions.csv", "report.html", "model/model.json", "model/arrays.npz")
"""What :meth:`Job.write` writes."""
