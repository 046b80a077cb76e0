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
from fractions import Fraction

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.rounding import UNIT, down, sum_rounded, up
from lovasz.base.surds import Surd
from lovasz.graphs import Graph
from lovasz.graphs.operations import submatrix
from lovasz.number.proofs.evidence import IsolatedEvidence, LiftedEvidence, SplitEvidence
from lovasz.number.result import Solution, proven_beside


def isolated(w: np.ndarray) -> Solution:
    """The solution of a graph without edges: Σw, K = I."""
    weights, ends = w.tolist(), np.arange(len(w) + 1, dtype=np.int32)
    lower, upper = sum_rounded(weights, down), sum_rounded(weights, up)
    return Solution(
        lower,
        upper,
        sparse.csr_array((np.ones(len(w)), ends[:-1].copy(), ends), shape=(len(w), len(w))),
        (),
        evidence=IsolatedEvidence(len(w)),
        exact=Fraction(lower) if lower == upper else None,
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
        kernel=submatrix(sparse.csr_array(K), back),
        methods=tuple(m for s in solutions for m in s.methods),
        sizes=tuple(size for s in solutions for size in s.sizes),
        proven=proven_beside(solutions, lambda bounds: sum_rounded(bounds, up)),
        evidence=_split(parts, solutions),
        exact=exact_sum(solutions),
    )


def _split(
    parts: Sequence[np.ndarray], solutions: Sequence[Solution], best: int | None = None
) -> SplitEvidence | None:
    """The evidence of a graph that was split, if that of all parts was kept."""
    kept = [s.evidence for s in solutions if s.evidence is not None]
    return SplitEvidence(parts, kept, best) if len(kept) == len(solutions) else None


def exact_sum(solutions: Sequence[Solution]) -> Fraction | Surd | None:
    """The sum of the values, if all are known and the sum has the form a + b√d."""
    total: Fraction | Surd = Fraction(0)
    for solution in solutions:
        if solution.exact is None:
            return None
        try:
            total = total + solution.exact
        except LovaszError:
            return None
    return total


def exact_largest(solutions: Sequence[Solution]) -> Fraction | Surd | None:
    """The largest value, if it is known and none that is not known can be larger."""
    best = max((s.exact for s in solutions if s.exact is not None), default=None)
    if best is None or any(s.exact is None and not s.upper <= best for s in solutions):
        return None
    return best


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
        evidence=_split(parts, solutions, int(np.argmax([s.lower for s in solutions]))),
        exact=exact_largest(solutions),
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
    K = shrink(submatrix(solution.kernel, stand_in), c / c[representative])
    kept_evidence = solution.evidence
    if kept_evidence is not None:
        kept_evidence = LiftedEvidence(kept, representative, kept_evidence)
    return replace(solution, kernel=K, evidence=kept_evidence)


def shrink(K: sparse.csr_array, r: np.ndarray) -> sparse.csr_array:
    """R K R off the diagonal and 1 on it, R = diag r; the entries of K are overwritten."""
    rows = np.repeat(np.arange(K.shape[0]), np.diff(K.indptr))
    K.data = np.where(rows == K.indices, 1.0, K.data * (r[rows] * r[K.indices]))
    K.sort_indices()
    K.eliminate_zeros()
    return K
