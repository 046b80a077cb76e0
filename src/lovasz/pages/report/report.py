"""The content of a report page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lovasz.graphs import Graph

if TYPE_CHECKING:
    from lovasz.classify.evaluation import Trial


@dataclass(frozen=True)
class Method:
    """The results of one method on B splits, which are the same for every method of a page."""

    name: str
    """The name to show, such as "LCN (ls)" or "GCN"."""
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
    """LCN, then the methods it is compared with; empty if nothing was compared."""
    protocol: str
    """A sentence that says how the methods were compared, or why they were not."""
    settings: dict[str, str]
    """The values needed to run it again, by name: kernel, seed, versions."""
    command: str
    """The command line that makes this page again."""
    expectation: str = ""
    """A sentence about the expected accuracy on unlabelled nodes; empty if it is not known."""
    tried: dict[str, Trial] = field(default_factory=dict)
    """The candidates that the final model was chosen from; empty if there was no choice."""
    shares: dict[str, float] = field(default_factory=dict)
    """The share of each candidate in the answers of the final model."""
    notes: tuple[str, ...] = field(default=())
    """Warnings, such as dropped self-loops, isolated nodes or a class with three labels."""
