"""ϑ by SCS agrees with closed forms and with our proven interval."""

import networkx as nx
import pytest

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.baselines import direct_scs

pytest.importorskip("scs")


@pytest.mark.parametrize(
    ("graph", "value"),
    [(nx.cycle_graph(5), 5**0.5), (nx.petersen_graph(), 4), (nx.path_graph(4), 2)],
)
def test_closed_forms(graph, value):
    assert direct_scs.theta_by_scs(lovasz.as_graph(graph)) == pytest.approx(value, abs=1e-4)


def test_a_random_graph_lies_in_the_proven_interval():
    graph = lovasz.as_graph(nx.gnp_random_graph(25, 0.4, seed=2))
    found = lovasz.theta(graph)
    assert found.lower - 1e-4 <= direct_scs.theta_by_scs(graph) <= found.upper + 1e-4


def test_a_search_that_does_not_end_is_an_error(monkeypatch):
    monkeypatch.setattr(direct_scs, "MOST_STEPS", 2)
    with pytest.raises(LovaszError, match="SCS ends with"):
        direct_scs.theta_by_scs(lovasz.as_graph(nx.cycle_graph(7)))
