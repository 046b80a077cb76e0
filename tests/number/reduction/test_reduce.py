"""Laws of reduce: the core has the same ϑ, its kernels lift, and nothing is left to remove."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from tests.number.oracle import optimum, theta

from lovasz import datasets
from lovasz.base.compiled import COMPILING, PLAIN, Allowance
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.graphs.families import caveman, gnp
from lovasz.number.reduction.crowns import match, split
from lovasz.number.reduction.dominance import dominate
from lovasz.number.reduction.neighbour_lists import NeighbourLists, compact
from lovasz.number.reduction.reduce import compiling, reduce

law = settings(deadline=None)  # the first call compiles


def graph_of(edges, n) -> Graph:
    edges = list(edges)
    return Graph.from_edges([u for u, _ in edges], [v for _, v in edges], n=n)


@st.composite
def graphs(draw, most=9, least=0):
    n = draw(st.integers(least, most))
    pairs = list(combinations(range(n), 2))
    return graph_of(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [], n)


@st.composite
def weighted_graphs(draw):
    graph = draw(graphs(least=1))
    # Few values, so that ties happen.
    values = st.sampled_from([1.0, 2.0, 2.5, 7.0])
    return graph, np.array(draw(st.lists(values, min_size=graph.n, max_size=graph.n)))


def dense(graph) -> np.ndarray:
    return graph.adjacency.toarray() != 0


def core(graph, reduction) -> np.ndarray:
    return dense(graph)[np.ix_(reduction.kept, reduction.kept)]


def lifted(graph, reduction, kernel, weights) -> np.ndarray:
    """The formula of Reduction, on the edges alone."""
    r = np.searchsorted(reduction.kept, reduction.representative)
    scale = np.sqrt(weights / weights[reduction.representative])
    return np.where(dense(graph), np.outer(scale, scale) * kernel[np.ix_(r, r)], np.eye(graph.n))


def assert_law(graph, weights=None):
    reduction = reduce(graph, weights)
    w = np.ones(graph.n) if weights is None else weights
    t, kernel = optimum(core(graph, reduction), w[reduction.kept])
    assert t == pytest.approx(theta(dense(graph), w), abs=1e-6)
    if graph.n:
        full = lifted(graph, reduction, kernel, w)
        assert np.linalg.eigvalsh(full)[0] >= -1e-6
        assert np.linalg.eigvalsh(t * full - np.sqrt(np.outer(w, w)))[0] >= -1e-6 * w.sum()
        np.testing.assert_array_equal(np.diag(full), 1)
    return reduction


def dominated(adjacency, weights=None):
    """Pairs u ~ v with N[u] ⊆ N[v] and w_u ≥ w_v."""
    closed = adjacency | np.eye(len(adjacency), dtype=bool)
    outside = closed.astype(np.float32) @ (~closed).astype(np.float32)  # |N[u] ∖ N[v]|
    heavy = True if weights is None else weights[:, None] >= weights
    return np.argwhere(adjacency & (outside == 0) & heavy).tolist()


@law
@given(graphs())
def test_theta_stays_and_kernels_lift(graph):
    assert_law(graph)


@pytest.mark.parametrize("number", range(3, 1253, 25))
def test_theta_stays_on_the_atlas(number):
    g = nx.graph_atlas(number)
    assert_law(graph_of(g.edges, g.number_of_nodes()))


@law
@given(weighted_graphs())
def test_weighted_theta_stays_and_kernels_lift(drawn):
    graph, weights = drawn
    reduction = assert_law(graph, weights)
    assert reduction.counts["crown"] == 0
    assert (weights[reduction.representative] >= weights).all()


@law
@given(graphs(most=14))
def test_nonadjacent_nodes_have_different_nonadjacent_representatives(graph):
    reduction, adjacency = reduce(graph), dense(graph)
    r = reduction.representative
    assert r.dtype == np.int64
    np.testing.assert_array_equal(np.sort(reduction.kept), reduction.kept)
    np.testing.assert_array_equal(r[reduction.kept], reduction.kept)
    assert np.isin(r, reduction.kept).all()
    assert sum(reduction.counts.values()) == graph.n - reduction.kept.size
    apart = ~adjacency & ~np.eye(graph.n, dtype=bool)
    assert not (apart & (r[:, None] == r)).any()
    assert not (apart & adjacency[np.ix_(r, r)]).any()


@law
@given(graphs(most=14))
def test_no_dominance_is_left(graph):
    assert dominated(core(graph, reduce(graph))) == []


@law
@given(weighted_graphs())
def test_no_weighted_dominance_is_left(drawn):
    graph, weights = drawn
    reduction = reduce(graph, weights)
    assert dominated(core(graph, reduction), weights[reduction.kept]) == []


@law
@given(graphs(most=10))
def test_no_crown_is_left(graph):
    """Every independent set of nodes with neighbours has more neighbours than members."""
    left = core(graph, reduce(graph))
    left = left[np.ix_(left.any(axis=0), left.any(axis=0))]
    for size in range(1, len(left)):
        for chosen in map(list, combinations(range(len(left)), size)):
            if not left[np.ix_(chosen, chosen)].any():
                assert left[chosen].any(axis=0).sum() > size


@law
@given(graphs(most=8, least=1), st.randoms(use_true_random=False))
def test_names_do_not_matter_to_theta(graph, random):
    order = list(range(graph.n))
    random.shuffle(order)
    other = graph_of([(order[u], order[v]) for u, v in zip(*graph.edges(), strict=True)], graph.n)
    values = [theta(core(g, reduce(g))) for g in (graph, other)]
    assert values[0] == pytest.approx(values[1], abs=1e-6)


@law
@given(st.lists(st.floats(0, 1), max_size=40))
def test_trees_become_isolated_nodes(draws):
    edges = [(int(x * k), k) for k, x in enumerate(draws, start=1) if x < 1]
    graph = graph_of(edges, len(draws) + 1)
    reduction = reduce(graph)
    matching = nx.max_weight_matching(nx.Graph(edges), maxcardinality=True)
    assert not core(graph, reduction).any()
    assert reduction.kept.size == graph.n - len(matching)  # König


@law
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=40))
def test_interval_graphs_become_isolated_nodes(intervals):
    """Chordal graphs; α is found by taking the interval that ends first."""
    ends = [(a, a + length) for a, length in intervals]
    meets = [
        (i, j)
        for i, j in combinations(range(len(ends)), 2)
        if ends[i][0] <= ends[j][1] and ends[j][0] <= ends[i][1]
    ]
    graph = graph_of(meets, len(ends))
    reduction = reduce(graph)
    alpha, last = 0, -1
    for first, end in sorted(ends, key=lambda interval: interval[1]):
        if first > last:
            alpha, last = alpha + 1, end
    assert not core(graph, reduction).any()
    assert reduction.kept.size == alpha
    assert not core(graph, reduce(graph, np.ones(graph.n))).any()  # without crowns too


@law
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(12, 23)), max_size=70))
def test_bipartite_graphs_become_isolated_nodes(edges):
    graph = graph_of(edges, 24)
    reduction = reduce(graph)
    halves = nx.Graph(edges)
    halves.add_nodes_from(range(24))
    matching = nx.bipartite.hopcroft_karp_matching(halves, range(12))
    assert not core(graph, reduction).any()
    assert reduction.kept.size == 24 - len(matching) // 2  # König


def test_hypercubes_and_cavemen_are_solved():
    cube = nx.convert_node_labels_to_integers(nx.hypercube_graph(10))
    reduction = reduce(graph_of(cube.edges, 1024))
    assert reduction.counts == {"dominance": 0, "crown": 512}
    graph = caveman(50, 10).graph
    reduction = reduce(graph)
    assert reduction.kept.size == 100
    assert not core(graph, reduction).any()


@pytest.mark.parametrize("g", [nx.cycle_graph(5), nx.cycle_graph(9), nx.petersen_graph()])
def test_what_cannot_be_reduced_stays(g):
    n = g.number_of_nodes()
    reduction = reduce(graph_of(g.edges, n))
    np.testing.assert_array_equal(reduction.kept, np.arange(n))
    np.testing.assert_array_equal(reduction.representative, np.arange(n))
    assert reduction.counts == {"dominance": 0, "crown": 0}


def test_crown_opens_the_way_to_dominance():
    hexagon = [(0, 3), (3, 1), (1, 4), (4, 2), (2, 5), (5, 0)]
    triangle = [(6, 7), (7, 8), (8, 6), (6, 3), (7, 4), (8, 5)]
    graph = graph_of(hexagon + triangle, 9)
    assert dominated(dense(graph)) == []
    reduction = reduce(graph)
    assert reduction.counts == {"dominance": 2, "crown": 3}
    assert reduction.kept[:3].tolist() == [0, 1, 2]
    assert reduction.kept.size == 4


def test_dominance_opens_the_way_to_a_second_crown():
    octagon = [(k, 4 + k) for k in range(4)] + [(k, 4 + (k + 1) % 4) for k in range(4)]
    rim = [(8 + k, 8 + (k + 1) % 4) for k in range(4)] + [(8 + k, 4 + k) for k in range(4)]
    hub = [(8 + k, 12) for k in range(4)]
    graph = graph_of(octagon + rim + hub, 13)
    assert dominated(dense(graph)) == []
    reduction = reduce(graph)
    assert reduction.counts == {"dominance": 1, "crown": 6}
    assert not core(graph, reduction).any()


@pytest.mark.parametrize("both_sides", [False, True])
def test_a_square_is_a_crown_unless_both_its_sides_hang_on_odd_cycles(both_sides):
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    pentagon = [(4 + k, 4 + (k + 1) % 5) for k in range(5)]
    graph = graph_of(square + pentagon + [(0, 4)] + [(1, 6)] * both_sides, 9)
    reduction = assert_law(graph)
    assert reduction.counts["crown"] == (0 if both_sides else 2)
    assert both_sides or {1, 3} < set(reduction.kept.tolist())


def test_heavier_nodes_are_not_given_to_lighter_ones():
    leaf = graph_of([(0, 1)], 2)
    assert reduce(leaf, np.array([1.0, 1.0])).kept.size == 1
    assert reduce(leaf, np.array([1.0, 2.0])).kept.tolist() == [1]
    star = graph_of([(0, 1), (0, 2)], 3)
    assert reduce(star, np.array([3.0, 2.0, 2.0])).kept.tolist() == [0, 1, 2]


def test_index_types_share_one_compilation_and_the_graph_is_left_alone(monkeypatch):
    monkeypatch.setattr(PLAIN, "left", -1.0)  # so that numba is used
    graph = gnp(500, 0.006, seed=3)
    before = graph.adjacency.copy()
    expected = reduce(graph)
    wide = sparse.csr_array(graph.adjacency)
    wide.indices, wide.indptr = (wide.indices.astype(np.int64), wide.indptr.astype(np.int64))
    assert wide.indices.dtype == np.int64
    reduction = reduce(Graph(wide, range(500)))
    reduce(graph, np.ones(500))
    np.testing.assert_array_equal(reduction.representative, expected.representative)
    assert (graph.adjacency != before).nnz == 0
    assert [len(f.fast.signatures) for f in (dominate, compact, match, split)] == [1, 1, 1, 1]


def sparse_graph():
    return gnp(1000, 4 / 1000, seed=0)


def dense_graph():
    """The complement of a sparse graph: neighbourhoods are compared as bits."""
    return graph_of(np.argwhere(np.triu(~dense(gnp(300, 0.01, seed=0)), k=1)).tolist(), 300)


@pytest.mark.parametrize("make", [sparse_graph, dense_graph])
@pytest.mark.parametrize("weighted", [False, True])
def test_larger_graphs_are_reduced_to_the_end(make, weighted):
    graph = make()
    weights = np.arange(graph.n) % 7 + 1.0 if weighted else None
    reduction = reduce(graph, weights)
    assert 0 < reduction.counts["dominance"] < graph.n / 2
    left = core(graph, reduction)
    assert dominated(left, None if weights is None else weights[reduction.kept]) == []
    r, (u, v) = reduction.representative, np.nonzero(~dense(graph))
    assert not dense(graph)[r[u], r[v]].any()
    assert (r[u] != r[v])[u != v].all()


@pytest.mark.parametrize(
    ("weights", "words"),
    [([1, 2], "2"), ([1, 0, 1], r"weights\[1\]=0"), ([1, 1, np.nan], "positive")],
)
def test_unusable_weights_are_named(weights, words):
    with pytest.raises(LovaszError, match=words):
        reduce(graph_of([(0, 1)], 3), np.array(weights, dtype=float))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "value", "most"),
    [
        ("cora", 1451, 65),
        ("citeseer", 1865 + np.sqrt(5), 195),
        ("pubmed", 15910 + np.sqrt(5), 16),
    ],
)
def test_citation_graphs_have_small_cores(name, value, most):
    graph = datasets.load(name).graph
    reduction = reduce(graph)
    left = graph.adjacency[reduction.kept][:, reduction.kept]
    _, label = connected_components(left, directed=False)
    sizes = np.bincount(label)
    assert sizes[sizes > 1].sum() <= most
    total = float((sizes == 1).sum())
    for piece in np.flatnonzero(sizes > 1):
        rows = np.flatnonzero(label == piece)
        total += theta(left[rows][:, rows].toarray())
    assert total == pytest.approx(value, abs=1e-6)


def test_the_first_large_graph_of_an_installation_says_that_it_compiles(tmp_path, monkeypatch):
    large = gnp(5000, 0.002, seed=0)
    dominate.fast(
        NeighbourLists.of(graph_of([(0, 1)], 2)), np.zeros(0), np.arange(2), np.ones(2, "?")
    )
    assert compiling(large) == ""
    path = type("Stats", (), {"cache_path": str(tmp_path)})
    monkeypatch.setitem(dominate.__dict__, "fast", type("Fresh", (), {"stats": path}))
    assert compiling(large) == COMPILING
    monkeypatch.setattr("lovasz.number.reduction.reduce.PLAIN", Allowance(1000))
    assert compiling(graph_of([(0, 1)], 2)) == ""
