"""``write_graph``: write a graph to a file, in the format that its suffix names."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from lovasz.base.errors import LovaszError
from lovasz.graphs.convert import as_graph
from lovasz.graphs.formats.arrays import write_matrix_market, write_npz, write_torch
from lovasz.graphs.formats.dimacs import write_dimacs
from lovasz.graphs.formats.edgelist import write_edgelist
from lovasz.graphs.formats.graph6 import write_graph6, write_sparse6
from lovasz.graphs.formats.markup import write_gml, write_graphml
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import naming, suffix_of, write_content

_spaced = partial(write_edgelist, delimiter=" ")

# The writer of each suffix.
_WRITERS: dict[str, Callable[[Graph], bytes]] = {
    ".csv": partial(write_edgelist, delimiter=","), ".tsv": partial(write_edgelist, delimiter="\t"),
    ".txt": _spaced, ".edges": _spaced, ".edgelist": _spaced, ".gml": write_gml,
    ".graphml": write_graphml, ".npz": write_npz, ".mtx": write_matrix_market,
    ".col": write_dimacs, ".clq": write_dimacs, ".g6": write_graph6, ".s6": write_sparse6,
    ".pt": write_torch,
}  # fmt: skip


def write_graph(graph: Any, path: str | os.PathLike[str]) -> None:
    """Write ``graph`` to ``path`` in the format of its suffix; a final ``.gz`` compresses.

    ``graph`` is anything :func:`lovasz.as_graph` takes; its weights are kept.
    ``read_graph(path, weights="keep")`` gives back the same nodes, in order, and the same
    weights from ``.csv``, ``.tsv``, ``.txt``, ``.edges``, ``.edgelist``, ``.gml``,
    ``.graphml`` and ``.npz``. Names that are neither all ``int`` nor all ``str`` become text.
    The other formats hold no names. ``.mtx`` and ``.pt`` give back the same matrix on the nodes
    0..n-1. ``.col`` and ``.clq`` (nodes 1..n), ``.g6`` and ``.s6`` (nodes 0..n-1) hold no weights
    either; writing a weighted graph to them is an error.

    An interrupt leaves no broken file: the file is written aside and then moved into place.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from lovasz import as_graph, read_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graph(as_graph([(0, 1), (1, 2)]), Path(folder, "path.g6"))
    ...     read_graph(Path(folder, "path.g6"))
    Graph(n=3, m=2)
    """
    writer = _WRITERS.get(suffix_of(path))
    if writer is None:
        raise LovaszError(
            f"{os.fspath(path)}: its suffix names no known format; use one of {' '.join(_WRITERS)}"
        )
    with naming(os.fspath(path)):
        data = writer(as_graph(graph, weights="keep"))
    write_content(path, data)
