"""Sets are independent, covers are made of cliques, and their weights are rounded outwards."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lovasz import as_graph
from lovasz.number.reduction import combinatorial as counting

weights = st.lists(
    st.one_of(st.floats(1e-300, 1e300), st.integers(1, 2**60).map(float)), min_size=1, max_size=20
)


def is_independent(graph, chosen):
    return not graph.adjacency[chosen][:, chosen].nnz


def is_cover(graph, clique):
    linked = graph.adjacency.toarray() != 0
    same = clique[:, None] == clique
    return bool((linked | np.eye(graph.n, dtype=bool))[same].all())


@pytest.mark.parametrize("p", [0.03, 0.2, 0.5, 0.9])
def test_greedy_sets_and_covers_are_what_they_claim(p):
    rng = np.random.default_rng(0)
    for seed in range(15):
        graph = as_graph(nx.gnp_random_graph(25, p, seed=seed))
        w = rng.uniform(0.1, 10, graph.n)
        for chosen in (
            counting.greedy_independent_set(graph, w),
            counting.greedy_set_by_score(graph, w),
        ):
            assert is_independent(graph, chosen)
            reached = graph.adjacency[chosen].sum(axis=0) > 0
            reached[chosen] = True
            assert reached.all()  # no node can be added
        indptr, indices = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
        for clique in (
            counting.greedy_clique_cover(graph),
            counting._coloured_complement(graph),
            counting._grown_cliques.plain(indptr, indices),
        ):
            assert is_cover(graph, clique)
        K = counting.cover_kernel(graph, w, clique).toarray()
        t = counting.cover_weight(w, clique)
        assert (K == K.T).all() and (np.diag(K) == 1).all()
        assert np.linalg.eigvalsh(t * K - np.sqrt(np.outer(w, w)))[0] > -1e-9 * t


@pytest.mark.parametrize("seed", range(10))
def test_koenig_gives_a_set_and_a_cover_of_one_size(seed):
    network = nx.bipartite.random_graph(9, 7, 0.3, seed=seed)
    network = network.subgraph(max(nx.connected_components(network), key=len))
    graph = as_graph(network)
    side = counting.bipartition(graph)
    assert is_independent(graph, np.flatnonzero(side == 0))
    chosen, clique = counting.bipartite_cover(graph, side)
    assert is_independent(graph, chosen) and is_cover(graph, clique)
    assert len(chosen) == clique.max() + 1


@pytest.mark.parametrize("n", [3, 5, 9])
def test_an_odd_cycle_has_no_two_sides(n):
    assert counting.bipartition(as_graph(nx.cycle_graph(n))) is None
    assert counting.bipartition(as_graph(nx.cycle_graph(n + 1))) is not None


@given(weights, st.data())
def test_weights_are_rounded_outwards_and_no_further(values, data):
    w = np.array(values)
    exact = sum(map(Fraction, values))
    lower = counting.set_weight(w, np.arange(len(w)))
    upper = counting.cover_weight(w, np.arange(len(w)))
    assert Fraction(lower) <= exact <= Fraction(upper)
    assert upper in (lower, np.nextafter(lower, np.inf))
    clique = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(w), max_size=len(w))))
    heaviest = sum(max(Fraction(x) for x in w[clique == q].tolist()) for q in set(clique.tolist()))
    assert heaviest <= Fraction(counting.cover_weight(w, clique))
