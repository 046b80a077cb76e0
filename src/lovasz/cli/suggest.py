"""``lovasz suggest``."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import lovasz
from lovasz.base.extras import require
from lovasz.cli.options import Device, GraphFile, Json, Seed, Symmetrize, Weights
from lovasz.cli.output import tell_notes

USUAL = 10
"""How many nodes are named without -k, or fewer if fewer can be labelled."""
REASON_AT = 24
"""Column of the terminal at which reasons begin, unless a name is longer."""


def suggest(
    graph: GraphFile,
    k: Annotated[
        int | None,
        typer.Option(
            "-k", "--k", min=1, help=f"How many nodes to name; at most {USUAL} if not given."
        ),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            help="CSV of node,class for the labelled nodes, or a project of lovasz label; they are "
            "learned from."
        ),
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="Node features: CSV of node,f1,f2,… or .npy/.npz.")
    ] = None,
    exclude: Annotated[
        str | None, typer.Option(help="CSV of nodes that nobody can label, one per line.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="CSV file for the nodes; else stdout.")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="Of the networks that learn labels.")] = 200,
    fast: Annotated[bool, typer.Option("--fast", help="Leave out auto's networks.")] = False,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Which nodes to label next, with a reason for each.

    Without labels it names nodes that tell the most about the whole graph. With labels of at least
    two classes a classifier is fitted first, and nodes that it hesitates about come first; what
    accuracy to expect, now and with more labels, is printed to stderr.

    Prints a table on a terminal and CSV (node, reason, score) elsewhere.

    Example: `lovasz suggest graph.csv -k 20 --labels labels.csv --out next.csv`
    """
    from lovasz.app.project import is_project, read_project
    from lovasz.classify.suggest import allowed_rows, find_rows
    from lovasz.graphs.node_tables import read_features, read_matched_labels, read_nodes

    network = lovasz.as_graph(graph, symmetrize=symmetrize, weights=weights)
    tell_notes(network)
    table = None if features is None else read_features(features, network)
    known: dict[Any, str] = {}
    if labels is not None and is_project(labels):
        known = read_project(labels, network)
    elif labels is not None:
        known = read_matched_labels(labels, network)
    barred = [] if exclude is None else [*read_nodes(exclude, network)]
    # A k that is too large is refused before the training, not after it.
    taken = [find_rows(network, names, "exclude") for names in (known, barred)]
    left = int(allowed_rows(network, k or 1, *taken).sum())
    k = min(USUAL, left) if k is None else k
    forecast = None
    if len({*known.values()}) > 1:
        if not fast:
            require("torch", what="lovasz suggest --labels without --fast")
        model = lovasz.LCNClassifier(epochs=epochs, fast=fast, random_state=seed, device=device)
        found, forecast = _ask_classifier(model, network, known, table, barred, k)
    else:
        found = lovasz.suggest(
            network, k, features=table, labelled=known, exclude=barred, seed=seed
        )
    if json_:
        print(json.dumps(_summary(found, forecast)))
    elif out is not None:
        with open(out, "w", newline="", encoding="utf-8") as file:
            _write(file, found)
        print(f"{len(found):,} nodes to label: {out}")
    elif sys.stdout.isatty():
        _show(found)
    else:
        _write(sys.stdout, found)
    if forecast is not None and not json_:
        print(f"expect  {forecast.advice}", file=sys.stderr)


def _ask_classifier(
    model: Any, network: Any, known: Any, table: Any, barred: Any, k: int
) -> tuple[Any, Any]:
    """Fit a classifier; return its suggestions and its forecast."""
    from lovasz.base.progress import progress

    with progress("Training", None) as update:
        model.fit(network, known, table, callback=update)
    return model.suggest(k, exclude=barred), model.forecast()


def _write(file: Any, found: Any) -> None:
    rows = csv.writer(file)
    rows.writerow(["node", "reason", "score"])
    rows.writerows([item.node, item.reason, f"{item.score:.6f}"] for item in found)


def _show(found: Any) -> None:
    """Print one line per node: its name and the reason."""
    wide = max(REASON_AT, *(len(str(item.node)) + 2 for item in found))
    print(f"{'node':<{wide}}why")
    for item in found:
        name = "".join(c if c.isprintable() else "�" for c in str(item.node))
        print(f"{name:<{wide}}{item.reason}")


def _summary(found: Any, forecast: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "suggestions": [
            {
                "node": item.node if isinstance(item.node, int | str) else str(item.node),
                "reason": item.reason,
                "score": round(item.score, 6),
            }
            for item in found
        ],
        "forecast": None if forecast is None else asdict(forecast),
    }
