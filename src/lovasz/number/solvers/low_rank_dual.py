"""The dual solution of the low-rank engine, and the repair of its negative eigenvalues.

ϑ(G, w) ≤ bᵀM⁻¹b for M = Diag(v) + Y ⪰ 0 with Y on the edges and b_i² ≥ w_i v_i, since the vectors
of a solution have 0 ≤ Σ_ij M_ij u_i·u_j for any multiples u of them. A sweep ends with an M
whose smallest eigenvalues are slightly negative. Raising v_i costs about x_i (1 − x_i) per unit,
which is little where a node is surely in or out. So v is raised by δ/(x_i (1 − x_i) + ε)
everywhere, and by more where an eigenvector is concentrated on few nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.linalg

from lovasz.base.rounding import UNIT
from lovasz.number.proofs.probable import least_ritz_value, suffices
from lovasz.number.solvers.contract import never
from lovasz.number.solvers.low_rank_compiled import shifted_product
from lovasz.number.solvers.low_rank_primal import conjugate_gradients
from lovasz.number.solvers.low_rank_rows import HostRows

LEAST_WEIGHT = 0.01
"""The number ε that is added to x_i (1 − x_i)."""
LANCZOS_STEPS = 6_000
"""Largest number of products for the negative eigenvalues in a round of repairs."""
FEWEST_STEPS = 60
"""Number of products that are done even in a hurry."""
LOOK_EVERY = 64
"""Number of products between two looks at whether they suffice."""
SETTLED = 0.2
"""Share of the gap by which the least eigenvalue may be missed."""
SEEN = 1_000.0
"""An eigenvector with this share of √n in the start of Lanczos, or more, is not missed."""
TOGETHER = 32
"""Number of vectors of Lanczos that are added to eigenvectors at once."""
ROUNDS = 8
"""Largest number of rounds in which concentrated eigenvectors are repaired."""
CONCENTRATED = 0.02
"""An eigenvector is concentrated if it lives on a smaller share of the nodes than this."""
MOST_VECTORS = 40
"""Largest number of eigenvectors that are repaired in a round."""
MARGIN = 1.03
"""Factor by which v is raised more than the smallest Ritz value asks for."""
ROUNDING_ROOM = 3.0
"""Room for the rounding of a proof, as a multiple of n²u, by which K ⪰ 0 exceeds zero. A proof by
factorisation needs a little more than 2n²u."""
ROOM_SHARE = 0.1
"""Largest share of the gap that is spent on that room; large graphs are not proven anyway."""
PRECISION = 1e-2
"""Relative residual of a solution with M, as a share of the gap; it enters bᵀM⁻¹b squared."""
SOLVE_STEPS = 300
"""Largest number of steps of conjugate gradients for one solution with M."""


@dataclass(frozen=True)
class Dual:
    """M = Diag(v) + Y and what is known about it."""

    rows: HostRows
    """The place of D."""
    w: np.ndarray
    """(n,) weights, the largest of which is 1."""
    x: np.ndarray
    """(n,) values of the primal solution in [0, 1]."""
    y: np.ndarray
    """(m,) multipliers of the edges, twice the entries of Y."""
    v: np.ndarray
    """(n,) diagonal of M."""
    D: Any
    """(n, r) vectors; M nearly annihilates their columns."""
    unit: float = 1.0
    """The factor by which weights were divided."""
    depth: float = np.inf
    """δ: M + δ Diag(1/s) ⪰ 0 is likely, with s = ``scale``."""
    repaired: bool = False
    """Whether concentrated eigenvectors were repaired."""

    @cached_property
    def scale(self) -> np.ndarray:
        """(n,) x_i (1 − x_i) + ε."""
        return np.asarray(self.x * (1 - self.x) + LEAST_WEIGHT)

    def gap(self, lower: float) -> float:
        """The expected relative gap to a lower bound.

        With b = (w + v)/2, bᵀM⁻¹b ≤ 2bᵀx − xᵀMx + rᵀM⁻¹r with r = b − Mx; the last term is small
        of second order, and is left out.
        """
        raised = self.v + MARGIN * self.depth / self.scale
        image = self.times(raised, self.x)
        value = self.unit * float((self.w + raised) @ self.x - self.x @ image)
        return max(value - lower, 0.0) / max(value, 1e-300)

    def solution(
        self, gap: float, hurry: Callable[[], bool] = never
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """t, (m,) values with t I + A*(values) ⪰ c cᵀ, up to rounding, and z with that z ≈ t c.

        With b = (w + v)/2, K_ij = Y_ij c_i c_j / (b_i b_j) on the edges and 1 on the diagonal is
        t⁻¹ times that matrix, and z = b M⁻¹b / c entry by entry. ``gap`` is what they are good for.
        """
        room = min(ROUNDING_ROOM * UNIT * len(self.v) ** 2, ROOM_SHARE * gap)
        v = self.v + MARGIN * self.depth / self.scale
        v += room * (self.w + v) ** 2 / (4 * self.w)
        b = (self.w + v) / 2
        a = self.x if hurry() else self.solve(v, b, PRECISION * gap, hurry)
        t = self.unit * float(2 * (b @ a) - a @ self.times(v, a))
        i, j = self.rows.ends
        kernel = self.y / 2 * np.sqrt(self.w[i] * self.w[j]) / (b[i] * b[j])
        return t, t * kernel, a * b * math.sqrt(self.unit) / np.sqrt(self.w)

    def times(self, v: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """M times a vector, with this diagonal."""
        first, neighbours, edge = self.rows.order.pattern
        image = np.empty_like(vector)
        shifted_product(v, self.y[edge] / 2, first, neighbours, vector, image)
        return image

    def depth_within(self) -> float:
        """−λ_min of S^½MS^½, S = Diag(scale), on the span of S^-½D, or 0 if that is negative.

        M nearly annihilates D, so this is where most of its negative eigenvalues are, hidden from
        Lanczos by their neighbours that are nearly zero.
        """
        gram, inside = self._within(self.v)
        gram[np.diag_indices(len(gram))] += 1e-12 * np.trace(gram)
        least = scipy.linalg.eigh(inside, gram, eigvals_only=True, subset_by_index=[0, 0])
        return max(0.0, -float(least[0]))

    def _within(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """DᵀS⁻¹D and DᵀMD, for M with this diagonal."""
        return self.rows.grams(self.D, self.scale, v, self.y / 2)

    def solve(
        self,
        v: np.ndarray,
        right: np.ndarray,
        precision: float,
        hurry: Callable[[], bool] = never,
    ) -> np.ndarray:
        """Return a with M a = right up to a relative residual, for M with this diagonal.

        Conjugate gradients, preconditioned by the diagonal plus an exact solution in the few
        directions that M nearly annihilates: Diag(M)⁻¹ + D (DᵀMD)⁻¹ Dᵀ.
        """
        _, coarse = self._within(v)
        coarse[np.diag_indices(len(coarse))] += 1e-12 * np.trace(coarse)
        values, Q = np.linalg.eigh(coarse)
        root = Q[:, values > 0] / np.sqrt(values[values > 0])
        rows = self.rows
        inside = rows.times(self.D if rows.is_large(self.D) else rows.double(self.D), root)
        goal = precision * float(np.linalg.norm(right))

        def precondition(z: np.ndarray) -> np.ndarray:
            column = inside @ (inside.T @ rows.column(z, inside))
            return np.asarray(z / v + rows.get(column[:, 0]))

        return conjugate_gradients(
            partial(self.times, v), precondition, right, self.x,
            lambda residual: float(np.linalg.norm(residual)) <= goal, SOLVE_STEPS, hurry,
        )  # fmt: skip


def repair(dual: Dual, gap: float, hurry: Callable[[], bool] = never) -> Dual:
    """Raise v where negative eigenvectors of M are concentrated, and find δ for the others.

    ``gap`` is the relative gap that is wanted, which tells how well the least eigenvalue must be
    known.
    """
    if hurry():
        return dual
    level = depth = 0.0  # level: what is not repaired one by one, because δ covers it
    room = SETTLED * gap * float(dual.w @ dual.x) / len(dual.v)
    for number in range(ROUNDS):
        level = max(level, dual.depth_within())
        threshold = min(-1e-9, -1.05 * level)
        least, values, vectors = lowest_pairs(dual, threshold, room, seed=number, hurry=hurry)
        depth = max(-least, 0.0)
        if vectors is None or hurry():
            break
        square = vectors**2
        concentrated = 1 / (square**2).sum(axis=0) < CONCENTRATED * len(dual.v)
        if not concentrated.all():
            level = max(level, -float(values[~concentrated].min()))
        chosen = np.flatnonzero(concentrated & (-values > level))
        if not chosen.size:
            break
        more = np.zeros(len(dual.v))
        for k in chosen:
            shape = square[:, k] / square[:, k].max()
            more = np.maximum(more, -1.5 * values[k] * np.sqrt(shape) * (shape > 1e-4))
        dual = replace(dual, v=dual.v + more / dual.scale)
    return replace(dual, depth=max(depth, dual.depth_within()), repaired=True)


def lowest_pairs(
    dual: Dual, below: float, room: float, seed: int, hurry: Callable[[], bool] = never
) -> tuple[float, np.ndarray, np.ndarray | None]:
    """The smallest Ritz value of S^½MS^½, S = Diag(scale), and all pairs below a threshold.

    Steps are taken until no eigenvalue is likely to be less than that by ``room`` or a tenth.
    Vectors are None if no value is below the threshold.
    """
    lanczos, n = Lanczos(dual, seed), len(dual.v)

    def enough(alpha: np.ndarray, beta: np.ndarray) -> bool:
        theta = least_ritz_value(alpha, beta)
        at = theta - max(room, abs(theta) / 10)
        return suffices(alpha, beta, at, math.log(SEEN * math.sqrt(n)))

    alpha, beta, _ = lanczos.run(min(LANCZOS_STEPS, n), enough=enough, hurry=hurry)
    least = least_ritz_value(alpha, beta)
    if least >= below:
        return least, np.zeros(0), None
    values, weights = scipy.linalg.eigh_tridiagonal(
        alpha, beta[:-1], select="v", select_range=(-np.inf, below)
    )
    apart = np.r_[True, np.diff(values) > 1e-9 * abs(values[0])]
    kept = np.flatnonzero(apart)[:MOST_VECTORS]
    _, _, vectors = lanczos.run(len(alpha), weights[:, kept])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=0), 1e-300)
    return float(values[0]), values[kept], vectors


def _never_enough(alpha: np.ndarray, beta: np.ndarray) -> bool:
    return False


class Lanczos:
    """Lanczos without reorthogonalisation on S^½MS^½.

    It may find a pair several times but misses none that it would find otherwise. Vectors come
    from a second run, so that none has to be kept.
    """

    def __init__(self, dual: Dual, seed: int) -> None:
        first, neighbours, edge = dual.rows.order.pattern
        root = np.sqrt(dual.scale)
        owner = np.repeat(np.arange(len(root)), np.diff(first))
        data = dual.y[edge] / 2 * root[owner] * root[neighbours]
        self.rows, self.product = dual.rows, dual.rows.matrix(dual.v * dual.scale, data)
        q = np.random.default_rng(seed).standard_normal(len(root))
        self.start = self.rows.put(q / np.linalg.norm(q))

    def run(
        self,
        steps: int,
        weights: np.ndarray | None = None,
        enough: Callable[[np.ndarray, np.ndarray], bool] = _never_enough,
        hurry: Callable[[], bool] = never,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The diagonal and the off-diagonal of the tridiagonal matrix, and Σ_k q_k weights_k."""
        q, before, vectors = self.start, self.start, 0.0
        alpha, beta, last = np.zeros(steps), np.zeros(steps), 0.0
        block: list[Any] = []
        for k in range(steps):
            if weights is not None:
                block.append(q)
                if len(block) == TOGETHER or k == steps - 1:
                    share = self.rows.put(weights[k + 1 - len(block) : k + 1])
                    vectors = vectors + self.rows.stack(block) @ share
                    block.clear()
            image = self.product(q)
            image -= last * before
            alpha[k] = float(image @ q)
            image -= alpha[k] * q
            beta[k] = last = math.sqrt(float(image @ image))
            if last < 1e-14 or (k >= FEWEST_STEPS and k % 16 == 0 and hurry()):
                alpha, beta = alpha[: k + 1], beta[: k + 1]
                break
            look = k >= FEWEST_STEPS and k % LOOK_EVERY == 0
            if look and enough(alpha[: k + 1], beta[: k + 1]):
                alpha, beta = alpha[: k + 1], beta[: k + 1]
                break
            before, q = q, image / last
        return alpha, beta, self.rows.get(vectors) if weights is not None else np.zeros((0, 0))
