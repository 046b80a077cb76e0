"""The loops over nodes and edges of :mod:`.low_rank`, compiled."""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.base.prefetch import fetch_soon
from lovasz.base.threads import SCATTERED, in_bands

LOOSE = {"reassoc", "contract", "nsz"}
"""Lets numba sum in any order, so that sums run in vectors; infinities and NaNs stay."""


AHEAD = 8
"""Number of rows of D before its turn that the row of a neighbour is fetched from memory."""


@compiled(fastmath=LOOSE)
def inner(a: np.ndarray, b: np.ndarray) -> float:
    """a·b in the precision of the two."""
    total = a.dtype.type(0)
    for k in range(len(a)):
        total += a[k] * b[k]
    return total  # type: ignore[no-any-return]


@compiled(fastmath=LOOSE)
def sweep(
    D: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    nodes: np.ndarray,
    first: np.ndarray,
    neighbours: np.ndarray,
    edge: np.ndarray,
    earlier: np.ndarray,
    beta: np.ndarray,
    omega: float,
    least: float,
    begin: int,
    end: int,
) -> None:
    """Move the vectors of nodes[begin:end] once, in place, and each multiplier after both ends.

    Row k of the adjacency matrix, given by ``first`` and ``neighbours``, is that of nodes[k], and
    ``edge`` has the number of the edge of each of its entries. The first ``earlier[k]`` entries are
    the neighbours that come before. No multiplier is less than ``least``, and ``beta`` has
    the penalties of the edges. Scalars have the precision of D.
    """
    r = D.shape[1]
    real = D.dtype.type
    g = np.empty(r, D.dtype)
    half, two, tiny = real(0.5), real(2), real(1e-30)
    step, keep, lowest = real(omega), real(1 - omega), real(least)
    start, size, last = D.ctypes.data, r * D.itemsize, first[end]
    for k in range(begin, end):
        if k + 2 < end:
            fetch_soon(start + size * nodes[k + 2], size)
        i = nodes[k]
        mine = D[i]
        g[:] = 0
        pull = real(0)
        for p in range(first[k], first[k + 1]):
            if p + AHEAD < last:
                fetch_soon(start + size * neighbours[p + AHEAD], size)
            other, e = D[neighbours[p]], edge[p]
            push = real(beta[e])
            weight = max(real(y[e]) + push * inner(mine, other), lowest)
            for c in range(r):
                g[c] -= weight * other[c]
            pull += push * other[0]
        for c in range(r):
            g[c] += pull * mine[c]
        g[0] += real(w[i]) - half * pull
        scale = step / np.sqrt(inner(g, g) + tiny)
        for c in range(r):
            g[c] = two * keep * mine[c] + scale * g[c]
        g[0] -= keep
        scale = half / np.sqrt(inner(g, g) + tiny)
        for c in range(r):
            mine[c] = scale * g[c]
        mine[0] += half
        for p in range(first[k], first[k] + earlier[k]):
            e = edge[p]
            y[e] = max(y[e] + beta[e] * inner(mine, D[neighbours[p]]), least)


def edge_products(U: np.ndarray, V: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """(m,) u_i·v_j for every edge, in double precision."""
    out = np.empty(len(i))
    in_bands(multiply_rows, U.shape[1] * len(i), 0, len(i), U, V, i, j, out)
    return out


@compiled(fastmath=LOOSE)
def multiply_rows(
    U: np.ndarray,
    V: np.ndarray,
    i: np.ndarray,
    j: np.ndarray,
    out: np.ndarray,
    begin: int,
    end: int,
) -> None:
    """Write u_i·v_j of the edges from ``begin`` to ``end`` into ``out``."""
    for e in range(begin, end):
        total = 0.0
        a, b = U[i[e]], V[j[e]]
        for k in range(U.shape[1]):
            total += a[k] * b[k]
        out[e] = total


def weighted_sums(
    values: np.ndarray,
    D: np.ndarray,
    first: np.ndarray,
    neighbours: np.ndarray,
    edge: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write Σ_j value_ij d_j over the neighbours j of each node i into ``out``."""
    parts = values, D, first, neighbours, edge, out
    in_bands(add_rows, D.shape[1] * len(neighbours), 0, len(D), *parts)


@compiled(fastmath=LOOSE)
def add_rows(
    values: np.ndarray,
    D: np.ndarray,
    first: np.ndarray,
    neighbours: np.ndarray,
    edge: np.ndarray,
    out: np.ndarray,
    begin: int,
    end: int,
) -> None:
    """See :func:`weighted_sums`; the nodes from ``begin`` to ``end``."""
    r = D.shape[1]
    for i in range(begin, end):
        mine = out[i]
        for k in range(r):
            mine[k] = 0
        for p in range(first[i], first[i + 1]):
            weight = D.dtype.type(values[edge[p]])
            other = D[neighbours[p]]
            for k in range(r):
                mine[k] += weight * other[k]


def shifted_product(
    diagonal: np.ndarray,
    data: np.ndarray,
    first: np.ndarray,
    neighbours: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write (Diag + S) q into ``out``, where S has ``data`` at the entries of the adjacency."""
    parts = diagonal, data, first, neighbours, q, out
    in_bands(multiply_vector, SCATTERED * len(data), 0, len(q), *parts)


@compiled(fastmath=LOOSE)
def multiply_vector(
    diagonal: np.ndarray,
    data: np.ndarray,
    first: np.ndarray,
    neighbours: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
    begin: int,
    end: int,
) -> None:
    """See :func:`shifted_product`; the rows from ``begin`` to ``end``."""
    for i in range(begin, end):
        total = diagonal[i] * q[i]
        for p in range(first[i], first[i + 1]):
            total += data[p] * q[neighbours[p]]
        out[i] = total
