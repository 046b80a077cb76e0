"""``lovasz label``."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.base.text import pluralize
from lovasz.cli.options import GraphFile, Seed, Symmetrize, Weights
from lovasz.cli.output import name_graph, tell_notes
from lovasz.cli.signals import Interrupted


def label(
    graph: GraphFile,
    features: Annotated[
        str | None, typer.Option(help="Node features: CSV of node,f1,f2,… or .npy/.npz.")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="CSV of node,class: labels to start with.")
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="The project file; by default GRAPH with the suffix .lovasz."),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 for any free one.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    seed: Seed = 0,
) -> None:
    """Label the nodes of a graph in the browser; the nodes worth most are asked for first.

    Every label is in the project file the moment it is given. Start the command again to go on.

    Example: `lovasz label graph.csv`, then `lovasz classify graph.csv --labels graph.lovasz`
    """
    from lovasz.app.fingerprint import default_project
    from lovasz.app.launch import serve
    from lovasz.app.project import Project
    from lovasz.graphs.node_tables import read_feature_names, read_features, read_matched_labels

    if project is None and graph == "-":
        raise typer.BadParameter(
            "a graph from standard input needs a project file; add --project FILE"
        )
    network = lovasz.as_graph(graph, symmetrize=symmetrize, weights=weights)
    tell_notes(network)
    if network.n < 2:
        raise LovaszError(f"{graph} has {network.n} nodes; there is nothing to label")
    table = None if features is None else read_features(features, network)
    columns = None if features is None else read_feature_names(features)
    given = {} if labels is None else read_matched_labels(labels, network)
    opened = Project(project or default_project(graph), network)
    start = {network.positions[node]: name for node, name in given.items()}
    opened.label_all(start, gently=True)

    def announce(address: str) -> None:
        known = len(opened.state.labels)
        print(f"labels  {opened.path} ({known} so far)", file=sys.stderr)
        print("page    on this machine only; end with Ctrl-C", file=sys.stderr)
        print(address, flush=True)

    with suppress(Interrupted):  # uvicorn has ended in order, and passes the signal on
        serve(
            opened,
            table,
            columns,
            title=name_graph(graph),
            port=port,
            seed=seed,
            browser=browser,
            announce=announce,
        )
    known = len(opened.state.labels)
    print(f"\n{pluralize(known, 'label')} in {opened.path}", file=sys.stderr)
