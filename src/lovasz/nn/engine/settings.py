"""How a network is trained: its size, its regularisation, its optimizer, its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lovasz.base.errors import LovaszError

Rates = float | Sequence[float]
"""One number for all runs, or one number per run."""
Decays = float | Sequence[float] | Sequence[Sequence[float]]
"""One L2 factor for everything, one per weight matrix, or rows of one per run: one row per weight
matrix, or a single row that holds for all matrices."""
PRECISIONS = ("single", "mixed", "double")
"""The names of the precisions, which :mod:`lovasz.nn.engine.precision` explains."""


@dataclass(frozen=True)
class Settings:
    """The settings of a training. The defaults are those of the LCN paper's code.

    ``lr`` and ``dropout`` may be sequences with one value per run, and ``weight_decay`` may be
    ``[[…]]``, one row with one value per run. A grid of settings is then one batch of runs; runs
    with equal settings should follow each other (:mod:`lovasz.nn.engine.optimizer`).

    >>> from dataclasses import replace
    >>> replace(Settings(hidden=64), lr=0.05).hidden
    64
    """

    hidden: int = 16
    """Number of units in every hidden layer."""
    layers: int = 2
    """Number of weight matrices that are applied one after the other."""
    dropout: Rates = 0.5
    """Probability with which an entry of the input of a layer is set to zero in training."""
    lr: Rates = 0.01
    """Learning rate of Adam."""
    weight_decay: Decays = 5e-4
    """Factor of the L2 penalty on the weights."""
    epochs: int = 200
    """Largest number of training steps."""
    patience: int | None = None
    """A run that has not improved for this many epochs is frozen, and training ends when all runs
    are; None trains every run for all epochs."""
    bias: bool = False
    """Whether every layer adds a learned vector to its output, without an L2 penalty. The code of
    the LCN paper has none."""
    shared_epoch: bool = False
    """Whether a run keeps the weights of the epoch that is best on the validation nodes of all the
    other runs, so that its own can still judge it. Otherwise it keeps the best epoch on its own."""
    shared_dropout: bool = False
    """Whether all runs drop the same entries, those of the first run. A step then draws one mask
    and multiplies the features once for all runs."""
    precision: str = "single"
    """Either "single", "mixed" or "double" (:mod:`lovasz.nn.engine.precision`)."""
    capture: bool = True
    """Whether an epoch on a GPU is recorded as a CUDA graph (:mod:`lovasz.nn.engine.cuda_graph`);
    otherwise its kernels are launched one by one."""


def check_precision(name: str) -> None:
    """Refuse a precision that does not exist."""
    if name not in PRECISIONS:
        raise LovaszError(f"precision {name!r} is unknown; choose from {', '.join(PRECISIONS)}")


def on_first_matrix(weight_decay: Decays, matrices: int) -> list[Sequence[float]]:
    """Return the factors for a network with L2 on the first of its weight matrices only.

    >>> on_first_matrix(0.1, 2)
    [[0.1], [0.0]]
    """
    given = np.asarray(weight_decay, dtype=np.float64)
    if given.ndim == 1 or (given.ndim == 2 and len(given) > 1):
        raise LovaszError(
            f"weight_decay has shape {given.shape} for a network with L2 on its first matrix only; "
            "give one value, or [[…]] with one per run"
        )
    row = np.atleast_1d(np.squeeze(given, axis=tuple(range(given.ndim - 1)))).tolist()
    return [row, *[[0.0] * len(row)] * (matrices - 1)]


def without_decay(weight_decay: Decays, matrices: int, free: int) -> Decays:
    """Return the factors for ``matrices`` weights with L2, followed by ``free`` ones without.

    >>> without_decay(0.1, 2, 1)
    [[0.1], [0.1], [0.0]]
    """
    given = np.asarray(weight_decay, dtype=np.float64)
    rows = given[:, None] if given.ndim == 1 else np.atleast_2d(given)
    rows = np.broadcast_to(rows, (matrices, rows.shape[1])) if len(rows) == 1 else rows
    return [*rows.tolist(), *[[0.0] * rows.shape[1]] * free]


def one_per_run(value: Rates, runs: int, name: str) -> list[float]:
    """Return ``value`` as a list with one number per run.

    >>> one_per_run(0.5, 2, "dropout"), one_per_run([0.5, 0], 2, "dropout")
    ([0.5, 0.5], [0.5, 0.0])
    """
    given = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if given.ndim != 1 or len(given) not in (1, runs):
        raise LovaszError(
            f"{name} has shape {given.shape} for {runs} runs; give one value, or one per run"
        )
    return [float(one) for one in np.broadcast_to(given, (runs,))]
