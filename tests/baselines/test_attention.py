"""The graph attention network in the common training loop."""

import numpy as np

from lovasz.baselines import train_attention
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings

BLOCKS = planted_partition(60, 2, 0.4, 0.05, seed=0)
SPLITS = [(np.arange(0, 60, 4), np.arange(1, 60, 4)), (np.arange(2, 60, 4), np.arange(3, 60, 4))]


def test_it_learns_and_a_run_is_the_same_alone_and_among_others():
    settings = Settings(hidden=16, epochs=40)
    both = train_attention(BLOCKS.graph, BLOCKS.y, SPLITS, settings=settings, device="cpu")
    alone = train_attention(
        BLOCKS.graph, BLOCKS.y, SPLITS[1:], settings=settings, seeds=[1], device="cpu"
    )
    np.testing.assert_allclose(alone.logits[0], both.logits[1], atol=1e-4)
    assert (both.logits.argmax(-1) == BLOCKS.y).mean() > 0.8


def test_an_isolated_node_hears_itself():
    graph = planted_partition(20, 2, 0.0, 0.0, seed=0).graph
    split = [(np.arange(10), np.arange(10, 15))]
    settings = Settings(hidden=8, epochs=2)
    found = train_attention(graph, np.arange(20) % 2, split, settings=settings, device="cpu")
    assert np.isfinite(found.logits).all()
