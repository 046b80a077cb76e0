"""``lovasz bench``."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from lovasz.cli.options import Json

if TYPE_CHECKING:
    from lovasz.workflows.bench import Row


class Task(StrEnum):
    """What is timed."""

    theta = "theta"
    train = "train"


def bench(
    tasks: Annotated[
        list[Task] | None, typer.Argument(metavar="[theta|train]", help="Both by default.")
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Time SCS and PyTorch Geometric on the same graphs.")
    ] = False,
    json_: Json = False,
) -> None:
    """Time ϑ and training on this machine, also beside SCS and PyTorch Geometric.

    Rows show the median of three repetitions in this process: seconds of ϑ to 1e-6, and
    milliseconds of an epoch of the two-layer network. The repository's folder benchmarks/ has the
    full comparisons.

    Example: `lovasz bench theta --peers`
    """
    from lovasz.base.progress import progress
    from lovasz.baselines.epochs import SHAPES
    from lovasz.workflows.bench import THETA, check_peers, time_theta, time_training

    wanted = tasks or list(Task)
    for task in wanted:
        check_peers(task, peers=peers)
    rows: list[Row] = []
    total = len(THETA) * (Task.theta in wanted) + len(SHAPES) * (Task.train in wanted)
    with progress("Timing", total) as update:
        for task in wanted:
            timed = time_theta if task is Task.theta else time_training
            for row in timed(peers=peers):
                rows.append(row)
                update(len(rows), f"{row.task} {row.graph}")
    if json_:
        print(json.dumps([row._asdict() | {"ratio": row.ratio} for row in rows]))
    else:
        _show(rows)


def _show(rows: list[Row]) -> None:
    unit, factor = {"theta": "s", "train": "ms"}, {"theta": 1.0, "train": 1e3}
    print(f"{'task':<7}{'graph':<20}{'n':>8}{'m':>9}{'lovasz':>12}{'peer':>17}{'ratio':>8}  ϑ")
    for row in rows:
        scale, per = factor[row.task], unit[row.task]
        peer = "–"
        if row.peer_seconds is not None:
            peer = f"{row.peer} {scale * row.peer_seconds:.3g} {per}"
        ratio = "–" if row.ratio is None else f"{row.ratio:.1f}"
        value = ""
        if row.lower is not None and row.upper is not None:
            value = (
                f"{(row.lower + row.upper) / 2:.8g}, gap {(row.upper - row.lower) / row.upper:.0e}"
            )
        if row.peer_error:
            value += f"; {row.peer} is {row.peer_error:.0e} outside"
        print(
            f"{row.task:<7}{row.graph:<20}{row.n:>8,}{row.m:>9,}"
            f"{f'{scale * row.seconds:.3g} {per}':>12}{peer:>17}{ratio:>8}  {value}"
        )
