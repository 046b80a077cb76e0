"""Training on many processes and machines, with checkpoints.

    torchrun --nproc-per-node 2 -m lovasz train graph.csv --labels labels.csv --checkpoint DIR

:mod:`lovasz.nn.large.shards` has the network. The weights, the optimizer and the chosen epoch are
the same on every rank, so a checkpoint of rank 0 is a checkpoint of all ranks, and training can
continue from it with another number of ranks.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from lovasz.base.device import pick_device
from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.base.progress import Callback
from lovasz.base.text import one_line
from lovasz.nn.engine.early_stopping import Best
from lovasz.nn.engine.loop import TrainingStep, summarize
from lovasz.nn.engine.network import Place
from lovasz.nn.engine.settings import Decays, Settings, one_per_run
from lovasz.nn.engine.training import Training
from lovasz.nn.large.shards import CountedDropout, Shard, ShardNetwork, ShardPhase, add_up, cut

__all__ = ["Checkpoint", "Shard", "cut", "leave", "process_group", "train_shard"]

SETTINGS = ("patience", "shared", "pool")
"""The attributes of :class:`Best` that are settings or follow from them, not state."""


@dataclass(frozen=True)
class Checkpoint:
    """Where rank 0 saves the state of training, and how often.

    >>> Checkpoint(Path("saved"), every=5).path.name
    'checkpoint.pt'
    """

    folder: Path
    """Where checkpoint.pt is written."""
    every: int = 10
    """Number of epochs between two checkpoints."""
    resume: bool = False
    """Whether to continue from the checkpoint in the folder, if there is one."""

    @property
    def path(self) -> Path:
        """The file of the checkpoint, which is replaced atomically."""
        return self.folder / "checkpoint.pt"


def train_shard(
    shard: Shard,
    *,
    classes: int,
    settings: Settings = Settings(),
    seed: int = 0,
    device: torch.device | str = "cpu",
    checkpoint: Checkpoint | None = None,
    callback: Callback | None = None,
) -> Training:
    """Train :func:`lovasz.nn.train` of one split on the shards of all ranks; every rank calls it.

    The loss curve is the same for any number of ranks, up to the rounding of sums, and it is that
    of ``train`` if dropout is 0 (otherwise ``train`` draws other masks). The result has the
    logits of this rank's nodes. With a ``checkpoint`` that resumes, the curve is that of a
    training that was never interrupted; other settings than those it was made with are refused.
    Epochs are never recorded as a CUDA graph.

    >>> import lovasz
    >>> K = lovasz.kernel([(0, 1), (1, 2), (2, 3)], "ls")
    >>> (shard,) = cut(K, None, np.array([0, 0, 1, 1]), (np.array([0, 3]), np.array([1])), 1)
    >>> train_shard(shard, classes=2, settings=Settings(epochs=5)).logits.shape
    (1, 4, 2)
    """
    place = Place.of(torch.device(device), settings.precision)
    network = ShardNetwork(shard, classes, settings.hidden, settings.layers)
    weights = network.initial_weights([seed], place.full)
    (lr,) = one_per_run(settings.lr, 1, "lr")
    decay = _single_decay(settings.weight_decay)
    drop = CountedDropout(settings.dropout, seed, place.device)
    optimizer = torch.optim.Adam(weights, lr=lr, weight_decay=decay)
    phases = network.phases(place)
    best = Best(weights, settings.patience)
    step = TrainingStep(network, phases, weights, drop, optimizer, best)
    facts = {
        "n": shard.n, "features": network.width, "classes": classes, "hidden": settings.hidden,
        "layers": settings.layers, "dropout": settings.dropout, "lr": lr, "weight_decay": decay,
        "seed": seed, "dtype": str(place.products),
        "labels": int(phases.train.targets.sizes[0]), "patience": settings.patience,
    }  # fmt: skip
    state = _CheckpointState(step, optimizer, facts, checkpoint)
    log = _loop(step, drop, state, settings.epochs, callback)
    with torch.no_grad():
        logits = network.forward(phases.everything, best.weights, None)
    if add_up((~torch.isfinite(logits)).sum()) > 0:
        raise LovaszError(f"training diverged with lr={lr:g}: weights are not finite; lower lr")
    return summarize(best, logits, log)


def _loop(
    step: TrainingStep[ShardPhase],
    drop: CountedDropout,
    state: _CheckpointState,
    epochs: int,
    callback: Callback | None,
) -> list[Tensor]:
    log = state.restore()
    for epoch in range(len(log) + 1, epochs + 1):
        drop.epoch = epoch
        step()
        log.append(step.scores.detach().clone())
        if callback:
            callback(epoch, f"validation accuracy {float(log[-1][2].mean()):.3f}")
        ended = step.best.all_stale()
        state.save(log, last=ended or epoch == epochs)
        if ended:
            break
    if not log:
        raise LovaszError(f"epochs={epochs}; pass at least 1")
    return log


def _single_decay(weight_decay: Decays) -> float:
    if np.size(weight_decay) != 1:
        raise LovaszError(f"weight_decay={weight_decay!r} of a shard must be one number")
    return float(np.asarray(weight_decay).item())


class _CheckpointState:
    """What a checkpoint holds: the weights, the optimizer, the best epoch so far, the curves.

    Random numbers need no state, because a mask is a function of seed and epoch.
    """

    def __init__(
        self,
        step: TrainingStep[ShardPhase],
        optimizer: torch.optim.Optimizer,
        settings: dict[str, Any],
        checkpoint: Checkpoint | None,
    ) -> None:
        self.step, self.optimizer = step, optimizer
        self.settings, self.checkpoint = settings, checkpoint

    def save(self, log: list[Tensor], *, last: bool) -> None:
        """Write the checkpoint on rank 0 if it is due."""
        place = self.checkpoint
        if place is None or rank() != 0 or not (last or len(log) % place.every == 0):
            return
        best = self.step.best
        state = {
            "settings": self.settings,
            "weights": [W.detach() for W in self.step.weights],
            "optimizer": self.optimizer.state_dict(),
            "best": {name: value for name, value in vars(best).items() if name not in SETTINGS},
            "log": torch.stack(log),
        }
        place.folder.mkdir(parents=True, exist_ok=True)
        with atomic(place.path) as path:
            torch.save(state, path)

    def restore(self) -> list[Tensor]:
        """Restore the state from the checkpoint if asked; return the curves so far."""
        found: list[Any] = [None]
        if rank() == 0 and self.checkpoint and self.checkpoint.resume:
            found = [_read(self.checkpoint.path)]
        if dist.is_initialized():  # the file may be on the machine of rank 0 only
            dist.broadcast_object_list(found, device=torch.device("cpu"))
        state = found[0]
        if state is None:
            return []
        if isinstance(state, LovaszError):
            raise state
        try:
            return self._take(state)
        except LovaszError:
            raise
        except Exception as problem:  # whatever a file that is something else may lead to
            raise LovaszError(
                f"the checkpoint is of something else ({one_line(problem)}); use another "
                "--checkpoint folder, or leave out --resume"
            ) from problem

    def _take(self, state: Any) -> list[Tensor]:
        """Take over a state, or raise if it is not one of this training."""
        for name, value in self.settings.items():
            if state["settings"].get(name) != value:
                raise LovaszError(
                    f"the checkpoint was made with {name}={state['settings'].get(name)} and this "
                    f"is {name}={value}; use the same settings, or another --checkpoint folder"
                )
        best = {name: value for name, value in vars(self.step.best).items() if name not in SETTINGS}
        if state["best"].keys() != best.keys():
            raise ValueError("it has no best epoch")
        weights, log = self.step.weights, state["log"]
        _check_alike(state["weights"], weights)
        for name, value in best.items():
            _check_alike(state["best"][name], value)
        for number, moments in state["optimizer"]["state"].items():
            _check_alike([moments["exp_avg"], moments["exp_avg_sq"]], [weights[number]] * 2)
        _check_alike(list(log), [torch.stack([best["loss"]] * 3)] * len(log))
        device = weights[0].device
        with torch.no_grad():
            for W, saved in zip(self.step.weights, state["weights"], strict=True):
                W.copy_(saved)
        self.optimizer.load_state_dict(state["optimizer"])
        for name, value in state["best"].items():
            moved = [v.to(device) for v in value] if name == "weights" else value.to(device)
            setattr(self.step.best, name, moved)
        return [scores.to(device) for scores in state["log"]]


def _check_alike(found: Any, wanted: Any) -> None:
    """Raise unless two tensors, or the tensors of two lists, have the same type and shape."""
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            raise ValueError(f"it has no list of {len(wanted)} tensors where one should be")
        for one, other in zip(found, wanted, strict=True):
            _check_alike(one, other)
        return
    if not isinstance(found, Tensor) or found.layout != wanted.layout:
        raise ValueError(f"it has a {type(found).__name__} where a tensor should be")
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        raise ValueError(f"a tensor has shape {tuple(found.shape)}, not {tuple(wanted.shape)}")


def _read(path: Path) -> Any:
    """Return the state in a file, None if there is no file, or an error for all ranks to raise."""
    if not path.is_file():
        return None
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as problem:  # torch raises many kinds of errors for other files
        return LovaszError(f"{path} is not a checkpoint ({type(problem).__name__}); remove it")


def rank() -> int:
    """Return the number of this process, 0 if there is only one."""
    return dist.get_rank() if dist.is_initialized() else 0


def ranks() -> int:
    """Return the number of processes that train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


@contextmanager
def process_group(device: str = "auto", *, timeout: float = 600) -> Iterator[torch.device]:
    """Join the ranks that ``torchrun`` started; yield the device of this one.

    CPUs communicate by gloo and GPUs by NCCL, with one GPU per rank. Without ``torchrun`` there is
    one rank and no group. If a rank is gone, or silent for ``timeout`` seconds, the others raise a
    :class:`LovaszError`.

    >>> with process_group("cpu") as place:  # without torchrun, one process and no group
    ...     place
    device(type='cpu')
    """
    if "RANK" not in os.environ:
        yield pick_device(device)
        return
    place = pick_device(device)
    if place.type == "cuda":
        local, here = int(os.environ.get("LOCAL_RANK", 0)), torch.cuda.device_count()
        if local >= here:
            raise LovaszError(f"rank {local} of this machine finds {here} GPUs; start fewer ranks")
        place = torch.device("cuda", local)
        torch.cuda.set_device(place)
    backend = "cpu:gloo,cuda:nccl" if place.type == "cuda" else "gloo"
    try:
        dist.init_process_group(backend, timeout=timedelta(seconds=timeout))
        yield place
    except RuntimeError as problem:
        if not _lost(problem):
            raise
        # Leave out gloo's advice and the positions in its source that the message begins with.
        reason = re.sub(r"\[/\S+\]\s*", "", " ".join(str(problem).split())).partition(". ")[0][:90]
        raise LovaszError(
            f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}: another rank is gone, or "
            f"silent for {timeout:g} s ({reason}); see its own message, start again with --resume"
        ) from None
    add_up(torch.zeros(1))  # no rank leaves while another is still waiting for it
    dist.destroy_process_group()  # not after a failure, when the others may never answer


def leave(code: int = 0) -> None:
    """End a rank at once with this exit code; do nothing if there is only one process.

    A thread of gloo may release its last message while Python shuts down, which aborts the
    process (seen with torch 2.13 on a busy machine; pytorch/pytorch#179291).

    >>> leave()  # does nothing here, where torchrun has not started the process
    """
    if "RANK" in os.environ:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _lost(problem: RuntimeError) -> bool:
    words = ("gloo", "connection", "timed out", "timeout", "nccl", "recvvalue")
    return isinstance(problem, dist.DistError) or any(w in str(problem).lower() for w in words)
