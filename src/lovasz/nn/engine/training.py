"""What comes out of a training: the weights, the logits and the curves of every run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from lovasz.nn.pyg.models import LCN


@dataclass(frozen=True)
class Training:
    """B trained networks, each with the weights of its best epoch.

    >>> import lovasz
    >>> from lovasz.nn import Settings, train
    >>> K = lovasz.kernel([(0, 1), (1, 2), (2, 3)], "ls")
    >>> split = np.array([0, 3]), np.array([1])
    >>> found = train(K, np.array([0, 0, 1, 1]), [split], settings=Settings(epochs=5))
    >>> found.train_loss.shape, found.probabilities.shape
    ((5, 1), (1, 4, 2))
    """

    weights: list[Tensor]
    """One (in, B, out) tensor per layer."""
    logits: np.ndarray
    """(B, n, classes): the logits of every node, computed without dropout."""
    best_epoch: np.ndarray
    """(B,): the epoch whose weights were kept, counted from 1."""
    train_loss: np.ndarray
    """(epochs run, B): the loss on the training nodes, with dropout."""
    validation_loss: np.ndarray
    """(epochs run, B): the loss on the validation nodes, NaN for a run without any."""
    validation_accuracy: np.ndarray
    """(epochs run, B): the accuracy on the validation nodes, NaN for a run without any."""

    @property
    def probabilities(self) -> np.ndarray:
        """(B, n, classes): the softmax of the logits."""
        found: np.ndarray = torch.as_tensor(self.logits).softmax(-1).numpy()
        return found

    def part(self, runs: slice) -> Self:
        """Return the results of some of the runs."""
        return replace(
            self,
            weights=[W[:, runs] for W in self.weights],
            logits=self.logits[runs],
            best_epoch=self.best_epoch[runs],
            train_loss=self.train_loss[:, runs],
            validation_loss=self.validation_loss[:, runs],
            validation_accuracy=self.validation_accuracy[:, runs],
        )

    def model(self, run: int = 0) -> LCN:
        """Return one of the runs as a torch module, which needs PyTorch Geometric."""
        from lovasz.nn import LCN

        matrices = [W[:, run].cpu().clone() for W in self.weights if len(W) > 1]
        vectors = [W[0, run].cpu().clone() for W in self.weights[len(matrices) :]]
        return LCN.from_weights(matrices, vectors)
