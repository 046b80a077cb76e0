"""Hoffman's bound and its primal counterpart, which often solve ϑ by one eigendecomposition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import sparse

from lovasz.base.rounding import round_down, round_up
from lovasz.base.surds import Surd, bound_exact, simplify_surd
from lovasz.graphs import Graph
from lovasz.number.proofs.evidence import RegularEvidence
from lovasz.number.result import Solution
from lovasz.number.solvers.contract import Approximation

CLUSTER = 1e-7
"""Distance from the least eigenvalue, in units of the spread, within which others equal it."""
STRONGLY_UP_TO = 3000
"""Number of nodes up to which the product of two dense matrices costs little."""


def hoffman(graph: Graph) -> tuple[Approximation, np.ndarray]:
    """The Luz–Schrijver pair of a d-regular graph, which is optimal if G is edge-transitive.

    Returns the eigenvalues of A as well, in ascending order.

    Upper: K = I + A/|λ|, λ = λ_min(A), and t = n|λ| / (d + |λ|). Lower: with E the projection
    onto the eigenspace of λ, X = E − e J, e the mean of E over the edges. The entries of E on
    edges sum to λ tr E < 0, so X ⪰ 0. If they are all equal, as on an edge-transitive graph, X
    vanishes on the edges and ⟨J, X⟩ / tr X = t.

    >>> pentagon = Graph.from_edges(range(5), [1, 2, 3, 4, 0])
    >>> X = hoffman(pentagon)[0].matrix
    >>> round(float(X.sum() / X.trace()), 9)
    2.236067977
    """
    import scipy.linalg

    values, vectors = scipy.linalg.eigh(graph.adjacency.toarray().astype(np.float64), driver="evd")
    least, most = values[0], values[-1]
    space = vectors[:, values <= least + CLUSTER * (most - least)]
    E = space @ space.T
    i, j = graph.edges()
    t = graph.n * -least / (most - least)
    return Approximation(np.full(graph.m, t / -least), matrix=E - E[i, j].mean()), values


def strongly_regular(graph: Graph) -> Solution | None:
    """The solution of a strongly regular graph by a formula, or None if that does not apply.

    It does not apply if the graph is not strongly regular or ϑ is an integer. Every node has d
    neighbours, adjacent nodes have a of them in common, others b:
    A² = d I + a A + b (J − I − A), which integer arithmetic proves. Besides d, A has the two
    eigenvalues r > 0 > s that solve x² − (a − b) x − (d − b) = 0, so for every p ≥ −s

    K = I + A/p ⪰ 0 and t K ⪰ J for t = n / (1 + d/p), so ϑ ≤ t;
    X = (r + 1) I + (J − I − A) ⪰ 0, so ϑ ≥ ⟨J, X⟩ / tr X = 1 + (n − 1 − d) / (r + 1).

    At p = −s they are equal. Here 1/p is a double, t a double above the exact quotient, and the
    lower bound the double below ϑ. K ≥ 0, and X ≥ 0 off the edges, so ϑ′ and ϑ⁺ are the same.

    If t is not an integer, neither clique covers nor independent sets meet it, and no reduction
    applies: a dominating node, a join and a union have b = d, a = d − 1 or b = 0, where t is an
    integer. So this may come before everything else.

    >>> pentagon = Graph.from_edges(range(5), [1, 2, 3, 4, 0])
    >>> round(strongly_regular(pentagon).upper, 9)
    2.236067977
    """
    found = _first_row(graph)
    if found is None:
        return None
    A, d, a, b = found
    n, e = graph.n, a - b
    depth = simplify_surd(Fraction(-e, 2), Fraction(1, 2), e * e + 4 * (d - b))
    inverse = round_down(1 / Fraction(bound_exact(depth)[1]))
    upper = round_up(n / (1 + d * Fraction(inverse)))
    if abs(upper - round(upper)) < 1e-6 * upper:
        return None
    if not _is_strongly_regular(A, d, a, b):
        return None
    exact = _closed_form(d, a, b)
    lower = bound_exact(exact)[0]
    return Solution(
        lower, upper, _regular_kernel(graph, d, inverse), ("Hoffman",), (n,),
        RegularEvidence(n), exact,
    )  # fmt: skip


def exact_regular(graph: Graph) -> Fraction | Surd | None:
    """ϑ of a strongly regular graph, or None if the graph is not one.

    >>> exact_regular(Graph.from_edges(range(5), [1, 2, 3, 4, 0]))
    Surd(sqrt(5))
    """
    found = _first_row(graph)
    if found is None or found[3] == 0 or not _is_strongly_regular(*found):
        return None
    return _closed_form(*found[1:])


def _closed_form(d: int, a: int, b: int) -> Fraction | Surd:
    """n |s| / (d + |s|) with s = (e − √Δ)/2, e = a − b, Δ = e² + 4(d − b), for b > 0."""
    e, half = a - b, Fraction(1, 2 * b)
    return simplify_surd(half * (-d * e - 2 * (d - b)), half * d, e * e + 4 * (d - b))


def _first_row(graph: Graph) -> tuple[np.ndarray, int, int, int] | None:
    """A, d, a and b of a graph that may be strongly regular, judged by one node."""
    n, d = graph.n, int(graph.degrees[0])
    if not is_regular(graph) or not n - 1 <= d * d <= (n - 2) ** 2 or n > STRONGLY_UP_TO:
        return None
    A = graph.adjacency.toarray()
    both = A[0] @ A
    a, b = int(both[A[0] > 0].max()), int(both[1:][A[0, 1:] == 0].max())
    # Both sides count the paths of two edges that end in another node and in no neighbour.
    return (A, d, a, b) if d * (d - a - 1) == b * (n - d - 1) else None


def _is_strongly_regular(A: np.ndarray, d: int, a: int, b: int) -> bool:
    """Whether A² = d I + a A + b (J − I − A), in integers."""
    expected = b + (a - b) * A
    expected.flat[:: len(A) + 1] = d
    return np.array_equal(expected, A @ A)


def _regular_kernel(graph: Graph, d: int, value: float) -> sparse.csr_array:
    """I + value · A of a d-regular graph."""
    A, n = graph.adjacency, graph.n
    own = np.arange(n, dtype=A.indices.dtype)[:, None]
    columns = np.concatenate([A.indices.reshape(n, d), own], axis=1)
    columns.sort(axis=1)
    ends = np.arange(0, columns.size + 1, d + 1, dtype=A.indptr.dtype)
    data = np.where(columns == own, 1.0, value)
    return sparse.csr_array((data.ravel(), columns.ravel(), ends), shape=A.shape)


def is_regular(graph: Graph) -> bool:
    """Whether all degrees are equal and positive."""
    return bool(graph.m and (graph.degrees == graph.degrees[0]).all())
