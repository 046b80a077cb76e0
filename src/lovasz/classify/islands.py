"""Nodes that no label reaches through edges, and what is answered there.

With features, the candidates that read them answer. Without, nothing is known about such a node but
that no label reaches it, so it is answered with the shares of the classes among labelled nodes that
no other label reaches, such as isolated ones. Judging nodes that no training label reaches are
answered in the same way, so that the expected accuracy is that of these answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lovasz.classify.blend import Blend
from lovasz.classify.parts import Parts
from lovasz.classify.problem import Problem
from lovasz.graphs.operations import components

PRIOR_LABELS = 2.0
"""The shares of the classes among all labels count as much as this many labels on islands."""


@dataclass(frozen=True)
class Islands:
    """The components of a graph, by the labels in them."""

    component: np.ndarray
    """(n,) number of the component of each node."""
    codes: np.ndarray
    """(n,) class of each node, or -1 where it has no label."""
    features: bool
    """Whether nodes have features."""

    @classmethod
    def of(cls, problem: Problem) -> Islands:
        """Return the islands of a problem."""
        component = np.empty(problem.graph.n, dtype=np.int64)
        for number, rows in enumerate(components(problem.graph)):
            component[rows] = number
        return cls(component, problem.codes, problem.features is not None)

    def beyond(self, known: np.ndarray) -> np.ndarray:
        """Return a mask of the nodes that none of the ``known`` nodes reaches."""
        reached = np.zeros(int(self.component.max(initial=-1)) + 1, dtype=bool)
        reached[self.component[known]] = True
        return np.asarray(~reached[self.component])

    def unreached(self) -> np.ndarray:
        """Return a mask of the nodes in components without a labelled node."""
        return self.beyond(np.flatnonzero(self.codes >= 0))

    def unreached_judges(self, parts: Parts) -> np.ndarray:
        """Return a mask of the judges that no label reaches from which their run learned."""
        beyond = np.zeros(len(self.codes), dtype=bool)
        for train, judges in parts.runs:
            if len(judges):
                beyond[judges] = self.beyond(train)[judges]
        return np.asarray(beyond[parts.judges])

    def shares(self, classes: int, hidden: np.ndarray | None = None) -> np.ndarray:
        """Return (1, classes) shares of the classes on islands.

        ``hidden`` nodes get one row each, which does not count their own label.
        """
        labelled = np.flatnonzero(self.codes >= 0)
        total = np.bincount(self.codes[labelled], minlength=classes)
        labels_there = np.bincount(self.component[labelled])
        alone = labelled[labels_there[self.component[labelled]] == 1]
        count = np.bincount(self.codes[alone], minlength=classes)[None].astype(float)
        if hidden is not None:
            count = np.repeat(count, len(hidden), axis=0)
            own = np.isin(hidden, alone)
            count[own, self.codes[hidden[own]]] -= 1
        count = count + PRIOR_LABELS * total / total.sum()
        return np.asarray(count / count.sum(axis=1, keepdims=True))


def answer_islands(
    islands: Islands,
    blended: Blend,
    answers: Mapping[str, np.ndarray],
    held_out: Mapping[str, np.ndarray],
    parts: Parts,
    readers: Sequence[str],
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of all nodes, and those of the judges from runs kept from them.

    ``answers`` are the (runs, n, classes) logits of each candidate, ``held_out`` the
    (judges, classes) logits at the judges, and ``readers`` the candidates that read features.
    """
    P, said = blended(answers), blended.held_out.copy()
    lonely = islands.unreached()
    apart = islands.unreached_judges(parts) if len(said) else np.zeros(0, dtype=bool)
    if islands.features:
        if lonely.any():
            P[lonely] = blended(answers, readers)[lonely]
        if apart.any():
            runs = {name: held_out[name][None, apart] for name in readers}
            said[apart] = blended(runs, readers)
    else:
        P[lonely] = islands.shares(P.shape[1])
        said[apart] = islands.shares(P.shape[1], parts.judges[apart])
    return P, said
