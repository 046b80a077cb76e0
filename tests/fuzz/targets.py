"""What is attacked: the readers, the loader of models, the checker, and the command line."""

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np

from lovasz import LCNClassifier
from lovasz.cli import main
from lovasz.graphs import as_graph, read_graph
from lovasz.graphs.formats.archives import read_archive
from lovasz.graphs.formats.hyperedges import read_hypergraph
from lovasz.graphs.node_tables import match_labels, read_features, read_labels, read_nodes
from lovasz.verification import check_proof
from lovasz.verification.proof_file import FIELDS, digest

PROVEN = as_graph(nx.disjoint_union_all([nx.cycle_graph(7), nx.cycle_graph(5), nx.star_graph(3)]))
"""The graph that the proofs in the corpus are of."""
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


def check_any_proof(path: Path) -> None:
    """Check a proof; then give it the digest that belongs to it, as a forger would, and check it.

    What is accepted must be true.
    """
    from lovasz import LovaszError, verify

    try:
        verify(PROVEN, path)
    except LovaszError as error:
        _check_message(error)
    known = [name for name in (*FIELDS, "nodes") if name != "digest"]
    found = read_archive(path.read_bytes())
    arrays = {name: found[name] for name in known if name in found}
    arrays["digest"] = digest(arrays)
    with open(path, "wb") as file:
        np.savez(file, **arrays)
    claim = check_proof(PROVEN, path, weights="proof")
    truth = 3.317667207394096 + 5**0.5 + 3  # of the three parts
    if not claim.weighted and not claim.complement and not claim.lower <= truth <= claim.upper:
        raise AssertionError(f"{claim} is false")


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
    "proofs": check_any_proof,
    "command": run_theta,
}
"""What is called with a damaged file or folder, by the name of its corpus."""
