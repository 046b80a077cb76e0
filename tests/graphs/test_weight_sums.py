"""Weights that leave the range of doubles are refused in one line wherever they are used."""

import pytest

import lovasz
from lovasz import LCNClassifier, LovaszError
from lovasz.graphs.weight_sums import check_weight_sums

LABELS = {0: "a", 2: "b"}


def path(*weights):
    edges = [(i, i + 1, weight) for i, weight in enumerate(weights)]
    return lovasz.as_graph(edges, weights="keep")


@pytest.mark.parametrize("size", [1e308, 4e299, -1e308, 1e-310, -5e-324])
@pytest.mark.parametrize(
    "use",
    [
        check_weight_sums,
        lambda graph: lovasz.kernel(graph, "ls"),
        lambda graph: lovasz.suggest(graph, 1),
        lambda graph: LCNClassifier(fast=True).fit(graph, LABELS),
        lambda graph: LCNClassifier(fast=True).fit(path(1, 1), LABELS).predict(graph=graph),
    ],
    ids=["check", "kernel", "suggest", "fit", "grown"],
)
def test_sums_beyond_doubles_are_refused_by_the_node(use, size):
    with pytest.raises(LovaszError, match=r"the weights at node [01] add up to \S+; scale all"):
        use(path(size, size))


def test_weights_may_differ_as_much_as_doubles_do():
    check_weight_sums(lovasz.as_graph([(0, 1, 1e299), (1, 2, 5e-324), (0, 2, 1)], weights="keep"))
    check_weight_sums(lovasz.as_graph([(0, 1)], nodes=range(3)))


def test_graphs_with_any_finite_weight_are_read_and_written(tmp_path):
    lovasz.write_graph(path(1e308, 1e308), tmp_path / "large.csv")
    assert lovasz.read_graph(tmp_path / "large.csv", weights="keep").adjacency[0, 1] == 1e308
