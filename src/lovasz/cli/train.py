"""``lovasz train``: train one network on many processes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from lovasz.base.errors import LovaszError
from lovasz.cli.failure import FORESEEN, complain, explain
from lovasz.cli.options import (
    Device,
    GraphFile,
    Json,
    KernelName,
    Options,
    Seed,
    Symmetrize,
    Weights,
    kernel_options,
)
from lovasz.cli.output import tell_notes
from lovasz.cli.signals import Request

LONGEST_WAIT = 10**6
"""Seconds that a rank may wait for another one; with many more, dates overflow."""


def train(
    graph: GraphFile,
    labels: Annotated[str, typer.Option(help="CSV of node,class for the labelled nodes.")],
    out: Annotated[Path, typer.Option(help="Folder for predictions.csv.")] = Path("results"),
    features: Annotated[
        str | None, typer.Option(help="Node features: CSV of node,f1,f2,… or .npy/.npz.")
    ] = None,
    kernel: KernelName = "ls",
    kernel_option: Options = None,
    epochs: Annotated[int, typer.Option(min=1)] = 200,
    hidden: Annotated[int, typer.Option(min=1, max=2**16, help="Hidden units.")] = 16,
    dropout: Annotated[float, typer.Option(min=0, max=0.99)] = 0.5,
    lr: Annotated[float, typer.Option(help="Learning rate, above 0.")] = 0.01,
    checkpoint: Annotated[Path | None, typer.Option(help="Folder to save the state in.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Epochs between two checkpoints.")] = 10,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for a silent rank.")] = 600,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Label a graph with one LCN, its kernel and features cut by rows over many processes.

    Rank 0 reads the files and hands out the rows. Without torchrun there is one process. A fifth
    of the labelled nodes is used to choose the epoch. The loss curve does not depend on the
    number of ranks.

    Example: `lovasz train graph.csv --labels labels.csv`, or on two processes
    `torchrun --nproc-per-node 2 -m lovasz train graph.csv --labels labels.csv --checkpoint saved/`
    """
    if resume and checkpoint is None:
        raise typer.BadParameter("--resume needs --checkpoint DIR")
    _check("--lr", lr, "above 0", 0 < lr < inf)
    _check("--dropout", dropout, "from 0 to 0.99", dropout == dropout)
    _check(
        "--timeout", timeout, f"above 0 and at most {LONGEST_WAIT:,}", 0 < timeout <= LONGEST_WAIT
    )
    from lovasz.nn import Settings
    from lovasz.nn.large.distributed import (
        Checkpoint,
        process_group,
        rank,
        ranks,
        train_shard,
    )

    files, options = (graph, labels, features), kernel_options(kernel, kernel_option)
    rules = {"symmetrize": symmetrize, "weights": weights}
    settings = Settings(hidden=hidden, dropout=dropout, lr=lr, epochs=epochs)
    saved = Checkpoint(checkpoint, every, resume) if checkpoint else None
    with _ending_at_once(), process_group(device, timeout=timeout) as place:
        shard, classes, names = _deal(lambda: _read(files, kernel, options, rules, seed))
        result = train_shard(
            shard, classes=len(classes), settings=settings, seed=seed, device=place,
            checkpoint=saved,
        )  # fmt: skip
        logits = _collect(result.logits[0])
        if rank() == 0:
            _write(out, names, classes, logits)
            _show(result, ranks(), out, json_)


def _check(option: str, value: float, wanted: str, fine: bool) -> None:
    if not fine:
        raise typer.BadParameter(f"{option} {value:g} cannot be used; pass a number {wanted}")


@contextmanager
def _ending_at_once() -> Iterator[None]:
    """End a rank of torchrun at once when it is done, fails or is told to stop.

    A rank that waits for another one inside gloo may not hear a signal for minutes, and one that
    fails may be aborted while Python shuts down; see :func:`lovasz.nn.large.distributed.leave`.
    """
    from lovasz.nn.large.distributed import leave

    if "RANK" not in os.environ:
        yield
        return
    with Request().awaited(_told_to_stop):
        try:
            yield
        except FORESEEN as problem:
            complain(explain(problem))
            leave(1)
        leave()


def _told_to_stop() -> None:
    """Say why this rank ends, and end it; torchrun stops all ranks when one fails."""
    # The main thread may hold the lock of sys.stderr, so the line goes around it.
    os.write(
        2,
        f"lovasz: rank {os.environ['RANK']} of {os.environ['WORLD_SIZE']}: told to stop, because "
        "another rank failed or was interrupted; see its message, start again with --resume\n"
        .encode(),
    )  # fmt: skip
    os._exit(1)


def _read(
    files: tuple[str, str, str | None],
    kernel: str,
    options: dict[str, Any],
    rules: dict[str, Any],
    seed: int,
) -> tuple[list[Any], Any, Any]:
    """The shards of all ranks, the classes and the names of the nodes."""
    import lovasz
    from lovasz.classify.features import check_features, scale_features
    from lovasz.classify.splits import random_splits
    from lovasz.graphs.labels import encode
    from lovasz.graphs.node_tables import read_features, read_matched_labels
    from lovasz.nn.large.distributed import cut, ranks

    graph, labels, features = files
    network = lovasz.as_graph(graph, **rules)
    tell_notes(network)
    classes, y = encode(read_matched_labels(labels, network), network, None)
    table = None if features is None else read_features(features, network)
    X = scale_features(check_features(table, network.nodes), "auto")
    K = lovasz.kernel(network, kernel, **options)
    split = random_splits(y, (0.8, 0.2, 0.0), 1, seed=seed, by_class=True)[0]
    return cut(K, X, y, (split.train, split.validation), ranks()), classes, network.nodes


def _deal(read: Any) -> tuple[Any, Any, Any]:
    """Let rank 0 read and send each rank its shard; a failure ends all of them."""
    import torch.distributed as dist

    from lovasz.nn.large.distributed import rank

    shards: list[Any] = []
    classes, names, problem = None, None, None
    if rank() == 0:
        try:
            shards, classes, names = read()
        except (LovaszError, OSError, UnicodeError, MemoryError) as found:
            problem = found
    if not dist.is_initialized():
        if problem:
            raise problem
        return shards[0], classes, names
    told = [classes, problem is None]
    dist.broadcast_object_list(told)
    if problem:
        raise problem
    if not told[1]:
        sys.exit(1)  # rank 0 says why
    mine: list[Any] = [None]
    dist.scatter_object_list(mine, shards or None)
    return mine[0], told[0], names


def _collect(logits: Any) -> Any:
    """The logits of all nodes on rank 0, None on the others."""
    import numpy as np
    import torch.distributed as dist

    from lovasz.nn.large.distributed import rank, ranks

    if not dist.is_initialized():
        return logits
    parts: list[Any] | None = [None] * ranks() if rank() == 0 else None
    dist.gather_object(logits, parts)
    return None if parts is None else np.concatenate(parts)


def _write(out: Path, names: Any, classes: Any, logits: Any) -> None:
    """Write ``predictions.csv``: node, class, probability."""
    from scipy.special import softmax

    from lovasz.base.files import staged
    from lovasz.graphs.node_tables import write_predictions

    sure = softmax(logits, axis=1)
    answers = classes[sure.argmax(axis=1)]
    with staged(out, "predictions.csv") as folder:
        write_predictions(folder / "predictions.csv", names, answers, sure.max(axis=1))


def _show(result: Any, ranks: int, out: Path, as_json: bool) -> None:
    best = int(result.best_epoch[0])
    accuracy = float(result.validation_accuracy[best - 1, 0])
    judged = accuracy == accuracy
    if as_json:
        facts = {
            "ranks": ranks,
            "epochs": len(result.train_loss),
            "best_epoch": best,
            "validation_accuracy": accuracy if judged else None,
            "train_loss": result.train_loss[:, 0].tolist(),
            "files": {"predictions.csv": str(out / "predictions.csv")},
        }
        print(json.dumps(facts))
        return
    print(f"ranks {ranks}, epochs {len(result.train_loss)}, loss {result.train_loss[-1, 0]:.6f}")
    if judged:
        print(f"validation accuracy {100 * accuracy:.1f} % in epoch {best}")
    else:
        print(f"validation: no label was left to choose the epoch by; it is epoch {best}")
    print(f"labels  {out / 'predictions.csv'}")
