"""Caveman graphs: the colouring, the ceiling and the verdict."""

import numpy as np
import pytest

from lovasz.graphs.families import caveman as caveman_graph
from lovasz.reproduce.items import caveman


def verdict(results):
    return " ".join(caveman.section(results).verdict)


@pytest.mark.parametrize(("cliques", "size"), [(5, 4), (8, 3), (6, 7)])
def test_caveman_colours_are_cliques_and_as_few_as_can_be(cliques, size):
    graph = caveman_graph(cliques, size).graph
    colours = caveman.planted_colours(graph)
    assert colours.max() + 1 == 2 * cliques
    same = colours[:, None] == colours[None, :]
    apart = same & ~np.eye(graph.n, dtype=bool)
    assert (graph.adjacency.toarray()[apart] != 0).all()


def test_another_colouring_of_a_caveman_graph_is_as_good_and_another():
    graph = caveman_graph(7, 5).graph
    colours, linked = caveman.planted_colours(graph), graph.adjacency.toarray() != 0
    other = caveman.exchanged(graph, colours)
    assert (other != colours).sum() == 14
    assert np.unique(other).size == np.unique(colours).size
    same = (other[:, None] == other) & ~np.eye(graph.n, dtype=bool)
    assert linked[same].all()


def test_the_ceiling_of_caveman_is_what_the_labels_leave_open():
    colours = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    first, second = np.arange(0, 8, 2), np.arange(1, 8, 2)
    assert caveman.ceiling(y, colours, first, second) == 100
    assert caveman.ceiling(y, colours, first[:0], second) == 50
    # One colour of class 0 is known: of the three others two are of class 1.
    assert caveman.ceiling(y, colours, first[:1], second) == round(100 * (1 + 3 * 2 / 3) / 4, 2)


def test_halves_are_halves_of_the_colours():
    colours = np.repeat(np.arange(10), [1, 2, 3, 1, 2, 3, 1, 2, 3, 4])
    y = caveman.classes_of_colours(colours, seed=3)
    kinds = {(int(c), int(k)) for c, k in zip(colours, y, strict=True)}
    assert len(kinds) == 10
    assert sum(k for _, k in kinds) == 5


def test_the_verdict_on_caveman_graphs_is_made_of_the_numbers():
    def cell(accuracy, same):
        scores = {"test": [accuracy] * 2}
        return {
            "readings": {"released": scores, "tuned": scores},
            "ceiling": {"train": [90.0] * 2, "train and validation": [95.0] * 2},
            "products": {"avg_same": 0.4, "avg_diff": 0.002},
            "products of the lifted kernel": {"avg_same": same, "avg_diff": 0.003},
            "theta": [100.0, 100.0],
        }

    row = "caveman-50-10"
    for lcn, same in ((93.0, 0.7), (85.0, 0.9)):
        text = verdict({(row, "gcn"): cell(89.0, same), (row, "lcn"): cell(lcn, same)})
        assert f"LCN − GCN: (50, 10) {lcn - 89:+.1f}, in the paper +1" in text
        assert f"lifted kernel on {int(same < 0.83)} of 1 graphs" in text
        assert "within 0.000 of the paper’s" in text  # 0.002 - 1/100
        assert f"lie {min(lcn - 90, -1):+.1f} to {max(lcn - 90, -1):+.1f} points" in text
        assert "What decides" not in text
    kinds = {"gcn": 89.0, "lcn": 88.0, "lcn-same": 92.0, "lcn-other": 80.0}
    text = verdict({(row, kind): cell(value, 0.7) for kind, value in kinds.items()})
    assert "central kernel: within 2 points of the paper’s LCN on 0 of 1 graphs" in text
    assert "the labels’ colouring: within 2 points of the paper’s LCN on 1 of 1 graphs" in text
    assert "What decides" in text
