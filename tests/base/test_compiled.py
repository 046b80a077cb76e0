"""Functions in two forms, plain and compiled, that return the same."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

from lovasz.base.compiled import Allowance, compiled
from lovasz.colors import exact, greedy
from lovasz.graphs import as_graph
from lovasz.graphs.operations import _number_components
from lovasz.number.reduction import combinatorial
from lovasz.number.reduction.crowns import match, split
from lovasz.number.reduction.dominance import dominate
from lovasz.number.reduction.neighbour_lists import NeighbourLists, compact
from lovasz.number.solvers import schur

GRAPHS = [
    nx.gnp_random_graph(40, 0.1, seed=1),
    nx.gnp_random_graph(30, 0.5, seed=2),
    nx.complement(nx.gnp_random_graph(90, 0.05, seed=3)),
    nx.random_labeled_tree(50, seed=4),
    nx.relaxed_caveman_graph(6, 5, 0.2, seed=5),
    nx.empty_graph(3),
]


@compiled
def _twice(x):
    return 2 * x


@compiled
def _four_times(x):
    return _twice(_twice(x))


def test_a_form_calls_the_same_form_of_others():
    assert _four_times.plain("ab") == "abababab"  # numba would refuse a string times an integer
    assert _four_times(3) == _four_times.fast(3) == _four_times.plain(3) == 12
    assert hasattr(_four_times.fast.py_func.__globals__["_twice"], "py_func")


def test_an_allowance_that_does_not_suffice_once_is_used_up():
    allowance = Allowance(10)
    assert allowance.spend(4) and allowance.spend(6)
    assert not allowance.spend(1) and not allowance.spend(0)
    assert not Allowance(10).spend(11)


def both(function, *args):
    """What the two forms return, and what they leave of their arguments."""
    answers = []
    for call in (function.plain, function.fast):
        copies = [copied(value) for value in args]
        answers.append((call(*copies), copies))
    return answers


def copied(value):
    if isinstance(value, NeighbourLists):
        return NeighbourLists(*(part.copy() for part in value))
    return value.copy() if isinstance(value, np.ndarray) else value


def same(a, b):
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b)


@pytest.mark.parametrize("network", GRAPHS, ids=str)
def test_reduction_is_the_same_in_both_forms(network):
    graph = as_graph(network)
    lists, n = NeighbourLists.of(graph), graph.n
    for weights in (np.zeros(0), np.arange(n) % 3 + 1.0):
        args = lists, weights, np.arange(n), lists.degree > 0
        (plain, left), fast = both(dominate, *args)
        assert same((plain, left), fast)
    lists = left[0]
    (plain, (lists, _)), fast = both(compact, lists, np.zeros(n, dtype=bool))
    assert same((plain, (lists, _)), fast)
    ((mate, level), left), fast = both(match, lists)
    assert same(((mate, level), left), fast)
    half = (lists.degree > 0) & (level < 0)
    plain, fast = both(split, lists, half, mate, np.zeros(n, dtype=bool))
    assert same(plain, fast)


@pytest.mark.parametrize("network", GRAPHS, ids=str)
def test_counting_is_the_same_in_both_forms(network):
    graph = as_graph(network)
    ends, indices = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
    w = np.arange(graph.n) % 3 + 1.0
    for function, args in (
        (_number_components, (ends, indices)),
        (combinatorial._greedy, (ends, indices, w)),
        (combinatorial._grown_cliques, (ends, indices)),
        (combinatorial._dsatur, (graph.adjacency.toarray() != 0, graph.degrees.astype(np.int64))),
        (combinatorial._sides, (ends, indices)),
    ):
        plain, fast = both(function, *args)
        assert same(plain, fast)


@pytest.mark.parametrize("network", GRAPHS, ids=str)
def test_colouring_is_the_same_in_both_forms(network):
    graph = as_graph(network)
    ends, indices = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
    adjacent, rows = graph.adjacency.toarray() != 0, np.arange(graph.n)
    for function, args in (
        (greedy.peel, (ends, indices)),
        (greedy.color_in_order, (ends, indices, rows)),
        (greedy.dsatur, (ends, indices, 5)),
        (greedy._match_greedily, (ends, indices)),
        (exact._induced, (ends, indices, rows[::2].copy(), -np.ones(graph.n, np.int64))),
        (exact.search_clique, (adjacent, rows, 0, 3000)),
        (exact.try_colors, (ends, indices, rows[:1], 4, 300, np.empty(graph.n, np.int64))),
    ):
        plain, fast = both(function, *args)
        assert same(plain, fast)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_schur_matrix_is_the_same_by_numpy_and_by_numba(order, monkeypatch):
    monkeypatch.setattr(schur, "CELLS", 50)
    first, second = np.nonzero(np.triu(np.random.default_rng(0).random((8, 8)) < 0.7))
    W, V = (M + M.T for M in np.random.default_rng(1).normal(size=(2, 8, 8)))
    filled = []
    for few in (True, False):
        pairs = schur.Pairs(first, second, 8)
        pairs.few = few
        out = np.zeros((len(pairs), len(pairs)), order=order)
        schur.schur(pairs, W, V, out)
        filled.append(np.tril(out))
    np.testing.assert_allclose(*filled, rtol=1e-12)  # the order of the terms may differ


def test_small_graphs_need_no_numba():
    code = """if True:
        import sys
        import lovasz
        lovasz.theta([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
        lovasz.theta([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0), (0, 3)])
        lovasz.coloring([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
        assert not {"numba", "torch", "networkx"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_a_place_for_the_cache_functions_are_compiled_all_the_same(monkeypatch):
    """As in a read-only installation with an unwritable home."""
    caching = pytest.importorskip("numba.core.caching")
    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    thrice = compiled(lambda x: 3 * x)
    assert thrice(2) == 6 and hasattr(thrice.fast, "py_func")
    assert thrice.is_cached()
