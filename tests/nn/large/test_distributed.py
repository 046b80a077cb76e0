"""Shards, ranks and checkpoints: the curve of one process, whatever happens."""

import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist
from scipy import sparse
from tests.waiting import LONGEST, wait_until

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings, train
from lovasz.nn.large.distributed import Checkpoint, cut, train_shard

GRAPH, Y, _ = planted_partition(200, 3, 0.15, 0.02, seed=0)
K = lovasz.kernel(GRAPH, "ls")
ORDER = np.random.default_rng(0).permutation(200)
SPLIT = ORDER[:60], ORDER[60:90]
NARROW = np.array([0, 1, 199]), np.array([3, 2])  # some ranks have no node to learn from
DENSE = np.random.default_rng(1).standard_normal((200, 6)).astype(np.float32) + np.eye(3, 6)[Y]
SPARSE = sparse.csr_array(np.where(np.random.default_rng(2).random((200, 30)) < 0.1, 1.0, 0.0))
CASES = {
    "identity": (None, SPLIT, {}),
    "dense": (DENSE, SPLIT, {}),
    "sparse": (SPARSE, SPLIT, {}),
    "few labels, three layers": (SPARSE, NARROW, {"layers": 3}),
    "no dropout": (DENSE, SPLIT, {"dropout": 0.0}),
    "no validation": (None, (ORDER[:60], ORDER[:0]), {}),
}
EPOCHS = 20


def trained(name, rank, ranks, *, checkpoint=None, **more):
    X, split, options = CASES[name]
    settings = Settings(**{"epochs": EPOCHS} | options | more)
    shard = cut(K, X, Y, split, ranks)[rank]
    return train_shard(shard, classes=3, settings=settings, seed=5, checkpoint=checkpoint)


def alone(name, **options):
    return trained(name, 0, 1, **options)


def work(rank, ranks, port, queue):
    torch.set_num_threads(1)
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=ranks, timeout=timedelta(seconds=LONGEST)
    )
    found = {}
    for name in CASES:
        result = trained(name, rank, ranks)
        found[name] = result.train_loss, result.logits[0], int(result.best_epoch[0])
    queue.put((rank, found))
    dist.barrier()
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def workers():
    # Neither fork (torch has threads by now) nor spawn (each would import torch anew).
    context = multiprocessing.get_context("forkserver")
    # torch's optimizers import torch._dynamo when first used, which takes seconds.
    context.set_forkserver_preload(["lovasz.nn.large.distributed", "torch._dynamo", __name__])
    return context


@pytest.mark.parametrize("ranks", [2, 4])
def test_any_number_of_ranks_gives_the_curve_of_one(workers, ranks):
    store = dist.TCPStore("127.0.0.1", 0, is_master=True)  # a free port
    queue = workers.Queue()
    processes = [
        workers.Process(target=work, args=(rank, ranks, store.port, queue), daemon=True)
        for rank in range(ranks)
    ]
    for process in processes:
        process.start()
    found = dict(queue.get(timeout=LONGEST) for _ in processes)
    for process in processes:
        process.join(LONGEST)
        assert process.exitcode == 0
    for name in CASES:
        one = alone(name)
        assert one.train_loss[-1, 0] < one.train_loss[0, 0]
        for rank in range(ranks):
            np.testing.assert_allclose(found[rank][name][0], one.train_loss, atol=1e-5, rtol=0)
            assert found[rank][name][2] == one.best_epoch[0]
        logits = np.concatenate([found[rank][name][1] for rank in range(ranks)])
        np.testing.assert_allclose(logits, one.logits[0], atol=2e-4)


def test_without_dropout_it_is_train():
    X, split, _ = CASES["no dropout"]
    one = alone("no dropout")
    plain = train(
        K,
        Y,
        [split],
        features=X,
        settings=Settings(dropout=0, epochs=20),
        seeds=[5],
        classes=3,
        device="cpu",
    )
    np.testing.assert_allclose(one.train_loss, plain.train_loss, atol=1e-5)
    np.testing.assert_allclose(one.validation_accuracy, plain.validation_accuracy, atol=1e-6)
    np.testing.assert_allclose(one.logits, plain.logits, atol=2e-4)


def test_resume_gives_the_curve_of_a_training_never_interrupted(tmp_path):
    whole = alone("sparse")
    alone("sparse", epochs=11, checkpoint=Checkpoint(tmp_path, every=4))
    rest = alone("sparse", checkpoint=Checkpoint(tmp_path, every=4, resume=True))
    np.testing.assert_array_equal(whole.train_loss, rest.train_loss)
    np.testing.assert_array_equal(whole.logits, rest.logits)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.pt"]
    with pytest.raises(LovaszError, match=r"made with hidden=16 .* hidden=8"):
        alone("sparse", hidden=8, checkpoint=Checkpoint(tmp_path, resume=True))
    (tmp_path / "checkpoint.pt").write_bytes(b"half of a file")
    with pytest.raises(LovaszError, match="not a checkpoint"):
        alone("sparse", checkpoint=Checkpoint(tmp_path, resume=True))


def _other_weights(state):
    state["weights"] = [W[:1] for W in state["weights"]]


def _other_moments(state):
    state["optimizer"]["state"][0]["exp_avg"] = torch.zeros(3)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.clear(),
        lambda state: state.pop("log"),
        lambda state: state.update(log=torch.zeros(4, 7)),
        lambda state: state.update(log=3.5),
        lambda state: state.update(weights=None),
        lambda state: state.update(optimizer={}),
        lambda state: state["best"].update(offer=torch.zeros(1)),
        lambda state: state["best"].update(epoch=torch.zeros(2)),
        _other_weights,
        _other_moments,
    ],
)
def test_a_foreign_checkpoint_is_one_line(change, tmp_path):
    alone("dense", epochs=2, checkpoint=Checkpoint(tmp_path))
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    change(state)
    torch.save(state, tmp_path / "checkpoint.pt")
    with pytest.raises(LovaszError, match="something else") as problem:
        alone("dense", checkpoint=Checkpoint(tmp_path, resume=True))
    assert "\n" not in str(problem.value)
    for other in ([1, 2], torch.ones(3)):  # not even a dict
        torch.save(other, tmp_path / "checkpoint.pt")
        with pytest.raises(LovaszError, match="something else"):
            alone("dense", checkpoint=Checkpoint(tmp_path, resume=True))


def test_a_failure_while_a_checkpoint_is_written_leaves_the_last(tmp_path, monkeypatch):
    alone("dense", epochs=4, checkpoint=Checkpoint(tmp_path))
    before = (tmp_path / "checkpoint.pt").read_bytes()

    def half(state, path):
        Path(path).write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", half)
    with pytest.raises(KeyboardInterrupt):
        alone("dense", checkpoint=Checkpoint(tmp_path, resume=True))
    assert (tmp_path / "checkpoint.pt").read_bytes() == before


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the ranks in /proc")
def test_a_killed_rank_is_a_clear_error_and_resume_goes_on(tmp_path, capsys, monkeypatch):
    from lovasz.cli import app

    a, b = GRAPH.edges()
    (tmp_path / "g.csv").write_text("".join(f"{i},{j}\n" for i, j in zip(a, b, strict=True)))
    (tmp_path / "l.csv").write_text("".join(f"{i},{Y[i]}\n" for i in SPLIT[0]))
    call = ["train", "g.csv", "--labels", "l.csv", "--device", "cpu", "--json"]
    saved = ["--checkpoint", "saved", "--every", "5"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    launch = ["-m", "torch.distributed.run", "--nproc-per-node=2", f"--master-port={port}"]
    home = str(Path(lovasz.__file__).parents[1])  # PYTHONPATH may be relative to another folder
    job = subprocess.Popen(
        [sys.executable, *launch, "-m", "lovasz", *call, *saved, "--epochs", "1000000"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": home},
    )  # fmt: skip
    try:
        path = tmp_path / "saved" / "checkpoint.pt"
        wait_until(lambda: path.exists() or job.poll() is not None)
        assert job.poll() is None, job.stderr.read()
        children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
        os.kill(int(children[1]), signal.SIGKILL)
        _, errors = job.communicate(timeout=LONGEST)
    finally:
        job.kill()
    assert job.returncode not in (0, -signal.SIGKILL)
    # It finds the connection closed, or torchrun is faster; it may say both.
    lines = [line for line in errors.splitlines() if line.startswith("lovasz: rank 0 of 2: ")]
    assert lines and all("another rank" in x and "--resume" in x for x in lines), errors

    monkeypatch.chdir(tmp_path)
    reached = len(torch.load("saved/checkpoint.pt", weights_only=True)["log"])
    epochs = ["--epochs", str(reached + 3)]
    app([*call, *saved, *epochs, "--resume"], standalone_mode=False)
    resumed = json.loads(capsys.readouterr().out)
    app([*call, "--epochs", "20"], standalone_mode=False)
    whole = json.loads(capsys.readouterr().out)
    assert resumed["ranks"] == 1 and resumed["epochs"] == reached + 3 > 5
    shared = min(reached, 20)
    np.testing.assert_allclose(
        resumed["train_loss"][:shared], whole["train_loss"][:shared], atol=1e-5
    )
    assert (tmp_path / "results" / "predictions.csv").read_text().count("\n") == 201


def test_a_rank_that_waits_for_another_one_hears_a_signal(tmp_path):
    (tmp_path / "g.csv").write_text("0,1\n1,2\n")
    (tmp_path / "l.csv").write_text("0,a\n2,b\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    alone = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    job = subprocess.Popen(
        [sys.executable, "-m", "lovasz", "train", "g.csv", "--labels", "l.csv", "--device", "cpu"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env=os.environ | alone | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    )  # fmt: skip
    try:
        wait_until(lambda: answers(port))
        job.terminate()
        _, errors = job.communicate(timeout=60)  # it would wait for rank 1 for ten minutes
    finally:
        job.kill()
    assert job.returncode == 1
    assert "lovasz: rank 0 of 2: told to stop" in errors and errors.count("\n") == 1


def answers(port):
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0
