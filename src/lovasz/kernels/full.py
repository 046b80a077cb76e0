"""Kernels that are full on each connected component, computed a component at a time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lovasz.errors import LovaszError
from lovasz.graphs import Graph

# A float64 matrix, LAPACK's copy of it, and the CSR result (value and 4-byte column).
BYTES_PER_ENTRY = 8 + 8 + 12


def by_component(
    graph: Graph, name: str, function: Callable[[sparse.csr_array], np.ndarray]
) -> sparse.csr_array:
    """Apply ``function`` (sparse adjacency → dense kernel) to every connected component.

    All kernels here are analytic functions of A and D, so they are zero between components.
    """
    count, component = connected_components(graph.adjacency, directed=False)
    sizes = np.bincount(component, minlength=count)
    refuse_if_too_large(name, int((sizes.astype(np.int64) ** 2).sum()))
    order = np.argsort(component, kind="stable")
    grouped = graph.adjacency[order][:, order]
    blocks, start = [], 0
    for size in sizes:
        block = function(grouped[start : start + size, start : start + size])
        blocks.append((block + block.T) / 2)  # inverses are symmetric only up to rounding
        start += size
    back = np.argsort(order)
    return sparse.csr_array(sparse.block_diag(blocks, format="csr")[back][:, back])


def refuse_if_too_large(name: str, entries: int) -> None:
    """Raise when ``entries`` of a dense kernel would not fit into the memory that is free."""
    needed, free = entries * BYTES_PER_ENTRY, free_memory()
    if needed > free:
        raise LovaszError(
            f"kernel {name!r} would need about {needed / 2**30:,.1f} GiB and "
            f"{free / 2**30:,.1f} GiB are free; use a sparse kernel such as 'ls' or 'gcn'"
        )


def free_memory() -> int:
    """Bytes of memory that can still be had."""
    try:
        with open("/proc/meminfo") as lines:  # counts what the page cache would give back
            available = next(line for line in lines if line.startswith("MemAvailable"))
        return int(available.split()[1]) * 1024
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def is_number(value: Any) -> bool:
    """Whether an option is a finite real number, and not, say, a word."""
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))
