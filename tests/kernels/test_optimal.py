"""The Lovász kernel: feasible, optimal, the same every time."""

import os

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lovasz
from lovasz.base.compiled import PLAIN
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import gnp
from lovasz.kernels.optimal import optimal


def matrices(largest=9):
    return st.integers(1, largest).flatmap(
        lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n).map(
            lambda bits: np.triu(np.array(bits).reshape(n, n), 1).astype(float)
        )
    )


def check(K, A, upper):
    n = len(A)
    K = K.toarray()
    assert np.array_equal(K, K.T) and np.array_equal(np.diag(K), np.ones(n))
    assert not K[(A == 0) & ~np.eye(n, dtype=bool)].any()
    assert np.linalg.eigvalsh(K)[0] >= 0 or np.linalg.eigvalsh(K)[0] > -1e-13 * n
    # K ⪰ J/t is 1ᵀK⁻¹1 ≤ t; with room for epsilon and the tolerance of the projection.
    assert np.linalg.eigvalsh(1.02 * upper * K - 1)[0] > -0.02 * upper


@settings(deadline=None, max_examples=40)
@given(matrices(), st.sampled_from(["central", "lifted"]))
def test_the_kernel_is_feasible_and_near_the_optimal_face(upper, choice):
    A = upper + upper.T
    check(lovasz.kernel(A, "lovasz", choice=choice), A, lovasz.theta(A).upper)


def test_the_central_kernel_is_the_same_to_the_last_bit(monkeypatch):
    """Each form of the compiled functions gives the same; they round differently."""
    graph, kernels = gnp(40, 0.4, seed=1), []
    for left in (1e9, -1.0):  # all in plain Python, and all compiled
        monkeypatch.setattr(PLAIN, "left", left)
        first, second = (lovasz.kernel(graph, "lovasz") for _ in range(2))
        assert (first != second).nnz == 0
        kernels.append(first)
    assert abs(kernels[0] - kernels[1]).max() < 1e-9


def test_the_central_kernel_has_the_least_norm():
    graph = nx.connected_caveman_graph(5, 5)
    central, lifted = (
        sparse.linalg.norm(lovasz.kernel(graph, "lovasz", choice=choice))
        for choice in ("central", "lifted")
    )
    assert central < lifted


def test_relabelling_relabels_the_central_kernel():
    graph = nx.connected_caveman_graph(4, 4)
    order = np.random.default_rng(0).permutation(16)
    A = nx.to_numpy_array(graph)
    K = lovasz.kernel(A, "lovasz").toarray()
    other = lovasz.kernel(A[order][:, order], "lovasz").toarray()
    np.testing.assert_allclose(other, K[order][:, order], atol=2e-3)


def test_the_kernel_nearest_to_an_optimal_one_is_that_one():
    graph = nx.petersen_graph()
    K0 = lovasz.kernel(graph, "ls")  # optimal, as for every edge-transitive graph
    found = lovasz.kernel(graph, "lovasz", nearest=K0)
    np.testing.assert_allclose(found.toarray(), K0.toarray(), atol=1e-3)


def test_the_paper_s_first_algorithm_gives_the_same_kernel():
    """Algorithm 1: factor Y of the dual, a handle orthogonal to its vectors, u = (c + x)/√t."""
    result = lovasz.theta(gnp(20, 0.5, seed=3), tol=1e-9)
    t, K = result.upper, result.kernel.toarray()
    Y = t * K - 1
    values, vectors = scipy.linalg.eigh(Y)
    rank = values > 1e-9 * values[-1]  # Cholesky with a rank test, in its eigenvalue form
    X = (vectors[:, rank] * np.sqrt(values[rank])).T
    handle = np.zeros(len(X) + 1)
    handle[-1] = 1  # the added coordinate is orthogonal to every column of X
    U = (handle[:, None] + np.vstack([X, np.zeros(20)])) / np.sqrt(t)
    np.testing.assert_allclose(U.T @ U, K, atol=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"choice": "best"}, "choice='best'"),
        ({"choice": "nearest"}, "nearest=K0"),
        ({"nearest": np.eye(3)}, "nearest has shape (3, 3)"),
        ({"epsilon": 0}, "epsilon=0"),
    ],
)
def test_bad_calls(options, message):
    with pytest.raises(LovaszError) as problem:
        lovasz.kernel(nx.path_graph(4), "lovasz", **options)
    assert message in str(problem.value)


@pytest.mark.skipif("LOVASZ_DATA" not in os.environ, reason="LOVASZ_DATA is unset: no UCI files")
def test_the_central_kernel_learns_ionosphere_better_than_the_lifted_one():
    """By at least five points: 10 % to learn from, 10 splits, identity features."""
    from benchmarks.kernels import scores

    rows = scores("ionosphere", 0.1, 10, 0, ("lovasz central", "lovasz lifted"))
    (_, central, _, _), (_, lifted, _, _) = rows
    assert central >= lifted + 5


@pytest.mark.parametrize("limit", [0, 2, 4, 8, 12])
def test_at_a_time_limit_the_kernel_is_feasible(ticking, limit):
    graph = nx.disjoint_union(nx.gnp_random_graph(40, 0.3, seed=1), nx.cycle_graph(5))
    A = nx.to_numpy_array(graph)
    found = optimal(lovasz.as_graph(graph), time_limit=limit)
    K = found.kernel.toarray()
    assert np.array_equal(K, K.T) and np.array_equal(np.diag(K), np.ones(45))
    assert not K[(A == 0) & ~np.eye(45, dtype=bool)].any()
    assert np.linalg.eigvalsh(K)[0] > -1e-12
    exact = lovasz.theta(graph)
    assert found.lower <= exact.upper and exact.lower <= found.upper


def test_a_limit_of_theta_leaves_time_for_the_kernel():
    graph = lovasz.as_graph(nx.gnp_random_graph(40, 0.3, seed=1))
    found = optimal(graph, theta_limit=0)
    lifted = optimal(graph, theta_limit=0, choice="lifted")
    assert (found.lower, found.upper) == (lifted.lower, lifted.upper)
    assert np.linalg.norm(found.kernel.toarray()) < np.linalg.norm(lifted.kernel.toarray())


@pytest.mark.parametrize("name", ["time_limit", "theta_limit"])
def test_a_wrong_limit_is_refused(name):
    with pytest.raises(LovaszError, match=f"{name}=-1"):
        lovasz.kernel(nx.path_graph(3), "lovasz", **{name: -1})
