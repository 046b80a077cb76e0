"""A lower bound on the least eigenvalue of a large sparse matrix, with a known chance of failure.

*The test.* Take polynomials p_0 = 1, β_j p_{j+1}(λ) = (λ − α_j) p_j(λ) − β_{j−1} p_{j−1}(λ) with
any numbers α_j and β_j > 0. Let u be a unit eigenvector of K for its least eigenvalue μ, and let g
be a vector of independent standard normal numbers. Then u·p_k(K)g = p_k(μ) (u·g), so
|p_k(μ)| ≤ |p_k(K)g| / |u·g|. As u·g is standard normal, |u·g| < s with probability at most
s √(2/π), and for all of four independent g with probability at most 4s⁴/π². Let θ be the least zero
of p_k, which is the least eigenvalue of the tridiagonal matrix of the α_j and β_j. To the left of θ
P_k = |p_k| falls from ∞ to 0. So if P_k(μ₀) > max |p_k(K)g|/s at some μ₀ < θ, then K ⪰ μ₀ I, unless
all four |u·g| are less than s.

That is the theorem of Kuczyński and Woźniakowski (SIAM J. Matrix Anal. Appl. 13, 1992) with
Chebyshev polynomials. Here α_j and β_j come from a run of Lanczos on another vector. Such
polynomials are small on the spectrum of K as it is, with its gaps, and large beside it. Nothing
depends on how well that run went. The four vectors are drawn after K and the α_j, β_j are fixed.

*Rounding.* The computed vectors satisfy the recurrence up to e_j with
β_j |e_j| ≤ γ ((κ + |α_j|) |y_j| + β_{j−1} |y_{j−1}|), κ the largest row sum of |K|. An error at
step j reaches step k along u with the factor Q_k, where Q solves the recurrence at μ with Q_j = 0
and Q_{j+1} = 1. Since β_i (P_i Q_{i+1} − P_{i+1} Q_i) does not depend on i,

    Q_k = P_k β_j P_j Σ_{i=j}^{k−1} 1/(β_i P_i P_{i+1}).

So the errors take Σ_j β_j |e_j| P_j Σ_{i≥j} 1/(β_i P_i P_{i+1}) from |u·g|. The ratios P_{i+1}/P_i
grow as μ falls, so this is largest at μ₀. They are the pivots of the tridiagonal matrix less μ₀,
over β_i. Their rounding is that of a matrix with slightly other entries; it is covered by a step to
the left. The normal numbers are those of NumPy, seeded by the operating system.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.base.rounding import UNIT, gamma
from lovasz.number.proofs.recurrence import Recurrence, recurrence
from lovasz.number.solvers.contract import unlimited

COLUMNS = 4
"""Number of random vectors that a matrix is tested with."""
MOST_STEPS = 8_000
"""Largest degree of the polynomial."""
LOOK_EVERY = 32
"""Number of steps of Lanczos between two looks at whether they suffice."""
EXPECTED = 30.0
"""|p_k(K)g| / |g| is expected to be at most this."""
SHARE = 0.8
"""Share of the time that is left for which steps are planned."""
DITHER = 1e-12
"""Noise that is added to the α of Lanczos. With α that are exact to the last bit, the polynomials
were larger on the spectrum of a random graph by factors of up to 10⁶, and the bounds weaker."""
TRIED = 3
"""Number of steps with all random vectors that are timed before, the fastest of which counts."""
DRAWN = 1e-12
"""More than the error of a computed normal number, absolute for all that occur."""
WIDENINGS = 120
"""Number of times that the distance from θ to μ₀ is made larger, where the first does not do."""
WIDER = 1.25
"""The factor by which it is made larger."""
SAFETY = 1.01
"""Factor that exceeds the rounding of the error terms themselves."""


class TooFew(RuntimeError):
    """The time or the number of steps did not suffice for a bound."""


def least_eigenvalue(
    K: sparse.csr_array,
    room: float,
    chance: float,
    left: Callable[[], float] = unlimited,
    seed: int | None = None,
    device: str = "cpu",
) -> float:
    """A number that is at most λ_min(K), but for a probability of at most ``chance``.

    It is less than the least Ritz value by about ``room``, or by a tenth of that value if this
    is more, if there is time for that. Raises :class:`TooFew` if the test would take more seconds
    than ``left()``. Random numbers are fresh unless ``seed`` is given, which is for tests.
    """
    rng = np.random.default_rng(seed)
    n = K.shape[0]
    s = (chance * math.pi**2 / 4) ** (1 / COLUMNS)
    wanted = math.log(EXPECTED * math.sqrt(n) / s)
    steps = recurrence(K, device)
    block = _seconds_of_a_step(steps, n)
    alpha, beta = _coefficients(steps, rng.standard_normal(n), room, wanted, left, block)
    if len(alpha) < 2 or block * len(alpha) > left():
        raise TooFew
    sizes = _filtered(steps, rng.standard_normal((n, COLUMNS)), alpha, beta, left)
    return _certain(K, alpha, beta, sizes, s - DRAWN * math.sqrt(n), room)


def _seconds_of_a_step(run: Recurrence, n: int) -> float:
    """The time of a step with all random vectors, which depends on the memory that they fill."""
    now, before = run.put(np.ones((n, COLUMNS))), run.put(np.zeros((n, COLUMNS)))
    best = math.inf
    for _ in range(TRIED):
        started = time.monotonic()
        run.four(0.0, 0.0, 1.0, now, before)
        best = min(best, time.monotonic() - started)
    return best


def _coefficients(
    run: Recurrence,
    q: np.ndarray,
    room: float,
    wanted: float,
    left: Callable[[], float],
    block: float,
) -> tuple[np.ndarray, np.ndarray]:
    """α and β of Lanczos from q until log P_k, ``room`` to the left of θ, exceeds ``wanted``.

    It ends sooner if as many steps of ``block`` seconds would not fit into the time.
    """
    started, budget = time.monotonic(), left()
    alpha, beta = np.zeros(MOST_STEPS), np.zeros(MOST_STEPS)
    now, before, b = run.put(q / np.linalg.norm(q)), run.put(np.zeros_like(q)), 0.0
    steps = min(MOST_STEPS, len(q) - 1)
    noise = DITHER * np.random.default_rng(0).standard_normal(steps)
    for k in range(steps):
        alpha[k] = run.one(b, now, before) + noise[k]
        before -= alpha[k] * now
        beta[k] = b = math.sqrt(float(before @ before))
        if b < 1e-8:
            return alpha[:k], beta[:k]
        before /= b
        now, before = before, now
        if (k + 1) % LOOK_EVERY == 0:
            a, c = alpha[: k + 1], beta[: k + 1]
            spent = time.monotonic() - started
            theta = least_ritz_value(a, c)
            if suffices(a, c, theta - max(room, theta / 10), wanted):
                return a, c
            if spent + (k + 1) * block > SHARE * budget:
                return a, c
    return alpha[:steps], beta[:steps]


def suffices(alpha: np.ndarray, beta: np.ndarray, at: float, wanted: float) -> bool:
    """Whether ``at`` is to the left of θ and log P_k exceeds ``wanted`` there."""
    ratios = growth_ratios(alpha, beta, at)
    return ratios is not None and float(np.log(ratios).sum()) > wanted


def _filtered(
    run: Recurrence,
    G: np.ndarray,
    alpha: np.ndarray,
    beta: np.ndarray,
    left: Callable[[], float],
) -> np.ndarray:
    """The largest norm of a column of p_j(K) G for every j = 0, …, k, rounded up."""
    squares = [float(np.einsum("ij,ij->j", G, G).max())]
    now, before, b = run.put(G), run.put(np.zeros_like(G)), 0.0
    for a, after in zip(alpha.tolist(), beta.tolist(), strict=True):
        squares.append(run.four(a, b, after, now, before))
        now, before, b = before, now, after
        if len(squares) % LOOK_EVERY == 0 and left() < 0:
            raise TooFew
    return np.sqrt(squares) * (1 + 1e-6)


def _certain(
    K: sparse.csr_array,
    alpha: np.ndarray,
    beta: np.ndarray,
    sizes: np.ndarray,
    s: float,
    room: float,
) -> float:
    """The largest μ₀ that is tried for which the test, with its rounding, excludes all below."""
    if not np.isfinite(sizes).all():
        raise TooFew
    kappa = float(np.bincount(_rows(K), np.abs(K.data)).max()) * (1 + 1e-6)
    terms = int(np.diff(K.indptr).max()) + 6
    shifted = np.concatenate([[0.0], beta[:-1] * sizes[:-2]])
    errors = gamma(terms) * ((kappa + np.abs(alpha)) * sizes[:-1] + shifted) * SAFETY
    theta = least_ritz_value(alpha, beta)
    distance = max(room, theta / 10)
    for _ in range(WIDENINGS):
        at, distance = theta - distance, WIDER * distance
        ratios = growth_ratios(alpha, beta, at)
        if ratios is None:
            continue
        logarithm = np.cumsum(np.log(ratios))
        lost = float(errors @ _reach(beta, ratios, logarithm)) * SAFETY
        if lost < s and logarithm[-1] > math.log(sizes[-1] / (s - lost)) + 1e-6:
            widest = float(np.abs(alpha - at).max()) + 2 * float(beta.max())
            return at - 8 * UNIT * widest
    raise TooFew


def _rows(K: sparse.csr_array) -> np.ndarray:
    return np.repeat(np.arange(K.shape[0]), np.diff(K.indptr))


def least_ritz_value(alpha: np.ndarray, beta: np.ndarray) -> float:
    """The least eigenvalue of the tridiagonal matrix."""
    found = scipy.linalg.eigh_tridiagonal(
        alpha, beta[:-1], select="i", select_range=(0, 0), eigvals_only=True
    )
    return float(found[0])


def growth_ratios(alpha: np.ndarray, beta: np.ndarray, at: float) -> np.ndarray | None:
    """P_{j+1}/P_j at a number to the left of all zeros of p_k; None if it is not there."""
    ratios, last, b = [], math.inf, 0.0
    for a, after in zip((alpha - at).tolist(), beta.tolist(), strict=True):
        last = (a - b / last) / after
        if not last > 0:
            return None
        ratios.append(last)
        b = after
    return np.array(ratios)


def _reach(beta: np.ndarray, ratios: np.ndarray, logarithm: np.ndarray) -> np.ndarray:
    """P_j Σ_{i≥j} 1/(β_i P_i P_{i+1}) for every j, by recurrence from the last."""
    first = np.exp(-logarithm) / beta  # 1/(β_j P_{j+1})
    reach, last = np.empty(len(beta)), 0.0
    for j in range(len(beta) - 1, -1, -1):
        reach[j] = last = first[j] + last / ratios[j]
    return reach
