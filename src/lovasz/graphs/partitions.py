"""Partitions of the nodes of a graph, given as one class number per node."""

from __future__ import annotations

import numpy as np


def number_by_size(classes: np.ndarray) -> np.ndarray:
    """The same partition with the largest class numbered 0, the next one 1, and so on.

    Of two classes of equal size the one that contains the earlier node comes first.

    >>> number_by_size(np.array([7, 3, 3, 5])).tolist()
    [1, 0, 0, 2]
    """
    _, first, codes, sizes = np.unique(
        classes, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return rank[codes]
