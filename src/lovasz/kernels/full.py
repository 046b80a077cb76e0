"""Kernels that are full on each connected component, computed a component at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lovasz.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.memory import free_memory

BYTES_PER_ENTRY = 64  # at the peak: the matrix, its factor, the inverse, and the CSR arrays


def by_component(
    graph: Graph, name: str, function: Callable[[sparse.csr_array], np.ndarray]
) -> sparse.csr_array:
    """Apply ``function`` (sparse adjacency → dense kernel) to every connected component.

    All kernels here are analytic functions of A and D, so they are zero between components.
    """
    count, component = connected_components(graph.adjacency, directed=False)
    sizes = np.bincount(component, minlength=count)
    refuse_if_too_large(f"kernel {name!r}", int((sizes.astype(np.int64) ** 2).sum()))
    order = np.argsort(component, kind="stable")
    grouped = graph.adjacency[order][:, order]
    blocks, start = [], 0
    for size in sizes:
        block = function(grouped[start : start + size, start : start + size])
        blocks.append((block + block.T) / 2)  # inverses are symmetric only up to rounding
        start += size
    back = np.argsort(order)
    return sparse.csr_array(sparse.block_diag(blocks, format="csr")[back][:, back])


SPARSE = "use a sparse kernel such as 'ls' or 'gcn'"


def refuse_if_too_large(what: str, entries: int, remedy: str = SPARSE) -> None:
    """Raise when ``entries`` of a dense matrix would not fit into the memory that is free."""
    needed, free = entries * BYTES_PER_ENTRY, free_memory()
    if needed > free:
        raise LovaszError(
            f"{what} would need about {needed / 2**30:,.1f} GiB and "
            f"{free / 2**30:,.1f} GiB are free; {remedy}"
        )


def is_number(value: Any) -> bool:
    """Whether an option is a finite real number, and not, say, a word."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))
