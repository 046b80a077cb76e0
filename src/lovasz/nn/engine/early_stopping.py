"""The choice of the epoch whose weights are kept."""

from __future__ import annotations

import torch
from torch import Tensor


class Best:
    """The weights of the best epoch so far of each run.

    Validation nodes that choose the epoch of their own run flatter that run. If ``shared``, the
    epoch of a run is the best on the validation nodes of all other runs, so its own can still judge
    it; a run without validation nodes follows all others.
    """

    def __init__(
        self, weights: list[Tensor], patience: int | None, *, shared: bool = False
    ) -> None:
        self.shared = shared
        self.pool: Tensor | None = None
        """What :func:`_others` returns if ``shared``, from the first epoch on."""
        self.weights = [W.detach().clone() for W in weights]
        self.accuracy = torch.full_like(weights[0][0, :, 0].detach(), -1.0)
        self.loss = torch.full_like(self.accuracy, torch.inf)
        self.epoch = torch.zeros_like(self.accuracy, dtype=torch.int64)
        self.now = torch.zeros_like(self.epoch[0])
        self.patience = patience
        self.stale = torch.zeros_like(self.epoch)

    def offer(self, weights: list[Tensor], loss: Tensor, accuracy: Tensor) -> None:
        """Keep the weights of the runs that are better than in all epochs before.

        Everything is written in place and nothing is read on the CPU, so that a CUDA graph can
        repeat it.
        """
        self.now += 1
        if self.shared:
            if self.pool is None:  # the runs that have validation nodes are always the same
                self.pool = _others(accuracy)
            loss, accuracy = (self.pool @ scores.nan_to_num() for scores in (loss, accuracy))
        better = (accuracy > self.accuracy) | ((accuracy == self.accuracy) & (loss < self.loss))
        better |= accuracy.isnan()  # a run without validation nodes keeps its last epoch
        if self.patience is not None:
            better &= self.stale < self.patience
        self.stale.add_(1).masked_fill_(better, 0)
        if better.is_cpu and not better.any():  # asking a GPU would make it wait
            return
        self.accuracy.copy_(torch.where(better, accuracy, self.accuracy))
        self.loss.copy_(torch.where(better, loss, self.loss))
        self.epoch.copy_(torch.where(better, self.now, self.epoch))
        for kept, W in zip(self.weights, weights, strict=True):
            torch.where(better[:, None], W.detach(), kept, out=kept)

    def all_stale(self) -> bool:
        """Return whether no run may improve any more."""
        return self.patience is not None and bool((self.stale >= self.patience).all())


def _others(accuracy: Tensor) -> Tensor:
    """Return (B, B) weights of the mean over the other runs that have validation nodes.

    If no other run has any, the mean is that of the run itself, or NaN.
    """
    counted = ~accuracy.isnan()
    pool = counted.expand(len(counted), -1) & ~torch.eye(
        len(counted), dtype=torch.bool, device=accuracy.device
    )
    pool = torch.where(pool.any(1, keepdim=True), pool, counted).to(accuracy.dtype)
    return pool / pool.sum(1, keepdim=True)
