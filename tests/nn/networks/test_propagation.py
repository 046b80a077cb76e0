"""Laws of p(K): what it computes, what it learns, and that runs stay apart."""

from functools import partial

import numpy as np
import pytest
import torch
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.early_stopping import Best
from lovasz.nn.engine.loop import TrainingStep
from lovasz.nn.engine.network import Place, Supervision
from lovasz.nn.networks.propagation import (
    PROPAGATIONS,
    Consistency,
    PolynomialLayers,
    PolynomialNetwork,
    Propagation,
    pagerank,
    scale_kernel,
    train_propagated,
)

BLOCKS = planted_partition(90, 3, 0.5, 0.05, seed=0)
K = lovasz.kernel(BLOCKS.graph, "ls", weights="normalized")
PARTS = random_splits(BLOCKS.y, (0.3, 0.2, 0.5), 4, seed=0)
SPLITS = [s[:2] for s in PARTS]
X = sparse.random_array((90, 40), density=0.1, rng=np.random.default_rng(0), format="csr")
DOUBLE = {"device": "cpu", "dtype": torch.float64}


@pytest.mark.parametrize("scale, least", [("unit", 0), ("symmetric", -1)])
def test_the_scaled_spectrum_is_where_it_is_said_to_be(scale, least):
    values = np.linalg.eigvalsh(scale_kernel(K, scale).toarray())
    assert least - 1e-9 <= values[0] < least + 0.05
    assert 0.999 < values[-1] <= 1 + 1e-9


@pytest.mark.parametrize("chebyshev", [False, True])
@pytest.mark.parametrize("learned", [False, True])
def test_p_of_s_is_the_polynomial(chebyshev, learned):
    c = (0.3, -0.2, 0.4, 0.1)
    p = Propagation(c, scale="symmetric", chebyshev=chebyshev, learned=learned)
    network = PolynomialLayers.of(K, p, None, 2, DOUBLE)
    H = torch.randn(90, 2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    given = [torch.tensor(c, dtype=torch.float64)[:, None, None].repeat(1, 2, 1)] * learned
    found = network.apply_polynomial(H, given)
    values, Q = np.linalg.eigh(scale_kernel(K, "symmetric").toarray())
    basis = np.polynomial.chebyshev.chebval if chebyshev else np.polynomial.polynomial.polyval
    wanted = np.einsum("ij,jbc->ibc", (Q * basis(values, c)) @ Q.T, H.numpy())
    np.testing.assert_allclose(found.numpy(), wanted, atol=1e-12)


def test_pagerank_sums_to_one_and_approaches_the_inverse():
    c = pagerank(0.2, 200)
    assert sum(c) == pytest.approx(1)
    S = scale_kernel(K, "unit").toarray()
    series = sum(value * np.linalg.matrix_power(S, k) for k, value in enumerate(c))
    np.testing.assert_allclose(series, 0.2 * np.linalg.inv(np.eye(90) - 0.8 * S), atol=1e-9)


@pytest.mark.parametrize("name", PROPAGATIONS)
def test_every_propagation_learns_communities(name):
    found = train_propagated(K, BLOCKS.y, SPLITS, propagation=name, settings=Settings(epochs=120))
    answers = found.logits.argmax(-1)
    right = [(answers[b][s.test] == BLOCKS.y[s.test]).mean() for b, s in enumerate(PARTS)]
    assert np.mean(right) > 0.8  # of 1/3 by chance


@pytest.mark.parametrize("name", ["ppr first", "learned"])
@pytest.mark.parametrize("features", [None, X], ids=["identity", "sparse"])
def test_a_run_is_the_same_alone_and_among_others(name, features):
    options = {"propagation": name, "features": features, "consistency": Consistency()}
    options["settings"] = Settings(epochs=10)
    together = train_propagated(K, BLOCKS.y, SPLITS, seeds=[5, 6, 7, 8], **options)
    alone = train_propagated(K, BLOCKS.y, SPLITS[2:3], seeds=[7], **options)
    np.testing.assert_allclose(alone.logits[0], together.logits[2], atol=1e-4)


def test_learned_coefficients_take_a_negative_sign_where_neighbours_differ():
    """Classes of a bipartite-like graph: only a high-pass filter tells them from few features."""
    opposite = planted_partition(200, 2, 0.02, 0.3, seed=1)
    rng = np.random.default_rng(0)
    noisy = (np.eye(2)[opposite.y] + 1.5 * rng.standard_normal((200, 2))).astype(np.float32)
    kernel = lovasz.kernel(opposite.graph, "ls", weights="normalized")
    parts = random_splits(opposite.y, (0.3, 0.3, 0.4), 3, seed=0)
    common = {"features": noisy, "settings": Settings(dropout=0.0)}
    scores = {}
    for name in ("ppr last", "learned"):
        found = train_propagated(
            kernel, opposite.y, [s[:2] for s in parts], propagation=name, **common
        )
        answers = found.logits.argmax(-1)
        scores[name] = np.mean(
            [(answers[b][s.test] == opposite.y[s.test]).mean() for b, s in enumerate(parts)]
        )
    assert scores["learned"] > 0.9 > scores["ppr last"]


def test_unknown_propagation_is_named():
    with pytest.raises(LovaszError, match=r"unknown propagation 'pagerank'.*ppr last"):
        train_propagated(K, BLOCKS.y, SPLITS, propagation="pagerank")
    with pytest.raises(LovaszError, match="restart=0 must be"):
        pagerank(0, 10)


class Undropped(PolynomialNetwork):
    """Consistent although nothing is dropped: this device draws no random numbers."""

    def losses(self, phases, weights, drop):
        return self.consistency.losses(phases.train, weights, drop)


@pytest.mark.parametrize("name", PROPAGATIONS)
def test_a_step_never_looks_at_a_result(name):
    """On a device that has shapes and no values; so a CUDA graph can repeat it."""
    place, p = Place.of(torch.device("meta"), "single"), PROPAGATIONS[name]
    network = Undropped(
        build=partial(PolynomialLayers.of, K.toarray(), p, None, 2), width=90, hidden=16, layers=2,
        task=Supervision.of(BLOCKS.y, SPLITS[:2]), propagation=p, consistency=Consistency(),
    )  # fmt: skip
    weights = network.initial_weights([1, 2], place.full)
    step = TrainingStep(
        network, network.phases(place), weights, Dropout(0.0, [], "cpu"),
        torch.optim.SGD(weights, lr=0.1), Best(weights, 5),
    )  # fmt: skip
    step()
    assert step.scores.shape == (3, 2)


@pytest.mark.gpu
@pytest.mark.parametrize("name", PROPAGATIONS)
def test_recorded_steps_train_as_single_ones(name):
    options = {"propagation": name, "device": "cuda", "consistency": Consistency()}
    recorded, single = (
        train_propagated(
            K, BLOCKS.y, SPLITS, settings=Settings(epochs=12, capture=capture), **options
        )
        for capture in (True, False)
    )
    np.testing.assert_allclose(recorded.logits, single.logits, atol=1e-3)
