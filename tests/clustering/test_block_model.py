"""The posterior of a block model: near the Bayes rule, whatever the affinities."""

import numpy as np
import pytest

from lovasz.clustering import block_model
from lovasz.clustering.block_model import block_posterior
from lovasz.clustering.feature_evidence import GaussianEvidence
from lovasz.graphs.families import sbm
from lovasz.reproduce.references.belief import bayes_labels


@pytest.mark.parametrize(("inside", "between"), [(0.7, 0.6), (0.06, 0.02), (0.04, 0.1)])
def test_it_is_within_two_points_of_the_bayes_rule(inside, between):
    affinity = np.full((3, 3), between) + (inside - between) * np.eye(3)
    ours, bayes = [], []
    for seed in range(3):
        blocks = sbm([120] * 3, affinity, seed=seed)
        known = np.random.default_rng(seed).random(360) < 0.3
        codes = np.where(known, blocks.y, -1)
        found = block_posterior(blocks.graph, codes, 3)
        assert (found.marginals[known].argmax(1) == blocks.y[known]).all()
        ours.append((found.marginals.argmax(1) == blocks.y)[~known].mean())
        best = bayes_labels(blocks.graph, codes, probabilities=affinity, sizes=[120] * 3).labels
        bayes.append((best == blocks.y)[~known].mean())
    assert np.mean(ours) > np.mean(bayes) - 0.02


def test_the_affinities_are_learned():
    affinity = np.array([[0.02, 0.10], [0.10, 0.05]])
    blocks = sbm([200, 200], affinity, seed=0)
    codes = np.where(np.arange(400) % 5 == 0, blocks.y, -1)
    found = block_posterior(blocks.graph, codes, 2)
    # Degrees are corrected for, so only ratios within a row of the affinity can be compared.
    assert found.affinity[0, 1] > 2 * found.affinity[0, 0]
    assert found.affinity[0, 1] > 1.5 * found.affinity[1, 1]


def test_a_prior_decides_where_the_graph_says_nothing():
    blocks = sbm([50, 50], np.full((2, 2), 0.1), seed=0)
    codes = np.where(np.arange(100) % 5 == 0, blocks.y, -1)
    prior = np.log(np.where(np.eye(2)[blocks.y] > 0, 0.95, 0.05))
    found = block_posterior(blocks.graph, codes, 2, prior=prior)
    assert (found.marginals.argmax(1) == blocks.y).mean() > 0.9


def test_isolated_nodes_have_the_shares_of_the_classes():
    blocks = sbm([30, 30], [[0.0, 0.0], [0.0, 0.0]], seed=0)
    codes = np.full(60, -1)
    codes[[0, 1, 2, 59]] = [0, 0, 0, 1]
    found = block_posterior(blocks.graph, codes, 2)
    assert np.ptp(found.marginals[5:50], axis=0).max() < 1e-12
    assert found.marginals[10, 0] > found.marginals[10, 1]


@pytest.mark.parametrize(("inside", "between"), [(0.05, 0.02), (0.02, 0.06)])
def test_graph_and_features_together_are_far_better_than_either(inside, between):
    affinity = np.full((3, 3), between) + (inside - between) * np.eye(3)
    right = {"graph": [], "features": [], "both": [], "bayes": []}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        blocks = sbm([100] * 3, affinity, seed=seed)
        means = 1.2 * np.linalg.qr(rng.standard_normal((6, 3)))[0].T
        X = means[blocks.y] + rng.standard_normal((300, 6))
        known = np.arange(300) % 10 == 0
        codes = np.where(known, blocks.y, -1)
        evidence = -((X[:, None] - means) ** 2).sum(axis=2) / 2
        told = np.eye(3)[blocks.y] * known[:, None]
        answers = {
            "graph": block_posterior(blocks.graph, codes, 3).marginals.argmax(1),
            "features": GaussianEvidence(X)(told).argmax(1),
            "both": block_posterior(blocks.graph, codes, 3, features=X).marginals.argmax(1),
            "bayes": bayes_labels(
                blocks.graph, codes, probabilities=affinity, sizes=[100] * 3, evidence=evidence
            ).labels,
        }
        for name, found in answers.items():
            right[name].append((found == blocks.y)[~known].mean())
    mean = {name: np.mean(values) for name, values in right.items()}
    assert mean["both"] > mean["bayes"] - 0.03
    assert mean["both"] > max(mean["graph"], mean["features"]) + 0.06


@pytest.mark.parametrize(("inside", "between"), [(0.3, 0.0), (0.06, 0.02), (0.04, 0.1)])
def test_products_of_likelihoods_answer_as_sums_of_logarithms_do(monkeypatch, inside, between):
    affinity = np.full((3, 3), between) + (inside - between) * np.eye(3)
    blocks = sbm([100] * 3, affinity, seed=1)
    codes = np.where(np.arange(300) % 10 == 0, blocks.y, -1)
    summed = block_posterior(blocks.graph, codes, 3)
    monkeypatch.setattr(block_model, "MANY_TERMS", 0)
    multiplied = block_posterior(blocks.graph, codes, 3)
    assert multiplied.sweeps == summed.sweeps
    np.testing.assert_allclose(multiplied.marginals, summed.marginals, atol=1e-9)
    np.testing.assert_allclose(multiplied.messages, summed.messages, atol=1e-9)
    np.testing.assert_allclose(multiplied.affinity, summed.affinity, rtol=1e-9)
