"""Which epoch of each run is kept."""

import torch

from lovasz.nn.engine.early_stopping import Best

NAN = float("nan")


def kept_epochs(accuracies, *, shared):
    """Offer one epoch after the other; the weights of an epoch are its number."""
    weights = [torch.zeros(1, len(accuracies[0]), 1)]
    best = Best(weights, None, shared=shared)
    for number, row in enumerate(accuracies, start=1):
        accuracy = torch.tensor(row)
        best.offer([torch.full_like(weights[0], number)], torch.zeros_like(accuracy), accuracy)
    assert best.weights[0].flatten().tolist() == best.epoch.tolist()
    return best.epoch.tolist()


def test_a_run_keeps_its_own_best_epoch():
    assert kept_epochs([[0.2, 0.9], [0.5, 0.1]], shared=False) == [2, 1]


def test_the_epoch_of_a_run_is_chosen_by_the_other_runs():
    accuracies = [[0.9, 0.5, 0.1, NAN], [0.1, 0.6, 0.5, NAN], [0.0, 0.5, 0.8, NAN]]
    # Means of the others: run 0 has .3, .55, .65, run 1 .5, .3, .4, run 2 .7, .35, .25. The last
    # run has no validation nodes and follows the mean of all, .5, .4, .43.
    assert kept_epochs(accuracies, shared=True) == [3, 1, 1, 1]


def test_a_single_judged_run_chooses_for_itself_and_for_those_without_judges():
    assert kept_epochs([[0.1, NAN], [0.9, NAN], [0.3, NAN]], shared=True) == [2, 2]
    assert kept_epochs([[NAN, NAN]] * 3, shared=True) == [3, 3]
