"""The planetoid files: their sizes, the order of their nodes, and pickles that are refused."""

import pickle
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from lovasz import datasets
from lovasz.base.errors import LovaszError
from lovasz.datasets import planetoid
from lovasz.datasets.catalogue import registry


@pytest.mark.data
@pytest.mark.parametrize(
    "name, n, m, features, sizes",
    [
        ("cora", 2708, 5278, 1433, [351, 217, 418, 818, 426, 298, 180]),
        ("citeseer", 3327, 4552, 3703, [249, 590, 668, 701, 596, 508]),
        ("pubmed", 19717, 44324, 500, [4103, 7739, 7875]),
    ],
)
def test_planetoid(name, n, m, features, sizes):
    data = datasets.load(name)
    split = data.splits["public"]
    assert (data.graph.n, data.graph.m, data.features.shape) == (n, m, (n, features))
    assert np.bincount(data.y[data.y >= 0]).tolist() == sizes
    assert np.bincount(data.y[split["train"]]).tolist() == [20] * len(sizes)
    assert split["val"].tolist() == list(range(20 * len(sizes), 20 * len(sizes) + 500))
    assert split["test"].size == 1000 and (np.diff(split["test"]) > 0).all()
    assert len(data.classes) == len(sizes)


@pytest.mark.data
def test_citeseer_keeps_its_nodes_without_features_and_labels():
    data = datasets.load("citeseer")
    unknown = np.flatnonzero(data.y == -1)
    assert unknown.size == 15 and not data.features[unknown].nnz
    assert data.graph.notes == ("dropped 124 self-loops",)
    assert (data.graph.degrees == 0).sum() == 48


@pytest.mark.data
def test_features_of_pubmed_belong_to_their_nodes():
    """A test row at the wrong node would make neighbours no more alike than strangers."""
    data = datasets.load("pubmed")
    tested = data.splits["public"]["test"]
    unit = sparse.diags_array(1 / sparse.linalg.norm(data.features, axis=1)) @ data.features
    near = data.graph.adjacency[tested] @ unit
    likeness = (unit[tested] * near).sum() / data.graph.degrees[tested].sum()
    strangers = (unit[np.roll(tested, 1)] * near).sum() / data.graph.degrees[tested].sum()
    assert likeness > 1.5 * strangers


def test_rows_of_the_test_part_go_to_the_nodes_of_test_index(monkeypatch):
    def matrix(rows):
        csr = sparse.csr_array(np.array(rows, dtype=np.float32))
        return SimpleNamespace(
            data=csr.data, indices=csr.indices, indptr=csr.indptr, _shape=csr.shape
        )

    parts = {
        "x": matrix([[1, 0]]),
        "y": np.array([[1, 0]]),
        "allx": matrix([[1, 0], [2, 0]]),
        "ally": np.array([[1, 0], [0, 1]]),
        "tx": matrix([[0, 5], [0, 3]]),
        "ty": np.array([[0, 1], [1, 0]]),
        # Both directions, a repetition, a loop; node 4 is in neither allx nor test.index.
        "graph": defaultdict(list, {0: [1, 1], 1: [0], 2: [2, 5], 3: [], 4: [], 5: [2]}),
    }
    monkeypatch.setattr(planetoid, "unpickle", lambda content, name: parts[content.decode()])
    contents = {f"planetoid/ind.cora.{part}": part.encode() for part in parts}
    contents["planetoid/ind.cora.test.index"] = b"5\n2\n"
    data = planetoid.read_planetoid(registry["cora"], contents)
    assert data.features.toarray().tolist() == [[1, 0], [2, 0], [0, 3], [0, 0], [0, 0], [0, 5]]
    assert data.y.tolist() == [0, 1, 0, -1, -1, 1]
    assert data.graph.m == 2 and data.graph.notes == ("dropped 1 self-loop",)
    assert data.splits["public"]["test"].tolist() == [2, 5]


class Harm:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return open, (str(self.marker), "w")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_calls_something_is_refused(tmp_path, protocol):
    content = pickle.dumps([Harm(tmp_path / "marker")], protocol)
    with pytest.raises(LovaszError, match=r"cora: refused.*open") as caught:
        planetoid.unpickle(content, "cora")
    assert not (tmp_path / "marker").exists() and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "module, name", [("builtins", "eval"), ("numpy", "load"), ("os", "system"), ("numpy", "f.g")]
)
def test_only_six_names_are_let_in(module, name):
    assert len(planetoid._PlainUnpickler.NAMES) == 6
    with pytest.raises(LovaszError, match=f"{module}.{name}"):
        planetoid.unpickle(f"c{module}\n{name}\n.".encode(), "cora")
