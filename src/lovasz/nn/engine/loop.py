"""The one training loop: many splits and seeds of one network as one computation.

B runs that share a kernel and features have their weights stacked to (in, B, out), so an epoch of
all of them is one product K · (n, B·h) per layer. Nothing mixes the runs: gradients and Adam act
on each weight alone, and every run draws its initial weights and its dropout from its own seed. A
run therefore comes out the same whether it is trained alone or beside others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

import torch
from torch import Tensor

from lovasz.base.device import torch_threads
from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.nn.engine.cuda_graph import repeating
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.early_stopping import Best
from lovasz.nn.engine.initial_weights import stream_seed
from lovasz.nn.engine.network import Network, P, Phases, Place, Supervision
from lovasz.nn.engine.optimizer import Optimizer, adam
from lovasz.nn.engine.precision import summed_in_single
from lovasz.nn.engine.settings import Rates, Settings, one_per_run
from lovasz.nn.engine.training import Training


def train_network(
    network: Network[P],
    task: Supervision,
    *,
    settings: Settings,
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    callback: Callback | None = None,
    start: Sequence[Tensor] | None = None,
) -> Training:
    """Train one network for each split of ``task``, all of them at once.

    Run b draws its weights and its dropout from ``seeds[b]``, which is b by default. ``start`` are
    weights to go on from, as a :class:`Training` has them, instead of drawn ones.
    ``callback(epoch, note)`` is called after every epoch.
    """
    seeds = task.seeds(seeds)
    place = Place.of(device, settings.precision)
    phases = network.phases(place)
    if start is None:
        weights = network.initial_weights(seeds, place.full)
    else:
        weights = [W.detach().to(**place.full, copy=True).requires_grad_() for W in start]
    dropping = seeds[:1] if settings.shared_dropout else seeds
    drop = Dropout(settings.dropout, [stream_seed(seed, 1) for seed in dropping], place.device)
    optimizer = adam(weights, settings.lr, network.decays(settings.weight_decay))
    best = Best(weights, settings.patience, shared=settings.shared_epoch)
    judged = torch.tensor(task.judged, device=place.device)
    step = TrainingStep(network, phases, weights, drop, optimizer, best, judged)
    log: list[Tensor] = []

    captured = repeating(step, place.device, drop.used, wanted=settings.capture)
    widest = max(W.shape[2] for W in weights)
    entries = len(task.y) * len(seeds) * widest
    with torch_threads(entries), summed_in_single(), captured as advance:
        for epoch in range(1, settings.epochs + 1):
            advance()
            log.append(step.scores.clone())
            if callback:
                callback(epoch, f"validation accuracy {float(log[-1][2].mean()):.3f}")
            if best.all_stale():
                break

    with torch.no_grad():
        logits = network.forward(phases.everything, best.weights, None)
    _refuse_diverged(logits, settings.lr)
    return summarize(best, logits, log)


class TrainingStep(Generic[P]):
    """One epoch: a step of the optimizer, then a verdict on the runs by their validation nodes.

    It looks at no result on the CPU and writes to the same memory each time, so that
    :func:`~lovasz.nn.engine.cuda_graph.repeating` can record it.
    """

    def __init__(
        self,
        network: Network[P],
        phases: Phases[P],
        weights: list[Tensor],
        drop: Dropout,
        optimizer: Optimizer,
        best: Best,
        judged: Tensor | None = None,
    ) -> None:
        self.network, self.phases, self.weights = network, phases, weights
        self.drop, self.optimizer, self.best = drop, optimizer, best
        self.judged = judged
        """The numbers of the runs that the validation phase computes, or None for all runs."""
        self.scores: Tensor
        """(3, B): training loss, validation loss and validation accuracy of the last epoch."""

    def __call__(self) -> None:
        """Run one epoch."""
        self.optimizer.zero_grad()
        loss = self.network.losses(self.phases, self.weights, self.drop)
        loss.sum().backward()
        self.network.adjust_gradients(self.weights)
        self.optimizer.step()
        with torch.no_grad():
            losses, accuracies = self.validate()
            self.scores = torch.stack([loss, losses, accuracies])
            self.best.offer(self.weights, losses, accuracies)

    def validate(self) -> tuple[Tensor, Tensor]:
        """Return the (B,) losses and accuracies on validation nodes, NaN for runs without any."""
        validation, weights = self.phases.validation, self.weights
        if self.judged is None or len(self.judged) == weights[0].shape[1]:
            return validation.targets.scores(self.network.forward(validation, weights, None))
        part = [W.index_select(1, self.judged) for W in weights]
        scores = validation.targets.scores(self.network.forward(validation, part, None))
        unknown = torch.full_like(weights[0][0, :, 0], torch.nan)
        losses, accuracies = (unknown.index_copy(0, self.judged, found) for found in scores)
        return losses, accuracies


def clip_runs(weights: list[Tensor], most: float) -> None:
    """Shorten the gradient of each run to norm ``most``, independently of the other runs."""
    gradients = [W.grad for W in weights if W.grad is not None]
    norms = torch.stack([g.square().sum((0, 2)) for g in gradients]).sum(0).sqrt()
    factors = (most / norms.clamp_min(1e-12)).clamp_max(1.0)
    for g in gradients:
        g *= factors[:, None]


def _refuse_diverged(logits: Tensor, lr: Rates) -> None:
    finite = torch.isfinite(logits).all(0).all(-1).tolist()
    if not all(finite):
        rates = one_per_run(lr, len(finite), "lr")
        least = min(rate for rate, fine in zip(rates, finite, strict=True) if not fine)
        raise LovaszError(f"training diverged with lr={least:g}: weights are not finite; lower lr")


def summarize(best: Best, logits: Tensor, log: list[Tensor]) -> Training:
    """Return the result of a training from its best weights, its logits and its scores."""
    losses, validation_losses, accuracies = torch.stack(log, dim=1).cpu().numpy()
    return Training(
        weights=best.weights,
        logits=logits.transpose(0, 1).contiguous().cpu().numpy(),
        best_epoch=best.epoch.cpu().numpy(),
        train_loss=losses,
        validation_loss=validation_losses,
        validation_accuracy=accuracies,
    )
