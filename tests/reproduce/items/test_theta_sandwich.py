from math import isnan, sqrt

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lovasz.colors.fraction import coloring_fraction
from lovasz.graphs import as_graph
from lovasz.pages.style import draw_svg
from lovasz.reproduce.engine.cells import Context
from lovasz.reproduce.items import theta_sandwich as item
from lovasz.reproduce.references import small_graphs
from lovasz.reproduce.references.exact_bounds import luz_bounds, optimal_cover, sandwich_bounds


@pytest.fixture(scope="module")
def results():
    context = Context(quick=True)
    return {(c.row, c.method): item.measure(c, context) for c in item.cells(True)}


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 11), st.integers(0, 10**6))
def test_the_sandwich_holds_on_any_graph(n, seed):
    found = sandwich_bounds(nx.gnp_random_graph(n, 0.5, seed=seed))
    assert item.holds(found)
    assert found["nu"][0] <= found["nu"][1] * (1 + 1e-9)


@pytest.mark.parametrize(
    "graph, alpha, theta, cover",
    [
        (nx.cycle_graph(7), 3, 7 * np.cos(np.pi / 7) / (1 + np.cos(np.pi / 7)), 4),
        (small_graphs.kneser(5, 2), 4, 4, 5),
        (small_graphs.paley(13), 3, sqrt(13), 5),
        (small_graphs.words(2, 5, 2), 4, 16 / 3, 7),
        (nx.complete_bipartite_graph(4, 4), 4, 4, 4),
    ],
)
def test_known_values(graph, alpha, theta, cover):
    found = sandwich_bounds(graph)
    assert (found["alpha"], found["cover"]) == (alpha, cover)
    assert found["theta"][0] <= theta * (1 + 1e-12) and theta <= found["theta"][1] * (1 + 1e-12)


def test_luz_bound_is_the_maximum():
    graph = nx.path_graph(10)
    low, high = luz_bounds(as_graph(graph))
    assert high - low < 1e-8
    K = np.eye(10) + nx.to_numpy_array(graph) / (2 * np.cos(np.pi / 11))
    for x in np.random.default_rng(0).exponential(size=(2000, 10)):
        assert 2 * x.sum() - x @ K @ x <= high


@pytest.mark.parametrize("family", item.PERFECT)
def test_perfect_families_close_the_sandwich(family):
    name, graph = next(iter(item.PERFECT[family]().items()))
    found = sandwich_bounds(graph)
    assert found["alpha"] == found["cover"] == found["theta"][0] == found["theta"][1], name


def test_families_are_what_they_are_called():
    assert all(nx.is_chordal(graph) for graph in item.PERFECT["chordal"]().values())
    assert all(nx.is_chordal(graph) for graph in item.PERFECT["interval"]().values())
    assert all(nx.is_bipartite(graph) for graph in item.PERFECT["bipartite"]().values())
    assert nx.is_isomorphic(small_graphs.kneser(5, 2), nx.petersen_graph())
    assert nx.is_isomorphic(small_graphs.paley(5), nx.cycle_graph(5))
    graphs = {n for make in (*item.PERFECT.values(), *item.IMPERFECT.values()) for n in make()}
    assert set(item.EDGE_TRANSITIVE) <= graphs


@pytest.mark.parametrize("family", item.IMPERFECT)
def test_imperfect_graphs_have_an_odd_hole_in_them_or_their_complement(family):
    for name, graph in item.IMPERFECT[family]().items():
        holes = (
            hole
            for G in (graph, nx.complement(graph))
            for hole in nx.chordless_cycles(G, length_bound=11)
        )
        assert any(len(hole) >= 5 and len(hole) % 2 for hole in holes), name


def test_optimal_cover_is_a_partition_into_cliques():
    for seed in range(5):
        graph = nx.gnp_random_graph(14, 0.5, seed=seed)
        clique = optimal_cover(graph)
        for q in range(clique.max() + 1):
            members = np.flatnonzero(clique == q)
            assert (
                graph.subgraph(members).number_of_edges() == len(members) * (len(members) - 1) / 2
            )


def test_the_proposition_in_one_colouring_and_not_across_two():
    told = item.run_trials(25, seed=3)
    assert told["trials"] == told["kept"] == told["fell"] == 25 and told["rose"] == 0
    example = item.two_colorings()
    assert set(example["colours"]) == set(example["alpha"]) == {4}
    assert example["alone"] == [2 / 28, 1 / 28] and example["paired"] == [4 / 30, 3 / 30]
    assert isnan(coloring_fraction(nx.complete_graph(3), [0, 0, 0]))


def test_section_says_what_was_measured(results):
    section = item.section(results)
    text = " ".join(section.verdict)
    graphs = sum(len(r["graphs"]) for r in results.values() if "graphs" in r)
    assert f"hold on {graphs} of {graphs} graphs" in text
    assert "rose in 0" in text
    assert [len(table.columns) for table in section.tables] == [7, 7]
    (picture,) = section.pictures
    drawn = draw_svg(picture.paint, name=picture.name, label=picture.label, height=picture.height)
    assert "Kneser(6,2)" in drawn


def test_section_renders_with_any_part_missing(results):
    assert item.section({}).verdict == []
    for key in results:
        part = item.section({key: results[key]})
        assert part.verdict
        for picture in part.pictures:
            draw_svg(picture.paint, name="p", label="l")
