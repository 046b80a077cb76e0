"""The arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from lovasz.base.device import check_device
from lovasz.cli.completion import complete_device, complete_kernel
from lovasz.cli.failure import refused_by, wrong_call

# The help of every argument that names a graph.
FORMATS = (
    "CSV/TSV edge list, DIMACS .col/.clq, GML, GraphML, Matrix Market, npz, graph6, PyG .pt, "
    "hypergraph .hg/.json; each also .gz; - for stdin"
)


class WeightRule(StrEnum):
    """The values of ``--weights``."""

    keep = "keep"
    drop = "drop"


def check_seconds(limit: float | None) -> None:
    """Raise unless a time limit can be one; Python reads nan as a number, too."""
    from lovasz.base.deadline import check_time_limit

    check_time_limit(limit, "--time-limit")


GraphFile = Annotated[str, typer.Argument(metavar="GRAPH", help=FORMATS)]
Symmetrize = Annotated[
    bool, typer.Option("--symmetrize", help="Ignore the directions of a directed graph.")
]
Weights = Annotated[WeightRule | None, typer.Option(help="What to do with edge weights.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**62 - 1, help="The same seed gives the same result.")
]
Tol = Annotated[float, typer.Option(help="Relative gap between the bounds to reach.")]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Seconds; what is found by then is the answer.",
        callback=refused_by(check_seconds),
    ),
]
Device = Annotated[
    str,
    typer.Option(
        help="auto, cpu or cuda.",
        autocompletion=complete_device,
        callback=refused_by(check_device),
    ),
]
KernelName = Annotated[
    str,
    typer.Option(
        "--kernel", "-k", help="Its name, such as ls or lovasz.", autocompletion=complete_kernel
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--kernel-option", metavar="NAME=VALUE", help="An option of the kernel; may be repeated."
    ),
]


def kernel_options(kernel: str, pairs: list[str] | None) -> dict[str, Any]:
    """The options of a named kernel, such as ``["t=3"]``, as keyword arguments.

    Numbers become numbers. A kernel or an option that does not exist is a wrong call.
    """
    from lovasz.kernels import check_kernel

    options: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"--kernel-option {pair!r} is not NAME=VALUE")
        try:
            options[name] = float(value)
        except ValueError:
            options[name] = value
    if kernel != "auto":
        with wrong_call():
            check_kernel(kernel, options)
    return options
