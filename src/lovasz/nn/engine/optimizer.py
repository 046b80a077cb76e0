"""Adam for many runs at once, each with its own learning rate and L2."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from lovasz.base.errors import LovaszError
from lovasz.nn.engine.settings import Decays, Rates, one_per_run


class Optimizer(Protocol):
    """What the training loop needs of an optimizer."""

    def zero_grad(self) -> None:
        """Forget the gradients."""
        ...

    def step(self) -> Any:
        """Move the weights of every run."""
        ...


def adam(weights: list[Tensor], lr: Rates, weight_decay: Decays) -> Optimizer:
    """Return Adam over ``weights`` (in, B, out), with one setting per run.

    Runs that follow each other and have equal settings are stepped by one kernel, so runs should
    be given in this order.
    """
    runs = weights[0].shape[1]
    decayed = _decays(weight_decay, len(weights), runs).T.tolist()
    settings = [*zip(one_per_run(lr, runs, "lr"), decayed, strict=True)]
    stretches = [(setting, len([*same])) for setting, same in groupby(settings)]
    options: dict[str, Any] = {"fused": True, "capturable": weights[0].device.type == "cuda"}
    if len(stretches) > 1:
        return Stretches(weights, stretches, options)
    return torch.optim.Adam(_groups(weights, *settings[0]), **options)


def _groups(weights: list[Tensor], rate: float, decays: list[float]) -> list[dict[str, Any]]:
    """Return one parameter group per value of L2; torch steps a group with one kernel."""
    alike: dict[float, list[Tensor]] = {}
    for W, decay in zip(weights, decays, strict=True):
        alike.setdefault(decay, []).append(W)
    return [{"params": p, "lr": rate, "weight_decay": decay} for decay, p in alike.items()]


class Stretches:
    """torch's Adam on a copy of each stretch of runs that have equal learning rates and L2.

    The weights stay one tensor for the products, so a step costs one more copy of them and of
    their gradients. Everything is written in place, so that a CUDA graph can repeat it.
    """

    def __init__(
        self,
        weights: list[Tensor],
        stretches: Sequence[tuple[tuple[float, list[float]], int]],
        options: dict[str, Any],
    ) -> None:
        self.weights, self.sizes = weights, [size for _, size in stretches]
        whole = torch.contiguous_format
        self.parts = [
            [part.clone(memory_format=whole) for part in W.detach().split(self.sizes, 1)]
            for W in weights
        ]
        groups = [
            group
            for parts, (setting, _) in zip(zip(*self.parts, strict=True), stretches, strict=True)
            for group in _groups([*parts], *setting)
        ]
        self.optimizer = torch.optim.Adam(groups, **options)

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for W in self.weights:
            W.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Step every run once."""
        for W, parts in zip(self.weights, self.parts, strict=True):
            if W.grad is not None:
                for part, gradient in zip(parts, W.grad.split(self.sizes, 1), strict=True):
                    part.grad = gradient.contiguous()
        self.optimizer.step()
        for W, parts in zip(self.weights, self.parts, strict=True):
            torch.cat(parts, 1, out=W.detach())


def _decays(value: Decays, matrices: int, runs: int) -> np.ndarray:
    """Return the (matrices, runs) L2 factors."""
    given = np.asarray(value, dtype=np.float64)
    given = given[:, None] if given.ndim == 1 else given
    try:
        return np.broadcast_to(given, (matrices, runs))
    except ValueError:
        raise LovaszError(
            f"weight_decay has shape {np.shape(value)} for {matrices} matrices and {runs} runs; "
            f"give one, {matrices}, or rows of {runs}"
        ) from None
