"""ϑ of Cayley graphs by characters."""

from fractions import Fraction

import numpy as np
import pytest

from lovasz import theta
from lovasz.graphs.families import cayley, circulant
from lovasz.number.symmetry.characters import (
    character_phases,
    characters_up_to_sign,
    lower_bound,
    solve_group,
    upper_bound,
)
from lovasz.number.symmetry.cosines import cosines


@pytest.mark.parametrize("seed", range(6))
def test_random_circulants_agree_with_the_graph_written_down(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(7, 40))
    graph = circulant(n, rng.choice(np.arange(1, n // 2 + 1), size=3, replace=False).tolist())
    for nonnegative in (False, True):
        found = solve_group(graph.scheme, graph.relations, nonnegative=nonnegative)
        other = theta(graph.to_graph(), variant="szegedy" if nonnegative else "lovasz")
        assert found.lower <= other.upper and other.lower <= found.upper
        assert found.upper - found.lower <= 1e-11 * found.upper


def test_groups_of_exponent_2_3_4_and_6_are_exact():
    for orders in [(2,) * 5, (3, 3, 3), (4, 4), (6, 2)]:
        zero = [0] * (len(orders) - 1)
        graph = cayley(orders, [(1, *zero), (*zero, 1), (1,) * len(orders)])
        found = solve_group(graph.scheme, graph.relations, nonnegative=False)
        other = theta(graph.to_graph())
        assert other.lower <= found.exact <= other.upper


def test_the_square_of_the_pentagon_has_five():
    # Shannon's example: the strong product of two pentagons.
    graph = cayley((5, 5), [(1, 0), (0, 1), (1, 1), (1, 4)])
    found = solve_group(graph.scheme, graph.relations, nonnegative=False)
    assert found.lower <= 5 <= found.upper and found.upper - found.lower < 1e-11


@pytest.mark.parametrize("seed", range(5))
def test_any_y_and_any_z_give_bounds(seed):
    rng = np.random.default_rng(seed)
    graph = circulant(31, {1, 4, 9})
    scheme, columns = graph.scheme, sorted(graph.relations)
    P = 2 * cosines(31)[character_phases(scheme, characters_up_to_sign(scheme), columns)]
    valency = np.array([2, 2, 2])
    true = theta(graph.to_graph())
    assert upper_bound(P, 31, valency, 3 * rng.standard_normal(3)) >= true.lower
    assert lower_bound(P, 31, valency, rng.random(len(P))) <= true.upper


def test_a_large_circulant_is_solved_on_few_of_its_rows():
    found = solve_group(*_parts(circulant(30_001, {1, 2})), nonnegative=False)
    # Three consecutive nodes are a clique and floor(n/3) nodes are independent.
    assert 10_000 <= found.upper <= Fraction(30_001, 3) * (1 + Fraction(1, 10**4))
    assert found.upper - found.lower <= 1e-9 * found.upper


def _parts(graph):
    return graph.scheme, graph.relations
