"""The interval that contains ϑ of a core, narrowed by whatever solvers offer.

Both ends are proven. Where no proof from above comes near the tolerance, because a factorisation is
too dear, a bound that fails with a tiny probability is kept beside the proven one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.proofs import certify, certify_sparse
from lovasz.number.proofs.chances import Chances
from lovasz.number.proofs.evidence import CoreEvidence
from lovasz.number.proofs.probable import TooFew
from lovasz.number.reduction import combinatorial
from lovasz.number.result import Solution
from lovasz.number.solvers.contract import Approximation, Bounds, unlimited
from lovasz.number.variants import Variant

ROOM = 0.05
"""Share of the tolerance that the test of a probable bound may cost at least."""
ROOM_TO_TOL = 0.5
"""Share that it may cost of what the promised gap leaves of the tolerance."""
ROOM_BEYOND = 0.2
"""Share that it may cost of a promised gap that exceeds the tolerance."""
NEAR = 1.001
"""A proven bound within this factor of what was promised means that proofs are affordable."""
PROOF_SECONDS = 20.0
"""Seconds that a sparse proof may take at least before a probable bound is taken instead."""


class Bracket:
    """The best bounds of a core so far, whatever solver they came from."""

    def __init__(
        self,
        graph: Graph,
        w: np.ndarray,
        variant: Variant = Variant.LOVASZ,
        left: Callable[[], float] = unlimited,
        tol: float = 0.0,
        chances: Chances | None = None,
    ) -> None:
        """``left`` tells the seconds until a limit; sparse proofs that take longer are left out.

        With ``chances``, a probable upper bound is sought where the proven one is not within
        ``tol``, and a proof may take only about as long as the search before it.
        """
        self.tol, self.chances, self.started = tol, chances, time.monotonic()
        self.graph, self.w, self.c, self.variant, self.left = graph, w, np.sqrt(w), variant, left
        self.lower, self.upper = float(w.max()), np.inf
        self.total, self.whole = float(w.sum()), bool((w == np.round(w)).all())
        # The kernel is computed only when it is asked for.
        self.kernel: certify.MakeKernel = partial(sparse.eye_array, graph.n, format="csr")
        self.method = "none"
        self.probable, self.probable_method = math.inf, "none"
        self.probable_kernel: certify.MakeKernel | None = None
        self.cover: np.ndarray | None = None
        self.independent: np.ndarray | None = np.array([int(np.argmax(w))])
        self.primal: Approximation | None = None
        self.exact: Fraction | None = None  # ϑ itself, if it is proven
        self.eigenvalues: np.ndarray | None = None  # of the adjacency matrix, if they are known

    def count(self, *, connected: bool = True) -> None:
        """Take the bounds of an independent set and of a clique cover."""
        plain = connected and bool((self.w == 1).all())
        side = combinatorial.bipartition(self.graph) if plain else None
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
        upper = math.inf
        if y is not None and np.isfinite(y).all():
            upper, kernel = self._upper(approximation, y)
            if upper < self.upper:
                self.upper, self.kernel, self.method, self.cover = upper, kernel, method, None
        X = approximation.matrix if approximation.factor is None else approximation.factor
        if X is not None:
            lower = 0.0
            if approximation.factor is None:
                lower = certify.lower_bound(graph, c, X, self.variant)
            elif self.variant is not Variant.SCHRIJVER:  # ϑ is no lower bound of ϑ′
                signed = self.variant is Variant.SZEGEDY
                lower = certify_sparse.lower_bound(graph, c, X, signed=signed)
            if lower > self.lower:
                self.lower, self.independent, self.primal = lower, None, approximation
            self._round(X, factored=approximation.factor is not None)
        proven = approximation.t is not None and upper <= NEAR * approximation.t
        if approximation.factor is not None and y is not None and not proven:
            self._offer_probable(approximation, y, method)
        return self.gap

    def _offer_probable(self, approximation: Approximation, y: np.ndarray, method: str) -> None:
        """Keep a bound that holds with high probability, if no proven one is near the tolerance."""
        if self.chances is None or Bounds(self.lower, self.upper).gap <= self.tol:
            return
        values = y.clip(min=0) if self.variant.sign < 0 else y  # as in _upper
        approximation = replace(approximation, edge_values=values)
        promised = 0.0 if approximation.t is None else Bounds(self.lower, approximation.t).gap
        spare = ROOM_TO_TOL * (self.tol - promised)
        room = ROOM_BEYOND * promised if spare < 0 else max(ROOM * self.tol, spare)
        try:
            upper, kernel = certify_sparse.probable_bound(
                self.graph, self.c, approximation, room, self.chances.take(), self.left
            )
        except TooFew:
            return
        if upper < self.probable:
            self.probable, self.probable_kernel, self.probable_method = upper, kernel, method

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
        return certify_sparse.upper_bound(graph, c, values, approximation.t, self._left_for_proof)

    def _left_for_proof(self) -> float:
        """Seconds that a sparse proof may take; a probable bound needs some of the rest."""
        if self.chances is None:
            return self.left()
        return min(self.left() / 2, max(PROOF_SECONDS, time.monotonic() - self.started))

    @property
    def bounds(self) -> Bounds:
        """The two bounds, of which the upper one may be probable."""
        return Bounds(self.lower, min(self.upper, self.probable))

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return self.bounds.gap

    def solution(self) -> Solution:
        """The bounds with the kernel of the upper one.

        The probable bound is taken only where the proven one is not within the tolerance. The
        evidence is that of the proven bounds in any case.
        """
        K, primal = self.kernel(), self.primal
        matrix, factor = (primal.matrix, primal.factor) if primal else (None, None)
        evidence = CoreEvidence(self.upper, K, self.cover, self.independent, matrix, factor)
        exact = Fraction(self.lower) if self.lower == self.upper else self.exact
        sizes = (self.graph.n,)
        found = Solution(self.lower, self.upper, K, (self.method,), sizes, evidence, exact)
        close = Bounds(self.lower, self.upper).gap <= self.tol
        if self.probable_kernel is None or close or self.probable >= self.upper:
            return found
        return replace(
            found, upper=self.probable, kernel=self.probable_kernel(), proven=self.upper,
            methods=(self.probable_method,),
        )  # fmt: skip
