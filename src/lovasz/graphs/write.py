"""``write_graph``: a graph into a file, in the format its suffix names."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.graphs.formats.arrays import write_matrix_market, write_npz, write_torch
from lovasz.graphs.formats.dimacs import write_dimacs
from lovasz.graphs.formats.edgelist import write_edgelist
from lovasz.graphs.formats.graph6 import write_graph6, write_sparse6
from lovasz.graphs.formats.markup import write_gml, write_graphml
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import naming, suffix_of

_spaced = partial(write_edgelist, delimiter=" ")
_WRITERS: dict[str, Callable[[Graph], bytes]] = {
    ".csv": partial(write_edgelist, delimiter=","), ".tsv": partial(write_edgelist, delimiter="\t"),
    ".txt": _spaced, ".edges": _spaced, ".edgelist": _spaced, ".gml": write_gml,
    ".graphml": write_graphml, ".npz": write_npz, ".mtx": write_matrix_market,
    ".col": write_dimacs, ".clq": write_dimacs, ".g6": write_graph6, ".s6": write_sparse6,
    ".pt": write_torch,
}  # fmt: skip


def write_graph(graph: Graph, path: str | os.PathLike[str]) -> None:
    """Write ``graph`` to ``path``; the suffix names the format, ``.gz`` after it compresses.

    ``read_graph(path, weights="keep")`` gives back the same nodes, in order, and the same
    weights from ``.csv``, ``.tsv``, ``.txt``, ``.edges``, ``.edgelist``, ``.gml``,
    ``.graphml`` and ``.npz``. Names that are neither all ``int`` nor all ``str`` become text.
    The formats without names give back the same matrix: ``.mtx`` and ``.pt`` with nodes
    0..n-1; ``.col`` and ``.clq`` (nodes 1..n), ``.g6`` and ``.s6`` (0..n-1) hold no weights
    either, and a weighted graph is an error there.

    An interrupt leaves no broken file: it is written aside and then moved into place.
    """
    writer = _WRITERS.get(suffix_of(path))
    if writer is None:
        raise LovaszError(
            f"{os.fspath(path)}: the suffix names no known format; use one of {' '.join(_WRITERS)}"
        )
    with naming(os.fspath(path)):
        data = writer(graph)
    if Path(path).suffix.lower() == ".gz":
        data = gzip.compress(data, mtime=0)  # same graph, same bytes
    with atomic(path) as temporary:
        temporary.write_bytes(data)
