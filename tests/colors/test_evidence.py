"""What numbers prove about perfection."""

import networkx as nx
import pytest

import lovasz


@pytest.mark.parametrize(
    "graph", [nx.cycle_graph(5), nx.cycle_graph(7), nx.complement(nx.cycle_graph(7)),
              nx.petersen_graph(), nx.wheel_graph(6)]
)  # fmt: skip
def test_gaps_prove_imperfection(graph):
    found = lovasz.is_perfect_evidence(graph)
    assert found.perfect is False and found.reason


@pytest.mark.parametrize(
    "graph",
    [nx.path_graph(6), nx.complete_graph(4), nx.complement(nx.path_graph(7)),
     nx.complement(nx.random_labeled_tree(9, seed=0)), nx.complete_bipartite_graph(3, 4)],
)  # fmt: skip
def test_classes_prove_perfection(graph):
    assert lovasz.is_perfect_evidence(graph).perfect is True


def test_equality_is_no_proof():
    # C5 with a leaf at each node: α = χ(Ḡ) = 5. A triangle beside it: ω = χ = 3. Not perfect.
    graph = nx.cycle_graph(5)
    graph.add_edges_from((v, 5 + v) for v in range(5))
    graph = nx.disjoint_union(graph, nx.complete_graph(3))
    found = lovasz.is_perfect_evidence(graph)
    assert found.alpha == found.cover == (6, 6) and found.omega == found.chi == (3, 3)
    assert found.perfect is None and "may still" in found.reason
