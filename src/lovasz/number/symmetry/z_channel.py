"""ϑ of Sloane's graphs 1zc for codes on the Z-channel, in exact fractions.

*Blocks.* The words of n bits split under permutations of the places: for k ≤ n/2 there are
m_k = C(n, k) − C(n, k−1) copies of a block with a basis φ_w, k ≤ w ≤ n − k, where φ_w lives on the
words of weight w and has norm² N_w = C(n−2k, w−k). The sum over the words above (below) a word
maps φ_{w+1} to (n − w − k) φ_w and φ_{w−1} to (w − k) φ_w.

*Upper bound*, also on ϑ⁺, as K ≥ 0. A word and the words above it that differ in one place are a
clique, and so are those below. With weights u_w, d_w ≥ 0 that cover every word,
ϑ ≤ Σ C(n, w) (u_w + d_w), a linear programme with 2n + 2 unknowns. K is a sum of u · 1_C 1_Cᵀ
over the cliques C; where a word of weight w is covered c_w > 1 times, it is left out of a clique
with probability 1 − 1/c_w.

*Lower bound.* If X attains this bound, all sums of a column of X over cliques of positive weight
are equal, and it is 0 at words that are covered more than once. In block k this leaves few
dimensions, and X_k = V S Vᵀ with V a basis of them. X is zero on the orbits of edges
and has trace 1: linear equations for the S. A nearly optimal X, found in floating point, is moved
to the nearest solution in fractions, and is then proven to be positive semidefinite.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, sqrt
from typing import NamedTuple

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs.family_sizes import LONGEST_CHANNEL, check_channel
from lovasz.number.solvers.contract import unlimited
from lovasz.number.symmetry.block_barrier import minimise_blocks
from lovasz.number.symmetry.exact_lp import maximise
from lovasz.number.symmetry.exact_matrices import (
    Matrix,
    Vector,
    is_semidefinite,
    nearest_solution,
    null_space,
)

PROOF_SECONDS = 15.0
"""Seconds that the lower bound of LONGEST_CHANNEL bits is expected to take; n bits take
(n / LONGEST_CHANNEL)⁴ of that, or less."""
DENOMINATOR = 10**15
"""Largest denominator of the fractions that a floating-point X is rounded to."""


class Cover(NamedTuple):
    """A fractional clique cover that is the same for all words of a weight."""

    value: Fraction
    up: Vector
    """u_w: the weight of the clique of each word of weight w and the words above it."""
    down: Vector
    """d_w: the same with the words below it."""


def solve_channel(
    n: int, left: Callable[[], float] = unlimited
) -> tuple[Fraction, dict[tuple[int, int], Fraction], bool]:
    """Return ϑ of the graph of 2ⁿ words and the entry of the kernel on each orbit of edges.

    The last value says whether it is proven from below. It is not if fewer seconds are ``left()``
    than the proof is expected to take; then the first value is an upper bound.

    >>> str(solve_channel(7)[0])
    '62/3'
    """
    check_channel(n)
    cover = cover_words(n)
    fits = left() > PROOF_SECONDS * (n / LONGEST_CHANNEL) ** 4
    if n > 1 and fits:
        _prove(n, cover)
    return cover.value, kernel_entries(n, cover), n == 1 or fits


def cover_words(n: int) -> Cover:
    """The best cover, made symmetric under the exchange of zeros and ones."""
    rows = []
    for w in range(n + 1):
        rows.append([1 if x == w else n - w if x == w + 1 else 0 for x in range(n + 1)])
    rows += [row[::-1] for row in reversed(rows)]
    sizes = [comb(n, w) for w in range(n + 1)]
    found = maximise(sizes, rows, [1] * len(rows), signed=range(n + 1))
    prices = found.prices
    up = [(prices[w] + prices[2 * n + 1 - w]) / (2 * sizes[w]) for w in range(n + 1)]
    return Cover(found.value, up, up[::-1])


def kernel_entries(n: int, cover: Cover) -> dict[tuple[int, int], Fraction]:
    """The entries of K on the orbits (1, w) and (2, w), see the module."""
    _, u, d = cover
    share = _shares(n, cover)
    ones = {(1, w): (u[w] + d[w + 1]) * share[w] * share[w + 1] for w in range(n)}
    twos = {(2, w): (u[w - 1] + d[w + 1]) * share[w] ** 2 for w in range(1, n)}
    return {orbit: value for orbit, value in (ones | twos).items() if value}


def _shares(n: int, cover: Cover) -> Vector:
    """1 / c_w, where c_w is the total weight of the cliques of a word of weight w."""
    u, d = [Fraction(0), *cover.up], [*cover.down, Fraction(0)]
    return [1 / (u[w + 1] + w * u[w] + d[w] + (n - w) * d[w + 1]) for w in range(n + 1)]


def _prove(n: int, cover: Cover) -> None:
    """Raise if no X is found that attains the value of the cover."""
    spaces = [_space(n, k, cover) for k in range(n // 2 + 1)]
    places = [(k, i, j) for k, V in enumerate(spaces) for i in range(len(V)) for j in range(i + 1)]
    equations, right = _equations(n, spaces, places)
    start = _approximate(n, spaces, places)
    S = nearest_solution(equations, right, start)
    if S is None or not _is_optimal(n, cover.value, spaces, places, S):
        raise LovaszError(f"z_channel({n}): no proof was found; pass its graph to theta")


def _space(n: int, k: int, cover: Cover) -> Matrix:
    """A basis of the x in block k with equal sums over all cliques of positive weight."""
    levels = range(k, n - k + 1)
    forms = []
    for w in levels:
        if cover.up[w]:
            forms.append({w: 1, w + 1: n - w - k})
        if cover.down[w]:
            forms.append({w: 1, w - 1: w - k})
    rows = [[Fraction(form.get(w, 0)) for w in levels] for form in forms]
    if k == 0:
        rows = [[x - y for x, y in zip(row, rows[0], strict=True)] for row in rows[1:]]
    shares = _shares(n, cover)
    rows += [[Fraction(x == w) for x in levels] for w in levels if shares[w] < 1]
    return null_space(rows, len(levels))


def _copies(n: int, k: int) -> int:
    return comb(n, k) - (comb(n, k - 1) if k else 0)


def _equations(
    n: int, spaces: list[Matrix], places: list[tuple[int, int, int]]
) -> tuple[Matrix, Vector]:
    """⟨A, X⟩ = 0 for each orbit A of edges and tr X = 1, as equations for the entries of the S."""
    rows: Matrix = [[] for _ in range(2 * n)]
    for k, i, j in places:
        a, b = spaces[k][i], spaces[k][j]
        twice = 1 if i == j else 2
        norms = [comb(n - 2 * k, w - k) if k <= w <= n - k else 0 for w in range(n + 1)]
        weight = twice * _copies(n, k)
        trace = Fraction(0)
        for w in range(n):
            inside = k <= w < n - k
            cross = (a[w - k] * b[w + 1 - k] + a[w + 1 - k] * b[w - k]) if inside else Fraction(0)
            rows[w].append(weight * (w + 1 - k) * norms[w + 1] * cross)
        for w in range(n + 1):
            own = weight * norms[w] * a[w - k] * b[w - k] if k <= w <= n - k else Fraction(0)
            trace += own
            if 0 < w < n:
                rows[n + w - 1].append(own * ((w - k) * (n - w - k) - k))
        rows[-1].append(trace)
    return rows, [Fraction(0)] * (2 * n - 1) + [Fraction(1)]


def _approximate(n: int, spaces: list[Matrix], places: list[tuple[int, int, int]]) -> Vector:
    """The entries of the S of a nearly optimal X, rounded to fractions."""
    blocks, constants = [], []
    for k in range(n // 2 + 1):
        size = n - 2 * k + 1
        A = np.zeros((2 * n, size, size))
        A[0] = np.eye(size)
        for w in range(k, n - k):
            A[1 + w, w - k, w + 1 - k] = A[1 + w, w + 1 - k, w - k] = sqrt(
                (w + 1 - k) * (n - w - k)
            )
        for w in range(max(k, 1), min(n - k, n - 1) + 1):
            A[n + w, w - k, w - k] = (w - k) * (n - w - k) - k
        root = np.sqrt([float(comb(n, w)) for w in range(k, n - k + 1)])
        blocks.append(A)
        constants.append(np.outer(root, root) if k == 0 else np.zeros((size, size)))
    start = np.append(1.1 * 2.0**n, np.zeros(2 * n - 1))
    dual = minimise_blocks(blocks, constants, start, tol=1e-9).dual
    found = []
    for k, V in enumerate(spaces):
        norms = np.sqrt([float(comb(n - 2 * k, w)) for w in range(n - 2 * k + 1)])
        basis = np.array(V, dtype=np.float64).reshape(len(V), len(norms)) * norms
        inverse = np.linalg.pinv(basis)
        found.append(inverse.T @ dual[k] @ inverse / _copies(n, k))
    return [Fraction(float(found[k][i, j])).limit_denominator(DENOMINATOR) for k, i, j in places]


def _is_optimal(
    n: int,
    value: Fraction,
    spaces: list[Matrix],
    places: list[tuple[int, int, int]],
    S: Vector,
) -> bool:
    """Whether X ⪰ 0 and ⟨J, X⟩ = value."""
    total = Fraction(0)
    for k, V in enumerate(spaces):
        block = [[Fraction(0)] * len(V) for _ in V]
        for (kk, i, j), entry in zip(places, S, strict=True):
            if kk == k:
                block[i][j] = block[j][i] = entry
        if not is_semidefinite(block):
            return False
        if k == 0:
            sums = [sum((comb(n, w) * x for w, x in enumerate(a)), Fraction(0)) for a in V]
            total = sum(
                (block[i][j] * sums[i] * sums[j] for i in range(len(V)) for j in range(len(V))),
                Fraction(0),
            )
    return total == value
