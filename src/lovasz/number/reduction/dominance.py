"""Dominance: a node v goes if a neighbour u has N[u] ⊆ N[v], see :mod:`.reduce`."""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.number.reduction.neighbour_lists import NeighbourLists, row_of, scarcest


@compiled
def dominate(
    lists: NeighbourLists, weights: np.ndarray, representative: np.ndarray, pending: np.ndarray
) -> int:
    """Remove dominated nodes until none is left, and return how many they were.

    ``pending`` marks the nodes to look at; ``weights`` is empty if there are none.

    Only a node u that lost a neighbour can newly satisfy N[u] ⊆ N[v], so a removal puts the
    neighbours back into the queue. First in, first out: hubs are looked at once for many losses.
    """
    alive, degree = lists.alive, lists.degree
    n, removed, head, waiting = alive.size, 0, 0, 0
    queue, bits = np.empty(n, np.int32), _bits(lists)
    for u in range(n):
        if pending[u]:
            queue[waiting] = u
            waiting += 1
    while waiting:
        u = queue[head]
        head, waiting = (head + 1) % n, waiting - 1
        pending[u] = False
        if not alive[u] or degree[u] == 0:
            continue
        # Whom u dominates is a neighbour of u and of every other neighbour: try the fewer.
        scarce = scarcest(lists, u)
        row = scarce if degree[scarce] < degree[u] else u
        for v in row_of(lists, row):
            light = weights.size and weights[u] < weights[v]
            if not alive[v] or v == u or degree[v] < degree[u] or light:
                continue
            if not _included(lists, bits, u, v):
                continue
            alive[v], representative[v] = False, u
            removed += 1
            for x in row_of(lists, v):
                if alive[x]:
                    degree[x] -= 1
                    if bits.size:
                        _flip(bits, x, v)
                    if not pending[x]:
                        pending[x] = True
                        queue[(head + waiting) % n] = x
                        waiting += 1
    return removed


@compiled
def _included(lists: NeighbourLists, bits: np.ndarray, u: int, v: int) -> bool:
    """Whether N[u] ⊆ N[v]: compared word by word if there are bits, else by bisection."""
    for k in range(bits.shape[1]):
        if bits[u, k] & ~bits[v, k]:
            return False
    row, met = row_of(lists, v), bits.size > 0
    for x in row_of(lists, u) if not met else row[:0]:
        met = met or x == v
        if x != v and lists.alive[x]:
            place = np.searchsorted(row, x)
            if place == row.size or row[place] != x:
                return False
    return met


@compiled
def _bits(lists: NeighbourLists) -> np.ndarray:
    """N[u] as bits, one row per node, for dense graphs, whose lists are long; else of width 0."""
    n = lists.start.size
    few = n <= 64 or n * n > 64 * lists.neighbours.size
    bits = np.zeros((n, 0 if few else n // 64 + 1), np.uint64)
    for u in range(0 if few else n):
        _flip(bits, u, u)
        for v in row_of(lists, u):
            if lists.alive[v]:
                _flip(bits, u, v)
    return bits


@compiled
def _flip(bits: np.ndarray, u: int, v: int) -> None:
    bits[u, v // 64] ^= np.uint64(1) << np.uint64(v % 64)
