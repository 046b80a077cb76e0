"""Families that are not written down, and what they become when they are."""

import networkx as nx
import numpy as np
import pytest

from lovasz import LovaszError, as_graph
from lovasz.graphs import families
from lovasz.graphs.symmetric_families import EXAMPLES, FAMILIES, parse_family


def same_counts(graph):
    explicit = graph.to_graph()
    assert not explicit.notes
    assert (explicit.n, explicit.m) == (graph.n, graph.m)
    assert (explicit.degrees == 2 * graph.m / graph.n).all()
    return explicit


@pytest.mark.parametrize(
    ("graph", "known"),
    [
        (families.hamming(4, {1}), nx.hypercube_graph(4)),
        (families.hamming(3, {1}, q=3), nx.Graph(nx.cartesian_product(
            nx.complete_graph(3), nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(3))
        ))),
        (families.kneser(5, 2), nx.petersen_graph()),
        (families.kneser(6, 2), nx.kneser_graph(6, 2)),
        (families.johnson(5, 2), nx.line_graph(nx.complete_graph(5))),
        (families.paley(13), nx.paley_graph(13).to_undirected()),
        (families.circulant(11, {1, 3, -2}), nx.circulant_graph(11, [1, 2, 3])),
        (families.cycle(8), nx.cycle_graph(8)),
        (families.cayley((3, 5), [(1, 0), (0, 1)]), nx.grid_2d_graph(3, 5, periodic=True)),
    ],
)  # fmt: skip
def test_a_family_is_the_graph_of_its_name(graph, known):
    assert nx.is_isomorphic(same_counts(graph).to_networkx(), known)


@pytest.mark.parametrize("q", [9, 25, 27 * 27, 49])
def test_paley_graphs_of_prime_powers_are_strongly_regular(q):
    A = same_counts(families.paley(q)).adjacency.toarray()
    d = (q - 1) // 2
    expected = (q - 1) / 4 * (1 - A) + ((q - 5) / 4) * A
    np.fill_diagonal(expected, d)
    np.testing.assert_array_equal(A @ A, expected)


@pytest.mark.parametrize(
    "graph",
    [families.hamming(5, {1}), families.hamming(3, {1}, q=4), families.johnson(8, 3)],
)
def test_the_eigenvalues_are_those_of_the_relations(graph):
    table = np.array(graph.scheme.eigenvalues)
    for i in graph.scheme.classes:
        A = as_graph(type(graph)("", graph.scheme, frozenset({i}))).adjacency.toarray()
        found = np.unique(np.linalg.eigvalsh(A).round(6))
        np.testing.assert_allclose(found, np.unique(table[:, i]), atol=1e-6)
    # Rows are orthogonal with the weights 1 / valency.
    gram = table @ np.diag(1 / table[0]) @ table.T
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-9 * gram.max())


def test_complements_take_the_other_relations():
    for graph in [families.hamming(4, {1}), families.paley(9), families.circulant(9, {1, 3})]:
        other = graph.complement()
        assert 2 * (graph.m + other.m) == graph.n * (graph.n - 1)
        assert other.complement().name == graph.name
        both = graph.to_graph().adjacency + other.to_graph().adjacency
        assert (both.toarray() == 1 - np.eye(graph.n)).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: families.hamming(4, {5}), "distance 5"),
        (lambda: families.hamming(4, {0}), "a distance=0"),
        (lambda: families.johnson(3, 4), "k=4 exceeds n=3"),
        (lambda: families.paley(21), "prime power"),
        (lambda: families.paley(7), "1 modulo 4"),
        (lambda: families.circulant(5, {5}), "neutral"),
        (lambda: families.circulant(5, {1.5}), "residue"),
        (lambda: families.cayley((2, 2), [(1, 0, 0)]), "3 entries"),
        (lambda: families.distance_regular((2, 1), (1, 1)), "integers"),  # the pentagon
        (lambda: families.distance_regular((3, 2), (1,)), "same length"),
        (lambda: families.distance_regular((5, 2), (1, 3)), "no graph has this array"),
        (lambda: families.distance_regular((5, 3), (1, 1)), "no graph has this array"),
        (lambda: families.distance_regular((3, 2), (1, 1)).to_graph(), "which graph"),
        (lambda: families.hamming(60, {1}).to_graph(), "GiB"),
        (lambda: as_graph(families.kneser(40, 15)), "GiB"),
    ],
)
def test_bad_calls_are_refused_in_one_line(make, message):
    with pytest.raises(LovaszError, match=message):
        make()


@pytest.mark.parametrize(
    "name",
    [
        "hamming(5, {1, 2})", "hamming(3, {1}, q=3)", "johnson(6, 3, {1, 2})", "kneser(5, 2)",
        "paley(13)", "cycle(5)", "circulant(9, {1, 2})", "cayley((3, 3), [(0, 1)])",
        "z_channel(4)", "distance_regular([3, 2], [1, 1], {1})",
    ],
)  # fmt: skip
def test_the_name_of_a_graph_makes_it_again(name):
    graph = parse_family(name)
    assert graph.name == name
    assert parse_family(graph.name) == graph


def test_there_is_an_example_of_every_family():
    assert EXAMPLES.keys() == FAMILIES.keys()
    for name, example in EXAMPLES.items():
        assert parse_family(example).name.startswith(f"{name}(")


@pytest.mark.parametrize(
    "text",
    ["kneser(5)", "kneser(5, 2", "kneser(5, 2)(1)", "hamming(4, print(1))", "hamming(4, 1)",
     "hamming(9, range(10**9))", "hamming(" + "(" * 200, "kneser(5, 2, k=2)"],
)  # fmt: skip
def test_a_name_that_is_no_call_of_literals_is_refused(text):
    with pytest.raises(LovaszError, match=r"cannot be read; write .*, such as "):
        parse_family(text)


def test_other_text_names_no_family():
    assert parse_family("graph.col") is None
    assert parse_family("hamming") is None
    assert parse_family("os.system('x')") is None
