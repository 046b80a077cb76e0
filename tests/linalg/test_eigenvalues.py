"""Extreme eigenvalues against dense solvers, and bounds that bound."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import lovasz
from lovasz.graphs import Graph
from lovasz.graphs.families import gnp
from lovasz.linalg import eigenvalues
from lovasz.linalg.eigenvalues import (
    DEPTH_DENSE_UP_TO,
    dense_largest,
    lanczos_largest,
    largest_eigenpairs,
    largest_eigenvalue_bound,
    smallest_eigenvalue_depth,
    spectral_norm_bound,
    start_vector,
)


@st.composite
def graphs(draw, largest=14):
    n = draw(st.integers(1, largest))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.from_edges([i for i, _ in chosen], [j for _, j in chosen], n=n)


@pytest.mark.parametrize("weights", ["adjacency", "normalized"])
def test_lanczos_agrees_with_the_dense_eigenvalue(weights):
    graph = gnp(DEPTH_DENSE_UP_TO + 300, 0.01, seed=3)
    K = lovasz.kernel(graph, "ls", weights=weights)
    smallest = np.linalg.eigvalsh(K.toarray()).min()
    assert -1e-9 < smallest < 1e-4


def test_a_kernel_is_the_same_every_time():
    graph = gnp(DEPTH_DENSE_UP_TO + 300, 0.01, seed=3)
    first, second = lovasz.kernel(graph, "ls"), lovasz.kernel(graph, "ls")
    assert (first != second).nnz == 0


@given(graphs())
def test_the_spectral_bound_bounds(graph):
    if graph.m:
        C = graph.adjacency
        assert spectral_norm_bound(C) >= np.abs(np.linalg.eigvalsh(C.toarray())).max() - 1e-9
        assert smallest_eigenvalue_depth(C) <= spectral_norm_bound(C) * (1 + 1e-9)


def test_ls_survives_a_lanczos_that_does_not_converge(monkeypatch):
    from scipy.sparse.linalg import ArpackNoConvergence

    def give_up(*args, **kwargs):
        raise ArpackNoConvergence("no", np.array([]), np.array([]))

    monkeypatch.setattr(eigenvalues, "eigsh", give_up)
    K = lovasz.kernel(gnp(DEPTH_DENSE_UP_TO + 100, 0.01, seed=0), "ls")
    assert np.linalg.eigvalsh(K.toarray()).min() > 0


@pytest.mark.parametrize("n", [1, 2, 40, 500])
def test_lanczos_finds_the_top(n):
    A = np.random.default_rng(n).normal(size=(n, n))
    A += A.T
    value, residual, vector = lanczos_largest(lambda v: A @ v, start_vector(n), tol=1e-10)
    assert value == pytest.approx(np.linalg.eigvalsh(A)[-1], rel=1e-8)
    assert np.linalg.norm(A @ vector - value * vector) <= residual + 1e-8


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [1, 5, 40, 1201])
def test_largest_eigenvalues_agree_with_lapack(n, form):
    """Below and above the sizes up to which LAPACK is used."""
    A = np.random.default_rng(n).normal(size=(n, n))
    A += A.T
    truth = np.linalg.eigvalsh(A)[::-1]
    assert dense_largest(A) == pytest.approx(truth[0])
    bound = largest_eigenvalue_bound(form(A))
    assert truth[0] * (1 - 1e-9) <= bound <= truth[0] * (1 + 1e-4)
    values, vectors = largest_eigenpairs(form(A), 3)
    assert values == pytest.approx(truth[:3], rel=1e-3)
    assert (vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))] > 0).all()


def test_the_bound_of_a_zero_matrix_is_zero():
    assert largest_eigenvalue_bound(sparse.csr_array((50, 50))) == 0


def test_a_matrix_that_bisection_fails_on_is_decomposed(monkeypatch):
    plain = scipy.linalg.eigvalsh

    def failing(M, subset_by_index=None, driver=None):
        if subset_by_index is not None:
            raise scipy.linalg.LinAlgError("Internal Error.")
        return plain(M, driver=driver)

    monkeypatch.setattr("scipy.linalg.eigvalsh", failing)
    assert dense_largest(np.diag([1.0, 3.0, 2.0])) == pytest.approx(3)
