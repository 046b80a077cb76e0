"""Laws of the training loop."""

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.nn import LCN, Settings, train
from lovasz.nn.engine.operators import as_operator

BLOCKS = planted_partition(90, 3, 0.5, 0.05, seed=0)
K = lovasz.kernel(BLOCKS.graph, "ls")
SPLITS = [s[:2] for s in random_splits(BLOCKS.y, (0.3, 0.2, 0.5), 4, seed=0)]
SPARSE_X = sparse.random_array((90, 40), density=0.1, rng=np.random.default_rng(0), format="csr")
FEATURES = {"identity": None, "dense": SPARSE_X.toarray(), "sparse": SPARSE_X}


@pytest.fixture(params=FEATURES, ids=str)
def features(request):
    return FEATURES[request.param]


def test_the_same_seed_gives_the_same_bits(features):
    first = train(K, BLOCKS.y, SPLITS, features=features, settings=Settings(epochs=20))
    second = train(K, BLOCKS.y, SPLITS, features=features, settings=Settings(epochs=20))
    assert np.array_equal(first.logits, second.logits)
    assert np.array_equal(first.validation_loss, second.validation_loss)


def test_other_seeds_give_other_networks():
    first = train(K, BLOCKS.y, SPLITS[:1] * 2, settings=Settings(epochs=5), seeds=[1, 2])
    assert not np.array_equal(first.logits[0], first.logits[1])


def test_a_run_is_the_same_alone_and_among_others(features):
    together = train(
        K, BLOCKS.y, SPLITS, features=features, settings=Settings(epochs=15), seeds=[5, 6, 7, 8]
    )
    for run in (0, 3):
        alone = train(
            K,
            BLOCKS.y,
            SPLITS[run : run + 1],
            features=features,
            settings=Settings(epochs=15),
            seeds=[5 + run],
        )
        np.testing.assert_allclose(alone.logits[0], together.logits[run], atol=1e-4)
        assert alone.best_epoch[0] == together.best_epoch[run]


def test_a_run_is_the_same_alone_where_others_see_more_of_the_graph(features):
    """With few labels on a path a run needs a small part of it; the others need other parts."""
    kernel = lovasz.kernel(nx.path_graph(90), "ls")
    few = [(np.array([5, 10]), np.array([7])), (np.array([70, 80]), np.array([75, 76]))]
    together = train(
        kernel, BLOCKS.y, few, features=features, settings=Settings(epochs=15), seeds=[1, 2]
    )
    for run in (0, 1):
        alone = train(
            kernel,
            BLOCKS.y,
            few[run : run + 1],
            features=features,
            settings=Settings(epochs=15),
            seeds=[1 + run],
        )
        np.testing.assert_allclose(alone.logits[0], together.logits[run], atol=1e-4)


def test_sparse_and_dense_features_train_alike_without_dropout():
    dense, thin = (
        train(K, BLOCKS.y, SPLITS, features=FEATURES[kind], settings=Settings(dropout=0, epochs=30))
        for kind in ("dense", "sparse")
    )
    np.testing.assert_allclose(dense.logits, thin.logits, atol=1e-4)


def test_the_order_in_which_non_zeros_are_stored_does_not_matter():
    shuffled = SPARSE_X.copy()
    for start, stop in zip(shuffled.indptr[:-1], shuffled.indptr[1:], strict=True):
        for array in (shuffled.indices, shuffled.data):
            array[start:stop] = array[start:stop][::-1].copy()
    shuffled.has_sorted_indices = False
    before = shuffled.indices.copy()
    expected = train(K, BLOCKS.y, SPLITS, features=SPARSE_X, settings=Settings(epochs=5))
    found = train(K, BLOCKS.y, SPLITS, features=shuffled, settings=Settings(epochs=5))
    assert np.array_equal(found.logits, expected.logits)
    assert np.array_equal(shuffled.indices, before)


def test_identity_features_equal_an_explicit_identity_without_dropout():
    implicit = train(K, BLOCKS.y, SPLITS, settings=Settings(dropout=0, epochs=30))
    explicit = train(
        K, BLOCKS.y, SPLITS, features=np.eye(90), settings=Settings(dropout=0, epochs=30)
    )
    np.testing.assert_allclose(implicit.logits, explicit.logits, atol=1e-4)


def test_sparse_and_dense_kernels_train_alike(features):
    kernel = lovasz.kernel(nx.cycle_graph(90), "ls")
    thin, full = (
        train(matrix, BLOCKS.y, SPLITS, features=features, settings=Settings(epochs=15))
        for matrix in (kernel, kernel.toarray())
    )
    np.testing.assert_allclose(thin.logits, full.logits, atol=1e-4)


def reference(K, X, y, split, weights, epochs, lr=0.01, decay=5e-4):
    """The same network in ten lines of ordinary torch, without dropout."""
    model = LCN(X.shape[1], 16, 3, dropout=0.0)
    for conv, weight in zip(model.convs, weights, strict=True):
        conv.lin.weight.data = weight.t().clone()
    optimizer = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=decay)
    matrix = torch.as_tensor(K.toarray(), dtype=torch.float32)
    x, target = torch.as_tensor(X, dtype=torch.float32), torch.as_tensor(y)
    losses = []
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x, matrix)[split[0]], target[split[0]])
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    return losses


def test_the_batched_loop_is_the_ordinary_loop():
    from lovasz.nn.engine.initial_weights import initial_weights

    X = FEATURES["dense"]
    result = train(K, BLOCKS.y, SPLITS, features=X, settings=Settings(dropout=0, epochs=12))
    weights = initial_weights([40, 16, 3], range(4), device="cpu", dtype=torch.float32)
    for run, split in enumerate(SPLITS):
        expected = reference(K, X, BLOCKS.y, split, [W[:, run].detach() for W in weights], 12)
        np.testing.assert_allclose(result.train_loss[:, run], expected, rtol=1e-4)


def test_the_kept_weights_are_those_of_the_best_epoch(features):
    result = train(K, BLOCKS.y, SPLITS, features=features, settings=Settings(epochs=40))
    for run, (_, validation) in enumerate(SPLITS):
        answers = result.logits[run].argmax(1)[validation]
        at_best = result.validation_accuracy[result.best_epoch[run] - 1, run]
        assert (answers == BLOCKS.y[validation]).mean() == pytest.approx(at_best)
        assert at_best == result.validation_accuracy[:, run].max()


def test_patience_stops_early_and_keeps_the_best_before_it():
    noise = np.random.default_rng(0).integers(0, 3, 90)
    patient = train(K, noise, SPLITS, settings=Settings(epochs=100))
    hasty = train(K, noise, SPLITS, settings=Settings(epochs=100, patience=3))
    assert len(hasty.train_loss) < 100
    for run in range(len(SPLITS)):
        best = hasty.best_epoch[run]
        accuracy, loss = patient.validation_accuracy[:, run], patient.validation_loss[:, run]
        merits = list(zip(accuracy, -loss, strict=True))
        assert merits[best - 1] == max(merits[: best + 3])


def test_without_validation_the_last_epoch_counts():
    nothing = np.empty(0, dtype=np.int64)
    result = train(K, BLOCKS.y, [(SPLITS[0][0], nothing), SPLITS[1]], settings=Settings(epochs=7))
    assert result.best_epoch[0] == 7
    assert np.isnan(result.validation_accuracy[:, 0]).all()
    assert not np.isnan(result.validation_accuracy[:, 1]).any()


def test_the_model_of_a_run_answers_like_the_run(features):
    result = train(K, BLOCKS.y, SPLITS, features=features, settings=Settings(epochs=5))
    x = None
    if features is not None:
        x = torch.as_tensor(FEATURES["dense"], dtype=torch.float32)
    answer = result.model(2)(x, as_operator(K)).detach().numpy()
    np.testing.assert_allclose(answer, result.logits[2], atol=1e-4)


def test_weight_decay_shrinks_every_layer():
    free, bound = (
        train(
            K, BLOCKS.y, SPLITS[:1], settings=Settings(epochs=60, weight_decay=decay, patience=None)
        )
        for decay in (0.0, 0.5)
    )
    for loose, tight in zip(free.weights, bound.weights, strict=True):
        assert tight.norm() < loose.norm()


def test_deep_and_shallow_networks_train():
    for layers in (1, 3):
        result = train(K, BLOCKS.y, SPLITS, settings=Settings(layers=layers, epochs=30))
        assert len(result.weights) == layers
        assert result.train_loss[-1].mean() < result.train_loss[0].mean()


def test_unequal_seeds_and_splits_are_refused():
    with pytest.raises(LovaszError, match="2 seeds for 1 splits"):
        train(K, BLOCKS.y, SPLITS[:1], seeds=[1, 2])


def test_an_unknown_device_is_refused_in_one_line():
    with pytest.raises(LovaszError, match="device 'quantum' cannot be used") as problem:
        train(K, BLOCKS.y, SPLITS[:1], device="quantum")
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("shared", [False, True])
def test_runs_without_validation_nodes_do_not_change_the_others(features, shared):
    nothing = np.empty(0, dtype=np.int64)
    mixed = [SPLITS[0], (SPLITS[1][0], nothing), SPLITS[2]]
    settings = Settings(epochs=15, shared_epoch=shared)
    found = train(K, BLOCKS.y, mixed, features=features, settings=settings, seeds=[5, 6, 7])
    judged = train(K, BLOCKS.y, mixed[::2], features=features, settings=settings, seeds=[5, 7])
    assert np.isnan(found.validation_loss[:, 1]).all()
    np.testing.assert_allclose(found.validation_loss[:, ::2], judged.validation_loss, atol=1e-4)
    np.testing.assert_allclose(found.logits[::2], judged.logits, atol=1e-3)
    assert found.best_epoch[::2].tolist() == judged.best_epoch.tolist()
