"""Training beyond memory: a network on rows of [X, KX, …, K^L X], read from files in batches.

The propagation has no weights here (SGC, Wu et al. 2019; SIGN, Frasca et al. 2020), so it is done
once and the graph is not needed any more: a batch of nodes needs their rows and nothing else. The
memory needed is that of a batch, whatever the number of nodes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lovasz.base.device import pick_device
from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.early_stopping import Best
from lovasz.nn.engine.initial_weights import initial_weights, stream_seed
from lovasz.nn.engine.network import Split
from lovasz.nn.engine.optimizer import adam
from lovasz.nn.engine.settings import Settings, one_per_run
from lovasz.nn.large.hop_files import MEMORY, Hops, chunks, create_array, map_array, write_hops

__all__ = ["DecoupledTraining", "Hops", "train_decoupled", "write_hops"]

BY_BATCHES = Settings(hidden=64, weight_decay=0.0, epochs=20)
"""Default settings: an epoch has many steps, so there are fewer epochs than elsewhere."""


@dataclass(frozen=True)
class DecoupledTraining:
    """A trained network, with the weights of its best epoch.

    >>> import tempfile
    >>> K, y = np.eye(4), np.array([0, 1, 0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hops = write_hops(K, np.eye(2)[y], 1, folder)
    ...     found = train_decoupled(hops, y, (np.array([0, 1]), np.array([2])))
    ...     found.predict().tolist()
    [0, 1, 0, 1]
    """

    weights: list[Tensor]
    """One (in, out) matrix per layer; the first reads the (L+1) d columns of a row."""
    logits: np.ndarray
    """(n, classes), float32, mapped from logits.npy in the folder of the hops."""
    best_epoch: int
    """The epoch whose weights were kept, counted from 1."""
    train_loss: np.ndarray
    """(epochs run,): the mean loss over the batches of an epoch, with dropout."""
    validation_loss: np.ndarray
    """(epochs run,): the loss on the validation nodes, NaN without any."""
    validation_accuracy: np.ndarray
    """(epochs run,): the accuracy on the validation nodes, NaN without any."""

    def predict(self, nodes: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the class codes of some nodes, or of all."""
        codes: np.ndarray = np.asarray(self.logits[nodes]).argmax(axis=1)
        return codes


def train_decoupled(
    hops: Hops | str | os.PathLike[str],
    y: np.ndarray,
    split: Split,
    *,
    classes: int | None = None,
    settings: Settings = BY_BATCHES,
    batch: int = 4096,
    seed: int = 0,
    memory: float = MEMORY,
    device: str = "auto",
    callback: Callback | None = None,
) -> DecoupledTraining:
    """Train z ↦ softmax(ReLU(z W⁰) W¹) on rows z = [X, KX, …, K^L X] of the training nodes.

    ``hops`` is the result of :func:`write_hops`, or its folder; ``split`` = (train nodes,
    validation nodes). An epoch is a pass over the training nodes in batches, in a random order;
    each batch is a step of Adam on the mean cross-entropy. Dropout is on the input of every layer
    and no layer has a bias. The epoch is chosen as :func:`lovasz.nn.train` chooses it. Numbers
    are single precision, and no step is recorded as a CUDA graph.

    Rows that take at most ``memory`` / 2 bytes are kept in memory, others are read from the files
    each time, so in addition to ``y`` and ``split`` at most ``memory`` bytes of rows are held. The
    logits of all nodes are written to logits.npy beside the hops.

    >>> import tempfile
    >>> import lovasz
    >>> from lovasz.graphs.families import planted_partition
    >>> graph, y, _ = planted_partition(60, 2, 0.5, 0.1, seed=0)
    >>> K = lovasz.kernel(graph, "ls")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hops = write_hops(K, np.eye(60), 2, folder)
    ...     found = train_decoupled(hops, y, (np.arange(0, 60, 3), np.arange(1, 60, 3)))
    ...     bool(np.mean(found.predict(np.arange(2, 60, 3)) == y[2::3]) > 0.8)
    True
    """
    hops = hops if isinstance(hops, Hops) else Hops.open(hops)
    _check(hops, y, split, batch)
    place = pick_device(device)
    classes = int(y.max()) + 1 if classes is None else classes
    widths = [(hops.hops + 1) * hops.width, *[settings.hidden] * (settings.layers - 1), classes]
    weights = initial_weights(widths, [seed], device=place, dtype=torch.float32)
    drop = Dropout(settings.dropout, [stream_seed(seed, 1)], place)
    run = _BatchTraining(weights, drop, settings)
    best, log = Best(weights, settings.patience), []
    training, validation = (_Rows(hops, nodes, y, memory / 2) for nodes in split)
    rng = np.random.default_rng(stream_seed(seed, 2))
    for epoch in range(1, settings.epochs + 1):
        log.append(run.epoch(training, validation, batch, rng))
        best.offer(weights, *(torch.full_like(best.loss, value) for value in log[-1][1:]))
        if callback:
            callback(epoch, f"validation accuracy {log[-1][2]:.3f}")
        if best.all_stale():
            break
    kept = [W[:, 0].clone() for W in best.weights]
    path = hops.folder / "logits.npy"
    _write_logits(hops, kept, path, memory)
    return DecoupledTraining(kept, map_array(path), int(best.epoch[0]), *np.array(log).T)


class _BatchTraining:
    """One network and its optimizer."""

    def __init__(self, weights: list[Tensor], drop: Dropout, settings: Settings) -> None:
        self.weights, self.drop = weights, drop
        self.optimizer = adam(weights, settings.lr, settings.weight_decay)
        (self.lr,) = one_per_run(settings.lr, 1, "lr")

    def epoch(
        self, training: _Rows, validation: _Rows, batch: int, rng: np.random.Generator
    ) -> tuple[float, float, float]:
        """Train on all batches once; return the mean loss, and loss and accuracy on validation."""
        order = rng.permutation(len(training))
        losses = [self.step(*part) for part in training.batches(batch, order)]
        return (float(np.mean(losses)), *self.judge(validation.batches(batch)))

    def step(self, rows: Tensor, y: Tensor) -> float:
        """Train on one batch and return its loss."""
        self.optimizer.zero_grad()
        loss = cross_entropy(self._logits(rows, self.drop), self._placed(y))
        loss.backward()
        self.optimizer.step()
        if not np.isfinite(value := loss.item()):
            raise LovaszError(f"training diverged with lr={self.lr:g}; lower lr or scale X")
        return value

    @torch.no_grad()
    def judge(self, batches: Iterator[tuple[Tensor, Tensor]]) -> tuple[float, float]:
        """Return the mean loss and the accuracy, both NaN if there are no nodes."""
        loss, right, count = 0.0, 0, 0
        for rows, y in batches:
            logits, truth = self._logits(rows, None), self._placed(y)
            loss += float(cross_entropy(logits, truth, reduction="sum"))
            right += int((logits.argmax(1) == truth).sum())
            count += len(y)
        return (loss / count, right / count) if count else (np.nan, np.nan)

    def _placed(self, values: Tensor) -> Tensor:
        return values.to(self.weights[0].device)

    def _logits(self, rows: Tensor, drop: Dropout | None) -> Tensor:
        return apply_perceptron(self._placed(rows), [W[:, 0] for W in self.weights], drop)


def apply_perceptron(rows: Tensor, weights: list[Tensor], drop: Dropout | None = None) -> Tensor:
    """Return the logits (rows, classes) of rows of shape (rows, (L+1) d)."""
    for number, W in enumerate(weights):
        rows = rows.relu() if number else rows
        if drop:
            rows = rows * drop.factors(len(rows), rows.shape[1])[:, 0]
        rows = rows @ W
    return rows


class _Rows:
    """The rows of some nodes, in memory if they fit and otherwise in the files."""

    def __init__(self, hops: Hops, nodes: np.ndarray, y: np.ndarray, memory: float) -> None:
        self.hops, self.nodes = hops, np.sort(nodes)  # files are read in their order
        self.y = torch.as_tensor(y[self.nodes], dtype=torch.int64)
        width = (hops.hops + 1) * hops.width
        self.kept: np.ndarray | None = None
        if 4 * len(nodes) * width <= memory:
            self.kept = np.empty((len(nodes), width), dtype=np.float32)
            for part in chunks(len(nodes), 2**12):
                self.kept[part] = hops.rows(self.nodes[part])

    def __len__(self) -> int:
        return len(self.nodes)

    def batches(
        self, size: int, order: np.ndarray | None = None
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield rows and classes, ``size`` nodes at a time."""
        for part in chunks(len(self), size) if len(self) else ():
            chosen: Any = part if order is None else np.sort(order[part])
            found = self.hops.rows(self.nodes[chosen]) if self.kept is None else self.kept[chosen]
            yield torch.as_tensor(found), self.y[chosen]


@torch.no_grad()
def _write_logits(hops: Hops, weights: list[Tensor], path: Path, memory: float) -> None:
    # A row is read (twice: by hop, then side by side), and its first layer is about as wide.
    create_array(path, (hops.n, weights[-1].shape[1]), np.float32)
    for part in hops.blocks(memory / 4):
        rows = torch.as_tensor(hops.rows(part)).to(weights[0].device)
        map_array(path, "r+")[part] = apply_perceptron(rows, weights).cpu().numpy()


def _check(hops: Hops, y: np.ndarray, split: Any, batch: int) -> None:
    if len(y) != hops.n:
        raise LovaszError(f"y has {len(y)} entries and the hops {hops.n} rows; give one per node")
    if len(split) != 2 or len(split[0]) == 0:
        raise LovaszError("split is not (train nodes, validation nodes) with nodes to train on")
    if batch < 1:
        raise LovaszError(f"batch={batch}; pass a whole number of at least 1")
    if min(int(y[nodes].min(initial=0)) for nodes in split) < 0:
        raise LovaszError("a node of the split has a negative class in y; label it or leave it out")
