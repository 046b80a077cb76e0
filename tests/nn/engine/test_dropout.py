"""Dropout masks: their rate, their mean, their seeds."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.inputs import as_inputs


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9])
def test_dropout_keeps_the_share_and_the_mean(rate):
    factors = Dropout(rate, [1, 2], "cpu").factors(200, 500)
    kept = (factors > 0).float().mean()
    assert abs(kept - (1 - rate)) < 5 * np.sqrt(0.25 / factors.numel())
    assert abs(factors.mean() - 1) < 0.02
    assert factors.shape == (200, 2, 500)


def test_dropout_masks_of_a_run_depend_on_its_seed_only():
    three, one = Dropout(0.5, [7, 8, 9], "cpu"), Dropout(0.5, [8], "cpu")
    for _ in range(3):
        assert torch.equal(three.factors(11, 3)[:, 1], one.factors(11, 3)[:, 0])


def test_a_run_without_dropout_draws_nothing_and_keeps_all():
    drop = Dropout([0.5, 0.0, 0.25], [1, 2, 3], "cpu")
    before = drop.streams[1].get_state()
    factors = drop.factors(500, 4)
    assert torch.equal(drop.streams[1].get_state(), before) and len(drop.used) == 2
    assert (factors[:, 1] == 1).all()
    assert factors[:, 0].unique().tolist() == [0, 2]
    alone = Dropout(0.25, [3], "cpu").factors(500, 4)
    assert torch.equal(alone[:, 0], factors[:, 2])


@pytest.mark.parametrize("X", [None, np.eye(9)[:, :5] + 1, sparse.csr_array(np.eye(30)[:9])])
def test_one_seed_gives_all_runs_one_mask(X):
    width = 9 if X is None else X.shape[1]
    inputs = as_inputs(X, np.arange(9), 9, device="cpu", dtype=torch.float32)
    W = torch.ones(width, 3, 2)
    first, *others = inputs.project(W, Dropout(0.5, [4], "cpu")).unflatten(1, (3, 2)).unbind(1)
    assert all(torch.equal(first, other) for other in others)
    alone = inputs.project(W[:, :1], Dropout(0.5, [4], "cpu"))
    assert torch.equal(first, alone)
    assert not torch.equal(first, inputs.project(W[:, :1], None))
