"""graph6 and sparse6, the formats of nauty: one graph per line, without names."""

from __future__ import annotations

import re

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs.convert import Weights
from lovasz.graphs.counts import check_node_count
from lovasz.graphs.graph import Graph

HEADER = re.compile(rb"\A>>(graph|sparse)6<<")
"""What may stand before the first graph of a file."""


def read_graph6(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph on 0..n-1 of one line of graph6 or sparse6, with or without a header."""
    lines = split_graph6(data)
    if len(lines) != 1:
        raise LovaszError(
            f"it holds {len(lines)} graphs, one per line; keep one of them, or use "
            "lovasz.theta_many or lovasz theta, which take them all"
        )
    return decode_graph6(lines[0][1])


def split_graph6(data: bytes) -> list[tuple[int, bytes]]:
    """Return the number and the content of each line with a graph, without the header.

    >>> split_graph6(b">>graph6<<Bw\\n\\nDhc\\n")
    [(1, b'Bw'), (3, b'Dhc')]
    """
    start = data.lstrip()
    first = data.count(b"\n", 0, len(data) - len(start)) + 1
    lines = HEADER.sub(b"", start).split(b"\n")
    return [(number, line.strip()) for number, line in enumerate(lines, first) if line.strip()]


def decode_graph6(line: bytes) -> Graph:
    """Return the graph of one line of graph6 or sparse6."""
    if line.startswith((b"&", b">>digraph6<<")):
        raise LovaszError("digraph6 holds directed graphs; write the undirected one as graph6")
    if not re.fullmatch(rb":?[?-~]+", line):
        raise LovaszError("not valid graph6; its characters run from ? to ~")
    word = line.removeprefix(b":")
    tildes = len(word[:2]) - len(word[:2].lstrip(b"~"))
    start = tildes + (1, 3, 6)[tildes]
    if len(word) < start:
        raise LovaszError("not valid graph6; it ends within the number of nodes")
    n = 0
    for character in word[tildes:start]:
        n = 64 * n + character - 63
    check_node_count(n)
    sixes = np.frombuffer(word, dtype=np.uint8)[start:] - np.uint8(63)
    bits = np.unpackbits(sixes[:, None], axis=1)[:, 2:].ravel()
    read_edges = _sparse_edges if line[:1] == b":" else _dense_edges
    source, target = read_edges(bits, n)
    return Graph.from_edges(source, target, n=n)


def _dense_edges(bits: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of graph6: one bit per pair (0,1), (0,2), (1,2), (0,3), …"""
    pairs = n * (n - 1) // 2
    if bits.size != (pairs + 5) // 6 * 6:
        raise LovaszError(
            f"not valid graph6; {n:,} nodes need {(pairs + 5) // 6:,} characters after "
            f"their number, and there are {bits.size // 6:,}"
        )
    place = np.flatnonzero(bits[:pairs])
    # 1 + 8 · k(k − 1)/2 is the square of 2k − 1, whose root is exact; those between stay between.
    later = ((1 + np.sqrt(1 + 8 * place)) / 2).astype(np.int64)
    return place - later * (later - 1) // 2, later


def _sparse_edges(bits: np.ndarray, n: int) -> tuple[list[int], list[int]]:
    """Return the edges of sparse6: one bit that goes to the next node, and k bits of a number.

    A number above the current node becomes the current node; any other is its neighbour.
    """
    k = max(1, (n - 1).bit_length())
    groups = bits[: bits.size // (k + 1) * (k + 1)].reshape(-1, k + 1)
    numbers = groups[:, 1:] @ (1 << np.arange(k - 1, -1, -1, dtype=np.int64))
    source, target, node = [], [], 0
    for step, number in zip(groups[:, 0].tolist(), numbers.tolist(), strict=True):
        node += step
        if number >= n or node >= n:  # what fills the last character
            break
        if number > node:
            node = number
        else:
            source.append(number)
            target.append(node)
    return source, target


def looks_like_graph6(data: bytes) -> bool:
    """Whether the first line is graph6 or sparse6 without a header.

    The first byte of a graph of up to 62 nodes determines the length of the line, and larger
    graphs start with a tilde, those of sparse6 with a colon. An edge has two words, so one word
    is no edge list.
    """
    word = data.partition(b"\n")[0].strip()
    if re.fullmatch(rb":[?-~]+", word):
        return True
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
