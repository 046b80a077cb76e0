"""What is attacked: the readers, the loader of models, and the command line."""

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from lovasz import LCNClassifier
from lovasz.cli import main
from lovasz.graphs import as_graph, read_graph
from lovasz.graphs.formats.hyperedges import read_hypergraph
from lovasz.graphs.node_tables import match_labels, read_features, read_labels, read_nodes

PATH = as_graph([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])
"""The graph that the tables in the corpus belong to."""


def read_any_graph(path: Path) -> None:
    """Read a graph as an unweighted and as a weighted one."""
    from lovasz import LovaszError

    try:
        read_graph(path)
    except LovaszError as error:
        _check_message(error)
    graph = read_graph(path, symmetrize=True, weights="keep")
    if graph.n:
        graph.adjacency.sum(axis=0)


def read_any_hypergraph(path: Path) -> None:
    """Read a hypergraph and make its 2-section."""
    read_hypergraph(path).expansion()


def read_table(path: Path) -> None:
    """Read labels, nodes and features."""
    from lovasz import LovaszError

    for read in (
        lambda: match_labels(read_labels(path), PATH),
        lambda: read_nodes(path, PATH),
    ):
        try:
            read()
        except LovaszError as error:
            _check_message(error)
    read_features(path, PATH)


def load_model(folder: Path) -> None:
    """Load a model and ask it."""
    model = LCNClassifier.load(folder)
    model.predict()
    model.predict_proba()


def run_theta(path: Path) -> None:
    """Run ``lovasz theta`` on a file; codes 0, 1 and 2 are answers."""
    _run("theta", str(path), "--tol", "1e-3", "--json")


def _run(*arguments: str) -> None:
    sys.argv = ["lovasz", *arguments]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        try:
            main()
        except SystemExit as end:
            if end.code not in (0, 1, 2, None):
                raise


def _check_message(error: Exception) -> None:
    if "\n" in str(error) or not str(error):
        raise AssertionError(f"the message is not one line: {error!r}")


TARGETS: dict[str, Callable[[Path], None]] = {
    "graphs": read_any_graph,
    "hypergraphs": read_any_hypergraph,
    "tables": read_table,
    "models": load_model,
    "command": run_theta,
}
"""What is called with a damaged file or folder, by the name of its corpus."""
