"""The compiled steps of small cores are those of the plain system."""

import networkx as nx
import numpy as np
import pytest
from scipy import linalg

from lovasz.graphs import as_graph
from lovasz.graphs.operations import components
from lovasz.number.solvers import interior_point as interior
from lovasz.number.solvers.algebra import Host
from lovasz.number.solvers.contract import Core, Referee
from lovasz.number.solvers.newton import System
from lovasz.number.solvers.newton_compiled import (
    LONG,
    FusedSystem,
    SmallSystem,
    _length,
    _plain_length,
)
from lovasz.number.variants import Variant

FORMS = ["edge", "complement"]
GRAPHS = [
    nx.gnp_random_graph(17, 0.4, seed=1),
    nx.cycle_graph(7),
    nx.complete_graph(4),
    nx.empty_graph(3),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("network", GRAPHS, ids=str)
def test_directions_and_lengths_agree(network, form):
    graph = as_graph(network)
    c = np.sqrt(np.random.default_rng(0).uniform(0.5, 2, graph.n))
    results = []
    for kind in (System, SmallSystem, FusedSystem):
        system = kind(graph, c, form, Variant.LOVASZ, Host())
        point = system.start()
        system.factor(point)
        predictor = system.direction(0.0)
        corrector = system.direction(0.1 * point.gap / graph.n, predictor)
        moved = system.moved(point, corrector, 0.3, 0.2)
        lengths = np.minimum(system.lengths(point, corrector), LONG)
        results.append((*predictor[:3], *corrector[:3], moved.X, moved.Z, moved.gap, lengths))
    for plain, small, fused in zip(*results, strict=True):
        assert np.allclose(fused, plain, rtol=2e-4, atol=1e-9)
        assert np.allclose(fused, small, rtol=1e-9, atol=1e-11)
    lengths = results[0][-1], results[2][-1]
    assert (lengths[1] <= lengths[0] + 1e-9).all()


@pytest.mark.parametrize("form", FORMS)
def test_both_walk_the_same_path(monkeypatch, form):
    graph = as_graph(nx.gnp_random_graph(30, 0.5, seed=4))
    solver, task = interior.InteriorPoint(form, 1e-8), (Core(graph, np.ones(30)), Referee(1e-8))
    fused = solver.solve(*task)
    monkeypatch.setattr(interior, "FUSED_UP_TO", 0)
    plain = solver.solve(*task)
    assert fused.converged
    assert plain.converged
    assert fused.iterations == plain.iterations
    assert fused.t == pytest.approx(plain.t, rel=1e-8)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 40])
@pytest.mark.parametrize("size", [0.1, 1, 100])
def test_length_is_that_of_the_least_eigenvalue(n, size):
    rng = np.random.default_rng(n)
    root, change = rng.normal(size=(2, n, n))
    inverse, change = linalg.inv(np.tril(root) + 3 * np.eye(n)), size * (change + change.T)
    least = linalg.eigvalsh(inverse @ change @ inverse.T)[0]
    expected = min(LONG, -1 / least) if least < 0 else LONG
    for length in (_length(inverse, change), _plain_length(inverse, change)):
        assert expected * (1 - 2e-4) <= length <= expected * (1 + 1e-12)


def test_length_ends_on_what_is_not_finite():
    for bad in (np.nan, np.inf, -np.inf, 1e300, -1e300):
        for length in (_length, _plain_length):
            with np.errstate(all="ignore"):
                assert not np.isnan(length(np.eye(3), np.full((3, 3), bad)))


@pytest.mark.parametrize("p", [0.0, 0.02, 0.05, 0.3])
def test_components_are_those_of_networkx(p):
    network = nx.gnp_random_graph(40, p, seed=3)
    expected = sorted(sorted(part) for part in nx.connected_components(network))
    assert [part.tolist() for part in components(as_graph(network))] == expected
