"""What writers ask of a graph: names as files hold them, and edges one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs.graph import Graph


def written_names(graph: Graph) -> Sequence[int] | Sequence[str]:
    """Names to write, in node order: ints if all are, else text.

    Names of other kinds, such as the tuples of a grid, are written as ``str`` shows them.
    """
    if all(type(name) is int for name in graph.nodes):
        return [name for name in graph.nodes if isinstance(name, int)]
    names = [str(name) for name in graph.nodes]
    if len(set(names)) < len(names):
        twice = next(name for row, name in enumerate(names) if name in names[:row])
        raise LovaszError(f"two nodes are both written as {twice!r}; rename one of them")
    for name in names:
        if not name:
            raise LovaszError("a node has the empty name ''; rename it, files cannot hold it")
        if not name.isascii() and any("\ud800" <= character <= "\udfff" for character in name):
            raise LovaszError(f"the node name {name!r} is not valid text; rename it")
    return names


def weighted_edges(graph: Graph) -> Iterator[tuple[int, int, float]]:
    """Rows of the ends and the weight of every edge; first end < second end, in order."""
    upper = sparse.triu(graph.adjacency, k=1, format="csr").tocoo()
    return zip(upper.row.tolist(), upper.col.tolist(), upper.data.tolist(), strict=True)
