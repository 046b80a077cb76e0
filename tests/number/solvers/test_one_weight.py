"""One weight for all edges: Hoffman's bound, and what theta does with it where time is short."""

import networkx as nx
import numpy as np
import pytest

import lovasz
from lovasz.graphs import families
from lovasz.number import core as cores
from lovasz.number.proofs import certify
from lovasz.number.solvers.contract import Core, Referee
from lovasz.number.solvers.one_weight import OneWeight
from lovasz.number.variants import Variant


def bound(graph, w=None, variant=Variant.LOVASZ):
    c = np.ones(graph.n) if w is None else np.sqrt(w)
    found = OneWeight().solve(Core(graph, c, variant), Referee(1e-6))
    return certify.upper_bound(graph, c, found.edge_values, found.t, None, variant)[0]


@pytest.mark.parametrize(
    ("graph", "value"),
    [(nx.petersen_graph(), 4), (nx.cycle_graph(5), 5**0.5), (nx.cycle_graph(9), 4.36009)],
)
def test_it_is_hoffmans_bound_of_an_edge_transitive_graph(graph, value):
    assert bound(lovasz.as_graph(graph)) == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_it_holds_for_weights_and_variants(seed):
    rng = np.random.default_rng(seed)
    graph = families.gnp(25, 0.4, seed=seed)
    weights = rng.integers(1, 9, 25)
    for variant in Variant:
        found = lovasz.theta(graph, weights=weights, variant=variant.value)
        assert bound(graph, weights.astype(float), variant) >= found.lower


def test_a_dense_graph_for_which_there_is_no_time_has_more_than_a_clique_cover(monkeypatch):
    graph = families.gnp(300, 0.15, seed=1)
    monkeypatch.setattr(cores, "crowding", lambda: 200.0)
    found = lovasz.theta(graph, time_limit=1.2)
    assert found.method == "one weight (1)" and found.status.startswith("time limit")
    assert found.certificate == "proven"
    truth = lovasz.theta(graph, tol=1e-3)
    assert found.lower <= truth.upper and truth.lower <= found.upper < 2 * truth.upper
