"""graph6 and sparse6, the formats of nauty: one graph per line, without names."""

from __future__ import annotations

import re
from typing import Any

from lovasz.base.errors import LovaszError
from lovasz.graphs.convert import Weights, as_graph
from lovasz.graphs.counts import check_node_count
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import parsing

_BYTES_PER_NODE = 512
"""A generous estimate of the memory per node of a networkx graph without edges."""


def read_graph6(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph on 0..n-1 of one line of graph6 or sparse6, with or without a header."""
    import networkx as nx

    lines = re.sub(rb"\A>>(graph|sparse)6<<", b"", data.strip()).split()
    if len(lines) != 1:
        raise LovaszError(f"it holds {len(lines)} graphs, one per line; keep one of them")
    if not re.fullmatch(rb":?[?-~]+", lines[0]):  # networkx accepts some invalid lines
        raise LovaszError("not a valid graph6 file; its characters run from ? to ~")
    check_node_count(_node_count(lines[0].lstrip(b":")), bytes_per_node=_BYTES_PER_NODE)
    with parsing("graph6"):
        parse: Any = nx.from_sparse6_bytes if lines[0][:1] == b":" else nx.from_graph6_bytes
        graph = parse(lines[0])
    return as_graph(graph, symmetrize=symmetrize, weights=weights)


def _node_count(word: bytes) -> int:
    """Return the number of nodes: one character, or three after one tilde, or six after two."""
    tildes = len(word[:2]) - len(word[:2].lstrip(b"~"))
    count = 0
    for character in word[tildes:][: (1, 3, 6)[tildes]]:
        count = 64 * count + character - 63
    return count


def looks_like_graph6(data: bytes) -> bool:
    """Whether the first line is graph6 without a header.

    The first byte of a graph of up to 62 nodes determines the length of the line, and larger
    graphs start with a tilde. An edge has two words, so one word is no edge list.
    """
    word = data.partition(b"\n")[0].strip()
    if not re.fullmatch(rb"[?-~]+", word):
        return False
    n = word[0] - 63
    return word[0] == 126 or len(word) - 1 == (n * (n - 1) // 2 + 5) // 6


def write_graph6(graph: Graph) -> bytes:
    """Return one line of graph6 with its header."""
    return _write(graph, "to_graph6_bytes")


def write_sparse6(graph: Graph) -> bytes:
    """Return one line of sparse6 with its header."""
    return _write(graph, "to_sparse6_bytes")


def _write(graph: Graph, function: str) -> bytes:
    import networkx as nx

    if graph.weighted:
        raise LovaszError("graph6 holds no weights; write .csv, .gml, .mtx or .npz instead")
    bare = nx.empty_graph(graph.n)
    source, target = graph.edges()
    bare.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
    return bytes(getattr(nx, function)(bare))
