"""Saved models answer as they did, and what is no saved model is refused in one line."""

import json
import os
import random
import shutil
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import make_moons

from lovasz import LCNClassifier, LovaszError
from lovasz.classify import storage
from lovasz.classify.storage import FORMAT
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(60, 2, 0.6, 0.05, seed=0)
GRAPH, TRUTH = BLOCKS.graph, BLOCKS.y
FEW = {row: int(TRUTH[row]) for row in (0, 1, 2, 3, 40, 41, 42, 43)}


def quick(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 60} | options))


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(GRAPH, FEW)


def test_a_saved_model_answers_as_before(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    assert sorted(p.name for p in (tmp_path / "model").iterdir()) == ["arrays.npz", "model.json"]
    loaded = LCNClassifier.load(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(), fitted.predict_proba())
    assert loaded.get_params() == fitted.get_params()
    assert list(loaded.nodes_) == list(fitted.nodes_)
    assert (loaded.kernel_ != fitted.kernel_).nnz == 0
    assert loaded.score(GRAPH, TRUTH) == fitted.score(GRAPH, TRUTH)
    fitted.save(tmp_path / "model")  # over the old one


def test_a_saved_model_on_a_table_still_labels_new_rows(tmp_path):
    X, y = make_moons(60, noise=0.1, random_state=0)
    clf = quick(affinity="knn", kernel="ls").fit(X, y)
    clf.save(tmp_path / "model")
    new = X[:5] + 0.01
    loaded = LCNClassifier.load(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(new), clf.predict_proba(new))


def test_no_pickle_is_needed_to_load(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    with np.load(tmp_path / "model" / "arrays.npz", allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays.files)


def test_every_choice_is_saved_and_loaded(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    loaded = LCNClassifier.load(tmp_path / "model")
    for name in (
        "chosen_",
        "propagation_",
        "network_",
        "suspicious_",
        "expectation_",
        "expected_accuracy_",
        "expected_range_",
    ):
        assert getattr(loaded, name) == getattr(fitted, name)
    assert loaded.blend_.shares == fitted.blend_.shares
    assert loaded.blend_.sharpness == fitted.blend_.sharpness
    assert np.array_equal(loaded.blend_.held_out, fitted.blend_.held_out)
    assert np.array_equal(loaded.predict_proba(), fitted.predict_proba())


def test_names_and_parameters_of_every_kind_are_saved(tmp_path):
    cube = nx.hypercube_graph(3)
    labels = {(0, 0, 0): "low", (1, 1, 1): "high"}
    clf = quick(kernel="ls", epochs=30, hidden=np.int64(4)).fit(cube, labels)
    clf.save(tmp_path / "model")
    loaded = LCNClassifier.load(tmp_path / "model")
    assert loaded.nodes_ == clf.nodes_ and loaded.predict(cube).tolist() == clf.predict().tolist()
    for number, problem in (
        (FORMAT, "are damaged"),
        (FORMAT - 1, f"not saved in the format {FORMAT}"),
    ):
        (tmp_path / "model" / "model.json").write_text(f'{{"format": {number}}}')
        with pytest.raises(LovaszError, match=problem):
            LCNClassifier.load(tmp_path / "model")


def test_an_older_format_is_refused_in_one_line(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    file.write_text(file.read_text().replace(f'"format": {FORMAT}', '"format": 3'))
    with pytest.raises(LovaszError, match="fit the model again") as problem:
        LCNClassifier.load(tmp_path / "model")
    assert "\n" not in str(problem.value)


def test_files_of_two_models_are_refused(tmp_path, fitted):
    """As a process that is killed between the two files of a save leaves them."""
    fitted.save(tmp_path / "one")
    quick(kernel="ls").fit(GRAPH, FEW).save(tmp_path / "two")
    shutil.copy(tmp_path / "two" / "arrays.npz", tmp_path / "one" / "arrays.npz")
    with pytest.raises(LovaszError, match="of two models"):
        LCNClassifier.load(tmp_path / "one")


@pytest.mark.parametrize("moves", range(3))
def test_a_killed_save_leaves_the_old_or_the_new_model(moves, tmp_path, fitted, monkeypatch):
    old = quick(kernel="ls", epochs=5).fit(GRAPH, FEW)
    old.save(tmp_path / "model")
    made, move = [], os.replace

    def die_after(source, target):
        if len(made) == moves:
            raise SystemExit
        made.append(target)
        move(source, target)

    monkeypatch.setattr(os, "replace", die_after)
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)  # nobody tidies up after a kill
    with pytest.raises(SystemExit):
        fitted.save(tmp_path / "model")
    monkeypatch.undo()
    expected = old if moves < 2 else fitted
    loaded = LCNClassifier.load(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(), expected.predict_proba())
    fitted.save(tmp_path / "model")  # tidies up
    assert sorted(p.name for p in (tmp_path / "model").iterdir()) == ["arrays.npz", "model.json"]


@pytest.mark.parametrize("name", ["model.json", "arrays.npz"])
def test_every_damage_is_one_line(name, tmp_path, fitted):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / name
    good, rng = file.read_bytes(), random.Random(0)
    for _ in range(150):
        at = rng.randrange(len(good))
        bad = good[:at] + bytes([good[at] ^ 1 << rng.randrange(7)]) + good[at + 1 :]
        if good[at : at + 1].isspace():
            continue  # space in JSON means nothing
        file.write_bytes(rng.choice([bad, good[:at], good[:at] + good[at + 1 :]]))
        with pytest.raises(LovaszError) as problem:
            LCNClassifier.load(tmp_path / "model")
        assert "\n" not in str(problem.value) and str(tmp_path) in str(problem.value)


@pytest.mark.parametrize(
    "change",
    [
        {"n": 5},
        {"n": "many"},
        {"n": -1},
        {"classes": ["one"]},
        {"classes": {"a": 1}},
        {"nodes": ["a"]},
        {"parameters": {"no such": 1}},
        {"shares": None},
        {"networks": {"ls": 99}},
        {"tried": {"ls": [1]}},
        {"expectation": 3},
        {"suspicious": [[]]},
    ],
    ids=lambda change: "-".join(f"{k}={v}" for k, v in change.items()),
)
def test_forged_models_with_the_right_digest_are_one_line(change, tmp_path, fitted):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    about = json.loads(file.read_text()) | change
    del about["digest"]
    digest = storage._digest(about, (tmp_path / "model" / "arrays.npz").read_bytes())
    file.write_text(json.dumps(about | {"digest": digest}))
    with pytest.raises(LovaszError) as problem:
        LCNClassifier.load(tmp_path / "model")
    assert "\n" not in str(problem.value) and str(tmp_path) in str(problem.value)


def test_a_model_whose_json_was_laid_out_anew_is_the_same(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    entries = list(json.loads(file.read_text()).items())
    file.write_text(json.dumps(dict(reversed(entries))))
    assert np.array_equal(LCNClassifier.load(tmp_path / "model").predict(), fitted.predict())
