"""``lovasz classify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import lovasz
from lovasz.cli.completion import complete_classifier_kernel
from lovasz.cli.options import (
    Device,
    GraphFile,
    Json,
    Options,
    Seed,
    Symmetrize,
    Weights,
    kernel_options,
)
from lovasz.cli.output import command_line, show_labelling


def classify(
    graph: GraphFile,
    labels: Annotated[
        str,
        typer.Option(
            help="CSV of node,class for the labelled nodes, or a project of lovasz label."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    features: Annotated[
        str | None, typer.Option(help="Node features: CSV of node,f1,f2,… or .npy/.npz.")
    ] = None,
    validation: Annotated[
        str | None,
        typer.Option(
            help="CSV of node or node,class: labelled nodes that judge and stop the training and "
            "are not learned from. Without it, folds of the labels do that."
        ),
    ] = None,
    kernel: Annotated[
        str,
        typer.Option(
            "--kernel",
            "-k",
            help="auto: networks, models of features, label spreading and a block model answer "
            "together; or the name of a kernel, for one network.",
            autocompletion=complete_classifier_kernel,
        ),
    ] = "auto",
    kernel_option: Options = None,
    epochs: Annotated[int, typer.Option(min=1)] = 200,
    hidden: Annotated[int, typer.Option(min=1, max=2**16, help="Hidden units.")] = 16,
    splits: Annotated[
        int,
        typer.Option(
            min=0,
            help="Random splits to compare a named kernel with GCN on; 0 for none. auto compares "
            "on folds of the labels, and needs no splits.",
        ),
    ] = 10,
    fast: Annotated[
        bool,
        typer.Option(
            "--fast", help="Only the candidates of auto that are not networks; torch is not loaded."
        ),
    ] = False,
    noisy: Annotated[
        bool,
        typer.Option(
            "--noisy", help="Some given labels may be wrong: let the answer overrule them."
        ),
    ] = False,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    hypergraph: Annotated[
        bool,
        typer.Option(
            "--hypergraph",
            help="The file is a hypergraph: one hyperedge per line (CSV, TSV, spaces), npz, or HIF "
            "JSON. Files .hg and .json always are.",
        ),
    ] = False,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Label the nodes of a graph, or of a hypergraph, from a few labels.

    Writes predictions.csv (node, class, probability), report.html (how far to trust them, and
    how well a plain GCN does) and model/ to the output folder.

    Example: `lovasz classify graph.csv --labels labels.csv --out results/`
    """
    from lovasz.app.project import is_project, read_project
    from lovasz.base.files import staged
    from lovasz.base.progress import progress
    from lovasz.classify import LCNClassifier
    from lovasz.classify.problem import make_problem
    from lovasz.graphs.node_tables import read_features
    from lovasz.workflows.given_labels import read_given_labels
    from lovasz.workflows.labelling import FILES, count_epochs, label_graph

    options = kernel_options(kernel, kernel_option)
    if hypergraph:
        network = lovasz.as_graph(lovasz.as_hypergraph(graph))
    else:
        network = lovasz.as_graph(graph, symmetrize=symmetrize, weights=weights)
    known = read_project(labels, network) if is_project(labels) else None
    given = read_given_labels(labels, validation, network, known)
    table = None if features is None else read_features(features, network)
    classifier = LCNClassifier(
        kernel,
        kernel_options=options,
        hidden=hidden,
        epochs=epochs,
        fast=fast,
        noisy=noisy,
        random_state=seed,
        device=device,
    )
    problem = make_problem(network, given.classes, given.codes, table, classifier.scale)
    with staged(out, *FILES) as folder:
        epochs_in_all = count_epochs(classifier, problem, comparing=splits > 0)
        with progress("Training", epochs_in_all) as update:
            job = label_graph(
                problem,
                classifier,
                validation=given.validation,
                splits=splits,
                title=f"Labels for {Path(graph).name if graph != '-' else 'the graph on stdin'}",
                command=command_line(),
                callback=update,
            )
        job.write(folder)
    show_labelling(job, out, json_)
