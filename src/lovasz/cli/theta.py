"""``lovasz theta``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.base.rounding import format_down, format_up
from lovasz.cli.completion import complete_solver, complete_variant
from lovasz.cli.failure import FORESEEN, complain, explain, refused_by, wrong_call
from lovasz.cli.options import FORMATS, Device, Json, Symmetrize, Tol, check_seconds
from lovasz.cli.output import name_graph, tell_notes, watch
from lovasz.cli.signals import Interrupted, Request

if TYPE_CHECKING:
    from lovasz.graphs import Graph
    from lovasz.graphs.source import Source
    from lovasz.graphs.symmetric_graph import SymmetricGraph
    from lovasz.number.batch import ThetaOptions

# The fields of a result of :func:`lovasz.theta` that become columns and JSON keys.
FIELDS = (
    "value", "lower", "upper", "gap", "certificate", "proven_upper", "exact", "status", "method",
    "reduction", "seconds",
)  # fmt: skip
# What the table says where a bound is not proven.
PROBABILISTIC = "probabilistic: ϑ ≤ holds with probability 1 − 10⁻¹²; proven is"
# Shown after the first Ctrl-C.
LEAVING = "interrupted; certifying what is there (Ctrl-C again: end at once)"


def theta(
    graphs: Annotated[list[str], typer.Argument(metavar="GRAPH...", help=FORMATS)],
    tol: Tol = 1e-6,
    complement: Annotated[bool, typer.Option("--complement", help="ϑ of the complement.")] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Seconds per graph; prints what is known by then.",
            callback=refused_by(check_seconds),
        ),
    ] = None,
    solver: Annotated[
        str,
        typer.Option(help="auto, interior, splitting or low-rank.", autocompletion=complete_solver),
    ] = "auto",
    variant: Annotated[
        str,
        typer.Option(
            help="lovasz, schrijver (ϑ′, smaller) or szegedy (ϑ⁺, larger).",
            autocompletion=complete_variant,
        ),
    ] = "lovasz",
    proven: Annotated[
        bool, typer.Option("--proven", help="No upper bound that holds only with probability.")
    ] = False,
    csv: Annotated[
        str | None,
        typer.Option("--csv", metavar="FILE", help="Write ϑ, α and clique covers; - for stdout."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the rows that are in --csv.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes for many graphs.")] = None,
    certificate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a proof (npz) that `lovasz verify` checks."),
    ] = None,
    symmetrize: Symmetrize = False,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """The Lovász number ϑ(G) in an interval that contains it.

    Edges mean *similar*: ϑ of a complete graph is 1, ϑ of a graph without edges is its number of
    nodes, and ϑ bounds the largest independent set from above. Edge weights are ignored.

    A symmetric graph of any size is given by its name, such as "hamming(23, {1})",
    "johnson(24, 12, {1, 2})", "kneser(40, 15)", "paley(1009)", "circulant(1000, {1, 10})",
    "cycle(7)", "z_channel(13)"; nothing is written down, and ϑ is exact where it is a fraction.

    The bounds are proven. On sparse graphs of some ten thousand nodes and more, where a proof from
    above takes too long, the upper one may instead hold with a probability of 1 − 10⁻¹² over random
    vectors that are drawn. The line then says "probabilistic" and gives the proven bound, too.
    --proven allows no such bound, and neither do --certificate, --csv and --jobs.

    A file of graph6 or sparse6 may hold many graphs, one per line. Then, or with --csv or --jobs,
    each row also has bounds on the largest independent set (α) and the smallest partition into
    cliques (cover), both sides proven. A bad line is one error; the others go on.

    Ctrl-C prints what is known by then and starts no other graph; a second one ends it at once.
    The exit code is 0 if every graph has its line, within the time limit or not, and 1 if one
    could not be read or was interrupted. JSON is an object for one graph and a list for several,
    in which a graph that could not be read has its "error".

    Example: `lovasz theta graph.col other.csv --time-limit 60`
    """
    from lovasz.graphs.read import holds_many, many_graphs
    from lovasz.graphs.source import read_source
    from lovasz.number import check_options

    with wrong_call():
        check_options(tol=tol, solver=solver, variant=variant)
    options: ThetaOptions = {
        "tol": tol, "solver": solver, "device": device, "complement": complement,
        "variant": variant, "time_limit": time_limit,
        "proven": proven or certificate is not None,
    }  # fmt: skip
    stdin = read_source("-") if list(graphs) == ["-"] else None
    many = any(map(holds_many, graphs)) if stdin is None else bool(many_graphs(stdin))
    many = many or csv is not None or resume or jobs is not None
    if certificate is not None and (many or len(graphs) > 1):
        raise typer.BadParameter(
            "--certificate is for one graph, without --csv, --resume and --jobs"
        )
    if many:
        from lovasz.cli.theta_batch import bound_many

        bound_many(
            graphs, options, symmetrize=symmetrize, table=csv, resume=resume,
            processes=jobs or 1, as_json=json_, stdin=stdin,
        )  # fmt: skip
        return
    rows: list[dict[str, Any]] = []
    left = list(graphs)
    with suppress(Interrupted):
        for row in _rows(
            left, symmetrize=symmetrize, stdin=stdin, certificate=certificate, **options
        ):
            rows.append(row)
            if not json_ and "error" not in row:
                _print_row(row, first=sum("error" not in row for row in rows) == 1)
    solved = [row for row in rows if "error" not in row]
    if json_ and (solved or len(graphs) > 1):
        print(json.dumps(rows if len(graphs) > 1 else solved[0], allow_nan=False))
    halfway = [row["file"] for row in solved if row["status"].startswith("interrupted")]
    if halfway or left:
        _tell_interrupted(halfway, left)
    if halfway or len(solved) < len(graphs):
        raise typer.Exit(1)


def _rows(left: list[str], **options: Any) -> Iterator[dict[str, Any]]:
    """Yield one row per graph and remove it from ``left``.

    The row of a graph that fails has only ``file`` and ``error``, which is also a line on stderr.
    """
    request, several = Request(), len(left) > 1
    while left and not request.made:
        try:
            row = _bounds(left[0], request, several=several, **options)
        except FORESEEN as problem:
            row = {"file": left[0], "error": explain(problem)}
            complain(_naming(left[0], row["error"]))
        left.pop(0)
        yield row


def _bounds(
    name: str,
    request: Request,
    *,
    symmetrize: bool,
    stdin: Source | None,
    certificate: str | None,
    several: bool,
    **options: Any,
) -> dict[str, Any]:
    """The bounds of the graph in a file, as one row of the answer.

    Notes on the graph are printed, with its name if there are ``several``.
    """
    from lovasz.base.progress import progress
    from lovasz.graphs.read import parse_graph, read_graph
    from lovasz.number.reduction.reduce import compiling

    network: Graph | SymmetricGraph
    if stdin is not None:
        network = parse_graph(stdin, symmetrize=symmetrize, weights="drop")
    elif (family := _family(name)) is not None:
        network = family
    else:
        network = read_graph(name, symmetrize=symmetrize, weights="drop")
    if isinstance(network, lovasz.Graph):
        tell_notes(network, name=name_graph(name) if several else None)
    with progress(name_graph(name), None) as update, request.awaited(lambda: update(0, LEAVING)):
        if isinstance(network, lovasz.Graph):
            update(0, compiling(network))
        result = lovasz.theta(network, stop=request, callback=watch(update, request), **options)
    if certificate is not None:
        result.save(certificate)
    size = {"file": name, "n": network.n, "m": network.m, "variant": options["variant"]}
    return size | {field: getattr(result, field) for field in FIELDS}


def _family(name: str) -> SymmetricGraph | None:
    """The symmetric graph that a call such as "hamming(23, {1})" names, unless a file has it."""
    if name == "-" or os.path.exists(name):
        return None
    from lovasz.graphs.symmetric_families import EXAMPLES, parse_family

    family = parse_family(name)
    if family is None and ("(" in name or not (Path(name).suffix or os.sep in name)):
        raise LovaszError(
            f"{name}: no such file; check the path, or name a graph of a known family, such as "
            f"{', '.join(EXAMPLES.values())}"
        )
    return family


def _naming(name: str, text: str) -> str:
    """The message with the name of the graph in front, unless it is there already."""
    return text if text.startswith((name, "standard input")) else f"{name}: {text}"


def _tell_interrupted(halfway: list[str], left: list[str]) -> None:
    told = ["interrupted", *(f"{name} has the bounds proven by then" for name in halfway)]
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        told.append(f"not started: {left[0]}{more}")
    complain("; ".join(told))


def _print_row(row: dict[str, Any], *, first: bool) -> None:
    """Print one line of the table; the bounds are rounded outwards, so they still hold."""
    if first:
        print(f"{'graph':<24}{'n':>9}{'m':>11}  {'ϑ ≥':>18}{'ϑ ≤':>18}{'gap':>9}{'s':>8}  method")
    lower, upper = format_down(row["lower"], 9), format_up(row["upper"], 9)
    state = "" if row["status"] == "optimal" else f"; {row['status']}"
    if row["certificate"] != "proven":
        state += f"; {PROBABILISTIC} {format_up(row['proven_upper'], 9)}"
    state += "" if row["exact"] is None else f"; exactly {row['exact']}"
    print(
        f"{name_graph(row['file']):<24}{row['n']:>9,} {row['m']:>10,}  {lower:>18} {upper:>17}"
        f"{row['gap']:>9.0e}{row['seconds']:>8.2f}  {row['method']}{state}",
        flush=True,
    )
