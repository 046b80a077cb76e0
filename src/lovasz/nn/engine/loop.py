"""The one training loop: many splits and seeds of one network as one computation.

B runs that share K and X have their weights stacked to (in, B, out), so an epoch of all of them
is one product K · (n, B·h) a layer. Nothing mixes the runs: gradients and Adam act on each
weight alone, and every run draws its initial weights and its dropout from its own seed. A run
therefore comes out the same whether it is trained alone or beside others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor

from lovasz.base.device import pick_device
from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.nn.engine.cuda_graph import repeating
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.early_stopping import Best
from lovasz.nn.engine.inputs import Inputs, as_index, as_inputs
from lovasz.nn.engine.operators import Operator, as_operator, receptive_field
from lovasz.nn.engine.optimizer import Decays, Rates, adam, spread
from lovasz.nn.engine.precision import pick_precision, summed_in_single
from lovasz.nn.engine.targets import Targets

if TYPE_CHECKING:
    from lovasz.nn.pyg.models import LCN

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Training:
    """B trained networks, each with the weights of its best epoch."""

    weights: list[Tensor]
    """A (in, B, out) tensor a layer."""
    logits: np.ndarray
    """(B, n, classes), every node, without dropout."""
    best_epoch: np.ndarray
    """(B,), from 1."""
    train_loss: np.ndarray
    """(epochs run, B)."""
    validation_loss: np.ndarray
    """(epochs run, B); NaN where a run has no validation nodes."""
    validation_accuracy: np.ndarray
    """(epochs run, B)."""

    @property
    def probabilities(self) -> np.ndarray:
        """(B, n, classes): softmax of the logits."""
        return torch.as_tensor(self.logits).softmax(-1).numpy()

    def part(self, runs: slice) -> Self:
        """Some of the runs."""
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
        """One of the runs as a torch module, which needs PyTorch Geometric."""
        from lovasz.nn import LCN

        return LCN.from_weights([W[:, run].cpu().clone() for W in self.weights])


def train(
    K: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    features: Any = None,
    classes: int | None = None,
    hidden: int = 16,
    layers: int = 2,
    dropout: Rates = 0.5,
    lr: Rates = 0.01,
    weight_decay: Decays = 5e-4,
    epochs: int = 200,
    patience: int | None = None,
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    precision: str = "single",
    capture: bool = True,
    callback: Callback | None = None,
) -> Training:
    """Train one network for each of ``splits`` = [(train nodes, validation nodes), …].

    f(X, K) = softmax(K ReLU(K X W⁰) W¹), mean cross-entropy over the training nodes, Adam with
    L2 on every weight matrix (one for all, or one each), dropout on the input of every layer, no
    bias. Defaults are those of the LCN paper's code. ``features=None`` means X = I. The weights
    kept are those of the epoch with the best validation accuracy (ties: lower validation loss),
    or of the last epoch for a run without validation nodes; a run that has not improved for
    ``patience`` epochs is frozen, and training ends when all are. ``callback(epoch, note)`` is
    called every epoch. On a GPU an epoch is recorded as a CUDA graph
    (:mod:`lovasz.nn.engine.cuda_graph`); ``capture=False`` launches its kernels one by one.

    ``lr`` and ``dropout`` may also be one a run, and ``weight_decay`` [[…]], a row of one a run:
    a grid of settings is then one batch, to be given setting by setting
    (:mod:`lovasz.nn.engine.optimizer`).
    ``precision``: "single", "mixed" or "double" (:mod:`lovasz.nn.engine.precision`).
    """
    seeds = range(len(splits)) if seeds is None else seeds
    if len(seeds) != len(splits):
        raise LovaszError(f"{len(seeds)} seeds for {len(splits)} splits; give one a split")
    classes = int(y.max()) + 1 if classes is None else classes
    n = K.shape[0]
    numbers = pick_precision(precision)
    placed: dict[str, Any] = {"device": pick_device(device), "dtype": numbers.weights}
    phases = _phases(K, features, y, splits, layers, placed, numbers.products)
    width = n if features is None else features.shape[1]
    weights = initial_weights([width, *[hidden] * (layers - 1), classes], seeds, **placed)
    drop = Dropout(dropout, [stream_seed(seed, 1) for seed in seeds], placed["device"])
    return fit(
        forward, phases, weights, drop, lr=lr, weight_decay=weight_decay, epochs=epochs,
        patience=patience, capture=capture, callback=callback,
    )  # fmt: skip


def fit(
    forward: Callable[[P, list[Tensor], Dropout | None], Tensor],
    phases: Phases[P],
    weights: list[Tensor],
    drop: Dropout,
    *,
    lr: Rates,
    weight_decay: Decays,
    epochs: int,
    patience: int | None = None,
    clip: float | None = None,
    objective: Objective | None = None,
    capture: bool = True,
    callback: Callback | None = None,
) -> Training:
    """The loop of :func:`train`, for any network that keeps its runs apart.

    ``forward(phase, weights, drop)`` gives logits (rows, B, classes) from weights (in, B, out).
    ``lr`` and ``weight_decay`` are those of :func:`~lovasz.nn.engine.optimizer.adam`. ``clip``
    bounds the norm
    of the gradient of each run. ``objective(forward, phases, weights, drop)`` gives the losses
    (B,) to descend; without one they are those of the training nodes.
    """
    device = weights[0].device
    best = Best(weights, patience)
    optimizer = adam(weights, lr, weight_decay)
    step = Step(forward, phases, weights, drop, optimizer, best, clip, objective)
    log: list[Tensor] = []

    with summed_in_single(), repeating(step, device, drop.used, wanted=capture) as advance:
        for epoch in range(1, epochs + 1):
            advance()
            log.append(step.scores.clone())
            if callback:
                callback(epoch, f"validation accuracy {float(log[-1][2].mean()):.3f}")
            if best.all_stale():
                break

    with torch.no_grad():
        logits = forward(phases.everything, best.weights, None)
    _refuse_diverged(logits, lr)
    return _result(best, logits, log)


def _refuse_diverged(logits: Tensor, lr: Rates) -> None:
    finite = torch.isfinite(logits).all(0).all(-1).tolist()
    if not all(finite):
        rates = spread(lr, len(finite), "lr")
        least = min(rate for rate, fine in zip(rates, finite, strict=True) if not fine)
        raise LovaszError(f"training diverged with lr={least:g}: weights are not finite; lower lr")


def _result(best: Best, logits: Tensor, log: list[Tensor]) -> Training:
    losses, validation_losses, accuracies = torch.stack(log, dim=1).cpu().numpy()
    return Training(
        weights=best.weights,
        logits=logits.transpose(0, 1).contiguous().cpu().numpy(),
        best_epoch=best.epoch.cpu().numpy(),
        train_loss=losses,
        validation_loss=validation_losses,
        validation_accuracy=accuracies,
    )


@dataclass(frozen=True)
class Phase:
    """One use of the network: what it reads, and the nodes whose output counts."""

    n: int
    inputs: Inputs
    operators: list[Operator]
    fields: list[Tensor | None]
    """Rows in use after each layer; None for all."""
    targets: Targets


class Use(Protocol):
    """What :func:`fit` asks of a phase of any network."""

    @property
    def targets(self) -> Targets:
        """The nodes whose output counts."""
        ...


P = TypeVar("P", bound=Use)


@dataclass(frozen=True)
class Phases(Generic[P]):
    """The three uses of a network while it is trained."""

    train: P
    validation: P
    everything: P

    @classmethod
    def of(
        cls,
        splits: Sequence[Split],
        n: int,
        phase: Callable[[list[np.ndarray]], P],
        training: Callable[[list[np.ndarray]], P] | None = None,
    ) -> Self:
        """``phase(sets)`` of the nodes of the splits to choose by and of all nodes.

        Of the nodes to learn from it is ``training(sets)``, if that is another function.
        """
        return cls(
            train=(training or phase)([train for train, _ in splits]),
            validation=phase([validation for _, validation in splits]),
            everything=phase([np.arange(n)]),
        )


Objective = Callable[[Any, Any, list[Tensor], Dropout], Tensor]


def supervised(forward: Any, phases: Any, weights: list[Tensor], drop: Dropout) -> Tensor:
    """(B,) mean cross-entropy of the training nodes, with dropout."""
    return phases.train.targets.losses(forward(phases.train, weights, drop))


class Step(Generic[P]):
    """One epoch: a step of the optimizer, and the runs judged by their validation nodes.

    It looks at no result on the CPU and keeps to the same memory, so that :func:`repeating` can
    record it.
    """

    def __init__(
        self,
        forward: Callable[[P, list[Tensor], Dropout | None], Tensor],
        phases: Phases[P],
        weights: list[Tensor],
        drop: Dropout,
        optimizer: Any,
        best: Best,
        clip: float | None,
        objective: Objective | None = None,
    ) -> None:
        self.objective = objective or supervised
        self.forward, self.phases, self.weights, self.drop = forward, phases, weights, drop
        self.optimizer, self.best, self.clip = optimizer, best, clip
        self.scores: Tensor
        """(3, B): training loss, validation loss, validation accuracy of the last epoch."""

    def __call__(self) -> None:
        """Run it."""
        self.optimizer.zero_grad()
        loss = self.objective(self.forward, self.phases, self.weights, self.drop)
        loss.sum().backward()
        if self.clip is not None:
            clip_runs(self.weights, self.clip)
        self.optimizer.step()
        with torch.no_grad():
            logits = self.forward(self.phases.validation, self.weights, None)
            judge = self.phases.validation.targets
            self.scores = torch.stack([loss, judge.losses(logits), judge.accuracies(logits)])
            self.best.offer(self.weights, self.scores[1], self.scores[2])


def forward(phase: Phase, weights: list[Tensor], dropout: Dropout | None = None) -> Tensor:
    """Logits (rows, B, classes) of all runs."""
    runs = weights[0].shape[1]
    H = phase.operators[0] @ phase.inputs.project(weights[0], dropout)
    for W, operator, rows in zip(weights[1:], phase.operators[1:], phase.fields[:-1], strict=True):
        H = H.relu().unflatten(1, (runs, -1))
        if dropout:
            H = H * dropout.factors(phase.n, H.shape[2], rows)
        H = operator @ torch.einsum("nbi,ibo->nbo", H, W).flatten(1)
    return H.unflatten(1, (runs, -1))


def _phases(
    K: Any,
    X: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    layers: int,
    placed: dict[str, Any],
    products: torch.dtype | None = None,
) -> Phases[Phase]:
    """``products``: their type in a training step, if another than that of all else."""
    n, device = K.shape[0], placed["device"]
    whole = cache(lambda dtype: as_operator(K, device=device, dtype=dtype))

    def phase(sets: list[np.ndarray], dtype: torch.dtype = placed["dtype"]) -> Phase:
        targets = Targets.of(sets, y, n, **placed)
        matrices, fields = receptive_field(K, targets.rows, layers)
        there: dict[str, Any] = {"device": device, "dtype": dtype}
        return Phase(
            n=n,
            inputs=as_inputs(X, fields[0], n, **there),
            operators=[whole(dtype) if m is K else as_operator(m, **there) for m in matrices],
            fields=[as_index(None if len(f) == n else f, device) for f in fields[1:]],
            targets=targets,
        )

    def training(sets: list[np.ndarray]) -> Phase:
        return phase(sets, products or placed["dtype"])

    return Phases.of(splits, n, phase, training)


def initial_weights(
    widths: Sequence[int], seeds: Sequence[int], *, device: Any, dtype: torch.dtype
) -> list[Tensor]:
    """Glorot's uniform weights, (in, B, out) a layer, of a network with these widths."""
    return glorot(pairwise(widths), seeds, device=device, dtype=dtype)


def glorot(
    shapes: Iterable[tuple[int, int]], seeds: Sequence[int], *, device: Any, dtype: torch.dtype
) -> list[Tensor]:
    """Uniform weights (in, B, out) a shape; drawn on the CPU, alike on every device."""
    streams = [torch.Generator().manual_seed(stream_seed(seed, 0)) for seed in seeds]
    weights = []
    for a, b in shapes:
        drawn = [
            torch.nn.init.xavier_uniform_(torch.empty(a, b, dtype=dtype), generator=stream)
            for stream in streams
        ]
        weights.append(torch.stack(drawn, dim=1).to(device).requires_grad_())
    return weights


def clip_runs(weights: list[Tensor], most: float) -> None:
    """Shorten the gradient of each run to norm ``most``; none looks at another's."""
    gradients = [W.grad for W in weights if W.grad is not None]
    norms = torch.stack([g.square().sum((0, 2)) for g in gradients]).sum(0).sqrt()
    factors = (most / norms.clamp_min(1e-12)).clamp_max(1.0)
    for g in gradients:
        g *= factors[:, None]


def stream_seed(seed: int, stream: int) -> int:
    """A seed for one of the random streams of a run; streams of one seed are independent."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)[0] >> 1)
