"""Comparing candidates on the same splits."""

import numpy as np
from scipy import sparse

import lovasz
from lovasz.classify.evaluation import Trial, choose_candidate, train_and_choose
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings

BLOCKS = planted_partition(60, 2, 0.6, 0.05, seed=0)


def test_the_better_kernel_is_chosen_wherever_it_stands():
    deaf = sparse.eye_array(60, format="csr")
    K = lovasz.kernel(BLOCKS.graph, "ls")
    splits = random_splits(BLOCKS.y, (0.2, 0.3, 0.5), 3, seed=0)
    for candidates in ({"deaf": deaf, "ls": K}, {"ls": K, "deaf": deaf}):
        outcome = train_and_choose(candidates, BLOCKS.y, splits, settings=Settings(epochs=60))
        assert outcome.names == ("ls",) * 3


def test_candidates_are_chosen_by_surprise_then_accuracy_then_order():
    sure, right = Trial(0.8, 0.4), Trial(0.9, 0.5)
    assert choose_candidate({"right": right, "sure": sure}) == "sure"
    few = {"a": Trial(0.8, np.nan), "b": Trial(0.9, np.nan), "c": Trial(0.9, np.nan)}
    assert choose_candidate(few) == "b"
    assert choose_candidate(dict.fromkeys("xy", Trial(np.nan, np.nan))) == "x"
