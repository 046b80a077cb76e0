"""Kernels that are full on each connected component, computed one component at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs import Graph

SPARSE = "use a sparse kernel such as 'ls' or 'gcn'"
"""The remedy for a dense kernel that does not fit into memory."""


def by_component(
    graph: Graph, name: str, function: Callable[[sparse.csr_array], np.ndarray]
) -> sparse.csr_array:
    """Apply ``function``, which maps a sparse adjacency to a dense kernel, to every component.

    These kernels are analytic functions of A and D, so they are zero between components.
    """
    count, component = connected_components(graph.adjacency, directed=False)
    sizes = np.bincount(component, minlength=count)
    refuse_if_too_large(f"kernel {name!r}", int((sizes.astype(np.int64) ** 2).sum()), SPARSE)
    order = np.argsort(component, kind="stable")
    grouped = graph.adjacency[order][:, order]
    blocks, start = [], 0
    for size in sizes:
        block = function(grouped[start : start + size, start : start + size])
        blocks.append((block + block.T) / 2)  # inverses are symmetric only up to rounding
        start += size
    back = np.argsort(order)
    return sparse.csr_array(sparse.block_diag(blocks, format="csr")[back][:, back])
