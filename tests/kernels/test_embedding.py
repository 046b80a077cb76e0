"""The embedding is orthonormal with its handle."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lovasz
from lovasz.base.errors import LovaszError


def matrices(largest=9):
    return st.integers(1, largest).flatmap(
        lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n).map(
            lambda bits: np.triu(np.array(bits).reshape(n, n), 1).astype(float)
        )
    )


@settings(deadline=None, max_examples=40)
@given(matrices())
def test_the_embedding_is_orthonormal_with_its_handle(upper):
    A = upper + upper.T
    E = lovasz.embedding(A)
    G = E.vectors @ E.vectors.T
    np.testing.assert_allclose(np.diag(G), 1, atol=1e-6)
    assert np.abs(G[(A == 0) & ~np.eye(len(A), dtype=bool)]).max(initial=0) < 1e-6
    assert np.linalg.norm(E.handle) == 1
    np.testing.assert_allclose((E.vectors @ E.handle) ** -2, E.upper, rtol=1e-9)


@pytest.mark.parametrize("graph", [nx.petersen_graph(), nx.empty_graph(10)])
def test_a_short_embedding_has_unit_vectors(graph):
    E = lovasz.embedding(graph, dim=3)
    assert E.vectors.shape == (10, 3)
    np.testing.assert_allclose(np.linalg.norm(E.vectors, axis=1), 1, atol=1e-9)


def test_too_few_dimensions_are_refused():
    with pytest.raises(LovaszError, match="dim=1"):
        lovasz.embedding(nx.path_graph(4), dim=1)


def test_at_a_time_limit_the_vectors_are_those_of_a_proven_bound():
    graph = nx.gnp_random_graph(60, 0.3, seed=2)
    A, E = nx.to_numpy_array(graph), lovasz.embedding(graph, time_limit=0)
    G = E.vectors @ E.vectors.T
    np.testing.assert_allclose(np.diag(G), 1, atol=1e-6)
    assert np.abs(G[(A == 0) & ~np.eye(60, dtype=bool)]).max() < 1e-6
    assert E.upper == lovasz.theta(graph, time_limit=0).upper > lovasz.theta(graph).upper


def test_a_time_limit_below_the_last_step_is_an_error(monkeypatch):
    monkeypatch.setattr("lovasz.kernels.embedding.DENSE_SECONDS", 1.0)
    monkeypatch.setattr("lovasz.kernels.embedding.crowding", lambda: 1.0)
    with pytest.raises(LovaszError, match=r"time_limit=5: .* 10 nodes takes about 1,000 seconds"):
        lovasz.embedding(nx.petersen_graph(), time_limit=5)
    with pytest.raises(LovaszError, match="time_limit=-1"):
        lovasz.embedding(nx.petersen_graph(), time_limit=-1)


@pytest.mark.parametrize("dim", ["two", 2.5, float("nan"), 0])
def test_a_dimension_is_a_whole_number(dim):
    with pytest.raises(LovaszError, match="dim="):
        lovasz.embedding([(0, 1), (1, 2)], dim=dim)
