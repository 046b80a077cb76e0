"""A GPU gives what a CPU gives, to the tolerances stated here; skipped where there is none."""

import os
import socket
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
import torch.distributed as dist
from scipy import sparse

import lovasz
from lovasz.baselines.gpnn import train_gpnn
from lovasz.graphs.families import gnp, planted_partition
from lovasz.nn import Settings, train
from lovasz.nn.engine.operators import as_operator
from lovasz.nn.large.distributed import cut, process_group, train_shard
from lovasz.nn.networks.propagation import train_propagated
from lovasz.reproduce.engine.methods import GRID, grid_runs

pytestmark = pytest.mark.gpu
GPU = "cuda"
BLOCKS = planted_partition(300, 3, 0.3, 0.1, seed=0)
Y, N = BLOCKS.y, 300
DENSE = lovasz.kernel(planted_partition(300, 3, 0.6, 0.3, seed=0).graph, "ls")
THIN = lovasz.kernel(BLOCKS.graph, "ls")
X = sparse.random_array((N, 40), density=0.1, rng=np.random.default_rng(0), format="csr")
X = sparse.csr_array(X + sparse.csr_array(np.eye(3, 40)[Y]))
SPLITS = [tuple(np.split(np.random.default_rng(s).permutation(N), [60, 90])[:2]) for s in range(3)]


def on_both(fit, **options):
    return [fit(device=device, **options) for device in (GPU, "cpu")]


@pytest.mark.parametrize("solver", ["auto", "splitting", "interior"])
def test_theta(solver):
    """Both intervals contain ϑ, so they meet, and they are as narrow as asked for."""
    # Large enough for the GPU to be used: 400 nodes, or 4,000 rows of the Schur matrix.
    graph = gnp(132 if solver == "interior" else 420, 0.5, seed=3)
    gpu, cpu = on_both(lovasz.theta, graph=graph, tol=1e-4, solver=solver)
    assert max(gpu.lower, cpu.lower) <= min(gpu.upper, cpu.upper)
    assert gpu.upper - gpu.lower <= 1e-4 * gpu.upper
    assert gpu.value == pytest.approx(cpu.value, rel=2e-4)


def test_the_lovasz_kernel():
    """The kernel of least norm is unique; both are found to 1e-5, a root mean square."""
    graph = gnp(120, 0.3, seed=1)
    gpu, cpu = on_both(lambda device: lovasz.kernel(graph, "lovasz", device=device))
    assert abs(gpu - cpu).max() < 1e-2
    assert sparse.linalg.norm(gpu - cpu) < 2e-3 * sparse.linalg.norm(cpu)
    assert np.linalg.eigvalsh(gpu.toarray())[0] > -1e-12
    assert (gpu.diagonal() == 1).all() and gpu.nnz <= 2 * graph.m + graph.n


def test_products_with_the_ls_kernel():
    """K is made on the CPU; a product rounds at 2⁻²⁴ of the sum of its terms."""
    H = torch.randn(N, 8, generator=torch.Generator().manual_seed(0))
    for K in (DENSE, THIN):
        gpu, cpu = (as_operator(K, device=d) @ H.to(d) for d in (GPU, "cpu"))
        torch.testing.assert_close(gpu.cpu(), cpu, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["identity", "dense", "sparse"])
@pytest.mark.parametrize("kernel", [DENSE, THIN], ids=["dense", "thin"])
def test_training(kernel, kind):
    """Without dropout, whose masks a GPU draws differently: losses to 3e-3 after 50 epochs."""
    features = {"identity": None, "dense": X.toarray(), "sparse": X}[kind]
    options = {"features": features, "settings": Settings(dropout=0.0, epochs=50, lr=0.002)}
    gpu, cpu = on_both(lambda **o: train(kernel, Y, SPLITS, **o), **options)
    np.testing.assert_allclose(gpu.train_loss, cpu.train_loss, rtol=3e-3, atol=1e-4)
    agree = (gpu.logits.argmax(-1) == cpu.logits.argmax(-1)).mean()
    assert agree > 0.99


@pytest.mark.parametrize("propagation", ["ppr last", "ppr both", "learned"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_propagated_training_is_recorded(propagation):
    """As above; a step that cannot be recorded as a CUDA graph warns."""
    settings = Settings(dropout=0.0, epochs=50)
    options = {"propagation": propagation, "features": X, "settings": settings}
    gpu, cpu = on_both(lambda **o: train_propagated(THIN, Y, SPLITS, **o), **options)
    np.testing.assert_allclose(gpu.train_loss, cpu.train_loss, rtol=3e-3, atol=1e-4)
    assert (gpu.logits.argmax(-1) == cpu.logits.argmax(-1)).mean() > 0.99


@pytest.mark.parametrize("kind", ["identity", "dense", "sparse"])
@pytest.mark.parametrize("kernel", [DENSE, THIN], ids=["dense", "thin"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_mixed_precision_is_recorded_and_rounds_as_on_a_cpu(kernel, kind):
    """To a CPU, which emulates it, up to the rounding of sparse products to 8 bits."""
    features = {"identity": None, "dense": X.toarray(), "sparse": X}[kind]
    settings = Settings(dropout=0.0, epochs=12, precision="mixed")
    gpu, cpu = on_both(
        lambda **o: train(kernel, Y, SPLITS, **o), features=features, settings=settings
    )
    np.testing.assert_allclose(gpu.train_loss, cpu.train_loss, rtol=0.05)
    assert {W.dtype for W in gpu.weights} == {torch.float32}
    for fit in (train_propagated, train):
        dropped = replace(settings, dropout=0.5)
        found = fit(kernel, Y, SPLITS, device=GPU, features=features, settings=dropped)
        assert found.logits.any()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_mixed_precision_reaches_the_same_accuracy():
    splits = [
        tuple(np.split(np.random.default_rng(s).permutation(N), [90, 120])[:2]) for s in range(10)
    ]
    found = []
    for precision in ("single", "mixed"):
        z = train(
            THIN, Y, splits, device=GPU, settings=Settings(precision=precision)
        ).logits.argmax(-1)
        tests = [np.setdiff1d(np.arange(N), np.concatenate(s)) for s in splits]
        found.append(np.array([(z[b][t] == Y[t]).mean() for b, t in enumerate(tests)]))
    assert found[0].mean() > 0.6 and abs(found[0].mean() - found[1].mean()) < 0.02


@pytest.mark.parametrize("network", ["lcn", "gpnn"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_grid_as_one_batch_is_its_settings_one_by_one(network):
    """With dropout: the masks of a run are those of its seed, in the batch and alone."""
    fit = partial(train, THIN, Y) if network == "lcn" else partial(train_gpnn, BLOCKS.graph, Y)
    common = {"features": X, "device": GPU}
    settings = Settings(epochs=8)
    batch = grid_runs(partial(fit, **common), SPLITS, [7, 8, 9], GRID, settings)
    for setting, one in zip(GRID, batch, strict=True):
        alone = fit(SPLITS, seeds=[7, 8, 9], settings=replace(settings, **setting), **common)
        np.testing.assert_allclose(one.train_loss[:4], alone.train_loss[:4], rtol=1e-3)
        np.testing.assert_allclose(one.train_loss, alone.train_loss, rtol=0.03, atol=1e-3)


def test_gpnn():
    settings = Settings(dropout=0.0, epochs=20)
    gpu, cpu = on_both(lambda **o: train_gpnn(BLOCKS.graph, Y, SPLITS, **o), settings=settings)
    np.testing.assert_allclose(gpu.train_loss, cpu.train_loss, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_one_rank_with_nccl_has_the_loss_of_one_process(dropout, monkeypatch):
    """To 1e-5. Masks of shards are a function of seed and node, so a CPU has them too."""
    options = {"classes": 3, "seed": 5, "settings": Settings(epochs=20, dropout=dropout)}
    shard = cut(THIN, X, Y, SPLITS[0], 1)[0]
    alone, cpu = (train_shard(shard, **options, device=device) for device in (GPU, "cpu"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = {"RANK": 0, "LOCAL_RANK": 0, "WORLD_SIZE": 1, "MASTER_PORT": port}
    for name, value in given.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    with process_group(GPU) as place:
        spoken = dist.group.WORLD._get_backend(torch.device(GPU)).name()
        ranked = train_shard(shard, **options, device=place)
    assert spoken == {"cuda": "nccl", "cpu": "gloo"}[GPU] and place.type == GPU
    assert "RANK" in os.environ and not dist.is_initialized()
    np.testing.assert_allclose(ranked.train_loss, alone.train_loss, atol=1e-5, rtol=0)
    np.testing.assert_allclose(ranked.train_loss, cpu.train_loss, atol=1e-3, rtol=0)
    assert ranked.best_epoch[0] == alone.best_epoch[0]
