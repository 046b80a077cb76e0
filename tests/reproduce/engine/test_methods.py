"""The methods of the tables: one protocol, choices on validation only."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lovasz.base.errors import LovaszError
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.reproduce.engine.cells import joined
from lovasz.reproduce.engine.methods import (
    NAMES,
    RELEASED,
    Scores,
    best,
    chosen_runs,
    prepare,
)


@pytest.mark.parametrize("method", [name for name in NAMES if name not in ("lcn-best", "bayes")])
def test_every_method_learns_two_clear_blocks(method):
    graph, y, _ = planted_partition(60, 2, 0.7, 0.05, seed=0)
    splits = random_splits(y, (0.3, 0.2, 0.5), 2, seed=0)
    scores = prepare(method, graph, device="cpu").score(y, splits, grid=RELEASED)
    assert scores.test.shape == (2,)
    # Node2vec's kernel is almost all positive, and a network on it dies: see its item.
    assert scores.test.mean() > (0.4 if method == "node2vec" else 0.9)
    written = scores.as_json()
    assert [len(values) for values in written.values()] == [2, 2, 2, 2]


def test_machines_have_kernels_of_one_scale():
    graph = planted_partition(60, 2, 0.9, 0.6, seed=0).graph
    for method in ("un-lap", "n-lap", "ks"):
        assert np.median(prepare(method, graph).kernel.diagonal()) == pytest.approx(1)


def test_unknown_methods_are_named():
    with pytest.raises(LovaszError, match="unknown method 'gat'"):
        prepare("gat", planted_partition(10, 2, 0.5, 0.5, seed=0).graph)


@st.composite
def tried(draw):
    """Scores of up to five settings on two splits, with ties."""
    few = st.sampled_from([0.25, 0.5, 0.75])
    count = draw(st.integers(2, 5))
    return [
        Scores(
            np.array([k, k + 0.5]),
            np.array([draw(few), draw(few)]),
            np.array([draw(few), draw(few)]),
            (f"{k}", f"{k}"),
        )
        for k in range(count)
    ]


@given(tried())
def test_the_best_is_by_validation_then_loss_then_order(settings):
    chosen = best(settings)
    for b in range(2):
        ranks = [(-s.validation[b], s.loss[b], k) for k, s in enumerate(settings)]
        assert chosen.setting[b] == settings[min(ranks)[2]].setting[b]


@given(tried())
def test_the_best_of_the_best_is_the_best(settings):
    whole, in_two = best(settings), best([best(settings[:1]), best(settings[1:])])
    assert whole.setting == in_two.setting


def test_parts_are_joined_entry_by_entry():
    parts = [{"readings": {"a": {"test": [k]}}, "theta": [[k, k]]} for k in range(3)]
    assert joined(parts) == {
        "readings": {"a": {"test": [0, 1, 2]}},
        "theta": [[0, 0], [1, 1], [2, 2]],
    }


def test_choices_go_by_accuracy_then_loss_then_order():
    validation = np.array([[80.0, 90.0, 70.0], [80.0, 80.0, 70.0]])
    loss = np.array([[1.0, 1.0, 1.0], [0.5, 0.1, 1.0]])
    assert chosen_runs(validation, loss).tolist() == [1, 0, 0]


def test_settings_that_no_batch_can_hold_are_trained_one_by_one():
    graph, y, _ = planted_partition(40, 2, 0.7, 0.05, seed=0)
    splits = random_splits(y, (0.3, 0.2, 0.5), 1, seed=0)
    method = prepare("gcn", graph, device="cpu")
    wide = {**RELEASED[0], "hidden": 64}
    first, second = method.tried(y, splits, grid=[{**RELEASED[0], "hidden": 2}, wide])
    (alone,) = method.tried(y, splits, grid=[wide])
    assert second.loss == alone.loss != first.loss
