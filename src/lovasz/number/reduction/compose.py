"""The kernel of a graph from the kernels of its parts.

All of this holds for ϑ, ϑ′ and ϑ⁺ (:mod:`lovasz.number.variants`), whose kernels differ in signs.

Disjoint union: ϑ adds, K = diag(K₁, K₂, …), t = Σtᵢ (Cauchy–Schwarz gives tK ⪰ J). It cannot be
less: with Xᵢ optimal, tᵢ = cᵢᵀXᵢcᵢ and xᵢ = Xᵢcᵢ, the matrix with blocks tᵢXᵢ on the diagonal and
xᵢxⱼᵀ elsewhere, over t, has trace 1 and value Σᵢⱼ tᵢtⱼ/t = t; it is ⪰ 0 because tᵢXᵢ ⪰ xᵢxᵢᵀ
(Cauchy–Schwarz); and between parts, where nothing is adjacent, ϑ′ alone asks for xᵢxⱼᵀ ≥ 0.
Join: ϑ is the largest; with t = max tᵢ and K = 1/t between the parts, K − J/t is block diagonal
with blocks Kᵢ − J/t ⪰ Kᵢ − J/tᵢ ⪰ 0. With weights J is √w√wᵀ and K between i and j √(wᵢwⱼ)/t,
which is at most 1 because t ≥ max w. It is positive, as ϑ⁺ asks; ϑ′ asks nothing on edges.
Copies: K'_vw = r_v r_w K[rep v, rep w] for v ≠ w, r_v = √(w_v / w_rep(v)) ≤ 1. With R = diag r and
K₂ the kernel with plain copies, K' = R K₂ R + I − R², and t R K₂ R ⪰ R√w_rep√w_repᵀR = √w√wᵀ. That
a copy keeps zeros and signs is shown in :mod:`lovasz.number.reduction.reduce`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from lovasz.base.rounding import UNIT, down, sum_rounded, up
from lovasz.graphs import Graph
from lovasz.number.result import Solution, proven_beside


def isolated(w: np.ndarray) -> Solution:
    """The solution of a graph without edges: Σw, K = I."""
    weights = w.tolist()
    return Solution(
        sum_rounded(weights, down),
        sum_rounded(weights, up),
        sparse.eye_array(len(w), format="csr"),
        (),
    )


def unite(parts: Sequence[np.ndarray], solutions: Sequence[Solution]) -> Solution:
    """The solution of a disjoint union."""
    if len(solutions) == 1:
        return solutions[0]
    K = sparse.block_diag([s.kernel for s in solutions], format="csr")
    back = np.argsort(np.concatenate(parts))
    return Solution(
        lower=sum_rounded([s.lower for s in solutions], down),
        upper=sum_rounded([s.upper for s in solutions], up),
        kernel=sparse.csr_array(K)[back][:, back],
        methods=tuple(m for s in solutions for m in s.methods),
        sizes=tuple(size for s in solutions for size in s.sizes),
        proven=proven_beside(solutions, lambda bounds: sum_rounded(bounds, up)),
    )


def join(parts: Sequence[np.ndarray], solutions: Sequence[Solution], c: np.ndarray) -> Solution:
    """The solution of a join; ``c`` = √w of all its nodes."""
    t = max(s.upper for s in solutions)
    K = np.outer(c, c) * ((1 - 4 * UNIT * len(c)) / t)
    for part, solution in zip(parts, solutions, strict=True):
        K[np.ix_(part, part)] = solution.kernel.toarray()
    return Solution(
        lower=max(s.lower for s in solutions),
        upper=t,
        kernel=sparse.csr_array(K),
        methods=tuple(m for s in solutions for m in s.methods),
        sizes=tuple(size for s in solutions for size in s.sizes),
        proven=proven_beside(solutions, max),
    )


def lift(
    solution: Solution,
    graph: Graph,
    c: np.ndarray,
    kept: np.ndarray,
    representative: np.ndarray,
) -> Solution:
    """The solution of a graph from that of its core."""
    if len(kept) == graph.n:
        return solution
    place = np.full(graph.n, -1)
    place[kept] = np.arange(len(kept))
    stand_in = place[representative]
    K = sparse.csr_array(solution.kernel[stand_in][:, stand_in])
    rows = np.repeat(np.arange(graph.n), np.diff(K.indptr))
    r = c / c[representative]
    K.data = np.where(rows == K.indices, 1.0, K.data * (r[rows] * r[K.indices]))
    K.sort_indices()
    K.eliminate_zeros()
    return replace(solution, kernel=K)
