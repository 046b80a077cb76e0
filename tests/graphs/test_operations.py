"""Subgraphs, components and complements against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.graph import TABLE_UP_TO
from lovasz.graphs.operations import (
    co_components,
    complement_of,
    components,
    induced,
    submatrix,
)

random_graphs = st.builds(
    nx.gnp_random_graph, st.integers(1, 12), st.floats(0, 1), seed=st.integers(0, 2**31)
)


def sets(parts):
    return [set(part.tolist()) for part in parts]


@settings(deadline=None)
@given(random_graphs)
def test_components_are_those_of_networkx_in_order(graph):
    parts = components(as_graph(graph))
    assert sets(parts) == sorted(nx.connected_components(graph), key=min)
    assert all((np.diff(part) > 0).all() for part in parts)


@settings(deadline=None)
@given(random_graphs)
def test_co_components_are_the_components_of_the_complement(graph):
    parts = co_components(as_graph(graph))
    assert sets(parts) == sorted(nx.connected_components(nx.complement(graph)), key=min)


@given(random_graphs)
def test_the_complement_is_that_of_networkx(graph):
    found = complement_of(as_graph(graph)).adjacency.toarray()
    assert (found == nx.to_numpy_array(nx.complement(graph))).all()


@given(random_graphs, st.data())
def test_an_induced_subgraph_keeps_the_edges_among_its_rows(graph, data):
    rows = sorted(data.draw(st.sets(st.sampled_from(sorted(graph)))))
    found = induced(as_graph(graph), np.array(rows, dtype=np.int64))
    whole = as_graph(graph).adjacency.toarray()
    assert (found.adjacency.toarray() == whole[np.ix_(rows, rows)]).all()
    assert found.nodes == range(len(rows))


def test_all_rows_give_the_graph_itself():
    path = Graph.from_edges([0, 1], [1, 2], nodes=("a", "b", "c"))
    assert induced(path, np.arange(3)) is path


def test_a_complement_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2.0**10)
    with pytest.raises(LovaszError, match=r"the complement would need .* take a part of the graph"):
        complement_of(Graph.from_edges([0], [1], n=100))


@pytest.mark.parametrize("n", [1, 20, TABLE_UP_TO, TABLE_UP_TO + 1, 90])
def test_submatrices_small_and_large_are_those_of_scipy(n):
    rng = np.random.default_rng(n)
    dense = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
    matrix, rows = sparse.csr_array(dense), rng.integers(n, size=rng.integers(1, 2 * n + 1))
    found = submatrix(matrix, rows)
    assert found.has_sorted_indices and found.indices.dtype == np.int32
    assert np.array_equal(found.toarray(), dense[np.ix_(rows, rows)])
