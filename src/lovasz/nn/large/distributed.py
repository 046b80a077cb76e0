"""Training on many processes and machines, with checkpoints.

    torchrun --nproc-per-node 2 -m lovasz train graph.csv --labels labels.csv --checkpoint DIR

:mod:`lovasz.nn.large.shards` has the network. Weights, optimizer and choice of the epoch are the
same on every rank, so a checkpoint of rank 0 is one of all, and training may go on from it with
another number of ranks.
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

import torch
import torch.distributed as dist
from torch import Tensor

from lovasz.base.device import pick_device
from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.base.progress import Callback
from lovasz.nn.engine.early_stopping import Best
from lovasz.nn.engine.loop import Phases, Step, Training, _result, initial_weights
from lovasz.nn.large.shards import CountedDropout, Shard, ShardPhase, add_up, cut, forward

__all__ = ["Checkpoint", "Shard", "cut", "leave", "process_group", "train_shard"]


@dataclass(frozen=True)
class Checkpoint:
    """Where rank 0 saves the state of training, and how often."""

    folder: Path
    every: int = 10
    resume: bool = False
    """Go on from what is there, if anything is."""

    @property
    def path(self) -> Path:
        """The file; it is replaced whole or not at all."""
        return self.folder / "checkpoint.pt"


def train_shard(
    shard: Shard,
    *,
    classes: int,
    hidden: int = 16,
    layers: int = 2,
    dropout: float = 0.5,
    lr: float = 0.01,
    weight_decay: float = 5e-4,
    epochs: int = 200,
    patience: int | None = None,
    seed: int = 0,
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
    checkpoint: Checkpoint | None = None,
    callback: Callback | None = None,
) -> Training:
    """:func:`lovasz.nn.engine.loop` of one network on the shards of all ranks; every rank calls it.

    The same loss curve for any number of ranks, up to the rounding of sums, and that of
    ``train`` where dropout is 0 (else ``train`` draws other masks). The result has the logits
    of this rank's nodes. With a ``checkpoint`` that resumes, the curve is that of a training
    that was never interrupted; other settings than those it was made with are refused.
    """
    placed: dict[str, Any] = {"device": torch.device(device), "dtype": dtype}
    width = shard.n if shard.X is None else shard.X.shape[1]
    weights = initial_weights([width, *[hidden] * (layers - 1), classes], [seed], **placed)
    drop = CountedDropout(dropout, seed, placed["device"])
    optimizer = torch.optim.Adam(weights, lr=lr, weight_decay=weight_decay)
    optimizer.register_step_pre_hook(lambda *_: _share_gradients(weights))
    everything = torch.arange(len(shard.y)).numpy()
    phases = Phases(
        *(ShardPhase.of(shard, rows, layers, placed) for rows in (*shard.split, everything))
    )
    step = Step(forward, phases, weights, drop, optimizer, Best(weights, patience), None)  # type: ignore[arg-type]
    settings = {
        "n": shard.n, "features": width, "classes": classes, "hidden": hidden, "layers": layers,
        "dropout": dropout, "lr": lr, "weight_decay": weight_decay, "seed": seed,
        "dtype": str(dtype), "labels": int(phases.train.targets.sizes[0]), "patience": patience,
    }  # fmt: skip
    log = _loop(step, _State(step, settings, checkpoint), epochs, callback)
    with torch.no_grad():
        logits = forward(phases.everything, step.best.weights, None)
    if add_up((~torch.isfinite(logits)).sum()) > 0:
        raise LovaszError(f"training diverged with lr={lr:g}: weights are not finite; lower lr")
    return _result(step.best, logits, log)


def _loop(step: Step[Any], state: _State, epochs: int, callback: Callback | None) -> list[Tensor]:
    log = state.restore()
    for epoch in range(len(log) + 1, epochs + 1):
        step.drop.epoch = epoch  # type: ignore[attr-defined]
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


def _share_gradients(weights: list[Tensor]) -> None:
    """Sum the gradients of all ranks, in one message."""
    gradients = [W.grad for W in weights if W.grad is not None]
    total = add_up(torch.cat([g.flatten() for g in gradients]))
    for g, part in zip(gradients, total.split([g.numel() for g in gradients]), strict=True):
        g.copy_(part.view_as(g))


class _State:
    """What a checkpoint holds: weights, optimizer, the best epoch so far, the curves.

    Random numbers need no state: a mask is a function of seed and epoch.
    """

    def __init__(
        self, step: Step[Any], settings: dict[str, Any], checkpoint: Checkpoint | None
    ) -> None:
        self.step, self.settings, self.checkpoint = step, settings, checkpoint

    def save(self, log: list[Tensor], *, last: bool) -> None:
        """Write it, on rank 0, when it is time."""
        place = self.checkpoint
        if place is None or rank() != 0 or not (last or len(log) % place.every == 0):
            return
        best = self.step.best
        state = {
            "settings": self.settings,
            "weights": [W.detach() for W in self.step.weights],
            "optimizer": self.step.optimizer.state_dict(),
            "best": {name: value for name, value in vars(best).items() if name != "patience"},
            "log": torch.stack(log),
        }
        place.folder.mkdir(parents=True, exist_ok=True)
        with atomic(place.path) as path:
            torch.save(state, path)

    def restore(self) -> list[Tensor]:
        """Go on from it if asked; the curves so far."""
        found: list[Any] = [None]
        if rank() == 0 and self.checkpoint and self.checkpoint.resume:
            found = [_read(self.checkpoint.path)]
        if dist.is_initialized():  # the file need not be on every machine
            dist.broadcast_object_list(found, device=torch.device("cpu"))
        state = found[0]
        if state is None:
            return []
        if isinstance(state, LovaszError):
            raise state
        for name, value in self.settings.items():
            if state["settings"].get(name) != value:
                raise LovaszError(
                    f"the checkpoint was made with {name}={state['settings'].get(name)} and this "
                    f"is {name}={value}; use the same settings, or another --checkpoint folder"
                )
        device = self.step.weights[0].device
        with torch.no_grad():
            for W, saved in zip(self.step.weights, state["weights"], strict=True):
                W.copy_(saved)
        self.step.optimizer.load_state_dict(state["optimizer"])
        for name, value in state["best"].items():
            moved = [v.to(device) for v in value] if name == "weights" else value.to(device)
            setattr(self.step.best, name, moved)
        return [scores.to(device) for scores in state["log"]]


def _read(path: Path) -> Any:
    """The state in a file, None where there is none, or what is wrong with it, for all ranks."""
    if not path.is_file():
        return None
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as problem:  # whatever torch finds in a file that is none of ours
        raise LovaszError(
            f"{path} is no checkpoint ({type(problem).__name__}); remove it"
        ) from None


def rank() -> int:
    """Number of this process, 0 where there is only one."""
    return dist.get_rank() if dist.is_initialized() else 0


def ranks() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


@contextmanager
def process_group(device: str = "auto", *, timeout: float = 600) -> Iterator[torch.device]:
    """Join the ranks that ``torchrun`` started; yields the device of this one.

    gloo between CPUs, NCCL between GPUs, one GPU a rank. Without ``torchrun`` there is one rank
    and no group. A rank that is gone, or silent for ``timeout`` seconds, is a
    :class:`LovaszError` on the others.
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
        # Without the places in gloo's source that it begins with, and its advice.
        reason = re.sub(r"\[/\S+\]\s*", "", " ".join(str(problem).split())).partition(". ")[0][:90]
        raise LovaszError(
            f"rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}: another rank is gone, or "
            f"silent for {timeout:g} s ({reason}); see its own message, start again with --resume"
        ) from None
    add_up(torch.zeros(1))  # none leaves while another still listens to it
    dist.destroy_process_group()  # not after a failure: the others may never answer


def leave() -> None:
    """End a rank that is done, at once; nothing happens where there is one process only.

    A thread of gloo may let go of its last message while Python takes itself down, and then
    aborts the process (seen with torch 2.13 on a busy machine; pytorch/pytorch#179291).
    """
    if "RANK" in os.environ:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _lost(problem: RuntimeError) -> bool:
    words = ("gloo", "connection", "timed out", "timeout", "nccl", "recvvalue")
    return isinstance(problem, dist.DistError) or any(w in str(problem).lower() for w in words)
