"""What ``kernel="auto"`` chooses from, and what a choice is trained with.

The budget: seven networks with features and four without, on GCN's Â and on two kernels of 𝒦(G)
that cost an eigenvalue each; a graph of more than ``MANY_EDGES`` gets the first ``FEW``, a
hypergraph one more. The exact Lovász kernel is not among them, as nobody can say beforehand how
long it takes. ``lovasz reproduce kernels`` measures them all.

Where ``fit`` is given validation nodes, they choose one. Where it is not, ``FOLDS`` random parts
of the labels are kept in turn, half of a part to stop the networks and half to judge them; all
are trained at the same time, as runs of one batch, and answer together with weights that the
judging halves give the candidates (:mod:`lovasz.classify.blend`). With too few labels to judge by
halves, the best on the parts is chosen, and its networks answer together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.graphs import Graph
from lovasz.graphs.hypergraph import Expansion
from lovasz.kernels import kernel as make_kernel

if TYPE_CHECKING:
    from lovasz.nn import Settings

FOLDS = 5
MANY_EDGES = 2_000_000
FEW = 2


@dataclass(frozen=True)
class Candidate:
    """A kernel by name and options, and how the network propagates with it."""

    kernel: str
    options: dict[str, Any] = field(default_factory=dict)
    propagation: str = "hop"
    """ "hop" is the LCN of the paper, else a name of
    lovasz.nn.networks.propagation.PROPAGATIONS."""
    consistent: float = 0.0
    """Weight of lovasz.nn.networks.propagation.Consistency."""
    decay: float = 1.0
    """Of the classifier's L2, which is then on the first matrix alone."""
    dropout: float | None = None
    """In the place of the classifier's."""


NORMALIZED: dict[str, Any] = {"weights": "normalized"}
STEADY: dict[str, Any] = {"consistent": 2.0, "decay": 10.0, "dropout": 0.7}
CANDIDATES: dict[str, Candidate] = {
    "ls": Candidate("ls"),
    "gcn": Candidate("gcn"),
    "ls normalized": Candidate("ls", NORMALIZED),
    "ls normalized, learned": Candidate("ls", NORMALIZED, "learned"),
    "gcn, learned ppr": Candidate("gcn", {}, "gprgnn"),
    "gcn, ppr, consistent": Candidate("gcn", {}, "appnp", **STEADY),
    "ls normalized, learned ppr, consistent": Candidate("ls", NORMALIZED, "learned ppr", **STEADY),
}
"""In order of what they have to learn: of equals the first is chosen."""
ON_HYPERGRAPHS = {"ls hyperedges": Candidate("ls", {"weights": "hyperedges-normalized"})}
"""And on the graph of a hypergraph also D^-½ C D^-½, C the weights of its hyperedges."""
WITHOUT_FEATURES = 4
"""So many of them are for graphs without features: the others first predict from a node's own
features, and the identity says nothing of a node without a label."""


@dataclass(frozen=True)
class Contender:
    """A kernel, computed, and the network on it: call it as :func:`lovasz.nn.train` without K."""

    kernel: Any
    kernel_name: str
    candidate: Candidate | None = None

    @property
    def propagation(self) -> str:
        """Its name."""
        return self.candidate.propagation if self.candidate else "hop"

    def __call__(
        self, y: np.ndarray, splits: Sequence[Any], *, settings: Settings, **training: Any
    ) -> Any:
        """Train."""
        from lovasz.nn import train
        from lovasz.nn.networks.propagation import Consistency, train_propagated

        chosen = self.candidate
        if chosen is None or chosen.propagation == "hop":
            return train(self.kernel, y, splits, settings=settings, **training)
        dropout = settings.dropout if chosen.dropout is None else chosen.dropout
        settings = replace(
            settings, weight_decay=settings.weight_decay * chosen.decay, dropout=dropout
        )
        fit = partial(train_propagated, self.kernel, y, splits, propagation=chosen.propagation)
        if chosen.consistent:
            fit = partial(fit, consistency=Consistency(chosen.consistent))
        return fit(settings=settings, **training)


def names(graph: Graph, features: Any) -> list[str]:
    """The candidates a graph gets."""
    listed = list(CANDIDATES)[: WITHOUT_FEATURES if features is None else None]
    listed = listed[:FEW] if graph.m > MANY_EDGES else listed
    return [*listed, *(ON_HYPERGRAPHS if isinstance(graph, Expansion) else ())]


def contenders(graph: Graph, features: Any) -> dict[str, Contender]:
    """The candidates, ready to be trained; kernels that several share are computed once."""
    made: dict[str, Any] = {}
    found = {}
    for name in names(graph, features):
        candidate = (CANDIDATES | ON_HYPERGRAPHS)[name]
        kernel_name = name.partition(",")[0]
        if kernel_name not in made:
            made[kernel_name] = make_kernel(graph, candidate.kernel, **candidate.options)
        found[name] = Contender(made[kernel_name], kernel_name, candidate)
    return found
