"""``lovasz color``."""

from __future__ import annotations

import json
import sys
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

import lovasz
from lovasz.base.extras import require
from lovasz.base.tables import write_table
from lovasz.cli.options import GraphFile, Json, Seed, Symmetrize, TimeLimit
from lovasz.cli.output import command_line, name_graph, tell_notes
from lovasz.cli.signals import Request

TABLE = "colors.csv"
PAGE = "color.html"
FILES = (TABLE, PAGE)


def color(
    graph: GraphFile,
    cliques: Annotated[
        bool,
        typer.Option(
            "--cliques", "--complement", help="Partition into cliques: colour the complement."
        ),
    ] = False,
    time_limit: TimeLimit = None,
    effort: Annotated[
        float, typer.Option(min=0, help="1 is usual, more searches longer, 0 is greedy only.")
    ] = 1.0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for colors.csv and the page color.html.")
    ] = None,
    symmetrize: Symmetrize = False,
    seed: Seed = 0,
    json_: Json = False,
) -> None:
    """Colour the nodes with few colours, adjacent ones differently, and bound how few suffice.

    Prints CSV (node, color) to stdout, or with --out writes it to a folder with a page; one line
    on stderr (or the JSON) says what is proven. Color 0 is the largest class. Edge weights are
    ignored. Ctrl-C ends the search and keeps what was found; a second one ends it at once.

    Example: `lovasz color graph.col --out colors/`, or `lovasz color graph.col --cliques`
    """
    from contextlib import nullcontext

    from lovasz.base.files import staged

    if out is not None:
        require("jinja2", "matplotlib", what="the page of lovasz color --out")
    network = lovasz.as_graph(graph, symmetrize=symmetrize, weights="drop")
    tell_notes(network)
    options = {"time_limit": time_limit, "effort": effort, "random_state": seed}
    with nullcontext() if out is None else staged(out, *FILES) as folder:
        found = _found(network, name_graph(graph), cliques, options)
        if folder is not None:
            _write(folder, network, found, name_graph(graph))
    files = {} if out is None else {name: str(out / name) for name in FILES}
    if json_:
        print(json.dumps(_as_json(graph, network, found) | {"files": files}, allow_nan=False))
        return
    if out is None:
        _write_csv(found, sys.stdout)
    for path in files.values():
        print(path)
    _tell(found)


def _found(network: Any, name: str, cliques: bool, options: dict[str, Any]) -> Any:
    from lovasz.base.progress import progress
    from lovasz.number.reduction.reduce import compiling

    request = Request()
    with (
        progress(name, None) as update,
        request.awaited(lambda: update(0, "interrupted; ending (Ctrl-C again: end at once)")),
    ):
        update(0, compiling(network))
        search = lovasz.clique_cover if cliques else lovasz.coloring
        return search(network, stop=request, **options)


def _tell(found: Any) -> None:
    from lovasz.colors.proof_sentences import summarize_coloring

    print(f"{summarize_coloring(found)}; {found.seconds:.1f} s", file=sys.stderr)


def _write_csv(found: Any, file: TextIO) -> None:
    rows = zip(found.nodes, found.colors.tolist(), strict=True)
    write_table(file, chain([("node", "color")], rows), end="\n")


def _write(folder: Path, network: Any, found: Any, name: str) -> None:
    from lovasz.pages.coloring import render_coloring

    with open(folder / TABLE, "w", newline="", encoding="utf-8") as file:
        _write_csv(found, file)
    page = render_coloring(network, found, title=f"{name}, coloured", command=command_line())
    (folder / PAGE).write_text(page, encoding="utf-8")


def _as_json(file: str, network: Any, found: Any) -> dict[str, Any]:
    fields = ("kind", "size", "lower", "upper", "optimal", "proof", "theta", "witness", "seconds")
    return {
        "file": file,
        "n": network.n,
        "m": network.m,
        **{field: getattr(found, field) for field in fields},
        "nodes": list(found.nodes),
        "colors": found.colors.tolist(),
    }
