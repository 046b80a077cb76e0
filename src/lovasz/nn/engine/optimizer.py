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
    if len(stretches) > 1:
        return Stretches(weights, stretches)
    return _fused_adam(_groups(weights, *settings[0]))


def _groups(weights: list[Tensor], rate: float, decays: list[float]) -> list[dict[str, Any]]:
    """Return one parameter group per value of L2; torch steps a group with one kernel."""
    alike: dict[float, list[Tensor]] = {}
    for W, decay in zip(weights, decays, strict=True):
        alike.setdefault(decay, []).append(W)
    return [{"params": p, "lr": rate, "weight_decay": decay} for decay, p in alike.items()]


def _fused_adam(groups: list[dict[str, Any]]) -> Optimizer:
    """Return Adam with one kernel per group."""
    on_cpu = groups[0]["params"][0].device.type == "cpu"
    if on_cpu and hasattr(torch, "_fused_adam_"):  # not part of torch's public interface
        return CpuAdam(groups)
    return torch.optim.Adam(groups, fused=True, capturable=not on_cpu)


class CpuAdam:
    """``torch.optim.Adam(fused=True)`` on a CPU, to the last bit.

    torch's own class imports the compiler of torch, which takes a second or more, and spends more
    time on hooks and checks than a small network takes to train.
    """

    def __init__(self, groups: list[dict[str, Any]]) -> None:
        self.groups = groups
        weights = [W for group in groups for W in group["params"]]
        self.state = {
            id(W): (torch.zeros_like(W), torch.zeros_like(W), torch.zeros(())) for W in weights
        }

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for group in self.groups:
            for W in group["params"]:
                W.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Move the weights that have gradients."""
        for group in self.groups:
            moved = [W for W in group["params"] if W.grad is not None]
            if not moved:
                continue
            means, squares, steps = map(list, zip(*(self.state[id(W)] for W in moved), strict=True))
            torch._foreach_add_(steps, 1)
            torch._fused_adam_(
                moved, [W.grad for W in moved], means, squares, [], steps,
                lr=group["lr"], beta1=0.9, beta2=0.999, weight_decay=group["weight_decay"],
                eps=1e-8, amsgrad=False, maximize=False, grad_scale=None, found_inf=None,
            )  # fmt: skip


class Stretches:
    """Adam on a copy of each stretch of runs that have equal learning rates and L2.

    The weights stay one tensor for the products, so a step costs one more copy of them and of
    their gradients. Everything is written in place, so that a CUDA graph can repeat it.
    """

    def __init__(
        self,
        weights: list[Tensor],
        stretches: Sequence[tuple[tuple[float, list[float]], int]],
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
        self.optimizer = _fused_adam(groups)

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
