"""A proof that ϑ is an integer k = α where no clique cover shows it.

Let independent sets I₁, I₂, … of k nodes span the null space of the optimal S = k I + Y − J. Then
S 1_I = 0 for each of them, which asks of Y that Σ_j∈I Y_ij = k for every node i outside I. These
equations have coefficients 0 and 1. Y is rounded to multiples of a power of two and then changed so
that they hold exactly; if that takes no division, the doubles of Y are exact. S ⪰ 0 follows from
S + Σ 1_I 1_Iᵀ ⪰ 0, which is not singular, so that :func:`.certify.proves_psd` can show it.
"""

from __future__ import annotations

import itertools

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.proofs.certify import proves_psd

LARGEST = 300
"""Number of nodes up to which this is tried."""
MOST_SETS = 6
"""Largest dimension of the null space for which it is tried."""
NULL = 1e-3
"""Eigenvalues of S below this belong to its null space."""
CLOSE = 0.02
"""Largest distance of an entry of a null vector from the 0 or 1 that it stands for."""
GRID = 2.0**30
"""Y is rounded to multiples of 1 over this."""
LONGEST_ROW = 400
"""Largest number of unknowns in an equation, at which the elimination is given up."""


def integer_dual(graph: Graph, k: int, Y: sparse.csr_array) -> sparse.csr_array | None:
    """Y' near Y, on the edges, with k I + Y' ⪰ J exactly, or None if this does not find one."""
    n = graph.n
    if n > LARGEST:
        return None
    rough = np.asarray(Y.toarray())
    sets = null_sets(graph, k, k * np.eye(n) + rough - 1)
    if not sets:
        return None
    i, j = graph.edges()
    values = solve_on_grid(graph, k, sets, np.round(rough[i, j] * GRID).astype(np.int64))
    if values is None:
        return None
    exact = np.zeros((n, n))
    exact[i, j] = exact[j, i] = np.array(values, dtype=np.float64) / GRID
    S = k * np.eye(n) + exact - 1
    # Everything here is exact: multiples of 1/GRID, whose sums stay below 2⁵³/GRID.
    if (np.abs(S).sum(axis=1).max() + len(sets)) * GRID >= 2**53 or (S @ np.array(sets).T).any():
        return None
    return sparse.csr_array(exact) if proves_psd(S + np.array(sets).T @ np.array(sets)) else None


def null_sets(graph: Graph, k: int, S: np.ndarray) -> list[np.ndarray]:
    """Independent sets of k nodes, as 0/1 vectors that span the null space of S; [] if not found.

    A vector of the null space is known by its entries in as many rows as there are dimensions, so
    all that have 0 and 1 in these rows are tried.
    """
    values, vectors = scipy.linalg.eigh(S)
    null = vectors[:, values < NULL]
    size = null.shape[1]
    if not 0 < size <= MOST_SETS:
        return []
    _, _, order = scipy.linalg.qr(null.T, pivoting=True)
    known = null @ np.linalg.inv(null[order[:size]])
    i, j = graph.edges()
    sets: list[np.ndarray] = []
    for entries in itertools.product((0.0, 1.0), repeat=size):
        near = known @ np.array(entries)
        x = np.round(near)
        whole = np.abs(near - x).max() < CLOSE and x.min() >= 0 and x.max() == 1
        fits = whole and x.sum() == k and not (x[i] * x[j]).any()
        if fits and np.linalg.matrix_rank(np.array([*sets, x])) > len(sets):
            sets.append(x)
    return sets if len(sets) == size else []


def solve_on_grid(
    graph: Graph, k: int, sets: list[np.ndarray], start: np.ndarray
) -> list[int] | None:
    """Values on the edges near ``start`` for which all equations hold, in units of 1/GRID.

    Elimination in integers: a row is solved for an unknown whose coefficient is ±1, and others
    keep their values. None if a row has no such unknown.
    """
    i, j = (end.tolist() for end in graph.edges())
    rows: dict[tuple[int, int], dict[int, int]] = {}
    for edge, ends in enumerate(zip(i, j, strict=True)):
        for number, x in enumerate(sets):
            for inside, outside in (ends, ends[::-1]):
                if x[inside] == 1:
                    rows.setdefault((number, outside), {})[edge] = 1
    solved: list[tuple[int, dict[int, int], int]] = []
    goal = int(k * GRID)
    for row in rows.values():
        right = goal
        for unknown, other, value in solved:
            if factor := row.get(unknown, 0):
                factor *= other[unknown]  # ±1
                right -= factor * value
                for edge, coefficient in other.items():
                    row[edge] = row.get(edge, 0) - factor * coefficient
                row = {edge: coefficient for edge, coefficient in row.items() if coefficient}
        if not row:
            if right:
                return None
            continue
        unit = next((edge for edge, coefficient in row.items() if abs(coefficient) == 1), None)
        if unit is None or len(row) > LONGEST_ROW:
            return None
        solved.append((unit, row, right))
    values: list[int] = start.tolist()
    for unknown, row, right in reversed(solved):
        rest = sum(c * values[edge] for edge, c in row.items() if edge != unknown)
        values[unknown] = row[unknown] * (right - rest)
    return values
