"""Propagation in files, and training on their rows."""

from dataclasses import replace

import numpy as np
import pytest

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings
from lovasz.nn.large.decoupled import BY_BATCHES, train_decoupled, write_hops

GRAPH, Y, _ = planted_partition(400, 4, 0.1, 0.01, seed=0)
K = lovasz.kernel(GRAPH, "ls")
X = np.random.default_rng(0).standard_normal((400, 7)).astype(np.float32) + 0.5 * np.eye(4, 7)[Y]
ORDER = np.random.default_rng(1).permutation(400)
SPLIT = ORDER[:100], ORDER[100:200]


def test_rows_read_from_files_train_as_rows_kept(tmp_path):
    hops = write_hops(K, X, 2, tmp_path)
    twelve = replace(BY_BATCHES, epochs=12)
    kept = train_decoupled(hops, Y, SPLIT, batch=32, settings=twelve, seed=3, device="cpu")
    logits = np.array(kept.logits)
    read = train_decoupled(
        tmp_path, Y, SPLIT, batch=32, settings=twelve, seed=3, device="cpu", memory=2**13
    )
    np.testing.assert_array_equal(kept.train_loss, read.train_loss)
    np.testing.assert_allclose(logits, read.logits, rtol=1e-5, atol=1e-5)


def test_it_learns_and_propagation_is_why(tmp_path):
    def accuracy(hops):
        folder = tmp_path / str(hops)
        result = train_decoupled(
            write_hops(K, X, hops, folder),
            Y,
            SPLIT,
            settings=replace(BY_BATCHES, epochs=60),
            batch=50,
            device="cpu",
        )
        best = result.best_epoch - 1
        assert result.validation_accuracy[best] == np.nanmax(result.validation_accuracy)
        predicted = result.predict(SPLIT[1])
        assert (predicted == Y[SPLIT[1]]).mean() == pytest.approx(result.validation_accuracy[best])
        return (result.predict() == Y)[ORDER[200:]].mean()

    assert accuracy(2) > accuracy(0) + 0.2


def test_no_validation_keeps_the_last_epoch(tmp_path):
    hops = write_hops(K, X, 1, tmp_path)
    result = train_decoupled(
        hops, Y, (SPLIT[0], SPLIT[1][:0]), settings=Settings(epochs=4), device="cpu"
    )
    assert result.best_epoch == 4 and np.isnan(result.validation_loss).all()


def test_what_did_not_finish_is_no_result(tmp_path):
    write_hops(K, X, 1, tmp_path)
    with pytest.raises(LovaszError, match="NaN"):
        write_hops(K, np.where(X > 1, np.nan, X), 1, tmp_path)
    with pytest.raises(LovaszError, match="run write_hops first"):
        train_decoupled(tmp_path, Y, SPLIT)


def test_bad_calls_name_the_value(tmp_path):
    with pytest.raises(LovaszError, match=r"\(399, 7\)"):
        write_hops(K, X[1:], 1, tmp_path)
    with pytest.raises(LovaszError, match="hops=-1"):
        write_hops(K, X, -1, tmp_path)
    hops = write_hops(K, X, 0, tmp_path)
    with pytest.raises(LovaszError, match="10 entries"):
        train_decoupled(hops, Y[:10], SPLIT)
    with pytest.raises(LovaszError, match="negative class"):
        train_decoupled(hops, np.full(400, -1), SPLIT, classes=4)
    with pytest.raises(LovaszError, match="diverged"):
        train_decoupled(hops, Y, SPLIT, settings=Settings(lr=1e30), device="cpu")


def test_a_loose_eigenvalue_errs_to_the_safe_side():
    graph = planted_partition(900, 3, 0.05, 0.01, seed=0).graph
    tight, loose = (lovasz.kernel(graph, "ls", tol=tol) for tol in (1e-8, 1e-2))
    assert 0.97 * tight.max() <= loose.max()
    off = np.abs(loose.toarray() - np.eye(900)).max(), np.abs(tight.toarray() - np.eye(900)).max()
    assert 0.97 * off[1] <= off[0] <= off[1]
    with pytest.raises(LovaszError, match=r"tol=0\.5"):
        lovasz.kernel(graph, "ls", tol=0.5)
