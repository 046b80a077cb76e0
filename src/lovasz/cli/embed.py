"""``lovasz embed``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import lovasz
from lovasz.base.rounding import format_up
from lovasz.cli.failure import wrong_call
from lovasz.cli.options import Device, GraphFile, Json, Symmetrize, TimeLimit, Tol
from lovasz.cli.output import name_graph, tell_notes, watch


def embed(
    graph: GraphFile,
    dim: Annotated[
        int | None,
        typer.Option(min=2, help="The most dimensions; orthogonality is then approximate."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File: .csv or .npz; else stdout.")] = None,
    tol: Tol = 1e-6,
    time_limit: TimeLimit = None,
    symmetrize: Symmetrize = False,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """The orthonormal embedding behind ϑ(G): one unit vector per node, non-neighbours orthogonal.

    All the vectors u are equally close to one more unit vector, the handle c, and as close as
    possible: 1/(c·u)² is the proven upper bound on ϑ. Edge weights are ignored.

    The CSV has one row per node: node, handle, x2, x3, … The handle is the vector (1, 0, 0, …)
    and so needs no row; the column named handle is c·u. An .npz file has the arrays vectors (one
    row per node), handle, nodes and upper.

    With --time-limit the vectors are those of the best bound that is proven in time. Reading and
    writing files does not count.

    Example: `lovasz embed graph.col --out vectors.csv`
    """
    from lovasz.base.progress import progress
    from lovasz.kernels.embedding import embedding_file, write_embedding
    from lovasz.number import check_options
    from lovasz.number.reduction.reduce import compiling

    with wrong_call():
        check_options(tol=tol)
    with embedding_file(out) as file:
        network = lovasz.as_graph(graph, symmetrize=symmetrize, weights="drop")
        tell_notes(network)
        with progress(name_graph(graph), None) as update:
            update(0, compiling(network))
            E = lovasz.embedding(
                network, dim, tol=tol, time_limit=time_limit, device=device, callback=watch(update)
            )
        if file is not None:
            write_embedding(E, network, file)
    n, d = E.vectors.shape
    if json_:
        place = None if out is None else str(out)
        print(json.dumps({"nodes": n, "dimensions": d, "upper": E.upper, "file": place}))
    elif out is None:
        write_embedding(E, network, None)
    else:
        upper = format_up(E.upper, 9)
        print(f"embedding of {n:,} nodes in {d:,} dimensions, ϑ ≤ {upper}: {out}")
