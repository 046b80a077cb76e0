"""The content of a graph as writers need it: names as text or integers, and single edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.text import short_repr
from lovasz.graphs.graph import Graph


def written_names(graph: Graph) -> Sequence[int] | Sequence[str]:
    """Return the names to write, in node order: integers if all are, otherwise text.

    Names of other types, such as the tuples of a grid, are converted with ``str``.
    """
    if all(type(name) is int for name in graph.nodes):
        return [name for name in graph.nodes if isinstance(name, int)]
    names = [str(name) for name in graph.nodes]
    if len(set(names)) < len(names):
        twice = next(name for row, name in enumerate(names) if name in names[:row])
        raise LovaszError(f"two nodes are both written as {short_repr(twice)}; rename one of them")
    for name in names:
        if not name:
            raise LovaszError("a node has the empty name ''; rename it, no file can hold it")
        if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
            raise LovaszError(f"the node name {short_repr(name)} is not valid text; rename it")
    return names


def weighted_edges(graph: Graph) -> Iterator[tuple[int, int, float]]:
    """Yield the rows of both ends and the weight of every edge, first end < second end, sorted."""
    upper = sparse.triu(graph.adjacency, k=1, format="csr").tocoo()
    return zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
