"""The laws of ϑ, ϑ_h and the LS family on hypergraphs, as lovasz.hypergraphs states them."""

from itertools import combinations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.hypergraphs import fractional_cover, hyperedge_theta
from lovasz.kernels.luz_schrijver import HYPEREDGE_WEIGHTS

N = 9
hyperedges = st.lists(
    st.sets(st.integers(0, N - 1), min_size=2, max_size=5), min_size=1, max_size=8
)


@st.composite
def weighted_hypergraphs(draw):
    sets = draw(hyperedges)
    weights = draw(st.lists(st.floats(0.01, 100), min_size=len(sets), max_size=len(sets)))
    return lovasz.as_hypergraph(sets, nodes=range(N), weights=weights)


def hypergraph_of(rng, n, m, largest):
    sets = [rng.choice(n, size=rng.integers(2, largest + 1), replace=False) for _ in range(m)]
    return lovasz.as_hypergraph(sets, nodes=range(n))


def assert_orthonormal(K, H):
    """K in 𝒦(H)."""
    together = (H.incidence @ H.incidence.T).toarray() > 0
    dense = K.toarray()
    assert np.array_equal(dense, dense.T) and (dense.diagonal() == 1).all()
    assert not dense[~together & ~np.eye(H.n, dtype=bool)].any()
    assert scipy.linalg.eigvalsh(dense)[0] > -1e-12


@given(weighted_hypergraphs())
def test_the_matrix_is_the_sum_over_shared_hyperedges(H):
    C = np.zeros((N, N))
    for edge, weight in zip(H.rows(), H.weights, strict=True):
        for i, j in combinations(edge, 2):
            C[i, j] += weight / (len(edge) - 1)
    assert H.matrix().toarray() == pytest.approx(C + C.T)
    assert H.matrix().sum(axis=1) == pytest.approx(H.incidence @ H.weights)
    section, weighted = H.expansion(), H.expansion(weighted=True)
    assert np.array_equal(section.adjacency.toarray() != 0, C + C.T > 0) and not section.weighted
    assert weighted.adjacency.toarray() == pytest.approx(C + C.T)


@settings(deadline=None)
@given(weighted_hypergraphs())
def test_the_ls_kernels_are_orthonormal_and_their_bounds_hold(H):
    C = H.matrix().toarray()
    S = H.incidence @ (H.weights / (H.sizes - 1))
    D = H.incidence @ H.weights
    lonely = S == 0
    for weights, scale, bound in (
        ("hyperedges", np.ones(N), S.max()),
        ("incidence", np.where(lonely, 1, S) ** -0.5, 1.0),
        (
            "hyperedges-normalized",
            np.where(lonely, 1, D) ** -0.5,
            (S / np.where(lonely, 1, D)).max(),
        ),
    ):
        scaled = C * np.outer(scale, scale)
        depth = -scipy.linalg.eigvalsh(scaled)[0]
        assert depth <= bound * (1 + 1e-9)
        K = lovasz.kernel(H, "ls", weights=weights)
        assert_orthonormal(K, H)
        assert K.toarray() == pytest.approx(np.eye(N) + scaled / depth, rel=1e-6, abs=1e-9)


def test_the_incidence_vectors_are_an_orthonormal_representation():
    H = hypergraph_of(np.random.default_rng(0), 12, 9, 4)
    S = H.incidence @ (1 / (H.sizes - 1))
    U = (H.incidence * np.sqrt(1 / (H.sizes - 1))).toarray()
    U[S > 0] /= np.sqrt(S[S > 0])[:, None]
    gram = U @ U.T
    met = S > 0
    assert gram.diagonal()[met] == pytest.approx(1)
    assert not gram[(H.incidence @ H.incidence.T).toarray() == 0].any()


@settings(deadline=None, max_examples=25)
@given(hyperedges)
def test_the_sandwich(sets):
    H = lovasz.as_hypergraph(sets, nodes=range(N))
    theta, plus = lovasz.theta(H), lovasz.theta(H, variant="szegedy")
    cover, found = fractional_cover(H), hyperedge_theta(H, tol=1e-5)
    assert theta.lower <= cover.value + 1e-9
    assert (H.incidence @ cover.weights)[H.degrees > 0].min() >= 1 - 1e-12
    assert theta.lower <= found.upper and plus.lower <= found.upper
    assert found.upper - found.lower <= 2e-5 * found.upper
    assert found.lower <= exact_cover(H) + 1e-7
    assert_orthonormal(found.kernel, H)
    assert found.kernel.toarray().min() >= 0
    gap = found.upper * found.kernel.toarray() - 1
    assert scipy.linalg.eigvalsh(gap)[0] > -1e-9 * H.n


def exact_cover(H):
    """π*(H): each node exactly once, by hyperedges and single nodes."""
    A = np.hstack([H.incidence.toarray(), np.eye(H.n)])
    return linprog(np.ones(A.shape[1]), A_eq=A, b_eq=np.ones(H.n)).fun


def test_theta_may_be_strictly_below_the_cover_and_the_hyperedge_theta_above():
    triangle = [[0, 1], [1, 2], [2, 0]]
    assert lovasz.theta(lovasz.as_hypergraph(triangle)).value == 1
    assert fractional_cover(triangle).value == pytest.approx(1.5)
    # Two triples that share a node: the cover moves to parts of them, weights of triples cannot.
    two = hyperedge_theta([[0, 1, 2], [2, 3, 4]])
    assert two.lower <= 49 / 17 <= two.upper and two.upper - two.lower < 1e-5
    assert lovasz.theta(lovasz.as_hypergraph([[0, 1, 2], [2, 3, 4]])).value == 2


def test_with_all_pairs_the_hyperedge_theta_is_szegedys():
    cycle = [[i, (i + 1) % 5] for i in range(5)]
    found = hyperedge_theta(cycle)
    assert found.lower <= 5**0.5 <= found.upper and found.upper - found.lower < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_an_independent_solver_agrees(seed):
    H = hypergraph_of(np.random.default_rng(seed), 10, 9, 5)
    found = hyperedge_theta(H, tol=1e-6)
    assert found.upper - found.lower <= 2e-6 * found.upper
    assert solve_by_scs(H) == pytest.approx(found.value, rel=1e-5)


def solve_by_scs(H):
    """min t with t I + Σ z_e B_e ⪰ J, z ≥ 0, as it is written."""
    scs = pytest.importorskip("scs")
    column, row = np.triu_indices(H.n)  # the lower triangle, column by column
    vector = lambda M: (M * np.where(np.eye(H.n, dtype=bool), 1, 2**0.5))[row, column]  # noqa: E731
    matrices = [np.eye(H.n), *(H.spread(unit).toarray() for unit in np.eye(H.m))]
    A = -np.vstack([np.eye(H.m + 1)[1:], np.stack([vector(M) for M in matrices], axis=1)])
    b = np.concatenate([np.zeros(H.m), -vector(np.ones((H.n, H.n)))])
    data = {"A": sparse.csc_matrix(A), "b": b, "c": np.eye(H.m + 1)[0]}
    cone = {"l": H.m, "s": [H.n]}
    solver = scs.SCS(data, cone, verbose=False, eps_abs=1e-8, eps_rel=1e-8, max_iters=100_000)
    return solver.solve()["info"]["pobj"]


def test_relabelling_changes_nothing_and_disjoint_unions_add():
    rng = np.random.default_rng(5)
    one, other = hypergraph_of(rng, 8, 6, 4), hypergraph_of(rng, 7, 5, 3)
    order = rng.permutation(8)
    moved = lovasz.as_hypergraph([order[edge] for edge in one.rows()], nodes=range(8))
    both = lovasz.as_hypergraph(
        [[("a", i) for i in e] for e in one.rows()] + [[("b", i) for i in e] for e in other.rows()],
        nodes=[("a", i) for i in range(8)] + [("b", i) for i in range(7)],
    )  # fmt: skip
    for number in (
        lambda H: lovasz.theta(H).value,
        lambda H: fractional_cover(H).value,
        lambda H: hyperedge_theta(H).value,
    ):
        assert number(moved) == pytest.approx(number(one), rel=1e-5)
        assert number(both) == pytest.approx(number(one) + number(other), rel=1e-5)
    for weights in HYPEREDGE_WEIGHTS:
        K, L = (lovasz.kernel(H, "ls", weights=weights).toarray() for H in (one, moved))
        assert L[np.ix_(order, order)] == pytest.approx(K)


def test_hypergraphs_of_lonely_nodes():
    H = lovasz.as_hypergraph([], nodes="abc")
    assert lovasz.theta(H).value == 3 and fractional_cover(H).value == 3
    assert hyperedge_theta(H).upper == 3
    assert lovasz.kernel(H, "ls", weights="incidence").toarray().tolist() == np.eye(3).tolist()


def test_bad_calls_are_named():
    with pytest.raises(LovaszError, match="weights='hyperedges' needs a hypergraph; pass one"):
        lovasz.kernel([(0, 1)], "ls", weights="hyperedges")
    with pytest.raises(LovaszError, match="the hypergraph has no nodes"):
        hyperedge_theta([])
    with pytest.raises(LovaszError, match="tol=2 must be a relative gap"):
        hyperedge_theta([[0, 1]], tol=2)
    with pytest.raises(LovaszError, match=r"weights of shape \(2,\) for 1 hyperedges"):
        lovasz.as_hypergraph([[0, 1]]).matrix(np.ones(2))


def test_few_iterations_still_give_bounds():
    H = hypergraph_of(np.random.default_rng(1), 12, 12, 5)
    rough, fine = (hyperedge_theta(H, iterations=count) for count in (2, 200))
    assert rough.lower <= fine.lower <= fine.upper <= rough.upper
    assert rough.upper - rough.lower > fine.upper - fine.lower
    assert_orthonormal(rough.kernel, H)
