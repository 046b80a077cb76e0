"""Mixed precision: bfloat16 in the products of a training step, single precision for the rest."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.baselines.gpnn import train_gpnn
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings, train
from lovasz.nn.engine.network import Place, Supervision
from lovasz.nn.engine.operators import as_operator
from lovasz.nn.engine.precision import summed_in_single
from lovasz.nn.networks.hop import HopNetwork
from lovasz.nn.networks.propagation import train_propagated

BLOCKS = planted_partition(150, 3, 0.3, 0.12, seed=1)
SPARSE = lovasz.kernel(BLOCKS.graph, "ls")  # 19 % of its entries: held sparse
DENSE = SPARSE.toarray()
RNG = np.random.default_rng(0)
X = sparse.random_array((150, 40), density=0.15, rng=RNG, format="csr")
FEATURES = {"identity": None, "dense": X.toarray(), "sparse": X}
BITS = 2.0**-8  # what rounding to bfloat16 may change, relatively


def splits_of(seeds, y=BLOCKS.y, train_share=0.2):
    parts = []
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(y))
        cut = int(train_share * len(y))
        parts.append((order[:cut], order[cut : 2 * cut]))
    return parts


def pair(fit, epochs):
    return [
        fit(settings=Settings(epochs=epochs, precision=precision), device="cpu")
        for precision in ("single", "mixed")
    ]


@pytest.mark.parametrize("kernel", [DENSE, SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", FEATURES)
def test_a_mixed_step_is_a_single_one_up_to_rounding(kernel, kind):
    single, mixed = pair(
        lambda **o: train(kernel, BLOCKS.y, splits_of(range(2)), features=FEATURES[kind], **o),
        epochs=10,
    )
    # Before any step the losses differ by the rounding of two layers; steps of Adam add to it.
    np.testing.assert_allclose(mixed.train_loss[0], single.train_loss[0], rtol=2 * BITS)
    np.testing.assert_allclose(mixed.train_loss, single.train_loss, rtol=10 * BITS)
    assert (mixed.train_loss != single.train_loss).any()  # something was rounded
    assert {W.dtype for W in mixed.weights} == {torch.float32}
    assert mixed.logits.dtype == np.float32


def test_accuracy_is_the_same_within_noise():
    y, splits = BLOCKS.y, splits_of(range(8))
    single, mixed = pair(lambda **o: train(DENSE, y, splits, **o), epochs=100)

    def accuracies(result):
        tests = [np.setdiff1d(np.arange(len(y)), np.concatenate(s)) for s in splits]
        return np.array([(z[t].argmax(1) == y[t]).mean() for z, t in zip(result.logits, tests)])  # noqa: B905

    one, other = accuracies(single), accuracies(mixed)
    difference = other - one
    assert one.mean() > 0.7  # of 1/3 by chance: there is something to lose
    assert abs(difference.mean()) < 0.015 and np.abs(difference).max() < 0.1


@pytest.mark.parametrize("propagation", ["ppr last", "learned"])
def test_polynomials_too(propagation):
    single, mixed = pair(
        partial(train_propagated, SPARSE, BLOCKS.y, splits_of(range(2)), propagation=propagation),
        epochs=10,
    )
    np.testing.assert_allclose(mixed.train_loss, single.train_loss, rtol=20 * BITS)
    assert (mixed.train_loss != single.train_loss).any()


def test_and_gpnns():
    single, mixed = pair(
        lambda **o: train_gpnn(BLOCKS.graph, BLOCKS.y, splits_of(range(2)), **o),
        epochs=5,
    )
    np.testing.assert_allclose(mixed.train_loss, single.train_loss, rtol=20 * BITS)
    assert (mixed.train_loss != single.train_loss).any()


def test_only_training_is_rounded():
    task = Supervision.of(BLOCKS.y, splits_of([0]))
    phases = HopNetwork(DENSE, None, task, 16, 2).phases(Place.of("cpu", "mixed"))
    assert [op.dtype for op in phases.train.operators] == [torch.bfloat16] * 2
    for phase in (phases.validation, phases.everything):
        assert [op.dtype for op in phase.operators] == [torch.float32] * 2
    assert phases.train.targets.sizes.dtype == torch.float32


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_product_is_one_of_rounded_numbers_summed_in_single_precision(form):
    values = np.diag(RNG.standard_normal(200)) + np.eye(200, k=1)
    operator = as_operator(form(values), dtype=torch.bfloat16)
    H = torch.randn(200, 2, generator=torch.Generator().manual_seed(0), requires_grad=True)
    product = operator @ H
    assert product.dtype == torch.float32
    rounded = torch.as_tensor(values).bfloat16().double()
    expected = rounded @ H.detach().bfloat16().double()
    torch.testing.assert_close(product.double(), expected, rtol=1e-6, atol=1e-6)
    product.backward(G := torch.randn(200, 2, generator=torch.Generator().manual_seed(1)))
    expected = rounded.T @ G.bfloat16().double()
    torch.testing.assert_close(H.grad.double(), expected, rtol=1e-6, atol=1e-6)


def test_the_flag_of_torch_is_put_back():
    flags = torch.backends.cuda.matmul
    before = flags.allow_bf16_reduced_precision_reduction
    with pytest.raises(ZeroDivisionError), summed_in_single():
        assert not flags.allow_bf16_reduced_precision_reduction
        _ = 1 / 0
    assert flags.allow_bf16_reduced_precision_reduction == before


@pytest.mark.parametrize("fit", [train, train_propagated, train_gpnn])
def test_an_unknown_precision_is_an_error_of_one_line(fit):
    given = BLOCKS.graph if fit is train_gpnn else SPARSE
    with pytest.raises(LovaszError) as caught:
        fit(given, BLOCKS.y, splits_of([0]), settings=Settings(precision="half"))
    assert str(caught.value) == "precision 'half' is unknown; choose from single, mixed, double"


@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_the_classifier_takes_it(precision, tmp_path):
    table = np.vstack([RNG.standard_normal((40, 4)), 3 + RNG.standard_normal((40, 4))])
    y = np.full(80, -1)
    y[[0, 1, 2, 3, 40, 41, 42, 43]] = [0] * 4 + [1] * 4
    clf = lovasz.LCNClassifier("ls", "rbf", precision=precision, random_state=0, device="cpu")
    clf.fit(table, y).save(tmp_path / "model")
    assert (clf.predict() == np.repeat([0, 1], 40)).mean() > 0.9
    assert clf.predict(table[:5] + 0.01).tolist() == [0] * 5
    assert lovasz.LCNClassifier.load(tmp_path / "model").precision == precision
    with pytest.raises(LovaszError, match="precision 'half' is unknown"):
        lovasz.LCNClassifier(precision="half").fit(BLOCKS.graph, {0: 0, 1: 1})


def test_the_benchmark_runs_where_there_is_no_gpu():
    root = Path(__file__).parents[3]
    words = [
        "--device",
        "cpu",
        "--graphs",
        "dense",
        "--dense",
        "120",
        "--epochs",
        "12",
        "--runs",
        "2",
    ]
    result = subprocess.run(
        [sys.executable, root / "benchmarks" / "precision.py", *words],
        capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(root / "src")},
    )  # fmt: skip
    line = next(line for line in result.stdout.splitlines() if line.startswith("dense, n=120  "))
    numbers = [float(word) for word in line.split()[2:] if word != "±"]
    assert len(numbers) == 12 and all(number > 0 for number in numbers[:8])
    assert numbers[6] > 40  # per cent, of 33 by chance
