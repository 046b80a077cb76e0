"""The networks that ``kernel="auto"`` chooses from, and how each of them is trained.

There are seven candidates with features and four without, on GCN's Â and on two kernels of 𝒦(G)
that cost one eigenvalue each. A graph of more than ``MANY_EDGES`` edges gets the first ``FEW``, and
a hypergraph gets one more. The exact Lovász kernel is not among them, because nobody can say
beforehand how long it takes. ``lovasz reproduce kernels`` measures all of them.

If ``fit`` is given validation nodes, they choose one candidate. If not, ``FOLDS`` random parts of
the labels are held out in turn, one half of a part to stop the networks and the other half to
judge them. All are trained at the same time, as runs of one batch, and answer together, weighted by
their results on the judging halves (:mod:`lovasz.classify.blend`). With too few labels to judge by
halves, the candidate that is best on the parts is chosen, and its networks answer together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.classify.problem import Problem
from lovasz.graphs import Graph
from lovasz.graphs.hypergraph import Expansion

if TYPE_CHECKING:
    from lovasz.nn import Settings, Training

FOLDS = 5
"""Number of parts of the labels that are held out in turn."""
MANY_EDGES = 2_000_000
"""A graph with more edges than this gets only the first ``FEW`` candidates."""
FEW = 2
"""Number of candidates for a graph of more than ``MANY_EDGES`` edges."""


@dataclass(frozen=True)
class Candidate:
    """A kernel by name and options, and how the network propagates with it."""

    kernel: str
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the kernel."""
    propagation: str = "hop"
    """Either "hop", the LCN of the paper, or a name in
    :data:`lovasz.nn.networks.propagation.PROPAGATIONS`."""
    consistent: float = 0.0
    """Weight of :class:`lovasz.nn.networks.propagation.Consistency`."""
    decay: float = 1.0
    """Factor on the classifier's L2 penalty, which is then on the first matrix alone."""
    dropout: float | None = None
    """Dropout to use instead of the classifier's, or None to use that."""


NORMALIZED: dict[str, Any] = {"weights": "normalized"}
"""Kernel options of the candidates whose name starts with "ls normalized"."""
STEADY: dict[str, Any] = {"consistent": 2.0, "decay": 10.0, "dropout": 0.7}
"""Settings of the candidates whose name ends in "consistent"."""
CANDIDATES: dict[str, Candidate] = {
    "ls": Candidate("ls"),
    "gcn": Candidate("gcn"),
    "ls normalized": Candidate("ls", NORMALIZED),
    "ls normalized, learned": Candidate("ls", NORMALIZED, "learned"),
    "gcn, learned ppr": Candidate("gcn", {}, "gprgnn"),
    "gcn, ppr, consistent": Candidate("gcn", {}, "appnp", **STEADY),
    "ls normalized, learned ppr, consistent": Candidate("ls", NORMALIZED, "learned ppr", **STEADY),
}
"""All candidates, ordered by how much they have to learn: the first of equally good ones wins."""
ON_HYPERGRAPHS = {"ls hyperedges": Candidate("ls", {"weights": "hyperedges-normalized"})}
"""One more candidate for hypergraphs: D^-½ C D^-½, where C holds the weights of the hyperedges."""
WITHOUT_FEATURES = 4
"""Number of candidates for graphs without features. The others first predict from a node's own
features, and the identity says nothing about a node without a label."""


@dataclass(frozen=True)
class Contender:
    """A candidate with its kernel built; it is called as :func:`lovasz.nn.train` without K."""

    kernel: Any
    kernel_name: str
    candidate: Candidate | None = None
    """The candidate, or None if the user named or gave the kernel."""

    @property
    def propagation(self) -> str:
        """The name of the propagation."""
        return self.candidate.propagation if self.candidate else "hop"

    def __call__(
        self, y: np.ndarray, splits: Sequence[Any], *, settings: Settings, **training: Any
    ) -> Training:
        """Train one network per split."""
        from lovasz.nn import train
        from lovasz.nn.networks.propagation import Consistency, train_propagated

        chosen = self.candidate
        if chosen is None or chosen.propagation == "hop":
            return train(self.kernel, y, splits, settings=settings, **training)
        # The classifier has one weight decay for all matrices, not a sequence.
        decay = chosen.decay * cast(float, settings.weight_decay)
        dropout = settings.dropout if chosen.dropout is None else chosen.dropout
        settings = replace(settings, weight_decay=decay, dropout=dropout)
        fit = partial(train_propagated, self.kernel, y, splits, propagation=chosen.propagation)
        if chosen.consistent:
            fit = partial(fit, consistency=Consistency(chosen.consistent))
        return fit(settings=settings, **training)


def is_auto(kernel: Any) -> bool:
    """Return whether the kernel is to be chosen from the candidates."""
    return isinstance(kernel, str) and kernel == "auto"


def candidate_names(graph: Graph, features: Any) -> list[str]:
    """Return the names of the candidates for a graph with these features."""
    listed = list(CANDIDATES)[: WITHOUT_FEATURES if features is None else None]
    listed = listed[:FEW] if graph.m > MANY_EDGES else listed
    return [*listed, *(ON_HYPERGRAPHS if isinstance(graph, Expansion) else ())]


def contenders(
    problem: Problem, kernel: Any, options: dict[str, Any] | None = None
) -> dict[str, Contender]:
    """Return what ``kernel`` stands for, ready to be trained; "auto" stands for several."""
    if not is_auto(kernel):
        name, K = problem.kernels.resolve(kernel, options)
        return {name: Contender(K, name)}
    if options:
        raise LovaszError("kernel='auto' takes no options; name the kernel they belong to")
    found = {}
    for name in candidate_names(problem.graph, problem.features):
        candidate = (CANDIDATES | ON_HYPERGRAPHS)[name]
        K = problem.kernels.get(candidate.kernel, candidate.options)
        found[name] = Contender(K, name.partition(",")[0], candidate)
    return found
