"""Perfect graphs: proven optimal in every case, and in polynomial time where nothing is guessed."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from tests.colors.perfect_graphs import FAMILIES

import lovasz
from lovasz import as_graph
from lovasz.colors import core_search, perfect
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

    monkeypatch.setattr(perfect, "enlarge_set", refuse)
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


def without_search(monkeypatch):
    """What is left when local search, rounding and exhaustive search find nothing."""
    monkeypatch.setattr(core_search, "fewer_colors", lambda lists, colors, **_: colors)
    monkeypatch.setattr(core_search, "enlarge_set", lambda lists, chosen, **_: chosen)
    monkeypatch.setattr(core_search, "largest_clique", lambda lists, known, budget: (known, False))
    gave_up = SimpleNamespace(within=lambda steps: lambda *_: -1)
    monkeypatch.setattr(core_search, "try_colors", gave_up)
    monkeypatch.setattr(core_search, "color_by_pathwidth", lambda *_, **__: None)
    monkeypatch.setattr(core_search, "ROUNDED_UP_TO", 0)


def test_what_searches_leave_open_theta_closes(monkeypatch):
    without_search(monkeypatch)
    asked = []
    monkeypatch.setattr(
        core_search, "perfect_pair", lambda *a, **k: asked.append(1) or perfect_pair(*a, **k)
    )
    found = lovasz.clique_cover(FAMILIES["line of bipartite"](110, 5))
    assert found.optimal and len(found.witness) == found.size
    assert asked


def test_theta_bounds_what_it_cannot_close(monkeypatch):
    without_search(monkeypatch)
    paley = nx.Graph(nx.paley_graph(13).to_undirected())  # α = 3 < ϑ = √13 < χ(Ḡ) = 5
    found = lovasz.clique_cover(paley)
    assert found.lower == 4 and found.proof == "ϑ" and found.size >= 5 and not found.optimal
    chosen = lovasz.independent_set(paley)
    assert chosen.size == chosen.upper == 3
