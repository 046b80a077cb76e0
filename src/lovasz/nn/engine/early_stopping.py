"""Which epoch of a training to keep."""

from __future__ import annotations

import torch
from torch import Tensor


class Best:
    """The weights of each run's best epoch so far."""

    def __init__(self, weights: list[Tensor], patience: int | None) -> None:
        self.weights = [W.detach().clone() for W in weights]
        self.accuracy = torch.full_like(weights[0][0, :, 0].detach(), -1.0)
        self.loss = torch.full_like(self.accuracy, torch.inf)
        self.epoch = torch.zeros_like(self.accuracy, dtype=torch.int64)
        self.now = torch.zeros_like(self.epoch[0])
        self.patience = patience
        self.stale = torch.zeros_like(self.epoch)

    def offer(self, weights: list[Tensor], loss: Tensor, accuracy: Tensor) -> None:
        """Keep the weights of the runs that are better now than ever before.

        Everything is written in place and nothing comes from the CPU, so that a CUDA graph can
        repeat it.
        """
        self.now += 1
        better = (accuracy > self.accuracy) | ((accuracy == self.accuracy) & (loss < self.loss))
        better |= accuracy.isnan()  # nothing to choose by: the last epoch counts
        if self.patience is not None:
            better &= self.stale < self.patience
        self.stale.add_(1).masked_fill_(better, 0)
        if better.is_cpu and not better.any():  # to ask a GPU would make it wait
            return
        self.accuracy.copy_(torch.where(better, accuracy, self.accuracy))
        self.loss.copy_(torch.where(better, loss, self.loss))
        self.epoch.copy_(torch.where(better, self.now, self.epoch))
        for kept, W in zip(self.weights, weights, strict=True):
            torch.where(better[:, None], W.detach(), kept, out=kept)

    def all_stale(self) -> bool:
        """Whether no run may improve any more."""
        return self.patience is not None and bool((self.stale >= self.patience).all())
