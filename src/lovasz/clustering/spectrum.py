"""The Luz–Schrijver embedding that sees communities, and how many of them its spectrum shows.

𝒦(G) holds K(C) = I + C/|λ_min(C)| for every symmetric C on the edges, and K(C) has the
eigenvectors of C. Here

    C = S^-½ A S^-½,    S = (1−p) D + r² − 1 + p,    r² = (1−p)(⟨d²⟩/⟨d⟩ − 1) + p,

with p the share of pairs that are edges. By Sylvester's law of inertia C has as many eigenvalues
above 1/r as S − rA has negative ones. In a sparse graph (p → 0) the latter is the Bethe
Hessian (r²−1)I + D − rA of Saade, Krzakala and Zdeborová (2014): on block models its negative
eigenvalues are as many as the communities that can be detected at all, and random graphs have
one. In a dense graph S ≈ 2r² and λ(C) > 1/r says λ(A) > 2√(np(1−p)), the edge of Wigner's
semicircle. The bulk of a finite graph spills over its edge by a share of n^-⅔ (Tracy and Widom),
hence the margin. So one member of the Luz–Schrijver family is as good as spectra get, in both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import largest_eigenpairs, smallest_eigenvalue_depth
from lovasz.linalg.scaling import inverse_root, scale_symmetrically

MORE = 8
"""Eigenpairs of the bulk kept beside twice the signals: some of them may be weak communities."""
MOST = 512
"""Eigenpairs of one component at most."""
WORK = 5e6
"""Edges times signals up to which other numbers of communities than the signals are tried."""
MARGIN = 0.75
"""Of n^-⅔, above the edge of the bulk: random graphs stay below, see tests."""


class Spectrum(NamedTuple):
    """The largest eigenpairs of a kernel K, and where the bulk of its spectrum ends."""

    values: np.ndarray
    """Descending."""
    vectors: np.ndarray
    """(n, d), columns as ``values``."""
    cut: float
    """Eigenvalues above are communities, those below noise; NaN where that is not known."""

    @property
    def signals(self) -> int:
        """How many eigenvalues are above the cut, 1 at least."""
        return max(1, int((self.values > self.cut).sum()))


def weighting(graph: Graph) -> tuple[sparse.csr_array, float]:
    """C and the edge of its bulk, 1/r with its margin; see the module."""
    n, d = graph.n, graph.degrees.astype(np.float64)
    p = 2 * graph.m / max(n * (n - 1), 1)
    r2 = max((1 - p) * ((d**2).sum() / max(d.sum(), 1.0) - 1) + p, 1.0)
    C = scale_symmetrically(graph.adjacency, inverse_root((1 - p) * d + r2 - 1 + p))
    return C, (1 + MARGIN * n ** (-2 / 3)) / np.sqrt(r2)


def other_starts(graph: Graph, k: int) -> list[np.ndarray]:
    """Vectors of two more Luz–Schrijver kernels, C = (D + τ)^-½ A (D + τ)^-½.

    τ = ⟨d⟩ in 2k dimensions and τ = 0 in k: on graphs that are no block models, with hubs and
    pockets of few nodes, one of these often starts the refinement better.
    """
    d = graph.degrees.astype(np.float64)
    return [
        largest_eigenpairs(scale_symmetrically(graph.adjacency, inverse_root(d + tau)), size)[1]
        for tau, size in ((d.mean(), 2 * k), (0.0, k))
    ]


def ls_spectrum(graph: Graph, d: int | None) -> Spectrum:
    """The ``d`` largest eigenpairs of K(C); for None all above the cut and as many of the bulk."""
    C, edge = weighting(graph)
    if C.nnz == 0:
        return Spectrum(np.ones(min(graph.n, d or 1)), np.eye(graph.n, min(graph.n, d or 1)), 1.0)
    values, vectors = largest_eigenpairs(C, 16 if d is None else d)
    while d is None and len(values) < (wanted := _wanted(graph, int((values > edge).sum()))):
        before = len(values)
        values, vectors = largest_eigenpairs(C, wanted)
        if len(values) <= before:  # the others did not converge
            break
    low = smallest_eigenvalue_depth(C)
    return Spectrum(1 + values / low, vectors, 1 + edge / low)


def _wanted(graph: Graph, signals: int) -> int:
    """How many eigenpairs to have beside so many signals."""
    more = signals if graph.m * signals <= WORK else 0
    return min(signals + more + MORE, MOST, graph.n)


def kernel_spectrum(K: Any, d: int) -> Spectrum:
    """The ``d`` largest eigenpairs of a given kernel."""
    return Spectrum(*largest_eigenpairs(K, d), np.nan)
