"""Laws of colourings: valid always, bounds that contain the truth, names that survive."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g
from tests.number.test_theta import alpha, cover_number

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import gnp, sbm

ATLAS = [graph for graph in graph_atlas_g() if graph.number_of_nodes()][::9]


def matrix(graph):
    return nx.to_numpy_array(graph, weight=None)


def complement(A):
    return 1 - A - np.eye(len(A))


def check_partition(A, found, truth):
    """Valid on A (classes independent), and between its bounds."""
    colors = found.colors
    assert len(colors) == len(A) and set(colors.tolist()) == set(range(found.size))
    assert not A[colors[:, None] == colors].any()
    rows = [list(found.nodes).index(v) for v in found.witness]
    assert A[np.ix_(rows, rows)].sum() == len(rows) * (len(rows) - 1)
    assert len(rows) <= found.lower <= truth <= found.size == found.upper
    assert found.theta[0] <= found.theta[1] and found.theta[0] <= truth
    assert found.optimal == (found.lower == found.size)
    sizes = np.bincount(colors)
    assert (np.diff(sizes) <= 0).all()


def check_set(A, found, truth):
    """Independent in A, and between its bounds."""
    rows = found.rows
    assert not A[np.ix_(rows, rows)].any()
    assert found.size == len(found.members) == found.lower <= truth <= found.upper


def check_all(graph, **options):
    A = matrix(graph)
    B = complement(A)
    check_partition(A, lovasz.coloring(graph, **options), cover_number(B))
    check_partition(B, lovasz.clique_cover(graph, **options), cover_number(A))
    check_set(A, lovasz.independent_set(graph, **options), alpha(A))
    check_set(B, lovasz.max_clique(graph, **options), alpha(B))


def test_small_graphs_of_the_atlas_are_all_proven():
    for graph in ATLAS:
        check_all(graph)
        for search in (
            lovasz.coloring, lovasz.clique_cover, lovasz.independent_set, lovasz.max_clique,
        ):  # fmt: skip
            assert search(graph).optimal


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 9), st.floats(0, 1), st.integers(0, 99), st.sampled_from([0, 0.1, 1]))
def test_random_graphs_against_counting(n, p, seed, effort):
    check_all(nx.gnp_random_graph(n, p, seed=seed), effort=effort, random_state=seed)


@pytest.mark.parametrize("name", ["coloring", "clique_cover", "independent_set", "max_clique"])
def test_no_nodes_one_node_and_no_edges(name):
    search = getattr(lovasz, name)
    assert search(nx.empty_graph(0)).size == 0 and search(nx.empty_graph(0)).optimal
    assert search(nx.empty_graph(1)).size == 1
    few = name in ("coloring", "max_clique")
    assert search(nx.empty_graph(7)).size == (1 if few else 7)
    assert search(nx.complete_graph(7)).size == (7 if few else 1)
    assert search(nx.empty_graph(7)).optimal


def test_disjoint_unions_and_joins():
    five, clique = nx.cycle_graph(5), nx.complete_graph(4)
    union = nx.disjoint_union_all([five, five, clique])
    assert lovasz.clique_cover(union).size == 3 + 3 + 1 and lovasz.clique_cover(union).lower == 7
    assert lovasz.coloring(union).size == 4
    join = nx.complement(nx.disjoint_union(nx.complement(five), nx.complement(five)))
    assert lovasz.coloring(join).size == 6 and lovasz.coloring(join).optimal
    assert lovasz.clique_cover(join).size == 3


def test_names_and_their_order_survive():
    graph = nx.gnp_random_graph(40, 0.4, seed=3)
    names = {v: f"node {(7 * v) % 40:02d}" for v in graph}
    plain, named = lovasz.coloring(graph), lovasz.coloring(nx.relabel_nodes(graph, names))
    assert list(named.nodes) == [names[v] for v in graph]
    assert np.array_equal(plain.colors, named.colors)
    assert named.witness == [names[v] for v in plain.witness]
    assert [names[v] for part in plain.classes for v in part] == [
        v for part in named.classes for v in part
    ]
    shuffled = nx.Graph()
    shuffled.add_nodes_from(np.random.default_rng(0).permutation(40).tolist())
    shuffled.add_edges_from(graph.edges)
    other = lovasz.coloring(shuffled)
    assert max(other.lower, plain.lower) <= min(other.size, plain.size)


def test_the_same_seed_gives_the_same_colours():
    graph = gnp(60, 0.5, seed=1)
    first, second = (lovasz.coloring(graph, random_state=5, effort=0.02) for _ in range(2))
    assert np.array_equal(first.colors, second.colors) and first.lower == second.lower


@pytest.mark.parametrize("options", [{"time_limit": 0}, {"stop": lambda: True}, {"effort": 0}])
def test_without_time_the_answer_is_valid(options):
    graph = nx.gnp_random_graph(80, 0.5, seed=0)
    A = matrix(graph)
    found = lovasz.coloring(graph, **options)
    check_partition(A, found, found.size)
    cover = lovasz.clique_cover(graph, **options)
    check_partition(complement(A), cover, cover.size)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"effort": -1}, "effort=-1"),
        ({"effort": float("nan")}, "effort=nan"),
        ({"effort": float("inf")}, "effort=inf"),
        ({"time_limit": -2}, "time_limit=-2"),
        ({"random_state": "x"}, "random_state='x'"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_bad_options_are_named(options, word):
    with pytest.raises(LovaszError, match=word):
        lovasz.coloring([(0, 1)], **options)


def test_local_search_beats_greed():
    graph = nx.convert_node_labels_to_integers(
        nx.strong_product(nx.cycle_graph(5), nx.cycle_graph(5))
    )
    # The Shannon capacity of C5: α(C5 ⊠ C5) = 5 = ϑ = √5², though α(C5)² = 4.
    found = lovasz.independent_set(graph)
    assert found.size == 5 and found.optimal
    planted = sbm([25] * 4, np.where(np.eye(4, dtype=bool), 0, 0.5), seed=0).graph
    assert lovasz.coloring(planted).size == 4


def test_a_large_sparse_graph_is_coloured():
    graph = gnp(30_000, 4 / 30_000, seed=0)
    found = lovasz.coloring(graph, effort=0.2)
    i, j = graph.edges()
    assert (found.colors[i] != found.colors[j]).all() and found.size <= 4
    cover = lovasz.clique_cover(graph, effort=0.01)
    assert cover.lower <= cover.size <= 1.1 * cover.lower


@pytest.mark.data
def test_cora_is_solved():
    from lovasz.datasets import load

    graph = load("cora").graph
    assert lovasz.coloring(graph).optimal
    cover, chosen = lovasz.clique_cover(graph), lovasz.independent_set(graph)
    assert chosen.size == 1451 and chosen.optimal
    assert cover.size == 1451 and cover.optimal
