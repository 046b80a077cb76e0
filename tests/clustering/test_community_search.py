"""lovasz.communities: what it finds, what it refuses, what it promises about any graph."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_mutual_info_score

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import gnp, planted_partition


def agreement(y, found):
    return adjusted_mutual_info_score(y, found.membership)


@pytest.mark.parametrize(
    "n, k, p, q", [(300, 3, 0.2, 0.02), (300, 3, 0.6, 0.35), (600, 4, 0.06, 0.005)]
)
def test_a_planted_partition_and_its_number_are_found(n, k, p, q):
    graph, y, _ = planted_partition(n, k, p, q, seed=1)
    for found in (lovasz.communities(graph), lovasz.communities(graph, k)):
        large = [members for members in found if len(members) > 2]
        assert len(large) == k
        assert agreement(y, found) > 0.9


def test_refinement_beats_the_vectors_near_the_threshold():
    scores = []
    for seed in range(3):
        graph, y, _ = planted_partition(1000, 2, 12 / 1000, 4 / 1000, seed=seed)
        plain = lovasz.communities(graph, 2, refine=False)
        scores.append((agreement(y, lovasz.communities(graph, 2)), agreement(y, plain)))
    refined, vectors = np.mean(scores, axis=0)
    assert refined > vectors + 0.05 > 0.3


@pytest.mark.parametrize("n, p", [(300, 0.02), (300, 0.5), (1000, 0.006)])
def test_a_random_graph_has_one_community(n, p):
    for seed in range(3):
        sizes = sorted(map(len, lovasz.communities(gnp(n, p, seed=seed))))
        assert sizes[-1] > 0.9 * n and all(size <= 3 for size in sizes[:-1])


def test_confidence_is_a_probability_that_is_borne_out():
    graph, y, _ = planted_partition(3000, 2, 14 / 3000, 4 / 3000, seed=0)
    found = lovasz.communities(graph, 2)
    right = found.membership == y
    right = right if right.mean() > 0.5 else ~right
    assert abs(found.confidence.mean() - right.mean()) < 0.04
    sure = found.confidence > np.median(found.confidence)
    assert right[sure].mean() > right[~sure].mean() + 0.05


def test_the_karate_club_splits_as_it_did():
    club = nx.karate_club_graph()
    found = lovasz.communities(club)
    factions = [club.nodes[node]["club"] for node in club]
    assert found.k == 2
    assert agreement(factions, found) > 0.8


def test_names_survive_and_every_node_is_in_one_set():
    graph = [("a", "b"), ("b", "c"), ("c", "a"), ("c", 7), (7, 8), (8, (1, 2)), ((1, 2), 7)]
    found = lovasz.communities(graph, 2)
    assert isinstance(found, list)
    assert sorted(map(len, found)) == [3, 3]
    assert {"a", "b", "c"} in found and {7, 8, (1, 2)} in found
    for node, code in zip(found.nodes, found.membership, strict=True):
        assert node in found[code]


def test_another_order_of_the_nodes_gives_the_same_sets():
    graph, _, _ = planted_partition(120, 3, 0.5, 0.03, seed=2)
    edges = list(zip(*(end.tolist() for end in graph.edges()), strict=True))
    order = np.random.default_rng(0).permutation(len(edges))
    first = lovasz.communities(edges)
    second = lovasz.communities([edges[i][::-1] for i in order])
    assert {frozenset(c) for c in first} == {frozenset(c) for c in second}
    assert first.k == 3


def test_the_same_seed_gives_the_same_answer():
    graph, _, _ = planted_partition(400, 4, 0.06, 0.02, seed=0)
    one, two = (lovasz.communities(graph, 4, random_state=5) for _ in range(2))
    assert one == two
    assert (one.confidence == two.confidence).all()


def test_components_and_isolated_nodes_are_apart():
    graph = nx.disjoint_union_all([nx.complete_graph(12), nx.complete_graph(9), nx.empty_graph(2)])
    found = lovasz.communities(graph)
    assert found == [set(range(12)), set(range(12, 21)), {21}, {22}]
    assert (found.confidence == 1).all()
    joined = lovasz.communities(graph, 2)
    assert joined.k == 2 and sum(map(len, joined)) == 23
    assert not any({0, 12} <= members for members in joined)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_graphs_without_edges(n):
    assert lovasz.communities(nx.empty_graph(n)) == [{node} for node in range(n)]
    for k in range(1, n + 1):
        assert all(map(len, lovasz.communities(nx.empty_graph(n), k)))


def test_the_graph_without_nodes():
    found = lovasz.communities(nx.Graph())
    assert found == [] and found.k == 0 and len(found.membership) == 0


def test_one_community_and_as_many_as_nodes():
    graph = nx.path_graph(6)
    assert lovasz.communities(graph, 1) == [set(range(6))]
    assert sorted(map(len, lovasz.communities(graph, 6))) == [1] * 6


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 14), st.integers(0, 2**32 - 1), st.floats(0, 1), st.data())
def test_k_is_k_on_any_graph(n, seed, p, data):
    graph = gnp(n, p, seed=seed)
    k = data.draw(st.integers(1, n))
    found = lovasz.communities(graph, k)
    assert len(found) == k and all(found)
    assert set().union(*found) == set(range(n)) and sum(map(len, found)) == n
    assert ((found.confidence >= 0) & (found.confidence <= 1 + 1e-9)).all()


def test_labels_are_kept_and_lead_the_others():
    graph, y, _ = planted_partition(300, 3, 0.12, 0.03, seed=0)
    names = np.array(["x", "y", "z"])[y]
    seeds = {int(i): names[i] for i in np.random.default_rng(0).permutation(300)[:30]}
    wrong = next(i for i in range(300) if i not in seeds)
    seeds[wrong] = "x" if names[wrong] != "x" else "y"
    found = lovasz.communities(graph, labels=seeds)
    assert list(found.names) == ["x", "y", "z"]
    answer = np.array(found.names)[found.membership]
    assert all(answer[node] == label for node, label in seeds.items())
    assert (answer == names).mean() > 0.9
    assert (found.confidence[list(seeds)] == 1).all()


def test_labels_help_where_the_graph_alone_says_little():
    graph, y, _ = planted_partition(1000, 4, 24 / 1000, 8 / 1000, seed=3)
    known = np.where(np.random.default_rng(0).random(1000) < 0.2, y, -1)
    seeded, alone = lovasz.communities(graph, labels=known), lovasz.communities(graph, 4)
    hidden = known < 0
    assert adjusted_mutual_info_score(
        y[hidden], seeded.membership[hidden]
    ) > adjusted_mutual_info_score(y[hidden], alone.membership[hidden])
    assert (seeded.membership[hidden] == y[hidden]).mean() > 0.5  # the names are right, too


def test_more_communities_than_classes():
    graph, y, _ = planted_partition(300, 3, 0.3, 0.02, seed=0)
    found = lovasz.communities(graph, 3, labels={0: "first", 1: "first"})
    assert list(found.names) == ["first", "community 1", "community 2"]
    assert agreement(y, found) > 0.95 and {0, 1} <= found[0]


@pytest.mark.parametrize("kernel", ["lovasz", "gcn", "matrix"])
@pytest.mark.parametrize("k", [2, None])
def test_other_kernels(kernel, k):
    graph, y, _ = planted_partition(40, 2, 0.7, 0.1, seed=0)
    kernel = graph.adjacency.toarray() if kernel == "matrix" else kernel
    found = lovasz.communities(graph, k, kernel=kernel)
    assert found.k == 2
    assert agreement(y, found) > 0.8


@pytest.mark.parametrize(
    "options, said",
    [
        ({"k": 0}, "k=0"),
        ({"k": 7}, "from 1 to 6"),
        ({"k": 2.5}, "k=2.5"),
        ({"k": 1, "labels": {0: "a", 1: "b"}}, "2 classes"),
        ({"labels": {"stranger": 1}}, "stranger"),
        ({"labels": [-1] * 6}, "label one"),
        ({"kernel": "nonsense"}, "nonsense"),
        ({"random_state": -1}, "random_state=-1"),
        ({"kernel": np.eye(3)}, "6 x 6"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, said):
    with pytest.raises(LovaszError, match=said) as caught:
        lovasz.communities(nx.cycle_graph(6), **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("limit", [0, 3, 10, 30, 100])
@pytest.mark.parametrize("refine", [True, False])
def test_at_a_time_limit_the_best_partition_so_far_is_returned(ticking, limit, refine):
    """Every look at the clock takes a second, so that these limits end the search everywhere."""
    parts = [planted_partition(60, 3, 0.5, 0.05, seed=1)[0], gnp(5, 0.9, seed=0), gnp(4, 1, seed=0)]
    graph = nx.disjoint_union_all([part.to_networkx() for part in parts])
    for k in (None, 4):
        found = lovasz.communities(graph, k, refine=refine, time_limit=limit)
        assert sorted(node for members in found for node in members) == list(range(69))
        assert all(found) and found.k == (k or found.k)
        assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
        assert limit > 10 or found.status.startswith("time limit")


def test_labels_are_kept_at_a_time_limit(ticking):
    graph = planted_partition(90, 3, 0.4, 0.03, seed=0).graph
    given = {0: "a", 40: "b", 80: "c"}
    for limit in (0, 5, 20):
        found = lovasz.communities(graph, labels=given, time_limit=limit)
        assert all(node in found[found.names.index(name)] for node, name in given.items())


def test_a_time_limit_that_is_not_reached_changes_nothing():
    graph, _, _ = planted_partition(200, 3, 0.2, 0.03, seed=2)
    plain, limited = lovasz.communities(graph), lovasz.communities(graph, time_limit=1e6)
    assert limited.status == plain.status == "complete"
    np.testing.assert_array_equal(limited.membership, plain.membership)
    np.testing.assert_allclose(limited.confidence, plain.confidence, atol=1e-6)


def test_a_large_graph_is_cut_short_inside_arpack(ticking):
    graph, y, _ = planted_partition(3000, 3, 0.02, 0.002, seed=0)
    found = lovasz.communities(graph, 3, time_limit=60, refine=False)
    assert found.status.startswith("time limit") and found.k == 3
    assert agreement(y, found) > 0.2  # few products with the matrix show that much


def test_components_that_are_not_reached_are_one_community_each(ticking):
    graph = nx.disjoint_union_all([nx.barbell_graph(6, 0)] * 4)
    found = lovasz.communities(graph, time_limit=1)
    assert found.k >= 4
    first = [{node // 12 for node in members} for members in found]
    assert all(len(parts) == 1 for parts in first)


def test_a_wrong_time_limit_is_refused():
    with pytest.raises(LovaszError, match="time_limit=-1"):
        lovasz.communities(nx.path_graph(4), time_limit=-1)
