"""``lovasz theta``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import lovasz
from lovasz.cli.options import FORMATS, Device, Json, Symmetrize


def theta(
    graphs: Annotated[list[str], typer.Argument(metavar="GRAPH...", help=FORMATS)],
    tol: Annotated[float, typer.Option(help="Relative gap between the bounds to reach.")] = 1e-6,
    complement: Annotated[bool, typer.Option("--complement", help="ϑ of the complement.")] = False,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds a graph; what is proven by then counts.")
    ] = None,
    solver: Annotated[str, typer.Option(help="auto, interior or splitting.")] = "auto",
    symmetrize: Symmetrize = False,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """The Lovász number ϑ(G) in an interval that provably contains it.

    Edges mean *similar*: ϑ of a complete graph is 1, of a graph without edges its size, and
    ϑ bounds the largest independent set from above. Edge weights are ignored.
    """
    from lovasz.number import theta as solve
    from lovasz.progress import progress

    rows = []
    for name in graphs:
        network = lovasz.as_graph(name, symmetrize=symmetrize, weights="drop")
        with progress(Path(name).name, None) as update:
            result = solve(
                network,
                tol=tol,
                solver=solver,
                device=device,
                complement=complement,
                time_limit=time_limit,
                callback=_bounds_note(update),
            )
        row = {"graph": name, "n": network.n, "m": network.m}
        for field in ("value", "lower", "upper", "gap", "status", "method", "seconds"):
            row[field] = getattr(result, field)
        rows.append(row)
        if not json_:
            _print_theta(row, first=len(rows) == 1)
    if json_:
        print(json.dumps(rows if len(rows) > 1 else rows[0]))


def _bounds_note(update: Callable[..., None]) -> Callable[[float, float], None]:
    return lambda lower, upper: update(0, f"a core is in [{lower:.6f}, {upper:.6f}]")


def _print_theta(row: dict[str, Any], *, first: bool) -> None:
    """A line of the table of ``lovasz theta``; bounds are printed outwards, so they stay proven."""
    from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

    if first:
        print(f"{'graph':<24}{'n':>9}{'m':>11}  {'ϑ ≥':>18}{'ϑ ≤':>18}{'gap':>9}{'s':>8}  method")
    cell = Decimal("1e-9")
    lower = Decimal(row["lower"]).quantize(cell, ROUND_FLOOR)
    upper = Decimal(row["upper"]).quantize(cell, ROUND_CEILING)
    state = "" if row["status"] == "optimal" else f"; {row['status']}"
    print(
        f"{Path(row['graph']).name:<24}{row['n']:>9,}{row['m']:>11,}  {lower:>18}{upper:>18}"
        f"{row['gap']:>9.0e}{row['seconds']:>8.2f}  {row['method']}{state}",
        flush=True,
    )
