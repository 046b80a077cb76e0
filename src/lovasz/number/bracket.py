"""The interval that provably contains ϑ of a core, narrowed by whatever solvers offer."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.proofs import certify, certify_sparse
from lovasz.number.proofs.evidence import CoreEvidence
from lovasz.number.reduction import combinatorial
from lovasz.number.result import Solution
from lovasz.number.solvers.contract import Approximation, Bounds, unlimited
from lovasz.number.variants import Variant


class Bracket:
    """The best bounds of a core that are proven so far, whatever solver they came from."""

    def __init__(
        self,
        graph: Graph,
        w: np.ndarray,
        variant: Variant = Variant.LOVASZ,
        left: Callable[[], float] = unlimited,
    ) -> None:
        """``left`` tells the seconds until a limit; sparse proofs that take longer are left out."""
        self.graph, self.w, self.c, self.variant, self.left = graph, w, np.sqrt(w), variant, left
        self.lower, self.upper = float(w.max()), np.inf
        self.total, self.whole = float(w.sum()), bool((w == np.round(w)).all())
        # The kernel is computed only when it is asked for.
        self.kernel: certify.MakeKernel = partial(sparse.eye_array, graph.n, format="csr")
        self.method = "none"
        self.cover: np.ndarray | None = None
        self.independent: np.ndarray | None = np.array([int(np.argmax(w))])
        self.primal: Approximation | None = None
        self.exact: Fraction | None = None  # ϑ itself, if it is proven

    def count(self) -> None:
        """Take the bounds of an independent set and of a clique cover."""
        side = combinatorial.bipartition(self.graph) if (self.w == 1).all() else None
        if side is not None:
            chosen, clique = combinatorial.bipartite_cover(self.graph, side)
        else:
            chosen = combinatorial.greedy_independent_set(self.graph, self.w)
            clique = combinatorial.greedy_clique_cover(self.graph)
        self._take_set(chosen)
        self.cover = clique
        self.upper = combinatorial.cover_weight(self.w, clique)
        self.kernel = partial(combinatorial.cover_kernel, self.graph, self.w, clique)
        self.method = "clique cover"

    def offer(self, approximation: Approximation, method: str) -> float:
        """Certify an approximation, keep what is better, and return the relative gap."""
        graph, c, y = self.graph, self.c, approximation.edge_values
        if y is not None and np.isfinite(y).all():
            upper, kernel = self._upper(approximation, y)
            if upper < self.upper:
                self.upper, self.kernel, self.method, self.cover = upper, kernel, method, None
        X = approximation.matrix if approximation.factor is None else approximation.factor
        if X is not None:
            lower = 0.0
            if approximation.factor is None:
                lower = certify.lower_bound(graph, c, X, self.variant)
            elif self.variant is not Variant.SCHRIJVER:  # ϑ ≤ ϑ⁺, but not ϑ ≤ ϑ′
                lower = certify_sparse.lower_bound(graph, c, X)
            if lower > self.lower:
                self.lower, self.independent, self.primal = lower, None, approximation
            self._round(X, factored=approximation.factor is not None)
        return self.gap

    def _round(self, X: np.ndarray, *, factored: bool) -> None:
        """Read an independent set off X: where ϑ = α, the optimal X lives on the largest ones."""
        if math.floor(min(self.upper, self.total)) <= self.lower and self.whole:
            return  # the next integer is beyond reach
        score = np.einsum("ij,ij->i", X, X) if factored else np.diag(X)
        self._take_set(combinatorial.greedy_set_by_score(self.graph, score))

    def _take_set(self, chosen: np.ndarray) -> None:
        """Keep the bound of an independent set if it is better, or as good and so much simpler."""
        weight = combinatorial.set_weight(self.w, chosen)
        if weight >= self.lower:
            self.lower, self.independent, self.primal = weight, chosen, None

    def _upper(
        self, approximation: Approximation, y: np.ndarray
    ) -> tuple[float, certify.MakeKernel]:
        graph, c, variant = self.graph, self.c, self.variant
        if approximation.factor is None:
            return certify.upper_bound(graph, c, y, approximation.t, approximation.excess, variant)
        # ϑ′ ≤ ϑ, and a kernel of ϑ is one of ϑ′; for ϑ⁺ it needs K ≥ 0.
        values = y.clip(min=0) if variant.sign < 0 else y
        return certify_sparse.upper_bound(graph, c, values, approximation.t, self.left)

    @property
    def bounds(self) -> Bounds:
        """The two bounds."""
        return Bounds(self.lower, self.upper)

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return self.bounds.gap

    def solution(self) -> Solution:
        """The bounds with the kernel of the upper one."""
        K, primal = self.kernel(), self.primal
        matrix, factor = (primal.matrix, primal.factor) if primal else (None, None)
        evidence = CoreEvidence(self.upper, K, self.cover, self.independent, matrix, factor)
        exact = Fraction(self.lower) if self.lower == self.upper else self.exact
        sizes = (self.graph.n,)
        return Solution(self.lower, self.upper, K, (self.method,), sizes, evidence, exact)
