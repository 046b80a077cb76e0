"""What a report page shows. The numbers are all here; the page only draws them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lovasz.graphs import Graph

if TYPE_CHECKING:
    from lovasz.classify.evaluation import Trial


@dataclass(frozen=True)
class Method:
    """One method under the protocol: B splits, the same for every method of a page."""

    name: str
    """For people: "LCN (ls kernel)", "GCN"."""
    accuracy: np.ndarray
    """(B,) accuracy on the held-out nodes of each split, in [0, 1]."""
    truth: np.ndarray
    """(N,) class codes of the held-out nodes of all splits, one after the other."""
    predicted: np.ndarray
    """(N,) predicted class codes of the same nodes."""
    confidence: np.ndarray
    """(N,) probability given to the predicted class."""
    train_loss: np.ndarray
    """(epochs, B)."""
    validation_loss: np.ndarray
    """(epochs, B)."""
    validation_accuracy: np.ndarray
    """(epochs, B)."""
    chosen: tuple[str, ...] = ()
    """The kernel each split chose on its validation nodes; empty when there was no choice."""


@dataclass(frozen=True)
class Page:
    """Everything on a report page."""

    title: str
    graph: Graph
    classes: tuple[str, ...]
    labels: np.ndarray
    """(n,) class code the user gave each node, -1 where none."""
    probabilities: np.ndarray
    """(n, classes) of the final model."""
    embedding: np.ndarray
    """(n, d) what the network learned of each node (before the softmax)."""
    methods: tuple[Method, ...]
    """LCN first, then what it is compared with. Empty where nothing was compared."""
    protocol: str
    """How the methods were compared, or why there was no comparison."""
    settings: dict[str, str]
    """Name -> value, what is needed to rerun: kernel, seed, versions."""
    command: str
    """The command line that makes this page again."""
    expectation: str = ""
    """How many of the unlabelled nodes are likely right, in words; empty: nobody knows."""
    tried: dict[str, Trial] = field(default_factory=dict)
    """What the final model was chosen from; empty: no choice."""
    shares: dict[str, float] = field(default_factory=dict)
    """And the part of each in its answers."""
    notes: tuple[str, ...] = field(default=())
    """Warnings worth the reader's eye: dropped self-loops, isolated nodes, a class of 3 labels."""
