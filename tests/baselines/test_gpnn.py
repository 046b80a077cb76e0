"""Laws of graph partition neural networks."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.baselines.gpnn import gru, plan, train_gpnn
from lovasz.baselines.graph_partition import Partition, partition
from lovasz.classify.splits import random_splits
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings

BLOCKS = planted_partition(60, 2, 0.4, 0.05, seed=0)
SPLITS = [s[:2] for s in random_splits(BLOCKS.y, (0.3, 0.2, 0.5), 3, seed=0)]
X = np.random.default_rng(0).normal(size=(60, 12))
# Two triangles, a path of three, an edge and two isolated nodes.
APART = Graph.from_edges([0, 1, 2, 3, 4, 5, 6, 7, 9], [1, 2, 0, 4, 5, 3, 7, 8, 10], n=13)
SCHEDULES = [
    {"schedule": "partition"},
    {"schedule": "partition", "within": "sequential"},
    {"schedule": "synchronous"},
    {"schedule": "sequential"},
]


def test_gru_is_that_of_torch():
    cell = torch.nn.GRUCell(5, 5)
    state, message = torch.randn(7, 5), torch.randn(7, 5)
    h = 5
    b, c = cell.bias_ih + cell.bias_hh, cell.bias_hh[2 * h :]
    b = torch.cat([b[: 2 * h], cell.bias_ih[2 * h :]])
    ours = gru(
        state[:, None],
        message[:, None],
        cell.weight_ih.T[:, None],
        cell.weight_hh.T[:, None],
        b[None, None],
        c[None, None],
    )
    torch.testing.assert_close(ours[:, 0], cell(message, state))


@pytest.mark.parametrize(
    ("options", "features"),
    [*((options, None) for options in SCHEDULES), ({}, X), ({}, sparse.csr_array(X * (X > 1)))],
    ids=["partition", "within", "synchronous", "sequential", "dense", "sparse"],
)
def test_a_run_is_the_same_alone_and_among_others(options, features):
    common = {"features": features, "settings": Settings(epochs=5), "clusters": 3, **options}
    together = train_gpnn(BLOCKS.graph, BLOCKS.y, SPLITS, seeds=[5, 6, 7], **common)
    assert together.logits.shape == (3, 60, 2)
    for run in (1, 2):
        alone = train_gpnn(BLOCKS.graph, BLOCKS.y, SPLITS[run : run + 1], seeds=[5 + run], **common)
        np.testing.assert_allclose(alone.logits[0], together.logits[run], atol=1e-4)
        assert alone.best_epoch[0] == together.best_epoch[run]


def test_one_cluster_is_synchronous():
    results = [
        train_gpnn(
            BLOCKS.graph,
            BLOCKS.y,
            SPLITS,
            schedule=name,
            clusters=1,
            inner=2,
            settings=Settings(epochs=4),
        )
        for name in ("partition", "synchronous")
    ]
    assert np.array_equal(results[0].logits, results[1].logits)


def test_schedules_differ():
    results = [
        train_gpnn(
            BLOCKS.graph, BLOCKS.y, SPLITS[:1], clusters=3, settings=Settings(epochs=2), **options
        ).logits
        for options in SCHEDULES
    ]
    for i in range(4):
        assert not any(np.allclose(results[i], results[j]) for j in range(i))


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_the_order_of_nodes_does_not_matter(options):
    """Given the partition, and without dropout, whose masks belong to rows."""
    order = np.random.default_rng(1).permutation(60)
    place = np.argsort(order)
    found = partition(BLOCKS.graph, 3, seed=0)
    moved = Partition(found.labels[order], place[found.seeds])
    common = {"settings": Settings(dropout=0.0, epochs=5, precision="double"), **options}
    first = train_gpnn(BLOCKS.graph, BLOCKS.y, SPLITS, features=X, clusters=found, **common)
    i, j = BLOCKS.graph.edges()
    second = train_gpnn(
        Graph.from_edges(place[i], place[j], n=60),
        BLOCKS.y[order],
        [(place[a], place[b]) for a, b in SPLITS],
        features=X[order],
        clusters=moved,
        **common,
    )
    np.testing.assert_allclose(first.logits[:, order], second.logits, atol=1e-8)


def test_it_learns_two_blocks():
    blocks = planted_partition(200, 2, 0.5, 0.1, seed=0)
    splits = random_splits(blocks.y, (0.2, 0.1, 0.7), 2, seed=0)
    result = train_gpnn(
        blocks.graph, blocks.y, [s[:2] for s in splits], settings=Settings(epochs=100)
    )
    for run, split in enumerate(splits):
        right = result.logits[run].argmax(1)[split.test] == blocks.y[split.test]
        assert right.mean() > 0.9


def test_graphs_in_pieces_and_without_edges_train():
    y, split = np.arange(13) % 2, [(np.arange(6), np.arange(6, 9))]
    for graph in (APART, Graph.from_edges([], [], n=13)):
        for options in SCHEDULES:
            result = train_gpnn(graph, y, split, settings=Settings(epochs=2), **options)
            assert np.isfinite(result.logits).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schedule": "random"}, "schedule 'random' is unknown"),
        ({"within": "partition"}, "within='partition' is unknown"),
        ({"method": "metis"}, "partition 'metis' is unknown"),
        ({"clusters": 0}, "clusters=0 must be"),
        ({"clusters": 61}, "from 1 to the number of nodes, 60"),
        ({"clusters": 2.5}, "clusters=2.5 must be"),
        ({"clusters": Partition(np.zeros(3, dtype=int), np.array([0]))}, "partition of 3 nodes"),
        ({"outer": 0}, "outer=0 must be"),
        ({"seeds": [1]}, "1 seeds for 3 splits"),
    ],
    ids=str,
)
def test_bad_options_are_named(options, message):
    with pytest.raises(LovaszError, match=message):
        train_gpnn(BLOCKS.graph, BLOCKS.y, SPLITS, **options)


def test_a_gpnn_is_no_lcn():
    result = train_gpnn(BLOCKS.graph, BLOCKS.y, SPLITS, settings=Settings(epochs=1))
    np.testing.assert_allclose(result.probabilities.sum(-1), 1, atol=1e-5)
    with pytest.raises(LovaszError, match="run 2 is a GPNN"):
        result.model(2)


def test_a_plan_repeats_its_steps():
    found = partition(BLOCKS.graph, 3, seed=0)
    assert len(plan(BLOCKS.graph, found, outer=3, inner=2, between=1)) == 9
    assert len(plan(BLOCKS.graph, found, schedule="synchronous", outer=3, inner=2)) == 6
