"""Faults that a reviewer found, kept from coming back."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from sklearn.model_selection import GridSearchCV

import lovasz
from lovasz import KernelClassifier, LCNClassifier, LovaszError
from lovasz.base.files import staged
from lovasz.classify import evaluation as protocol
from lovasz.classify.storage import FORMAT
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings, train
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.initial_weights import initial_weights, stream_seed

BLOCKS = planted_partition(60, 2, 0.6, 0.05, seed=0)
NAMES = tuple(f"v{i}" for i in range(60))
NAMED = lovasz.as_graph(BLOCKS.graph.adjacency, nodes=NAMES)


def quick(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 30, "kernel": "ls"} | options))


def test_staging_never_deletes_what_is_there(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights.bin").write_text("precious")
    with staged(tmp_path, "model/model.json") as folder:
        (folder / "model").mkdir()
        (folder / "model" / "model.json").write_text("new")
    assert (tmp_path / "model" / "weights.bin").read_text() == "precious"
    assert (tmp_path / "model" / "model.json").read_text() == "new"


def test_staging_refuses_before_any_work_is_done(tmp_path):
    (tmp_path / "report.html").mkdir()
    (tmp_path / "model").write_text("a file")
    for name in ("report.html", "model/model.json"):
        with pytest.raises(LovaszError, match="to go there"), staged(tmp_path, name):
            pytest.fail("the work was begun")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model", "report.html"]


def test_staging_leaves_no_new_parents_behind(tmp_path):
    with pytest.raises(LovaszError, match="No space left"), staged(tmp_path / "a" / "b" / "c"):
        raise OSError(28, "No space left on device")
    assert not (tmp_path / "a").exists()


def test_minus_one_is_a_class_when_it_is_a_word():
    labels = {name: str(code - 1) for name, code in zip(NAMES, BLOCKS.y, strict=True)}
    assert quick().fit(NAMED, labels).classes_.tolist() == ["-1", "0"]


def test_numpy_and_python_labels_mix():
    clf = quick().fit(BLOCKS.graph, {0: np.int64(0), 1: 0, 40: np.int64(1), 41: 1})
    assert clf.classes_.tolist() == [0, 1]


def test_a_series_and_a_frame_are_aligned_by_name():
    rng = np.random.default_rng(0)
    y = pd.Series(BLOCKS.y, index=NAMES)
    X = pd.DataFrame(rng.standard_normal((60, 3)), index=NAMES)
    expected = quick().fit(NAMED, y.to_numpy(), X.to_numpy()).predict_proba()
    order = rng.permutation(60)
    found = quick().fit(NAMED, y.iloc[order], X.iloc[order]).predict_proba()
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(LovaszError, match="index of a Series"):
        quick().fit(NAMED, pd.Series(BLOCKS.y, index=[f"w{i}" for i in range(60)]))


@pytest.mark.parametrize("as_matrix", [sparse.csr_array.toarray, lambda K: K])
def test_an_svm_takes_a_matrix(as_matrix):
    K = lovasz.kernel(BLOCKS.graph, "heat")
    y = np.where(np.arange(60) % 3 == 0, BLOCKS.y, -1)
    by_name = KernelClassifier("heat").fit(BLOCKS.graph, y)
    by_matrix = KernelClassifier(as_matrix(K)).fit(BLOCKS.graph, y)
    np.testing.assert_allclose(by_matrix.decision_, by_name.decision_)


def test_new_rows_get_the_kernel_that_was_fitted(monkeypatch):
    from lovasz.classify import lcn

    X = np.random.default_rng(0).standard_normal((40, 2))
    clf = quick(affinity="knn", kernel_options={"weights": "normalized"})
    clf.fit(X, (X[:, 0] > 0).astype(int))
    calls = []
    real = lcn.make_kernel
    monkeypatch.setattr(
        lcn, "make_kernel", lambda *a, **o: calls.append((a[1:], o)) or real(*a, **o)
    )
    clf.predict(X[:3] + 0.01)
    assert calls == [(("ls",), {"weights": "normalized"})]


def test_grid_search_with_features():
    X = np.random.default_rng(0).standard_normal((60, 5))
    search = GridSearchCV(quick(), {"hidden": [4, 8]}, cv=3, error_score="raise")
    assert search.fit(BLOCKS.graph, BLOCKS.y, features=lambda: X).best_score_ > 0.6
    with pytest.raises(LovaszError, match="lambda"):
        search.fit(BLOCKS.graph, BLOCKS.y, features=X)


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: quick(lr=1e30).fit(BLOCKS.graph, BLOCKS.y), "diverged"),
        (lambda: quick(kernel=np.full((60, 60), np.nan)).fit(BLOCKS.graph, BLOCKS.y), "NaN"),
        (lambda: quick().fit(BLOCKS.graph, BLOCKS.y, np.full((60, 2), 1e300)), "beyond 3e38"),
        (
            lambda: quick().fit(BLOCKS.graph, BLOCKS.y, sparse.csr_array(np.full((60, 2), 1e300))),
            "beyond 3e38",
        ),
        (lambda: quick(hidden=2.5).fit(BLOCKS.graph, BLOCKS.y), "hidden=2.5"),
        (lambda: quick(hidden="8").fit(BLOCKS.graph, BLOCKS.y), "hidden='8'"),
        (lambda: quick().fit(BLOCKS.graph, BLOCKS.y, validation=[0.7, 3]), "float64"),
        (lambda: quick(device="meta").fit(BLOCKS.graph, BLOCKS.y), "'meta'"),
    ],
)
def test_what_cannot_work_is_said(fit, message):
    with pytest.raises(LovaszError, match=message) as problem:
        fit()
    assert "\n" not in str(problem.value) and len(str(problem.value)) < 300


def test_every_part_of_a_split_gets_a_node_of_a_class_of_three():
    y = np.array([0] * 3 + [1] * 3)
    for split in protocol.random_splits(y, (0.6, 0.2, 0.2), 4, seed=0, by_class=True):
        assert [np.bincount(y[part]).tolist() for part in split] == [[1, 1]] * 3


def test_the_better_kernel_is_chosen_wherever_it_stands():
    deaf = sparse.eye_array(60, format="csr")
    K = lovasz.kernel(BLOCKS.graph, "ls")
    splits = protocol.random_splits(BLOCKS.y, (0.2, 0.3, 0.5), 3, seed=0)
    for candidates in ({"deaf": deaf, "ls": K}, {"ls": K, "deaf": deaf}):
        outcome = protocol.run(candidates, BLOCKS.y, splits, settings=Settings(epochs=60))
        assert outcome.names == ("ls",) * 3


def test_both_layers_drop_their_inputs():
    """The loop with its masks written out."""
    K = lovasz.kernel(BLOCKS.graph, "ls")
    split = protocol.random_splits(BLOCKS.y, (0.3, 0.2, 0.5), 1, seed=0)[0]
    result = train(K, BLOCKS.y, [split[:2]], settings=Settings(epochs=6, dropout=0.4), seeds=[3])
    weights = initial_weights([60, 16, 2], [3], device="cpu", dtype=torch.float32)
    masks = Dropout(0.4, [stream_seed(3, 1)], "cpu")
    optimizer = torch.optim.Adam(weights, lr=0.01, weight_decay=5e-4)
    matrix = torch.as_tensor(K.toarray(), dtype=torch.float32)
    y = torch.as_tensor(BLOCKS.y)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        first, second = (W[:, 0] for W in weights)
        H = (matrix @ (masks.factors(60)[:, 0] * first)).relu()
        logits = matrix @ ((masks.factors(60, 16)[:, 0] * H) @ second)
        loss = torch.nn.functional.cross_entropy(logits[split.train], y[split.train])
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    np.testing.assert_allclose(result.train_loss[:, 0], losses, rtol=1e-4)


def test_the_streams_of_a_run_are_independent():
    first = torch.rand(4000, generator=torch.Generator().manual_seed(stream_seed(0, 0)))
    second = torch.rand(4000, generator=torch.Generator().manual_seed(stream_seed(0, 1)))
    assert abs(float(torch.corrcoef(torch.stack([first, second]))[0, 1])) < 0.08


def test_names_and_parameters_of_every_kind_are_saved(tmp_path):
    cube = nx.hypercube_graph(3)
    labels = {(0, 0, 0): "low", (1, 1, 1): "high"}
    clf = quick(hidden=np.int64(4)).fit(cube, labels)
    clf.save(tmp_path / "model")
    loaded = LCNClassifier.load(tmp_path / "model")
    assert loaded.nodes_ == clf.nodes_ and loaded.predict(cube).tolist() == clf.predict().tolist()
    for number, problem in ((FORMAT, "damaged"), (FORMAT - 1, f"not saved in the format {FORMAT}")):
        (tmp_path / "model" / "model.json").write_text(f'{{"format": {number}}}')
        with pytest.raises(LovaszError, match=problem):
            LCNClassifier.load(tmp_path / "model")


def test_a_layer_takes_what_kernel_gives():
    from lovasz.nn import LovaszConv

    K = lovasz.kernel(nx.petersen_graph(), "ls")
    conv, x = LovaszConv(4, 2), torch.randn(10, 4)
    expected = conv(x, torch.as_tensor(K.toarray(), dtype=torch.float32))
    torch.testing.assert_close(conv(x, K), expected)
    torch.testing.assert_close(conv(x, K.toarray()), expected)


def test_dense_kernels_need_no_more_than_their_estimate(tmp_path):
    """Peak memory of a fresh process, beside what the guard reckons with."""
    import subprocess
    import sys

    from lovasz.base.memory import BYTES_PER_ENTRY

    n = 1500
    code = f"""
import networkx as nx, lovasz
from lovasz.kernels import KERNELS
graph = lovasz.as_graph(nx.cycle_graph({n}))
lovasz.kernel(nx.cycle_graph(50), "NAME")
def memory(field):
    return int(next(l for l in open("/proc/self/status") if l.startswith(field)).split()[1]) * 1024
open("/proc/self/clear_refs", "w").write("5")
before = memory("VmRSS")
lovasz.kernel(graph, "NAME")
print(memory("VmHWM") - before)
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("peak memory is read from /proc, which only Linux has")
    for name in ("laplacian", "heat", "ppr"):
        used = subprocess.run(
            [sys.executable, "-c", code.replace("NAME", name)],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert int(used) < 1.15 * BYTES_PER_ENTRY * n * n, name
