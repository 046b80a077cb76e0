"""ϑ of symmetric graphs agrees with ϑ of the same graphs written down."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from lovasz import LovaszError, theta
from lovasz.graphs import families
from lovasz.graphs.schemes import GroupScheme
from lovasz.graphs.symmetric_graph import SymmetricGraph
from lovasz.number import VARIANTS

SMALL = [
    families.hamming(4, {1, 3}),
    families.hamming(4, {2}),
    families.hamming(3, {1, 2}, q=3),
    families.hamming(3, {2}, q=4),
    families.johnson(7, 3),
    families.johnson(7, 3, {1, 3}),
    families.johnson(4, 0, ()),
    families.kneser(5, 2),
    families.kneser(6, 4),
    families.kneser(3, 1),
    families.paley(9),
    families.paley(13),
    families.cycle(3),
    families.cycle(7),
    families.circulant(1, ()),
    families.circulant(8, {4}),
    families.circulant(9, {3}),
    families.circulant(9, {1, 2, 3}),
    families.circulant(12, {1, 5}),
    families.circulant(20, range(1, 9)),
    families.circulant(25, {5}),
    families.cayley((4, 4), [(1, 0), (0, 1), (2, 2)]),
    families.cayley((2, 2, 2, 2), [(1, 0, 0, 0), (1, 1, 1, 1), (0, 1, 1, 0)]),
]


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.name)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_value_and_the_kernel_are_those_of_the_graph_written_down(graph, variant):
    explicit = graph.to_graph()
    for complement in (False, True):
        found = theta(graph, variant=variant, complement=complement)
        other = theta(explicit, variant=variant, complement=complement)
        assert found.lower <= other.upper and other.lower <= found.upper
        assert found.gap <= 1e-11
        K = found.kernel.toarray()
        assert (np.diag(K) == 1).all()
        assert np.linalg.eigvalsh(found.upper * K - 1)[0] >= -1e-9
        linked = (explicit.adjacency.toarray() != 0) != complement
        outside = K[~linked & ~np.eye(graph.n, dtype=bool)]
        assert (outside <= 1e-12).all() if variant == "schrijver" else (outside == 0).all()
        assert variant != "szegedy" or K.min() >= -1e-12


@pytest.mark.parametrize("graph", SMALL, ids=lambda graph: graph.name)
def test_the_values_of_a_graph_and_its_complement_multiply_to_n(graph):
    found, other = theta(graph), theta(graph, complement=True)
    assert found.lower * other.lower <= graph.n * (1 + 1e-14)
    assert found.upper * other.upper >= graph.n * (1 - 1e-14)


def test_graphs_of_astronomical_size_have_their_closed_forms():
    assert theta(families.hamming(23, {1})).exact_number == 2**22
    assert theta(families.kneser(40, 15)).exact_number == comb(39, 14)
    assert theta(families.hamming(40, {1})).upper == 2**39
    assert theta(families.circulant(10**12, {1})).exact_number == 5 * 10**11
    q = 10**12 + 61
    found = theta(families.paley(q))
    assert str(found.exact) == f"sqrt({q})"
    assert Fraction(found.lower) ** 2 < q < Fraction(found.upper) ** 2
    found = theta(families.cycle(10**12 + 1))
    assert found.lower <= 500000000000.49997 and found.gap < 1e-15


def test_exact_values_are_between_the_bounds_and_equal_to_them_if_they_are_doubles():
    found = theta(families.hamming(10, {2}))
    assert Fraction(found.lower) < found.exact_number < Fraction(found.upper)
    assert found.exact == "512/5"
    assert theta(families.kneser(7, 3)).lower == theta(families.kneser(7, 3)).upper == 15


def test_weights_need_the_graph_written_down():
    pentagon = families.cycle(5)
    assert theta(pentagon, weights=[1, 1, 1, 1, 2]).lower <= 3 <= 3.000001
    with pytest.raises(LovaszError, match="nodes"):
        theta(families.hamming(30, {1}), weights=[1])


def test_what_is_too_large_is_refused_in_one_line():
    with pytest.raises(LovaszError, match="entries"):
        theta(families.circulant(10**12, {1, 2}))
    with pytest.raises(LovaszError, match="smaller graph"):
        theta(families.circulant(10**5, {1, 2}), variant="schrijver")
    with pytest.raises(LovaszError, match="differences"):
        theta(families.cycle(10**9), complement=True)
    with pytest.raises(LovaszError, match="GiB"):
        theta(families.kneser(40, 15)).kernel.tocsr()
    with pytest.raises(LovaszError, match=r"over 2\*\*1000 nodes"):
        theta(SymmetricGraph("large", GroupScheme((2**1001,)), frozenset({(1,)})))
    with pytest.raises(LovaszError, match=r"written down: .*write_graph\(graph.to_graph"):
        theta(families.kneser(5, 2)).save("proof.npz")


def test_a_result_shows_itself_whatever_its_size():
    found = theta(families.hamming(70, {1}))
    assert "exactly 590295810358705651712" in repr(found)
    assert found._repr_html_() is not None


LARGER = [
    families.hamming(40, set(range(1, 30, 2))),
    families.johnson(40, 20, {1, 2, 3, 5, 8, 13}),
    families.circulant(301, range(1, 40)),
    families.circulant(100, range(1, 45)),
    families.cayley((4, 4, 4), [(1, 0, 0), (0, 1, 0), (2, 2, 1), (1, 2, 3), (0, 0, 1)]),
    families.z_channel(9),
]


@pytest.mark.parametrize("graph", LARGER, ids=lambda graph: graph.name)
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_proven_before_a_stop_contains_the_value(graph, variant):
    """The search is stopped after any number of steps, and at once by a time limit of zero."""
    if graph.name.startswith("z_channel") and variant == "schrijver":
        return  # has no formula
    exact = theta(graph, variant=variant)
    assert exact.status == "optimal"
    found = theta(graph, variant=variant, time_limit=0)
    assert found.lower <= exact.upper and exact.lower <= found.upper <= graph.n * (1 + 1e-9)
    assert found.lower >= graph.n / (2 * graph.m / graph.n + 1) * (1 - 1e-9)
    for steps in (1, 3, 10):
        looks = iter([False] * steps)
        found = theta(graph, variant=variant, stop=lambda looks=looks: next(looks, True))
        assert found.lower <= exact.upper and exact.lower <= found.upper
        assert found.status.startswith(("interrupted", "optimal"))


def test_a_kernel_of_a_stopped_search_proves_its_bound():
    graph = families.hamming(6, {1, 2, 4})
    for steps in range(6):
        looks = iter([False] * steps)
        found = theta(graph, stop=lambda looks=looks: next(looks, True))
        K = found.kernel.toarray()
        assert np.linalg.eigvalsh(found.upper * K - 1)[0] > -1e-9 * graph.n
