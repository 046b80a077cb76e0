"""The content of a report page."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lovasz.graphs import Graph

if TYPE_CHECKING:
    from lovasz.classify.evaluation import Trial


@dataclass(frozen=True)
class Method:
    """The results of one method on B splits, which are the same for every method of a page.

    The splits are random ones, whose held-out nodes overlap, or the folds of the labels, which hold
    every node out once.
    """

    name: str
    """The name to show, such as "lovasz", "LCN (ls)" or "GCN"."""
    accuracy: np.ndarray
    """(B,) accuracy on the held-out nodes of each split, in [0, 1]."""
    truth: np.ndarray
    """(N,) class codes of the held-out nodes of all splits, one after the other."""
    predicted: np.ndarray
    """(N,) predicted class codes of the same nodes."""
    confidence: np.ndarray
    """(N,) probability given to the predicted class."""
    train_loss: np.ndarray
    """(epochs, B) cross-entropy on the training nodes after each epoch."""
    validation_loss: np.ndarray
    """(epochs, B) cross-entropy on the validation nodes after each epoch."""
    validation_accuracy: np.ndarray
    """(epochs, B) accuracy on the validation nodes after each epoch."""
    chosen: tuple[str, ...] = ()
    """The kernel that each split chose on its validation nodes; empty if there was no choice."""
    folds: bool = False
    """Whether the splits are folds, so that every node of ``truth`` is another one."""
    network: str = ""
    """The network whose curves these are, if the method is more than one network."""

    @property
    def mean(self) -> float:
        """Mean accuracy: over all nodes for folds, which differ in size, and else over splits."""
        if self.folds:
            return float((self.truth == self.predicted).mean())
        return float(np.mean(self.accuracy))

    @property
    def curve_name(self) -> str:
        """The name of its training curves."""
        return self.network or self.name

    @property
    def unit(self) -> str:
        """What one of its splits is called."""
        return "fold" if self.folds and len(self.accuracy) > 1 else "split"


@dataclass(frozen=True)
class SuspiciousLabel:
    """A given label that the model, which did not see it, contradicts."""

    node: str
    given: int
    """Code of the given class."""
    suggested: int
    """Code of the class that the model says."""
    probability: float
    """The probability of that class."""


@dataclass(frozen=True)
class NextLabel:
    """A node whose label would tell the model much."""

    node: str
    reason: str
    """Why, in words."""


@dataclass(frozen=True)
class Report:
    """Everything on a report page."""

    title: str
    graph: Graph
    classes: tuple[str, ...]
    labels: np.ndarray
    """(n,) class code that the user gave each node, -1 where none was given."""
    probabilities: np.ndarray
    """(n, classes) probabilities of the final model."""
    embedding: np.ndarray
    """(n, d) output of the network for each node, before the softmax."""
    methods: tuple[Method, ...]
    """Ours, then the methods it is compared with; empty if nothing was compared."""
    protocol: str
    """A sentence that says how the methods were compared, or why they were not."""
    settings: dict[str, str]
    """The values needed to run it again, by name: kernel, seed, versions."""
    command: str
    """The command line that makes this page again."""
    expectation: str = ""
    """A sentence about the expected accuracy on unlabelled nodes; empty if it is not known."""
    rests_on: str = ""
    """A sentence about the candidates that the answer rests on; empty if there is only one."""
    suspicious: tuple[SuspiciousLabel, ...] = ()
    """Given labels that are contradicted, the most doubtful first."""
    next_labels: tuple[NextLabel, ...] = ()
    """Nodes to label next, the most useful first."""
    forecast: str = ""
    """A sentence about what more labels would bring; empty if it is not known."""
    evidence: Mapping[Hashable, Sequence[str]] = field(default_factory=dict)
    """Node -> lines that say what its answer rests on, for the cards of some of the nodes."""
    ask_for_evidence: str = ""
    """Python code that explains any node; empty if there is none."""
    tried: dict[str, Trial] = field(default_factory=dict)
    """The candidates that the final model was chosen from; empty if there was no choice."""
    shares: dict[str, float] = field(default_factory=dict)
    """The share of each candidate in the answers of the final model."""
    notes: tuple[str, ...] = field(default=())
    """Warnings, such as dropped self-loops, isolated nodes or a class with three labels."""

    @property
    def measured(self) -> bool:
        """Whether enough labels were held out to say how often answers are right."""
        return bool(self.methods or self.expectation)
