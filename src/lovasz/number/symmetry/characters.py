"""ϑ and ϑ⁺ of Cayley graphs of products of cyclic groups, by their characters.

The linear programme is that of :mod:`.scheme` with one row per pair of characters ±j and one
column per difference ±a: P_ja = valency · cos 2π Σ a_i j_i / n_i. There are as many rows as nodes,
so it is solved on some of them, and rows that are violated are added.

*Bounds.* For any y, t = max(n − Σ k_a y_a, max_j −Σ y_a P_ja) is an upper bound. For any z ≥ 0,
X with the values x_a = Σ_j z_j P_ja / k_a is positive semidefinite; with x_a removed on the edges
and Σ k_a |x_a| added to the diagonal it stays so, and ϑ ≥ n z_0 / (Σ z_j + Σ k_a |x_a|). In ϑ⁺
negative x_a are allowed and stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.rounding import UNIT, down, up
from lovasz.base.surds import bound_exact
from lovasz.graphs.schemes import Element, GroupScheme
from lovasz.number.solvers.contract import never, unlimited
from lovasz.number.symmetry.cosines import COSINE_ERROR, cosines
from lovasz.number.symmetry.exact_lp import maximise

MOST_ENTRIES = 5 * 10**7
"""Largest number of entries, characters times differences, of the matrix P."""
ROUNDS = 60
"""Most times that violated rows are added."""
RATIONAL = (1, 2, 3, 4, 6)
"""The exponents of groups for which 2 cos 2πk/n is always an integer."""


@dataclass(frozen=True)
class CharacterSolution:
    """Proven bounds, the values on the edges that attain the upper one, and ϑ if it is known."""

    lower: float
    upper: float
    edge_values: dict[Element, float]
    """y_a of each difference."""
    characters: np.ndarray
    """One row per character, a residue for each factor of the group."""
    prices: np.ndarray
    """z_j of each row of ``characters``."""
    exact: Fraction | None = None
    complete: bool = True
    """Whether the search was not stopped before its end."""

    def primal_values(
        self, scheme: GroupScheme, relations: frozenset[Element]
    ) -> dict[Element, float]:
        """x_a of these differences: the primal solution, and the kernel of the complement."""
        columns = sorted(relations)
        phases = character_phases(scheme, self.characters, columns)
        x = self.prices @ cosines(scheme.exponent)[phases] / self.prices.sum()
        return dict(zip(columns, x.tolist(), strict=True))


def solve_group(
    scheme: GroupScheme,
    relations: frozenset[Element],
    *,
    nonnegative: bool,
    stop: Callable[[], bool] = never,
    left: Callable[[], float] = unlimited,
) -> CharacterSolution:
    """Return ϑ of the Cayley graph with these differences, or ϑ⁺ if y must be ``nonnegative``.

    Once ``stop()`` is true, or no seconds are ``left()``, the bounds are those of the y and z so
    far.

    >>> pentagon = GroupScheme((5,))
    >>> found = solve_group(pentagon, frozenset({(1,)}), nonnegative=False)
    >>> found.lower <= 5**0.5 <= found.upper <= 5**0.5 + 1e-12
    True
    """
    columns = sorted(relations)
    if (entries := scheme.n * len(columns)) > MOST_ENTRIES:
        raise LovaszError(
            f"{scheme.n:,} characters times {len(columns)} differences are {entries:,} entries; "
            f"at most {MOST_ENTRIES:,} are computed, take a smaller graph"
        )
    valency = np.array([scheme.valency(a) for a in columns], dtype=np.int64)
    characters = characters_up_to_sign(scheme)
    P = valency * cosines(scheme.exponent)[character_phases(scheme, characters, columns)]
    y, z, rows = _approximate(P, scheme.n, valency, left, nonnegative=nonnegative)
    exact = None
    if scheme.exponent in RATIONAL and not stop():
        doubled = np.rint(2 * P).astype(np.int64)
        found = _solve_exactly(doubled, scheme.n, rows, stop, nonnegative=nonnegative)
        if found is not None:
            exact, y, z = found
    if exact is not None:
        lower, upper = bound_exact(exact)
    else:
        upper = upper_bound(P, scheme.n, valency, y)
        lower = lower_bound(P, scheme.n, valency, z, nonnegative=nonnegative)
    values = dict(zip(columns, y.tolist(), strict=True))
    complete = exact is not None or not stop()
    return CharacterSolution(lower, upper, values, characters[z > 0], z[z > 0], exact, complete)


def characters_up_to_sign(scheme: GroupScheme) -> np.ndarray:
    """One row of residues for each pair of characters ±j; the trivial one is first."""
    every = np.arange(scheme.n)
    digits = np.array(np.unravel_index(every, scheme.orders))
    opposite = np.ravel_multi_index(
        tuple(-digits % np.array(scheme.orders)[:, None]), scheme.orders
    )
    return digits[:, every <= opposite].T


def character_phases(
    scheme: GroupScheme, characters: np.ndarray, columns: Sequence[Element]
) -> np.ndarray:
    """Σ a_i j_i L/n_i modulo the exponent L, one row per character j, one column per a."""
    L = scheme.exponent
    steps = np.array(columns, dtype=np.int64).reshape(len(columns), -1)
    found: np.ndarray = characters @ (steps * (L // np.array(scheme.orders)) % L).T % L
    return found


def upper_bound(P: np.ndarray, n: int, valency: np.ndarray, y: np.ndarray) -> float:
    """A proven upper bound from any y; see the module."""
    size = float(np.abs(y) @ valency)
    sums = P[1:] @ y
    largest = max(n - float(valency @ y), float(-sums.min()) if len(sums) else 0.0)
    error = (COSINE_ERROR + (len(y) + 4) * UNIT) * size + 4 * UNIT * n
    return up(largest + up(error * (1 + 2.0**-20)))


def lower_bound(
    P: np.ndarray, n: int, valency: np.ndarray, z: np.ndarray, *, nonnegative: bool = False
) -> float:
    """A proven lower bound from any z ≥ 0, one per row of P; see the module."""
    total, x = float(z.sum()), z @ P
    left = float((x.clip(min=0) if nonnegative else np.abs(x)).sum())  # Σ k_a |x_a|
    error = float(valency.sum()) * total * (COSINE_ERROR + (np.count_nonzero(z) + 4) * UNIT)
    count = np.count_nonzero(z) + len(valency) + 8
    spread = (total + left) * (1 + count * UNIT) + error * (1 + 2.0**-20)
    return down(n * float(z[0]) / up(spread), 4) if spread > 0 else 0.0


def _approximate(
    P: np.ndarray,
    n: int,
    valency: np.ndarray,
    left: Callable[[], float],
    *,
    nonnegative: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nearly optimal y and z, and the rows that matter, added where they are violated most.

    The unknowns are τ = t/n and η_a = k_a y_a / n, so that all coefficients are at most 1.
    """
    from scipy.optimize import linprog

    C, count = P / valency, P.shape[1]
    rows = np.unique([0, int(P.sum(axis=1).argmin()), *P.argmin(axis=0)])
    x, z = np.append(1.0, np.zeros(count)), np.append(1.0, np.zeros(len(P) - 1))
    limits = [(0.0, None), *((0.0 if nonnegative else None, None) for _ in range(count))]
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    for _ in range(ROUNDS):
        if (seconds := left()) <= 0:
            break
        options |= {"time_limit": seconds} if seconds < math.inf else {}
        M = np.column_stack([np.ones(len(rows)), C[rows]])
        right = (rows == 0).astype(np.float64)
        found = linprog(
            np.append(1.0, np.zeros(count)), A_ub=-M, b_ub=-right, bounds=limits,
            method="highs-ds", options=options,
        )  # fmt: skip
        if found.x is None or found.status != 0:
            break
        x, prices = _polish(M, right, found.x, -found.ineqlin.marginals, nonnegative=nonnegative)
        z = np.zeros(len(P))
        z[rows] = prices
        slack = x[0] + C @ x[1:]
        slack[0] -= 1
        worst = np.argsort(slack)[: 2 * count + 32]
        worst = np.setdiff1d(worst[slack[worst] < -1e-13], rows)
        if worst.size == 0:
            break
        rows = np.sort(np.append(rows, worst))
    return n * x[1:] / valency, z, rows


def _polish(
    M: np.ndarray, right: np.ndarray, x: np.ndarray, prices: np.ndarray, *, nonnegative: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Solve the equations of an optimal basis to rounding: M x = right, Mᵀ prices = e_0."""
    active = prices > 1e-9
    moving = np.abs(x) > 1e-9 if nonnegative else np.ones(len(x), dtype=bool)
    moving[0] = True
    basis = M[np.ix_(active, moving)]
    x, prices = x.copy(), np.where(active, prices, 0.0)
    x[moving] += np.linalg.lstsq(basis, right[active] - M[active] @ x, rcond=None)[0]
    goal = np.append(1.0, np.zeros(int(moving.sum()) - 1))
    prices[active] += np.linalg.lstsq(basis.T, goal - prices[active] @ basis, rcond=None)[0]
    return x, prices.clip(min=0)


def _solve_exactly(
    doubled: np.ndarray,
    n: int,
    rows: np.ndarray,
    stop: Callable[[], bool],
    *,
    nonnegative: bool,
) -> tuple[Fraction, np.ndarray, np.ndarray] | None:
    """ϑ in fractions, y and z, for eigenvalues that are halves of the integers in ``doubled``.

    None if the search was stopped.
    """
    count = doubled.shape[1]
    signed = range(1, count + 1) if nonnegative else ()
    while True:
        chosen = [0, *sorted(set(rows.tolist()) - {0})]
        matrix = [[2, *(-doubled[j]).tolist()] for j in chosen]
        bounds = [0, *(2 * n for _ in chosen[1:])]
        found = maximise([1, *(0 for _ in range(count))], matrix, bounds, signed, stop)
        if not found.optimal:
            return None
        t, y = n - found.value, list(found.x[1:])
        common = math.lcm(*(v.denominator for v in y), t.denominator)
        whole = np.array([int(v * common) for v in y], dtype=object)
        slack = doubled.astype(object) @ whole + int(2 * t * common)
        violated = np.flatnonzero(slack[1:] < 0) + 1
        if violated.size == 0:
            z = np.zeros(len(doubled))
            z[chosen] = [float(2 * price) for price in found.prices]
            return t, np.array([float(v) for v in y]), z
        worst = violated[np.argsort(slack[violated].astype(np.float64))]
        rows = np.append(rows, worst[: 2 * count + 32])
