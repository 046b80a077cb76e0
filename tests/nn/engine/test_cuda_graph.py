"""Steps that are recorded once and repeated: what can be said without a GPU, and with one."""

import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

import lovasz
from lovasz.baselines.gpnn import train_gpnn
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings, train
from lovasz.nn.engine import cuda_graph as capture
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.early_stopping import Best
from lovasz.nn.engine.loop import TrainingStep, clip_runs
from lovasz.nn.engine.network import Place, Supervision
from lovasz.nn.networks.hop import HopNetwork

BLOCKS = planted_partition(60, 3, 0.5, 0.05, seed=0)
K = lovasz.kernel(BLOCKS.graph, "ls")
SPLITS = [(np.arange(0, 60, 4), np.arange(1, 60, 4)), (np.arange(2, 60, 4), np.arange(3, 60, 4))]
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


class Source:
    """Stands for a generator of random numbers on a GPU."""

    def __init__(self):
        self.state = "fine"

    def clone_state(self):
        return self.state

    def graphsafe_set_state(self, state):
        self.state = state


class Stream:
    device_index = 0


def test_on_a_cpu_the_step_is_the_step():
    def step():
        pass

    with capture.repeating(step, torch.device("cpu"), [], wanted=True) as advance:
        assert advance is step


@pytest.fixture
def default(monkeypatch):
    source = Source()
    monkeypatch.setattr(torch.cuda, "default_generators", (source,))
    return source


def test_after_a_warm_up_the_record_is_replayed(monkeypatch, default):
    done = []
    monkeypatch.setattr(capture, "record", lambda *given: lambda: done.append("replayed"))
    advance = capture.Repeated(lambda: done.append("run"), Stream(), [Source()])
    for _ in range(6):
        advance()
    assert done == ["run"] * capture.WARM_UP + ["replayed"] * (6 - capture.WARM_UP)


def test_where_recording_fails_the_step_is_run_and_generators_are_mended(monkeypatch, default):
    done, own = [], Source()

    def fail(step, stream, generators):
        default.state = own.state = "recording"
        try:
            raise RuntimeError("operation not permitted\nand a long story")
        finally:
            raise RuntimeError("recording failed")

    monkeypatch.setattr(capture, "record", fail)
    advance = capture.Repeated(lambda: done.append("run"), Stream(), [own])
    with pytest.warns(RuntimeWarning, match="operation not permitted") as caught:
        for _ in range(6):
            advance()
    assert done == ["run"] * 6
    assert default.state == own.state == "fine"
    assert len(caught) == 1 and "\n" not in str(caught[0].message)


class ClippedNetwork(HopNetwork):
    def adjust_gradients(self, weights):
        clip_runs(weights, 1.0)


def meta_step(patience):
    """A step on the device that has shapes and no values, where nobody can look at a result."""
    place = Place.of(torch.device("meta"), "single")
    network = ClippedNetwork(K.toarray(), None, Supervision.of(BLOCKS.y, SPLITS), 16, 2)
    weights = network.initial_weights([1, 2], place.full)
    best, optimizer = Best(weights, patience), torch.optim.SGD(weights, lr=0.1)
    drop = Dropout(0.0, [], "cpu")
    return TrainingStep(network, network.phases(place), weights, drop, optimizer, best)


@pytest.mark.parametrize("patience", [None, 5])
def test_a_step_never_looks_at_a_result(patience):
    step = meta_step(patience)
    step()
    assert step.scores.shape == (3, 2)
    with pytest.raises(RuntimeError):
        bool(step.scores.sum() > 0)  # this is what it must not do


def test_a_step_keeps_to_its_memory():
    place = Place.of("cpu", "single")
    network = HopNetwork(K, None, Supervision.of(BLOCKS.y, SPLITS), 16, 2)
    weights = network.initial_weights([1, 2], place.full)
    best, optimizer = Best(weights, 3), torch.optim.Adam(weights)
    drop = Dropout(0.5, [3, 4], "cpu")
    step = TrainingStep(network, network.phases(place), weights, drop, optimizer, best)

    def places():
        state = [best.accuracy, best.loss, best.epoch, best.now, best.stale, *best.weights]
        return [tensor.data_ptr() for tensor in (*weights, *state)]

    before = places()
    for _ in range(4):
        step()
    assert places() == before
    assert best.now == 4 and best.epoch.max() > 0


def gpu_pair(features, **settings):
    return [
        train(
            K, BLOCKS.y, SPLITS, features=features, device="cuda",
            settings=Settings(**settings, capture=capture),
        )
        for capture in (True, False)
    ]  # fmt: skip


def test_the_benchmark_runs_where_there_is_no_gpu():
    root = Path(__file__).parents[3]
    words = ["--device", "cpu", "--graphs", "sbm", "--nodes", "300", "--epochs", "3", "--runs", "2"]
    result = subprocess.run(
        [sys.executable, root / "benchmarks" / "gpu.py", *words],
        capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(root / "src")},
    )  # fmt: skip
    line = next(line for line in result.stdout.splitlines() if line.startswith("sbm, n=300  "))
    numbers = [float(word) for word in line.split()[2:]]
    assert len(numbers) == 10 and all(number > 0 for number in numbers[:-1])
    assert numbers[-1] == 0  # a CPU has nothing to record
    assert "*" not in result.stdout  # nothing failed


@needs_gpu
@pytest.mark.parametrize("kind", ["identity", "dense", "sparse"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_recorded_and_plain_epochs_train_alike(kind):
    from scipy import sparse

    X = sparse.random_array((60, 40), density=0.1, rng=np.random.default_rng(0), format="csr")
    features = {"identity": None, "dense": X.toarray(), "sparse": X}[kind]
    for patience in (None, 8):
        recorded, plain = gpu_pair(features, epochs=40, patience=patience)
        np.testing.assert_allclose(recorded.logits, plain.logits, atol=1e-3)
        np.testing.assert_allclose(recorded.train_loss, plain.train_loss, rtol=1e-3)
        assert np.array_equal(recorded.best_epoch, plain.best_epoch)


@needs_gpu
def test_a_gpu_trains_like_a_cpu():
    sparse_kernel = lovasz.kernel(nx.cycle_graph(60), "ls")
    for kernel in (K, sparse_kernel):
        gpu, cpu = (
            train(kernel, BLOCKS.y, SPLITS, settings=Settings(dropout=0, epochs=30), device=device)
            for device in ("cuda", "cpu")
        )
        np.testing.assert_allclose(gpu.logits, cpu.logits, atol=1e-3)


@needs_gpu
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_gpnn_is_recorded_too():
    assert train_gpnn(
        BLOCKS.graph, BLOCKS.y, SPLITS, settings=Settings(epochs=8), device="cuda"
    ).logits.any()


@needs_gpu
def test_layer_and_transform_work_where_the_data_is():
    from torch_geometric.data import Data

    from lovasz.nn import LovaszConv, LovaszKernel

    index = torch.as_tensor(np.stack(BLOCKS.graph.adjacency.nonzero())).long()
    x = torch.randn(60, 4)
    conv = LovaszConv(4, 2, cached=True)
    expected = conv(x, index)
    data = LovaszKernel("ls")(Data(x=x, edge_index=index).to("cuda"))
    assert data.edge_weight.is_cuda
    conv.to("cuda")
    for edges in ((data.edge_index,), (data.edge_index, data.edge_weight)):
        torch.testing.assert_close(conv(data.x, *edges).cpu(), expected, rtol=1e-4, atol=1e-4)
