"""Perfect graphs: proven optimal in every case, and in polynomial time where nothing is guessed."""

import networkx as nx
import numpy as np
import pytest
from tests.colors.perfect_graphs import FAMILIES

import lovasz
from lovasz import as_graph
from lovasz.colors import perfect
from lovasz.colors.perfect import perfect_pair


@pytest.mark.parametrize("family", FAMILIES)
def test_fifty_graphs_up_to_200_nodes_are_proven_optimal(family):
    for k, n in enumerate(np.linspace(8, 200, 50).astype(int).tolist()):
        graph = FAMILIES[family](n, k)
        found = lovasz.clique_cover(graph)
        assert found.optimal and len(found.witness) == found.size, (n, k, found)
        check_pair(graph, found.witness, found.colors)


@pytest.mark.parametrize("family", FAMILIES)
def test_complements_are_coloured_optimally(family):
    for k, n in enumerate((30, 70, 110)):
        graph = nx.complement(FAMILIES[family](n, k))
        found = lovasz.coloring(graph)
        assert found.optimal and len(found.witness) == found.size
        assert all(found.colors[i] != found.colors[j] for i, j in graph.edges)


def check_pair(graph, chosen, clique):
    """An independent set and a clique cover of the same size, counted by networkx."""
    assert graph.subgraph(chosen).number_of_edges() == 0
    assert len(set(np.asarray(clique).tolist())) == len(chosen)
    for c in set(np.asarray(clique).tolist()):
        members = np.flatnonzero(np.asarray(clique) == c).tolist()
        assert graph.subgraph(members).number_of_edges() == len(members) * (len(members) - 1) // 2


@pytest.mark.parametrize("family", FAMILIES)
def test_theta_alone_is_enough(family, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a shortcut was taken")

    monkeypatch.setattr(perfect, "larger_set", refuse)
    for seed, n in enumerate((2, 5, 9, 13, 18)):
        for graph in (FAMILIES[family](n, seed), nx.complement(FAMILIES[family](n, seed))):
            pair = perfect_pair(as_graph(graph), shortcuts=False)
            assert pair is not None
            check_pair(graph, pair[0].tolist(), pair[1])


@pytest.mark.parametrize("family", FAMILIES)
def test_guesses_do_not_change_the_answer(family):
    graph = FAMILIES[family](60, 7)
    pair = perfect_pair(as_graph(graph))
    assert pair is not None
    check_pair(graph, pair[0].tolist(), pair[1])


@pytest.mark.parametrize(
    "graph", [nx.cycle_graph(5), nx.cycle_graph(7), nx.petersen_graph(), nx.paley_graph(13)]
)
@pytest.mark.parametrize("shortcuts", [True, False])
def test_no_pair_where_there_is_none(graph, shortcuts):
    graph = nx.Graph(graph.to_undirected())
    assert perfect_pair(as_graph(graph), shortcuts=shortcuts) is None
