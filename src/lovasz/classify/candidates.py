"""THE list of what ``kernel="auto"`` tries: estimator, command and experiments all use it.

A candidate labels all nodes from some labels. Beside networks on kernels the list holds what a user
would try first: a perceptron, a random forest and a linear model on the features, a perceptron on
the features beside those of the neighbours, the labels of nodes with similar features,
surroundings, roles or spectral coordinates, label spreading, Correct and Smooth, and the posterior
of a block model, with the features as its prior or as a part of it if there are any. All are
trained on the same parts of the labels (:mod:`lovasz.classify.parts`), judged by the labels kept
from them, and answer together (:mod:`lovasz.classify.blend`).

The exact Lovász kernel is not among them, because nobody can say beforehand how long it takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.extras import is_installed
from lovasz.base.progress import Callback
from lovasz.classify.bench import Bench, Candidate, Fitted, per_training_set
from lovasz.classify.blend import CREDIT
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, FEWEST_TO_WEIGH
from lovasz.classify.comparisons import (
    FEATURE_TABLES,
    compare,
    make_tables,
    table_of_features,
)
from lovasz.classify.forest import ForestCandidate
from lovasz.classify.problem import Problem
from lovasz.classify.smoothing import SmoothedCandidate, SpreadingCandidate
from lovasz.graphs.hypergraph import Expansion

if TYPE_CHECKING:
    from lovasz.clustering.block_model import BlockPosterior
    from lovasz.nn import Training

FOLDS = 5
"""Number of folds of the labels."""
ANSWERING = 2
"""Number of runs on all labels, whose answers are averaged."""
LARGE_EDGES = 300_000
"""A graph with more edges than this has ``LARGE_FOLDS`` folds and one answering run."""
LARGE_FOLDS = 2
"""Number of folds for large graphs."""
PATIENCE = 60
"""Epochs without progress after which the networks of a candidate stop, unless the user says."""
FAST_FOLDS = 3
"""Number of folds with ``fast``, which has one answering run."""
WIDE = 64
"""Number of hidden units of the perceptrons."""
BLOCK_CREDIT = 20.0
"""The credit of a block model with features if the graph looks like a draw of it."""


@dataclass(frozen=True)
class NetworkCandidate:
    """A network on a kernel, or on the features alone if there is no kernel."""

    kernel: str | None = None
    """The name of the kernel, or None for the identity: a perceptron, or a linear model."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the kernel."""
    propagation: str = "hop"
    """Either "hop", the LCN of the paper, or a name in
    :data:`lovasz.nn.networks.propagation.PROPAGATIONS`."""
    consistent: float = 0.0
    """Weight of :class:`lovasz.nn.networks.propagation.Consistency`."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings in the place of the classifier's, and the least number of hidden units."""
    surroundings: bool = False
    """Whether its features are :meth:`lovasz.classify.problem.Problem.surrounding_rows`."""
    needs_features: bool = False
    """Whether it makes no sense with identity features."""
    hyperedges: bool = False
    """Whether it is for hypergraphs only."""
    reads_features: bool = True

    def suits(self, problem: Problem) -> bool:
        """Return whether there are features, if it needs them, and hyperedges, if it needs them."""
        wants_features = self.needs_features or self.kernel is None
        if wants_features and problem.features is None:
            return False
        if self.surroundings and not problem.graph.m:
            return False
        return isinstance(problem.graph, Expansion) or not self.hyperedges

    def fit(self, bench: Bench, callback: Callback | None) -> Fitted:
        """Train one network per part."""
        problem = bench.problem
        K = identity(problem.graph.n)
        if self.kernel is not None:
            K = problem.kernels.get(self.kernel, self.options)
        trained = self.train(bench, K, self.read(problem), callback)
        return Fitted(trained.logits, trained, K)

    def read(self, problem: Problem, fitted: Problem | None = None) -> Any:
        """Return its features of a problem, in the columns of the ``fitted`` one."""
        return problem.surrounding_rows(fitted) if self.surroundings else problem.features

    def train(self, bench: Bench, K: Any, X: Any, callback: Callback | None) -> Training:
        """Train on this kernel and these features."""
        from lovasz.nn import train
        from lovasz.nn.networks.propagation import Consistency, train_propagated

        hidden = max(bench.settings.hidden, self.changes.get("hidden", 0))
        settings = replace(bench.settings, **self.changes | {"hidden": hidden})
        common: dict[str, Any] = {
            "features": X,
            "classes": bench.classes,
            "settings": settings,
            "seeds": [bench.seed + run for run in range(len(bench.parts.runs))],
            "device": bench.device,
            "callback": callback,
            "start": bench.start,
        }
        y, runs = bench.problem.codes, bench.parts.runs
        if self.propagation == "hop":
            return train(K, y, runs, **common)
        consistency = Consistency(self.consistent) if self.consistent else None
        return train_propagated(
            K, y, runs, propagation=self.propagation, consistency=consistency, **common
        )


@dataclass(frozen=True)
class SimilarityCandidate:
    """The labels of nodes with similar rows in a table, :mod:`lovasz.classify.comparisons`."""

    kind: str
    """The kind of table."""
    linear: bool = False
    """Whether scores are linear in the rows, instead of falling with the distance of rows."""

    @property
    def reads_features(self) -> bool:
        """Whether the rows are features; what surrounds a node is not there on an island."""
        return self.kind in FEATURE_TABLES

    def suits(self, problem: Problem) -> bool:
        """Return whether there are features or edges, as the table needs."""
        if self.reads_features:
            return table_of_features(problem, self.kind) is not None
        if self.kind == "surroundings" and problem.features is None:
            return False
        return problem.graph.m > 0 and problem.graph.n > 3

    def fit(self, bench: Bench, callback: Callback | None) -> Fitted:
        """Compare all nodes with the labelled ones of each part."""
        tables = make_tables(bench.problem, self.kind)

        def answer(known: np.ndarray) -> np.ndarray:
            number, model = compare(tables, known, bench.problem, linear=self.linear)
            return model(tables[number])

        return Fitted(per_training_set(bench.parts, answer))


@dataclass(frozen=True)
class BlockCandidate:
    """The posterior of a block model, :func:`lovasz.clustering.block_model.block_posterior`."""

    prior: str | None = None
    """The candidate whose calibrated probabilities are the prior of a node, or None."""
    reads_features: bool = False
    """Whether features are a part of the model, and learned with the blocks."""

    def suits(self, problem: Problem) -> bool:
        """Return whether there are edges, and features if it needs them."""
        alone = self.prior is None and not self.reads_features
        return problem.graph.m > 0 and (alone or problem.features is not None)

    def fit(self, bench: Bench, callback: Callback | None) -> Fitted:
        """Infer the classes of all nodes from each part; with features, check that it fits."""
        from lovasz.clustering.block_fit import check_closure

        problem = bench.problem
        logits: list[np.ndarray] = []
        fits: list[bool] = []
        before = None
        for found in self.posteriors(bench):
            logits.append(found.logits)
            if self.reads_features and found is not before:
                fits.append(check_closure(problem.graph, found, seed=bench.seed).fits)
            before = found
        drawn = bool(fits) and all(fits) and problem.table is None  # a graph of features is no draw
        return Fitted(np.stack(logits), credit=BLOCK_CREDIT if drawn else CREDIT)

    def posteriors(self, bench: Bench) -> Iterator[BlockPosterior]:
        """Yield the posterior of each part; runs in a row that learn from the same nodes share it.

        With a prior they do not, because the prior of each run is its own.
        """
        from lovasz.clustering.block_model import block_posterior

        problem, runs = bench.problem, bench.parts.runs
        features = problem.principal_features if self.reads_features else None
        priors: list[np.ndarray | None] = [None] * len(runs)
        if self.prior is not None:
            calibration = bench.calibrate(self.prior)
            said = bench.done[self.prior].logits
            priors = [np.log(np.maximum(calibration(run), 1e-6)) for run in said]
        before, found = None, None
        for (train, _), prior in zip(runs, priors, strict=True):
            if found is None or prior is not None or train is not before:
                codes = np.full(problem.graph.n, -1)
                codes[train] = problem.codes[train]
                found = block_posterior(
                    problem.graph, codes, bench.classes, prior=prior, features=features,
                    seed=bench.seed,
                )  # fmt: skip
            before = train
            yield found


def identity(n: int) -> sparse.csr_array:
    """Return the kernel that leaves every node to itself."""
    return sparse.eye_array(n, format="csr")


NORMALIZED: dict[str, Any] = {"weights": "normalized"}
"""Kernel options of the candidates whose name starts with "ls normalized"."""
STEADY: dict[str, Any] = {"hidden": 32, "lr": 0.05, "dropout": 0.7}
"""Settings of the network with the consistency penalty, chosen by the validation nodes of the
citation graphs. With a learning rate of 0.01 its best epoch there is the last of 200."""
QUICK: dict[str, Any] = {"lr": 0.05}
"""Settings of the network that learns the coefficients of p from the first on. With a learning rate
of 0.01 the coefficients hardly move before the patience ends."""
LIGHT: dict[str, Any] = {"lr": 0.05, "dropout": 0.2, "weight_decay": 5e-5}
"""Settings of the network that learns p from PageRank on. Where features are a few columns, such as
the number of a kind of neighbours, dropping half of them leaves nothing to learn from."""
BESIDE: dict[str, Any] = {"hidden": WIDE, "lr": 0.01, "dropout": 0.2}
"""Settings of the perceptron on surroundings."""
CANDIDATES: dict[str, Candidate] = {
    "linear": SimilarityCandidate("scaled features", linear=True),
    "linear, other scale": SimilarityCandidate("features, other scale", linear=True),
    "perceptron": NetworkCandidate(changes={"hidden": WIDE, "lr": 0.02}),
    "perceptron on surroundings": NetworkCandidate(surroundings=True, changes=BESIDE),
    "forest": ForestCandidate(),
    "similar rows": SimilarityCandidate("features"),
    "similar surroundings": SimilarityCandidate("surroundings"),
    "similar roles": SimilarityCandidate("roles"),
    "spectral": SimilarityCandidate("spectrum"),
    "spreading": SpreadingCandidate(),
    "similar surroundings, smoothed": SmoothedCandidate("similar surroundings"),
    "blocks": BlockCandidate(),
    "blocks on features": BlockCandidate(prior="similar rows"),
    "blocks with features": BlockCandidate(reads_features=True),
    "ls": NetworkCandidate("ls"),
    "gcn": NetworkCandidate("gcn"),
    "ls normalized": NetworkCandidate("ls", NORMALIZED),
    "ls hyperedges": NetworkCandidate("ls", {"weights": "hyperedges-normalized"}, hyperedges=True),
    "ls normalized, learned": NetworkCandidate("ls", NORMALIZED, "learned", changes=QUICK),
    "gcn, learned ppr": NetworkCandidate("gcn", {}, "gprgnn", changes=LIGHT, needs_features=True),
    "gcn, ppr, consistent": NetworkCandidate(
        "gcn", {}, "appnp", consistent=1.5, changes=STEADY, needs_features=True
    ),
}
"""All candidates. Those that others build on come first."""
TRUSTED = (
    "perceptron", "similar rows", "similar surroundings", "spectral", "spreading", "blocks", "gcn",
)  # fmt: skip
"""The candidates that answer, with equal shares, when there are too few labels to judge by. One of
each kind, so that no kind outvotes the others."""
SLOW = ("ls normalized, learned", "gcn, learned ppr", "gcn, ppr, consistent")
"""Candidates that a large graph leaves out."""
NETWORKS = tuple(name for name, found in CANDIDATES.items() if isinstance(found, NetworkCandidate))
"""Candidates that are trained step by step."""
FAST_LEAVES_OUT = (*NETWORKS, "blocks on features", "linear, other scale")
"""Candidates that ``fast`` leaves out: the networks, because torch alone takes longer to import
than all others take on a small graph, and those that resemble another."""


def is_auto(kernel: Any) -> bool:
    """Return whether the candidates are to be tried."""
    return isinstance(kernel, str) and kernel == "auto"


def candidates_for(problem: Problem, *, fast: bool = False) -> dict[str, Candidate]:
    """Return the candidates that are tried on a problem.

    If too few labels can judge, only trusted candidates have a share, and others are not tried.
    With a few more the slow ones are left out, because they could not be told from the others.
    """
    per_class = np.bincount(problem.codes[problem.codes >= 0])
    judges = int(per_class[per_class > 1].sum())
    slow = problem.graph.m > LARGE_EDGES or judges < FEWEST_TO_CALIBRATE
    out = FAST_LEAVES_OUT if fast else SLOW if slow else ()
    out += () if is_installed("sklearn") else ("forest",)
    suiting = {n: c for n, c in CANDIDATES.items() if c.suits(problem) and n not in out}
    if not suiting:
        raise LovaszError("the graph has no edges and the nodes no features; add one of them")
    if judges >= FEWEST_TO_WEIGH:
        return suiting
    return {name: suiting[name] for name in suiting if name in TRUSTED} or suiting
