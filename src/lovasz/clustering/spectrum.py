"""The Luz–Schrijver embedding that shows communities, and how many of them its spectrum shows.

𝒦(G) holds K(C) = I + C/|λ_min(C)| for every symmetric C on the edges, and K(C) has the
eigenvectors of C. Here

    C = S^-½ A S^-½,    S = (1−p) D + r² − 1 + p,    r² = (1−p)(⟨d²⟩/⟨d⟩ − 1) + p,

with p the share of pairs that are edges. By Sylvester's law of inertia C has as many eigenvalues
above 1/r as S − rA has negative ones. In a sparse graph (p → 0) the latter is the Bethe
Hessian (r²−1)I + D − rA of Saade, Krzakala and Zdeborová (2014). On block models it has as many
negative eigenvalues as there are communities that can be detected at all; on random graphs it has
one. In a dense graph S ≈ 2r², and λ(C) > 1/r means λ(A) > 2√(np(1−p)), the edge of Wigner's
semicircle. The bulk of a finite graph exceeds its edge by a relative amount of order n^-⅔ (Tracy
and Widom), hence the margin. So one member of the Luz–Schrijver family is as good as spectra get
in both regimes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.deadline import Deadline
from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import (
    OutOfTime,
    largest_eigenpairs,
    smallest_eigenvalue_depth,
    start_vector,
)
from lovasz.linalg.scaling import inverse_root, scale_symmetrically

MORE = 8
"""Number of eigenpairs computed beyond twice the signals. They may be weak communities."""
MOST = 512
"""Largest number of eigenpairs of one component."""
WORK = 5e6
"""Edges times signals up to which numbers of communities other than the signals are tried."""
FEW = 16
"""Number of eigenpairs computed first, and largest number of approximate ones."""
PRODUCTS = 10
"""Number of products with the matrix that approximate eigenvectors are made of."""
MARGIN = 0.75
"""Margin above the edge of the bulk in units of n^-⅔. Random graphs stay below it (see tests)."""


class Spectrum(NamedTuple):
    """The largest eigenpairs of a kernel K, and where the bulk of its spectrum ends.

    >>> import lovasz
    >>> two_triangles = [*zip("abccxyz", "bcaxyzx")]
    >>> spectrum = lovasz.communities(two_triangles, k=2).spectrum
    >>> spectrum.vectors.shape[0], bool(spectrum.values[0] >= spectrum.values[1])
    (6, True)
    """

    values: np.ndarray
    """(d,) eigenvalues, descending."""
    vectors: np.ndarray
    """(n, d) eigenvectors as columns, in the order of ``values``."""
    cut: float
    """Eigenvalues above the cut stand for communities, those below for noise; NaN if unknown."""

    @property
    def signals(self) -> int:
        """The number of eigenvalues above the cut, at least 1."""
        return max(1, int((self.values > self.cut).sum()))


def weighting(graph: Graph) -> tuple[sparse.csr_array, float]:
    """The matrix C of the module, and the edge 1/r of its bulk with the margin."""
    n, d = graph.n, graph.degrees.astype(np.float64)
    p = 2 * graph.m / max(n * (n - 1), 1)
    r2 = max((1 - p) * ((d**2).sum() / max(d.sum(), 1.0) - 1) + p, 1.0)
    C = scale_symmetrically(graph.adjacency, inverse_root((1 - p) * d + r2 - 1 + p))
    return C, (1 + MARGIN * n ** (-2 / 3)) / np.sqrt(r2)


def other_starts(graph: Graph, k: int, deadline: Deadline) -> Iterator[np.ndarray]:
    """Vectors of two more Luz–Schrijver kernels, C = (D + τ)^-½ A (D + τ)^-½.

    τ = ⟨d⟩ gives 2k dimensions and τ = 0 gives k. On graphs that are not block models, with hubs
    and small dense groups, the refinement often has a better start from one of these. None comes
    after the deadline.
    """
    d = graph.degrees.astype(np.float64)
    for tau, size in ((d.mean(), 2 * k), (0.0, k)):
        C = scale_symmetrically(graph.adjacency, inverse_root(d + tau))
        try:
            yield largest_eigenpairs(C, size, deadline=deadline)[1]
        except OutOfTime:
            return


def ls_spectrum(graph: Graph, d: int | None, deadline: Deadline | None = None) -> Spectrum:
    """The ``d`` largest eigenpairs of K(C), or, if None, all above the cut and some of the bulk.

    There may be fewer, and they may be approximate, if the deadline comes first.
    """
    deadline = Deadline() if deadline is None else deadline
    C, edge = weighting(graph)
    if C.nnz == 0:
        return Spectrum(np.ones(min(graph.n, d or 1)), np.eye(graph.n, min(graph.n, d or 1)), 1.0)
    values, vectors = _pairs(C, FEW if d is None else d, deadline)
    while d is None and len(values) < (wanted := _wanted(graph, int((values > edge).sum()))):
        before = len(values)
        try:
            values, vectors = largest_eigenpairs(C, wanted, deadline=deadline)
        except OutOfTime:
            break
        if len(values) <= before:  # the others did not converge
            break
    low = smallest_eigenvalue_depth(C, deadline=deadline)
    return Spectrum(1 + values / low, vectors, 1 + edge / low)


def _wanted(graph: Graph, signals: int) -> int:
    """The number of eigenpairs to compute for a number of signals."""
    more = signals if graph.m * signals <= WORK else 0
    return min(signals + more + MORE, MOST, graph.n)


def kernel_spectrum(K: Any, d: int, deadline: Deadline | None = None) -> Spectrum:
    """The ``d`` largest eigenpairs of a given kernel, or fewer and approximate at the deadline."""
    return Spectrum(*_pairs(K, d, Deadline() if deadline is None else deadline), np.nan)


def _pairs(C: Any, d: int, deadline: Deadline) -> tuple[np.ndarray, np.ndarray]:
    """The ``d`` largest eigenpairs, or approximate ones if half of the time is not enough."""
    try:
        return largest_eigenpairs(C, d, deadline=deadline.share(0.5))
    except OutOfTime:
        return approximate_pairs(C, min(d, FEW), deadline.share(0.5))


def approximate_pairs(C: Any, d: int, deadline: Deadline) -> tuple[np.ndarray, np.ndarray]:
    """Values and unit vectors that few products with the matrix move towards the largest pairs.

    These are orthogonal iterations, which have something to show whenever they are ended.
    """
    n = C.shape[0]
    V = start_vector(n * d).reshape(n, d) / np.sqrt(n)
    values = np.zeros(d)
    for _ in range(PRODUCTS):
        if deadline.over():
            break
        V = np.linalg.qr(C @ V)[0]
        image = C @ V
        values, turn = np.linalg.eigh(V.T @ image)
        values, V = values[::-1], V @ turn[:, ::-1]
    return values, V
