"""The loops over nodes and edges of :mod:`.low_rank`, compiled."""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.base.prefetch import fetch_soon

LOOSE = {"reassoc", "contract", "nsz"}
"""Lets numba sum in any order, so that sums run in vectors; infinities and NaNs stay."""


AHEAD = 8
"""Number of rows of D before its turn that a row is fetched from memory."""


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
    first: np.ndarray,
    neighbours: np.ndarray,
    edge: np.ndarray,
    beta: float,
    omega: float,
) -> None:
    """Move every vector once, in place, and each multiplier after both ends of its edge.

    ``first`` and ``neighbours`` are the rows of the adjacency matrix, sorted, and ``edge`` has the
    number of the edge of each of its entries. Scalars have the precision of D.
    """
    n, r = D.shape
    real = D.dtype.type
    g = np.empty(r, D.dtype)
    half, two, tiny = real(0.5), real(2), real(1e-30)
    step, push, keep = real(omega), real(beta), real(1 - omega)
    start, size, last = D.ctypes.data, r * D.itemsize, first[n]
    for i in range(n):
        mine = D[i]
        g[:] = 0
        pull = real(0)
        for p in range(first[i], first[i + 1]):
            if p + AHEAD < last:
                fetch_soon(start + size * neighbours[p + AHEAD], size)
            other = D[neighbours[p]]
            weight = real(y[edge[p]]) + push * inner(mine, other)
            for k in range(r):
                g[k] -= weight * other[k]
            pull += push * other[0]
        for k in range(r):
            g[k] += pull * mine[k]
        g[0] += real(w[i]) - half * pull
        scale = step / np.sqrt(inner(g, g) + tiny)
        for k in range(r):
            g[k] = two * keep * mine[k] + scale * g[k]
        g[0] -= keep
        scale = half / np.sqrt(inner(g, g) + tiny)
        for k in range(r):
            mine[k] = scale * g[k]
        mine[0] += half
        for p in range(first[i], first[i + 1]):
            if neighbours[p] > i:
                break
            y[edge[p]] += beta * inner(mine, D[neighbours[p]])


@compiled(fastmath=LOOSE)
def edge_products(U: np.ndarray, V: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """(m,) u_i·v_j for every edge, in double precision."""
    out = np.empty(len(i))
    for e in range(len(i)):
        total = 0.0
        a, b = U[i[e]], V[j[e]]
        for k in range(U.shape[1]):
            total += a[k] * b[k]
        out[e] = total
    return out


@compiled(fastmath=LOOSE)
def weighted_sums(
    values: np.ndarray,
    D: np.ndarray,
    first: np.ndarray,
    neighbours: np.ndarray,
    edge: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write Σ_j value_ij d_j over the neighbours j of each node i into ``out``."""
    n, r = D.shape
    for i in range(n):
        mine = out[i]
        for k in range(r):
            mine[k] = 0
        for p in range(first[i], first[i + 1]):
            weight = D.dtype.type(values[edge[p]])
            other = D[neighbours[p]]
            for k in range(r):
                mine[k] += weight * other[k]


@compiled(fastmath=LOOSE)
def shifted_product(
    diagonal: np.ndarray,
    data: np.ndarray,
    first: np.ndarray,
    neighbours: np.ndarray,
    q: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write (Diag + S) q into ``out``, where S has ``data`` at the entries of the adjacency."""
    for i in range(len(diagonal)):
        total = diagonal[i] * q[i]
        for p in range(first[i], first[i + 1]):
            total += data[p] * q[neighbours[p]]
        out[i] = total
