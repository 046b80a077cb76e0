"""ϑ over association schemes in exact arithmetic."""

from fractions import Fraction
from math import comb

import pytest

from lovasz.graphs.families import hamming, johnson, kneser
from lovasz.number.symmetry.scheme import relation_values, solve_metric
from lovasz.number.variants import Variant


def exact(graph, variant=Variant.LOVASZ):
    return solve_metric(graph.scheme, graph.relations, variant).value


@pytest.mark.parametrize(
    ("n", "distances", "value"),
    [
        (7, {5, 6}, Fraction(128, 3)),
        (8, {3, 4}, Fraction(128, 5)),
        (9, {8}, 224),
        (9, {5, 6}, Fraction(256, 3)),
        (10, {2}, Fraction(512, 5)),
        (11, {2}, Fraction(512, 3)),
        (23, {1}, 2**22),
        (23, range(1, 7), 4096),  # the perfect Golay code
    ],
)
def test_hamming_graphs_have_the_published_values(n, distances, value):
    assert exact(hamming(n, distances)) == value


def test_delsartes_bound_of_codes():
    # Best known linear programming bounds of A(n, d).
    for n, d, most in [(6, 4, 4), (7, 3, 16), (8, 4, 16), (13, 6, 40), (23, 7, 4096)]:
        bound = exact(hamming(n, range(1, d)), Variant.SCHRIJVER)
        assert bound.__floor__() == most


def test_kneser_graphs_have_the_value_of_erdos_ko_and_rado():
    for n in range(2, 12):
        for k in range(1, n // 2 + 1):
            for variant in Variant:
                assert exact(kneser(n, k), variant) == comb(n - 1, k - 1)


def test_the_values_of_a_graph_and_its_complement_multiply_to_n():
    for graph in [hamming(6, {1, 4}), hamming(4, {1, 2}, q=3), johnson(9, 4, {1, 3})]:
        other = graph.complement()
        assert exact(graph) * exact(other) == graph.n
        assert exact(graph, Variant.SCHRIJVER) * exact(other, Variant.SZEGEDY) == graph.n


def test_the_primal_solution_vanishes_on_the_edges():
    graph = hamming(6, {1, 2, 3})
    found = solve_metric(graph.scheme, graph.relations, Variant.LOVASZ)
    x = relation_values(found, graph.scheme.eigenvalues)
    assert x[0] == 1
    assert x[1:4] == [0, 0, 0]
    assert sum(k * v for k, v in zip(graph.scheme.valencies, x, strict=True)) == found.value
