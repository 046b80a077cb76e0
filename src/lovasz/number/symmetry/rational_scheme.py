"""Association schemes with rational eigenvalues in explicit graphs, proven in integers.

Let 𝒱 be the span of the class matrices A_i of a symmetric configuration with r classes, and T an
integer combination of them. If T A_i = Σ_k L_ik A_k for every i, then 𝒱 contains every polynomial
in T, because it contains I. If L has r different eigenvalues, these polynomials have dimension r
and are all of 𝒱. So 𝒱 is a commutative algebra, an association scheme, and the eigenvectors of L
with first entry 1 are the rows of its table of eigenvalues. The products T A_i are computed in
doubles whose integers are exact, several at once as digits of one number.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from lovasz.number.symmetry.coherent import Configuration
from lovasz.number.symmetry.exact_matrices import null_space
from lovasz.number.symmetry.refinement import SEED

MOST_CLASSES = 40
"""Largest number of classes whose eigenvalues are tried."""
LARGEST = 7
"""Largest coefficient of T."""
TRIES = 5
"""Number of random T that are tried for different eigenvalues."""
EXACT_BITS = 52
"""Bits of the integers that doubles hold exactly."""

Table = list[list[int]]
"""One row per eigenspace, the constant vectors first, and one column per class, equality first."""


def eigenvalue_table(configuration: Configuration) -> tuple[Table, np.ndarray] | None:
    """Return the table and the class of each column, or None if it is no rational scheme.

    >>> import networkx as nx
    >>> from lovasz.graphs import as_graph
    >>> from lovasz.number.symmetry.coherent import find_configuration
    >>> cube = as_graph(nx.hypercube_graph(6))
    >>> table, _ = eigenvalue_table(find_configuration(cube, np.ones(64)))
    >>> sorted(table[0])
    [1, 1, 6, 6, 15, 15, 20]
    """
    R, count = configuration.classes, configuration.count
    own = np.unique(np.diag(R))
    if len(own) > 1 or count > MOST_CLASSES or not np.array_equal(R, R.T):
        return None
    if np.count_nonzero(own[0] == R) != len(R):
        return None
    order = np.concatenate([own, np.setdiff1d(np.arange(count), own)])
    rng = np.random.default_rng(SEED)
    for _ in range(TRIES):
        weights = rng.integers(0, LARGEST + 1, size=count)
        L = _multiplication(R, count, weights)
        if L is None:
            return None
        roots = np.linalg.eigvals(L.astype(np.float64))
        whole = sorted({round(float(root.real)) for root in roots}, reverse=True)
        if np.abs(roots - np.rint(roots.real)).max() > 1e-4:
            return None
        if len(whole) == count:
            rows = [_eigenvector(L[np.ix_(order, order)], root) for root in whole]
            table = [row for row in rows if row is not None]
            if len(table) < count:
                return None
            constant = [int((R[0] == k).sum()) for k in order.tolist()]
            table.sort(key=lambda row: row != constant)
            return (table, order) if table[0] == constant else None
    return None


def _multiplication(R: np.ndarray, count: int, weights: np.ndarray) -> np.ndarray | None:
    """L with T A_i = Σ_k L_ik A_k, or None if some T A_i is not constant on the classes."""
    n = len(R)
    base = 1 << (LARGEST * n).bit_length()
    together = max(1, EXACT_BITS // (base.bit_length() - 1))
    T = weights.astype(np.float64)[R]
    places = np.unique(R, return_index=True)[1]
    L = np.zeros((count, count), dtype=np.int64)
    for start in range(0, count, together):
        some = range(start, min(start + together, count))
        digits = np.zeros(count)
        digits[some.start : some.stop] = [float(base**k) for k in range(len(some))]
        product = T @ digits[R]
        values = product.ravel()[places]
        if not np.array_equal(values[R], product):
            return None
        left = values.astype(np.int64)
        for i in some:
            left, L[i] = np.divmod(left, base)
    return L


def _eigenvector(L: np.ndarray, root: int) -> list[int] | None:
    """The eigenvector with first entry 1, in integers, or None if there is none."""
    shifted = [
        [Fraction(int(x) - (root if i == j else 0)) for j, x in enumerate(row)]
        for i, row in enumerate(L)
    ]
    basis = null_space(shifted, len(L))
    if len(basis) != 1 or basis[0][0] == 0:
        return None
    row = [x / basis[0][0] for x in basis[0]]
    return [int(x) for x in row] if math.lcm(*(x.denominator for x in row)) == 1 else None
