"""``lovasz theta`` and ``lovasz embed``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

import lovasz
from lovasz.cli.failure import FORESEEN, complain, explain
from lovasz.cli.options import FORMATS, Device, GraphFile, Json, Symmetrize, Tol
from lovasz.cli.signals import Interrupted, Request

FIELDS = ("value", "lower", "upper", "gap", "status", "method", "reduction", "seconds")
LEAVING = "interrupted; certifying what is there (Ctrl-C again: end at once)"


def theta(
    graphs: Annotated[list[str], typer.Argument(metavar="GRAPH...", help=FORMATS)],
    tol: Tol = 1e-6,
    complement: Annotated[bool, typer.Option("--complement", help="ϑ of the complement.")] = False,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds a graph; what is proven by then counts.")
    ] = None,
    solver: Annotated[str, typer.Option(help="auto, interior or splitting.")] = "auto",
    variant: Annotated[
        str, typer.Option(help="lovasz, schrijver (ϑ′, smaller) or szegedy (ϑ⁺, larger).")
    ] = "lovasz",
    symmetrize: Symmetrize = False,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """The Lovász number ϑ(G) in an interval that provably contains it.

    Edges mean *similar*: ϑ of a complete graph is 1, of a graph without edges its size, and
    ϑ bounds the largest independent set from above. Edge weights are ignored.

    Ctrl-C prints what is proven by then and starts no other graph; a second one ends it at once.
    The exit code is 0 when every graph has its line, time limit or not, 1 when one could not be
    read or was interrupted. JSON is an object for one graph and a list for several.
    """
    from lovasz.number import check_options

    check_options(tol=tol, solver=solver, variant=variant)
    rows: list[dict[str, Any]] = []
    left = list(graphs)
    with suppress(Interrupted):
        for row in _rows(
            left, symmetrize=symmetrize, tol=tol, solver=solver, device=device,
            complement=complement, variant=variant, time_limit=time_limit,
        ):  # fmt: skip
            rows.append(row)
            if not json_:
                _print_row(row, first=len(rows) == 1)
    if json_ and (rows or len(graphs) > 1):
        print(json.dumps(rows if len(graphs) > 1 else rows[0], allow_nan=False))
    halfway = [row["file"] for row in rows if row["status"].startswith("interrupted")]
    if halfway or left:
        _tell_interrupted(halfway, left)
    if halfway or len(rows) < len(graphs):
        raise typer.Exit(1)


def _rows(left: list[str], **options: Any) -> Iterator[dict[str, Any]]:
    """A row a graph, which goes from the list; a line on stderr for one that fails."""
    request = Request()
    while left and not request.made:
        try:
            row = _bounds(left[0], request, **options)
        except FORESEEN as problem:
            complain(_naming(left.pop(0), explain(problem)))
        else:
            left.pop(0)
            yield row


def _bounds(name: str, request: Request, *, symmetrize: bool, **options: Any) -> dict[str, Any]:
    """What is proven about the graph in a file, as a row of the answer."""
    from lovasz.base.progress import progress
    from lovasz.number.reduction.reduce import compiling

    network = lovasz.as_graph(name, symmetrize=symmetrize, weights="drop")
    with progress(label(name), None) as update, request.awaited(lambda: update(0, LEAVING)):
        update(0, compiling(network))
        result = lovasz.theta(network, stop=request, callback=watch(update, request), **options)
    size = {"file": name, "n": network.n, "m": network.m, "variant": options["variant"]}
    return size | {field: getattr(result, field) for field in FIELDS}


def embed(
    graph: GraphFile,
    dim: Annotated[
        int | None, typer.Option(min=2, help="Dimensions at most; orthogonality is then rough.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File: .csv or .npz; else stdout.")] = None,
    tol: Tol = 1e-6,
    symmetrize: Symmetrize = False,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """The orthonormal embedding behind ϑ(G): a unit vector a node, non-neighbours orthogonal.

    All the vectors u are equally close to one more unit vector, the handle c, and as close as
    can be: 1/(c·u)² is the proven upper bound on ϑ. Edge weights are ignored.

    As CSV it has a row a node: node, handle, x2, x3, … The handle is the vector (1, 0, 0, …)
    and so needs no row; the column of its name is c·u. An .npz has the arrays vectors (a row a
    node), handle, nodes and upper.
    """
    from lovasz.base.progress import progress
    from lovasz.kernels.embedding import embedding_file, write_embedding
    from lovasz.number.reduction.reduce import compiling

    with embedding_file(out) as file:
        network = lovasz.as_graph(graph, symmetrize=symmetrize, weights="drop")
        with progress(label(graph), None) as update:
            update(0, compiling(network))
            E = lovasz.embedding(network, dim, tol=tol, device=device, callback=watch(update))
        if file is not None:
            write_embedding(E, network, file)
    n, d = E.vectors.shape
    if json_:
        place = None if out is None else str(out)
        print(json.dumps({"nodes": n, "dimensions": d, "upper": E.upper, "file": place}))
    elif out is None:
        write_embedding(E, network, None)
    else:
        _, upper = _outwards(E.upper, E.upper, "1e-9")
        print(f"embedding of {n:,} nodes in {d:,} dimensions, ϑ ≤ {upper}: {out}")


def label(name: str) -> str:
    """What a graph is called in few words."""
    return "standard input" if name == "-" else Path(name).name


def watch(
    update: Callable[..., None], silent: Callable[[], bool] = lambda: False
) -> Callable[[float, float], None]:
    """The callback that shows the interval of the core at work, until ``silent``."""

    def show(lower: float, upper: float) -> None:
        if not silent():
            low, high = _outwards(lower, upper, "1e-6")
            update(0, f"core: {low} ≤ ϑ ≤ {high}, gap {(upper - lower) / upper:.0e}")

    return show


def _naming(name: str, text: str) -> str:
    """The message with the name of the graph in it, once."""
    return text if text.startswith((name, "standard input")) else f"{name}: {text}"


def _tell_interrupted(halfway: list[str], left: list[str]) -> None:
    told = ["interrupted", *(f"{name} has the bounds proven by then" for name in halfway)]
    if left:
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        told.append(f"not started: {left[0]}{more}")
    complain("; ".join(told))


def _print_row(row: dict[str, Any], *, first: bool) -> None:
    """A line of the table of ``lovasz theta``; bounds are printed outwards, so they stay proven."""
    if first:
        print(f"{'graph':<24}{'n':>9}{'m':>11}  {'ϑ ≥':>18}{'ϑ ≤':>18}{'gap':>9}{'s':>8}  method")
    lower, upper = _outwards(row["lower"], row["upper"], "1e-9")
    state = "" if row["status"] == "optimal" else f"; {row['status']}"
    print(
        f"{label(row['file']):<24}{row['n']:>9,}{row['m']:>11,}  {lower:>18}{upper:>18}"
        f"{row['gap']:>9.0e}{row['seconds']:>8.2f}  {row['method']}{state}",
        flush=True,
    )


def _outwards(lower: float, upper: float, cell: str) -> tuple[Decimal, Decimal]:
    """Both bounds in few digits, rounded away from each other."""
    return (
        Decimal(lower).quantize(Decimal(cell), ROUND_FLOOR),
        Decimal(upper).quantize(Decimal(cell), ROUND_CEILING),
    )
