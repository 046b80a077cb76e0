"""One weight for all edges: a bound for when there is no time for a better one.

With B_ij = c_i c_j on the edges and one number s, ϑ ≤ λ_max(c cᵀ − s B). The least of these is
Hoffman's bound where the graph is regular, and about 2√n on random dense graphs, whose ϑ is
about √n. It takes some hundred products with vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy import sparse
from scipy.optimize import minimize_scalar

from lovasz.linalg.eigenvalues import lanczos_largest, start_vector
from lovasz.number.solvers.contract import Approximation, Core, Referee

TRIES = 12
"""Number of values of s that are tried."""
PRODUCTS = 60
"""Largest number of products with a vector for each."""
ROUGH = 1e-3
"""The accuracy of an eigenvalue while s is sought."""
FINE = 1e-6
"""The accuracy of the last eigenvalue, which is raised by its error. The bound is proven later."""
MOST_PRODUCTS = 300
"""Largest number of products with a vector for that."""


@dataclass(frozen=True)
class OneWeight:
    """The best single weight of the edges, found by bounded search: λ_max is convex in s."""

    name: str = "one weight"

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """See :class:`.contract.Solver`; there is no X, and ``start`` is ignored."""
        c, (i, j) = core.c, core.graph.edges()
        values = c[i] * c[j]
        half = sparse.csr_array((values, (i, j)), shape=(len(c), len(c)))
        B = sparse.csr_array(half + half.T)
        vector = start_vector(len(c)) + c

        def top(s: float, tol: float = ROUGH, most: int = PRODUCTS) -> tuple[float, float]:
            return lanczos_largest(lambda v: c * (c @ v) - s * (B @ v), vector, tol=tol, most=most)[
                :2
            ]

        mean = float(c @ (B @ c)) / float(c @ c)  # at most λ_max(B)
        found = minimize_scalar(
            lambda s: top(s)[0], bounds=(0.0, float(c @ c) / mean), method="bounded",
            options={"maxiter": TRIES},
        )  # fmt: skip
        s = float(found.x)
        return Approximation(edge_values=s * values, t=sum(top(s, FINE, MOST_PRODUCTS)))
