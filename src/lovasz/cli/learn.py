"""``lovasz demo`` and ``lovasz classify``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import lovasz
from lovasz.base.errors import LovaszError
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


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page and the labels.")] = Path(
        "lovasz-demo"
    ),
    splits: Annotated[int, typer.Option(min=1, help="Random splits to compare on.")] = 10,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Label a random graph of three communities, LCN beside GCN, and write a page about it.

    500 nodes in 3 blocks, edges with probability .6 inside a block and .4 between blocks;
    20 % of the nodes to learn from, 10 % to choose by, 70 % to test on.
    """
    from lovasz.base.files import staged
    from lovasz.workflows.demo import run_demo
    from lovasz.workflows.labelling import FILES

    with staged(out, *FILES) as folder:
        job = run_demo(splits=splits, seed=seed, device=device)
        job.write(folder)
    _show(job, out, json_)


def classify(
    graph: GraphFile,
    labels: Annotated[str, typer.Option(help="CSV of node,class for the labelled nodes.")],
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    features: Annotated[
        str | None, typer.Option(help="Node features: CSV of node,f1,f2,… or .npy/.npz.")
    ] = None,
    kernel: Annotated[
        str,
        typer.Option(
            "--kernel",
            "-k",
            help="auto: seven networks (four without features) answer together; or a name.",
        ),
    ] = "auto",
    kernel_option: Options = None,
    epochs: Annotated[int, typer.Option(min=1)] = 200,
    hidden: Annotated[int, typer.Option(min=1, max=2**16, help="Hidden units.")] = 16,
    splits: Annotated[
        int, typer.Option(min=0, help="Random splits to compare LCN and GCN on; 0 for none.")
    ] = 10,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    hypergraph: Annotated[
        bool,
        typer.Option(
            "--hypergraph",
            help="The file is a hypergraph: a hyperedge a line (CSV, TSV, spaces), npz, or HIF "
            "JSON. Files .hg and .json always are.",
        ),
    ] = False,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Label the nodes of a graph, or of a hypergraph, from a few labels.

    Writes predictions.csv (node, class, probability), report.html (how far to trust them, and
    how a plain GCN does) and model/ to the output folder.
    """
    from lovasz.base.files import staged
    from lovasz.base.progress import progress
    from lovasz.classify import LCNClassifier
    from lovasz.classify.features import prepare_features
    from lovasz.classify.problem import Problem
    from lovasz.graphs.labels import encode
    from lovasz.graphs.node_tables import match_labels, read_features, read_labels
    from lovasz.workflows.labelling import FILES, count_epochs, label_graph

    if hypergraph:
        network = lovasz.as_graph(lovasz.as_hypergraph(graph))
    else:
        network = lovasz.as_graph(graph, symmetrize=symmetrize, weights=weights)
    try:
        classes, codes = encode(match_labels(read_labels(labels), network), network, None)
    except LovaszError as error:
        raise _in_file(labels, error) from None
    table = None if features is None else read_features(features, network)
    classifier = LCNClassifier(
        kernel,
        kernel_options=kernel_options(kernel_option),
        hidden=hidden,
        epochs=epochs,
        random_state=seed,
        device=device,
    )
    scaled = prepare_features(table, network.nodes, classifier.scale)
    problem = Problem(network, classes, codes, scaled)
    with staged(out, *FILES) as folder:
        epochs_in_all = count_epochs(classifier, problem, comparing=splits > 0)
        with progress("Training", epochs_in_all) as update:
            job = label_graph(
                problem,
                classifier,
                splits=splits,
                title=f"Labels for {Path(graph).name if graph != '-' else 'the graph on stdin'}",
                command=_command_line(),
                callback=update,
            )
        job.write(folder)
    _show(job, out, json_)


def _show(job: Any, out: Path, as_json: bool) -> None:
    """What was found, for people or for machines."""
    from lovasz.workflows.labelling import standard_deviation

    files = {name: str(out / name) for name in ("predictions.csv", "report.html", "model")}
    if as_json:
        print(json.dumps(job.summary() | {"files": files}))
        return
    for note in job.page.notes:
        print(f"note: {note}", file=sys.stderr)
    if job.methods:
        print(f"{'method':<24}{'accuracy':>9}{'sd':>7}{'min':>8}{'max':>8}")
        for method in job.methods:
            a = 100 * method.accuracy
            sd = standard_deviation(a)
            print(f"{method.name:<24}{a.mean():9.1f}{sd:7.1f}{a.min():8.1f}{a.max():8.1f}")
        print(f"test accuracy in %, {len(job.methods[0].accuracy)} splits\n")
    else:
        print(f"{job.page.protocol}\n")
    if job.page.tried:
        print(f"{'tried, by labels kept from it':<40}{'accuracy':>9}{'log-loss':>10}{'share':>7}")
        for name, trial in job.page.tried.items():
            share = 100 * job.page.shares[name]
            print(f"{name:<40}{100 * trial.accuracy:9.1f}{trial.surprise:10.3f}{share:6.0f}%")
        print()
    if job.page.expectation:
        print(f"expect  {job.page.expectation}")
    print(f"labels  {files['predictions.csv']}")
    print(f"model   {files['model']}")
    print(f"page    {files['report.html']}")


def _in_file(path: str, problem: LovaszError) -> LovaszError:
    """The problem with the name of the file it is in, once."""
    text = str(problem)
    return problem if text.startswith(path) else LovaszError(f"{path}: {text}")


def _command_line() -> str:
    import shlex

    return shlex.join(["lovasz", *sys.argv[1:]])
