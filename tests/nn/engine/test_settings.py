"""Settings of training, one per run: runs that differ in rate, L2 and dropout, as one batch."""

import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.baselines.gpnn import train_gpnn
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings, train, train_propagated
from lovasz.reproduce.engine import methods
from lovasz.reproduce.engine.methods import GRID, best, prepare

BLOCKS = planted_partition(60, 3, 0.4, 0.1, seed=0)
K = lovasz.kernel(BLOCKS.graph, "ls")
SPLITS = [(np.arange(0, 60, 4), np.arange(1, 60, 4)), (np.arange(2, 60, 4), np.arange(3, 60, 4))]
X = sparse.random_array((60, 40), density=0.1, rng=np.random.default_rng(0), format="csr")
FEATURES = {"identity": None, "dense": X.toarray(), "sparse": X}


def grid_and_single(fit, epochs):
    """The settings of the grid as one batch, and one after the other."""
    batch = fit(
        SPLITS * len(GRID),
        seeds=[5, 6] * len(GRID),
        settings=Settings(
            epochs=epochs,
            lr=[s["lr"] for s in GRID for _ in SPLITS],
            weight_decay=[[s["weight_decay"] for s in GRID for _ in SPLITS]],
            dropout=[s["dropout"] for s in GRID for _ in SPLITS],
        ),
    )
    single = [
        fit(SPLITS, seeds=[5, 6], settings=Settings(epochs=epochs, **setting)) for setting in GRID
    ]
    return [batch.part(slice(2 * i, 2 * i + 2)) for i in range(len(GRID))], single


@pytest.mark.parametrize("kind", FEATURES)
def test_a_setting_trains_alike_alone_and_in_the_batch(kind):
    def fit(splits, **options):
        return train(K, BLOCKS.y, splits, features=FEATURES[kind], device="cpu", **options)

    together, alone = grid_and_single(fit, epochs=40)
    for one, other in zip(together, alone, strict=True):
        assert np.array_equal(one.best_epoch, other.best_epoch)
        np.testing.assert_allclose(one.train_loss, other.train_loss, rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(one.logits, other.logits, rtol=1e-3, atol=1e-3)
    rates = {float(np.round(one.train_loss[-1, 0], 3)) for one in together}
    assert len(rates) > 4  # the settings do differ


def test_so_does_a_gpnn():
    def fit(splits, **options):
        return train_gpnn(BLOCKS.graph, BLOCKS.y, splits, device="cpu", **options)

    together, alone = grid_and_single(fit, epochs=12)
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one.train_loss, other.train_loss, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("method", ["gcn", "lcn-ls", "gpnn"])
def test_a_table_chooses_the_same_setting(method, monkeypatch):
    splits = random_splits(BLOCKS.y, (0.3, 0.3, 0.4), 3, seed=0)
    found = []
    for batched in (True, False):
        monkeypatch.setattr(methods, "together", lambda *_, batched=batched: batched)
        prepared = prepare(method, BLOCKS.graph, device="cpu")
        found.append(best(prepared.tried(BLOCKS.y, splits, settings=Settings(epochs=20))))
    batch, loop = found
    assert batch.setting == loop.setting
    np.testing.assert_array_equal(batch.validation, loop.validation)
    np.testing.assert_allclose(batch.test, loop.test, atol=0.05)
    np.testing.assert_allclose(batch.loss, loop.loss, rtol=1e-3)


def test_settings_that_fit_no_run_are_refused():
    for wrong in ({"lr": [0.1] * 3}, {"dropout": [0.5] * 3}, {"weight_decay": [[0.1] * 3]}):
        (name,) = wrong
        with pytest.raises(LovaszError, match=rf"^{name} has shape \(.*3,?\) for .*2 runs; give"):
            train(K, BLOCKS.y, SPLITS, settings=Settings(epochs=1, **wrong), device="cpu")


def test_the_run_that_diverges_is_named():
    with pytest.raises(LovaszError, match=r"diverged with lr=1e\+30: .* lower lr"):
        train(K, BLOCKS.y, SPLITS, settings=Settings(epochs=30, lr=[0.01, 1e30]), device="cpu")


def test_l2_of_every_run_reaches_the_first_matrix_of_a_network_with_a_polynomial():
    def fit(splits, decay, seeds):
        settings = Settings(epochs=10, weight_decay=decay)
        return train_propagated(K, BLOCKS.y, splits, settings=settings, seeds=seeds, device="cpu")

    both = fit(SPLITS, [[0.0, 0.5]], [5, 6])
    for run, decay in enumerate((0.0, 0.5)):
        alone = fit(SPLITS[run : run + 1], decay, [5 + run])
        np.testing.assert_allclose(alone.logits[0], both.logits[run], rtol=1e-3, atol=1e-4)
    with pytest.raises(LovaszError, match=r"weight_decay has shape \(2,\).*first matrix only"):
        fit(SPLITS, [0.1, 0.2], [5, 6])
