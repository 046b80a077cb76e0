"""A short name of a graph that no other graph has, and the first bytes of a project file."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from lovasz.graphs import Graph


def fingerprint(graph: Graph) -> str:
    """Return a checksum of the nodes in order, the edges and their weights.

    >>> path = Graph.from_edges([0, 1], [1, 2])
    >>> fingerprint(path) == fingerprint(Graph.from_edges([2, 1], [1, 0]))
    True
    >>> fingerprint(path) == fingerprint(Graph.from_edges([0, 1], [1, 2], nodes=("a", "b", "c")))
    False
    """
    digest = hashlib.sha256(f"{graph.n} nodes, {graph.m} edges\n".encode())
    names = graph.nodes
    if not (isinstance(names, range) and names == range(graph.n)):
        for name in names:
            text = f"{type(name).__name__}:{name}".encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(text) + text)
    for ends in graph.edges():
        digest.update(np.ascontiguousarray(ends, dtype="<i8").tobytes())
    if graph.weighted:
        digest.update(np.ascontiguousarray(graph.adjacency.data, dtype="<f8").tobytes())
    return digest.hexdigest()


def default_project(graph_path: str | os.PathLike[str]) -> Path:
    """Return the path of the project file beside a graph file.

    >>> default_project("data/cora.csv.gz").as_posix()
    'data/cora.lovasz'
    """
    path = Path(graph_path)
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return plain.with_suffix(".lovasz")
