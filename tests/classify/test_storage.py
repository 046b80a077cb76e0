"""Saved models answer as they did, and what is no saved model is refused in one line."""

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import make_moons

from lovasz import LCNClassifier, LovaszError
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
    for number, problem in ((FORMAT, "damaged"), (FORMAT - 1, f"not saved in the format {FORMAT}")):
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
