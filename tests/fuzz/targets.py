"""What is attacked: readers, the loader of models, the checker of proofs, the command line."""

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

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


def check_saved_proof(folder: Path) -> None:
    """Check a proof; what is accepted must be true, whoever wrote it."""
    from lovasz import theta
    from lovasz.verification import check_proof

    graph, file = as_graph(folder / "graph.csv"), folder / "proof.npz"
    claim = check_proof(graph, file)
    check_proof(graph, file, weights="proof")
    truth = theta(graph, complement=claim.complement, variant=claim.variant)
    if claim.lower > truth.upper or claim.upper < truth.lower:
        raise AssertionError(f"a false proof was accepted: {claim}, ϑ is in {truth}")
    if claim.exact is not None and not truth.lower <= claim.exact <= truth.upper:
        raise AssertionError(f"a false proof was accepted: {claim}, ϑ is in {truth}")


def run_batch(folder: Path) -> None:
    """Run ``lovasz theta graphs.g6 --csv table.csv --resume`` on damaged files."""
    with contextlib.chdir(folder):
        _run("theta", "graphs.g6", "graphs.s6", "--csv", "table.csv", "--resume", "--tol", "1e-3")


def open_project(path: Path) -> None:
    """Read a project of ``lovasz label`` and go on with it."""
    from lovasz import LovaszError
    from lovasz.app.project import Project, read_project

    try:
        read_project(path, PATH)
    except LovaszError as error:
        _check_message(error)
    project = Project(path, PATH)
    try:
        project.curve()
        project.label(0, "red")
        project.undo()
        project.refresh()
        sorted(project.state.classes)
        project.state.rows_of("skip")
    finally:
        project.close()


def _run(*arguments: str) -> None:
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        mock.patch.object(sys, "argv", ["lovasz", *arguments]),
    ):
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
    "proofs": check_saved_proof,
    "batches": run_batch,
    "projects": open_project,
}
"""What is called with a damaged file or folder, by the name of its corpus."""
