"""The expected accuracy and its interval, where the truth is known."""

import numpy as np
import pytest

from lovasz.classify.expectation import Neighbours, expect, weigh_classes
from lovasz.graphs import Graph

RECALL = np.array([0.95, 0.8])
"""How often nodes of two classes are answered rightly."""


def answer(rng, y, share=0.5):
    """Probabilities that are right if the first class has this share."""
    said = np.where(rng.random(len(y)) < RECALL[y], y, 1 - y)
    first, second = share * RECALL[0], (1 - share) * (1 - RECALL[1])
    third, fourth = share * (1 - RECALL[0]), (1 - share) * RECALL[1]
    first, third = first / (first + second), third / (third + fourth)
    return np.array([[first, 1 - first], [third, 1 - third]])[said]


def draw(rng, count, share):
    return (rng.random(count) >= share).astype(int)


@pytest.mark.parametrize(("labelled", "asked"), [(0.5, 0.5), (0.8, 0.8), (0.5, 0.8)])
def test_the_interval_covers_the_truth(labelled, asked):
    """Labels are a fair sample, or one class is labelled too seldom."""
    rng = np.random.default_rng(0)
    inside, errors = 0, []
    for _ in range(200):
        y, hidden = draw(rng, 150, labelled), draw(rng, 2000, asked)
        P = answer(rng, hidden, labelled)
        found = expect(answer(rng, y, labelled), y, P)
        right = (P.argmax(1) == hidden).mean()
        inside += found.low <= right <= found.high
        errors.append(found.accuracy - right)
    assert inside >= 184  # 190 on average
    assert abs(np.mean(errors)) < 0.03


def test_a_preference_for_a_class_is_not_taken_for_its_share():
    """A classifier that often says class 0 is right there; half of the nodes are of class 1."""
    rng = np.random.default_rng(1)
    y, hidden = draw(rng, 1000, 0.5), draw(rng, 1000, 0.5)
    assert weigh_classes(answer(rng, y), y, answer(rng, hidden)) == pytest.approx(1, abs=0.1)
    mostly_first = weigh_classes(answer(rng, y), y, answer(rng, draw(rng, 1000, 0.9)))
    assert mostly_first[y == 0].min() > 1.2 and mostly_first[y == 1].max() < 0.8


def test_few_judges_or_nothing_to_answer():
    rng = np.random.default_rng(2)
    y = draw(rng, 40, 0.5)
    held_out = answer(rng, y)
    assert expect(held_out[:19], y[:19], held_out) is None
    found = expect(held_out, y, np.empty((0, 2)))
    assert 0 <= found.low < found.accuracy < found.high <= 1


def test_classes_that_nobody_judges_widen_the_interval_to_both_sides():
    rng = np.random.default_rng(3)
    y = draw(rng, 100, 0.5)
    held_out, P = answer(rng, y), answer(rng, draw(rng, 500, 0.5))
    plain, less = expect(held_out, y, P), expect(held_out, y, P, unjudged=20)
    assert less.low < plain.low - 0.05 and less.high > plain.high


def test_classes_without_judges_count_by_their_share_of_the_answers():
    """Judges of one class of three, all right, say nothing about two thirds of the answers."""
    held_out = np.tile([0.9, 0.05, 0.05], (40, 1))
    answers = np.tile(np.eye(3), (50, 1))
    found = expect(held_out, np.zeros(40, dtype=int), answers)
    assert found.low < 0.34 and found.high > 0.95 and 0.5 < found.accuracy < 0.8


def test_where_every_node_is_labelled_only_chance_in_the_judges_counts():
    held_out = np.tile([0.9, 0.1], (150, 1))
    found = expect(held_out, np.zeros(150, dtype=int), np.empty((0, 2)))
    assert found.low > 0.95


def test_neighbours_that_err_together_count_as_fewer():
    cliques = [(5 * c + a, 5 * c + b) for c in range(40) for a in range(5) for b in range(a)]
    graph = Graph.from_edges(*zip(*[(b, a) for a, b in cliques], strict=True), n=200)
    judges, labelled = np.arange(100), np.arange(200) < 100
    near = Neighbours.of(graph, judges, labelled)
    assert len(near.pairs[0]) == 200 and near.degree == 4
    together = np.repeat(np.arange(20) % 3 > 0, 5)
    for effect in near.design_effects(together):
        assert 4 < effect <= 5  # five nodes tell as much as one
    apart = np.random.default_rng(0).random(100) < 0.7
    assert max(near.design_effects(apart)) < 1.5
    assert near.design_effects(np.ones(100, dtype=bool)) == (1, 1)
    assert Neighbours().design_effects(together) == (1, 1)
