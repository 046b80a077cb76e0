"""The shards of a problem, and dropout masks that are the same on every rank."""

import numpy as np
import pytest
import torch
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import planted_partition
from lovasz.nn.large.distributed import cut
from lovasz.nn.large.shards import CountedDropout

GRAPH, Y, _ = planted_partition(200, 3, 0.15, 0.02, seed=0)

K = lovasz.kernel(GRAPH, "ls")
ORDER = np.random.default_rng(0).permutation(200)
SPLIT = ORDER[:60], ORDER[60:90]
DENSE = np.random.default_rng(1).standard_normal((200, 6)).astype(np.float32) + np.eye(3, 6)[Y]


def test_shards_are_balanced_and_cover_everything():
    shards = cut(K, DENSE, Y, SPLIT, 3)
    np.testing.assert_array_equal(sparse.vstack([s.K for s in shards]).toarray(), K.toarray())
    np.testing.assert_array_equal(np.concatenate([s.X for s in shards]), DENSE)
    train_nodes = np.concatenate([s.split[0] + s.first for s in shards])
    np.testing.assert_array_equal(train_nodes, np.sort(SPLIT[0]))
    loads = [s.K.nnz + s.K.shape[0] for s in shards]
    assert max(loads) < 1.2 * min(loads)
    star = sparse.csr_array(np.ones((5, 5)) * (np.arange(5) == 4)[:, None])  # all work in one row
    assert np.diff(cut(star, None, np.zeros(5, int), SPLIT, 5)[0].bounds).tolist() == [1] * 5
    with pytest.raises(LovaszError, match="6 ranks for 5 nodes"):
        cut(star, None, np.zeros(5, int), SPLIT, 6)


def test_masks_have_the_rate_and_do_not_repeat():
    drop = CountedDropout(0.3, 7, "cpu")
    nodes, width = torch.arange(4000), 11

    def mask(layer, epoch):
        drop.epoch = epoch
        return drop.masks(layer, nodes, None, width).keep(0, 0).view(-1, width)

    first = mask(0, 1)
    assert abs(first.float().mean() - 0.7) < 0.01
    assert (first.float().mean(0) - 0.7).abs().max() < 0.04
    for other in (mask(0, 2), mask(1, 1), first.roll(1, 0), first.roll(1, 1)):
        agree = (other == first).float().mean()
        assert abs(agree - 0.58) < 0.02  # .7² + .3²: independent
    drop.epoch = 1
    rows, columns = torch.tensor([3, 3999, 0]), torch.tensor([10, 0, 5])
    entries = drop.masks(0, rows, columns, width).keep(0, 3)
    assert entries.tolist() == first[rows, columns].tolist()
