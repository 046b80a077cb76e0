"""``lovasz communities``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

import lovasz
from lovasz.base.extras import require
from lovasz.base.tables import write_table
from lovasz.cli.completion import complete_kernel
from lovasz.cli.failure import remark
from lovasz.cli.options import (
    GraphFile,
    Json,
    Options,
    Seed,
    Symmetrize,
    TimeLimit,
    kernel_options,
)
from lovasz.cli.output import command_line, tell_notes

TABLE = "communities.csv"
PAGE = "communities.html"


def communities(
    graph: GraphFile,
    k: Annotated[
        int | None,
        typer.Option("--k", min=1, help="How many; by default as many as are evident."),
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="CSV of node,class: the communities of some nodes.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for communities.csv and communities.html.")
    ] = None,
    kernel: Annotated[
        str,
        typer.Option(help="ls, lovasz or another kernel's name.", autocompletion=complete_kernel),
    ] = "ls",
    kernel_option: Options = None,
    refine: Annotated[
        bool, typer.Option(help="Belief propagation on the edges after the embedding.")
    ] = True,
    time_limit: TimeLimit = None,
    symmetrize: Symmetrize = False,
    seed: Seed = 0,
    json_: Json = False,
) -> None:
    """The communities of a graph, as many as there is evidence for or as asked for.

    Prints CSV to stdout: node, community, confidence. With --out it is written to a folder,
    beside a page with a map, the sorted matrix and the spectrum. Edge weights are ignored.
    With --time-limit the answer is the best one so far, and a note on stderr says if it is cut
    short. Reading and writing files does not count.

    Example: `lovasz communities graph.csv --out found/`
    """
    from contextlib import nullcontext

    from lovasz.base.files import staged
    from lovasz.base.progress import progress
    from lovasz.graphs.node_tables import read_matched_labels

    if out is not None:
        require("jinja2", "matplotlib", what="the page of lovasz communities --out")
    options = kernel_options(kernel, kernel_option)
    network = lovasz.as_graph(graph, symmetrize=symmetrize, weights="drop")
    tell_notes(network)
    known = None if labels is None else read_matched_labels(labels, network)
    with nullcontext() if out is None else staged(out, TABLE, PAGE) as folder:
        with progress("Communities", None):
            found = lovasz.communities(
                network, k, known, kernel=kernel, kernel_options=options,
                refine=refine, random_state=seed, time_limit=time_limit,
            )  # fmt: skip
        if folder is not None:
            _write(folder, network, found, known, title=_title(graph), asked=k, refined=refine)
    if found.status != "complete":
        remark(found.status)
    if json_:
        print(json.dumps(_summary(network, found, out)))
    elif out is None:
        write_table(sys.stdout, _table(found))
    else:
        print(f"{len(found):,} communities of {network.n:,} nodes")
        print(f"table  {out / TABLE}\npage   {out / PAGE}")


def _write(folder: Path, network: Any, found: Any, known: Any, **about: Any) -> None:
    """Write the table and the page."""
    import numpy as np

    from lovasz.pages.communities import CommunitiesPage, render_communities

    with open(folder / TABLE, "w", newline="", encoding="utf-8") as file:
        write_table(file, _table(found))
    given = np.full(network.n, -1)
    for node in known or {}:
        row = network.positions[node]
        given[row] = found.membership[row]
    page = CommunitiesPage(network, found, given, command=command_line(), **about)
    (folder / PAGE).write_text(render_communities(page), encoding="utf-8")


def _title(graph: str) -> str:
    return f"Communities of {Path(graph).name if graph != '-' else 'the graph on stdin'}"


def _table(found: Any) -> Iterator[list[Any]]:
    """Yield a header, then one row per node."""
    yield ["node", "community", "confidence"]
    rows = zip(found.nodes, found.membership.tolist(), found.confidence.tolist(), strict=True)
    for node, code, confidence in rows:
        yield [node, found.names[code], f"{confidence:.6f}"]


def _summary(network: Any, found: Any, out: Path | None) -> dict[str, Any]:
    cut = float(found.spectrum.cut)
    return {
        "nodes": network.n,
        "edges": network.m,
        "k": found.k,
        "status": found.status,
        "communities": [
            {"name": name, "nodes": [_plain(node) for node in network.nodes if node in members]}
            for name, members in zip(found.names, found, strict=True)
        ],
        "confidence": [round(value, 6) for value in found.confidence.tolist()],
        "eigenvalues": [round(value, 6) for value in found.spectrum.values.tolist()],
        "cut": round(cut, 6) if isfinite(cut) else None,
        "files": {} if out is None else {name: str(out / name) for name in (TABLE, PAGE)},
    }


def _plain(node: Any) -> Any:
    return node if isinstance(node, int | str) else str(node)
