"""``read_graph``: read a graph from a file, whatever its format."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress

from lovasz.base.errors import LovaszError
from lovasz.graphs.convert import Weights
from lovasz.graphs.formats.arrays import read_matrix_market, read_npz, read_torch
from lovasz.graphs.formats.dimacs import read_dimacs, read_gset
from lovasz.graphs.formats.edgelist import read_edgelist
from lovasz.graphs.formats.graph6 import looks_like_graph6, read_graph6, split_graph6
from lovasz.graphs.formats.hyperedges import SUFFIXES, read_expansion
from lovasz.graphs.formats.markup import read_gml, read_graphml
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import NUMPY, ZIP, Source, containing, naming, read_opening, read_source

Reader = Callable[..., Graph]
"""A function ``read(data, *, symmetrize, weights)``."""

# How files of a format begin. The content decides before the suffix does, because files travel
# under any name, and standard input has none.
_OPENINGS: tuple[tuple[re.Pattern[bytes], Reader], ...] = (
    (re.compile(rb"%%MatrixMarket", re.I), read_matrix_market),
    (re.compile(rb">>(graph|sparse)6<<"), read_graph6),
    (re.compile(rb"<(\?xml|!--|!DOCTYPE|graphml)", re.I), read_graphml),
    # Repetitions are possessive (*+), so that no content makes the search exponential.
    (re.compile(rb"(?:(?:#|creator|version|comment)[^\n]*\n\s*)*+graph\s*\[", re.I), read_gml),
    (re.compile(rb"(?:(?:c\b[^\n]*|\r)?\n[ \t]*)*+p[ \t]+(?:edges?|col|clq)\b"), read_dimacs),
    (
        re.compile(rb"\d+[ \t]+\d+[ \t]*\r?\n[ \t]*\d+[ \t]+\d+[ \t]+[^\s]+[ \t]*(\r?\n|\Z)"),
        read_gset,
    ),
)

# What begins like a graph and is not read, with the remedy.
_UNREAD: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (
        re.compile(re.escape(NUMPY)),
        "it is an array of NumPy; write an adjacency matrix with scipy.sparse.save_npz, or call "
        "lovasz.as_graph(numpy.load(...)) in Python",
    ),
    (
        re.compile(rb"\*(vertices|network)\b", re.I),
        "it is a file of Pajek, a format that is not read; write GraphML, GML or an edge list, "
        "such as by networkx.write_graphml(networkx.read_pajek(...), 'graph.graphml')",
    ),
)

# The reader of each suffix, for content that does not tell its format.
_SUFFIXES: dict[str, Reader] = {
    ".g6": read_graph6, ".s6": read_graph6, ".col": read_dimacs, ".clq": read_dimacs,
    ".gml": read_gml, ".graphml": read_graphml, ".mtx": read_matrix_market, ".npz": read_npz,
    ".pt": read_torch, ".csv": read_edgelist, ".tsv": read_edgelist, ".txt": read_edgelist,
    ".edges": read_edgelist, ".edgelist": read_edgelist,
}  # fmt: skip


def read_graph(
    path: str | os.PathLike[str], *, symmetrize: bool = False, weights: Weights = None
) -> Graph:
    """Read a graph from a file; ``-`` is standard input.

    Formats, each also compressed with gzip: edge lists (CSV, TSV, whitespace; names of any
    kind; a line ``name,`` is a node without edges), DIMACS ``.col``/``.clq``, Gset, GML,
    GraphML, Matrix Market, graph6 and sparse6, ``.npz`` of ``scipy.sparse.save_npz``, and
    ``.pt`` of PyTorch with an ``edge_index``. The format is recognised by the content first and
    by the suffix second. A ``.hg`` or ``.json`` file is a hypergraph
    (:func:`lovasz.as_hypergraph`), and its 2-section is returned.

    Directed files are an error unless ``symmetrize``, and weighted files are an error unless
    ``weights`` is ``"keep"`` or ``"drop"``. Names of an edge list that are all integers become
    ``int``. A first line such as ``source,target`` or ``u,v,weight`` is a header, and ``u,v`` is
    one unless a node is called so. A note of the graph says which reading is not certain.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     print("ann,bob", "bob,cem", sep=chr(10), file=file, flush=True)
    ...     read_graph(file.name).nodes
    ('ann', 'bob', 'cem')
    """
    return parse_graph(read_source(path), symmetrize=symmetrize, weights=weights)


def parse_graph(source: Source, *, symmetrize: bool = False, weights: Weights = None) -> Graph:
    """Return the graph in the content of a file; see :func:`read_graph`."""
    with naming(source.name), containing():
        return _reader(source)(source.data, symmetrize=symmetrize, weights=weights)


def holds_many(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins with several graphs, one per line of graph6 or sparse6."""
    opening = read_opening(path)
    return opening is not None and bool(many_graphs(opening))


def many_graphs(source: Source) -> list[tuple[int, bytes]]:
    """Return the numbered lines of graph6 or sparse6 if there are several, else nothing."""
    with suppress(LovaszError):
        if _reader(source) is read_graph6 and len(lines := split_graph6(source.data)) > 1:
            return lines
    return []


def _reader(source: Source) -> Reader:
    if source.suffix in SUFFIXES:  # their lines may look like those of any other format
        return read_expansion
    data = source.data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if data.startswith(ZIP):
        return _zip_reader(source.data)
    for opening, problem in _UNREAD:
        if opening.match(data):
            raise LovaszError(problem)
    for opening, reader in _OPENINGS:
        if opening.match(data):
            return reader
    if source.suffix in _SUFFIXES:
        return _SUFFIXES[source.suffix]
    if looks_like_graph6(data):
        return read_graph6
    if b"\0" in data[:4096]:
        raise LovaszError(
            f"its content has no known format; known suffixes are {' '.join(_SUFFIXES)}"
        )
    return read_edgelist


def _zip_reader(data: bytes) -> Reader:
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise LovaszError(f"a damaged zip file ({error}); copy or download it again") from error
    return read_torch if any(name.endswith("data.pkl") for name in names) else read_npz
