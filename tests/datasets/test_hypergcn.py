import io
from itertools import combinations

import numpy as np
import pytest

from lovasz import datasets
from lovasz.datasets.catalogue import registry
from lovasz.datasets.npz import read_hyperedges

NAMES = [name for name, entry in registry.items() if entry.hyperedges is not None]


@pytest.mark.data
@pytest.mark.parametrize(
    "name, n, hyperedges, isolated, train",
    [
        ("cocitation-cora", 2708, 1579, 1274, 140),
        ("cocitation-citeseer", 3312, 1079, 1854, 138),
        ("cocitation-pubmed", 19717, 7963, 15877, 78),
        ("coauthorship-cora", 2708, 1072, 320, 140),
        ("coauthorship-dblp", 41302, 22363, 0, 1740),
    ],
)
def test_a_hypergraph_has_its_known_sizes(name, n, hyperedges, isolated, train):
    data = datasets.load(name)
    assert name in NAMES and len(data.hyperedges) == registry[name].hyperedges == hyperedges
    assert (data.graph.n, (data.graph.degrees == 0).sum()) == (n, isolated)
    assert min(edge.size for edge in data.hyperedges) == 2
    assert sorted(data.splits) == [str(number) for number in range(10)]
    for split in data.splits.values():
        assert split["train"].size == train
        assert np.array_equal(np.sort(np.concatenate([*split.values()])), np.arange(n))
    pairs = {pair for edge in data.hyperedges for pair in combinations(sorted(edge.tolist()), 2)}
    assert data.graph.m == len(pairs)
    assert (data.hypergraph.expansion().adjacency != data.graph.adjacency).nnz == 0


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_nodes_of_one_hyperedge_share_their_class(name):
    """Labels or features at the wrong nodes would make them no more alike than strangers."""
    data = datasets.load(name)
    i, j = data.graph.edges()
    strangers = np.random.default_rng(0).permutation(j)
    assert (data.y[i] == data.y[j]).mean() > 1.5 * (data.y[i] == data.y[strangers]).mean()
    if data.features is not None:
        shared, by_chance = (
            data.features[i].multiply(data.features[k]).sum() for k in (j, strangers)
        )
        assert set(data.features.data) == {1} and shared > 1.5 * by_chance


def test_the_rows_of_an_archive_become_hyperedges():
    content = io.BytesIO()
    np.savez(
        content,
        labels=np.array([0, 1, 1, 0], dtype=np.int16),
        edge_indptr=np.array([0, 3, 5], dtype=np.int32),
        edge_indices=np.array([0, 1, 2, 2, 0], dtype=np.int32),
        train_idx=np.array([[3, 1]], dtype=np.int32),
        feat_shape=np.array([4, 2]),
        feat_indptr=np.array([0, 1, 1, 2, 2], dtype=np.int32),
        feat_indices=np.array([1, 0], dtype=np.int32),
    )
    data = read_hyperedges(registry["cocitation-cora"], {"some.npz": content.getvalue()})
    assert [edge.tolist() for edge in data.hyperedges] == [[0, 1, 2], [2, 0]]
    assert data.graph.m == 3 and data.graph.degrees[3] == 0
    assert data.features.toarray().tolist() == [[0, 1], [0, 0], [1, 0], [0, 0]]
    assert {part: rows.tolist() for part, rows in data.splits["0"].items()} == {
        "train": [1, 3],
        "test": [0, 2],
    }
