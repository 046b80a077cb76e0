import os
import subprocess
import sys

import numpy as np
import pytest

import lovasz
from lovasz import datasets
from lovasz.base.errors import LovaszError
from lovasz.datasets.catalogue import registry
from lovasz.datasets.download import locate
from lovasz.datasets.libsvm import parse_libsvm

UCI = ("breast-cancer", "diabetes", "fourclass", "heart", "ionosphere", "sonar")


@pytest.mark.data
@pytest.mark.parametrize("name", UCI)
def test_the_table_is_that_of_scikit_learn(name):
    from sklearn.datasets import load_svmlight_file

    data = datasets.load(name)
    table, labels = load_svmlight_file(str(locate(registry[name].files[0])))
    assert (data.features == table.toarray()).all()
    assert (data.y == (labels > 0)).all()


@pytest.mark.data
@pytest.mark.parametrize(
    "name, classes",
    [
        ("breast-cancer", {"benign": 444, "malignant": 239}),
        ("diabetes", {"positive": 268, "negative": 500}),
        ("fourclass", {"-1": 555, "+1": 307}),
        ("heart", {"absent": 150, "present": 120}),
        ("ionosphere", {"bad": 126, "good": 225}),
        ("sonar", {"mine": 111, "rock": 97}),
    ],
)
def test_classes_have_their_published_sizes(name, classes):
    data = datasets.load(name)
    assert dict(zip(data.classes, np.bincount(data.y).tolist(), strict=True)) == classes


@pytest.mark.data
@pytest.mark.parametrize("name", UCI)
def test_edges_are_the_pairs_more_similar_than_the_mean(name):
    from scipy.spatial.distance import pdist, squareform

    data = datasets.load(name)
    distances = pdist(data.features)
    similarity = np.exp(-(squareform(distances) ** 2) / (2 * distances.mean() ** 2))
    edges = (similarity > similarity.mean()) & ~np.eye(data.graph.n, dtype=bool)
    assert (data.graph.adjacency.toarray() == edges).all()


@pytest.mark.data
def test_the_classifier_makes_the_same_graph_of_the_table():
    data = datasets.load("sonar")
    of_table = lovasz.KernelClassifier("ls", affinity="rbf").fit(data.features, data.y).kernel_
    of_graph = lovasz.KernelClassifier("ls").fit(data.graph, data.y).kernel_
    assert (of_table != of_graph).nnz == 0


@pytest.mark.data
def test_tables_load_without_scikit_learn():
    code = "import sys; sys.modules['sklearn'] = None; import lovasz.datasets as d; d.load('heart')"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


def test_what_a_line_leaves_out_is_zero():
    table, labels = parse_libsvm(b"+1 1:2 3:-.5 \n\n-1\r\n2 2:1e3", "some", 3)
    assert table.tolist() == [[2, 0, -0.5], [0, 0, 0], [0, 1000, 0]]
    assert labels.tolist() == [1, -1, 2]


@pytest.mark.parametrize(
    "line, named",
    [
        ("spam 1:1", "'spam' is not a label"),
        ("1 1:1 2", "'2' is not index:value"),
        ("1 1:x", "'1:x'"),
        ("1 1:1:1", "'1:1:1'"),
        ("1 0:1", "'0:1'"),
        ("1 4:1", "'4:1' .* at most 3"),
        ("1 2:1 2:1", "'2:1' .* rise"),
        ("1 1:nan", "'1:nan'"),
        ("1 1:\xff", "'1:"),
    ],
)
def test_a_bad_cell_is_named_with_its_file_and_line(line, named):
    with pytest.raises(LovaszError, match=f"^uci/some line 3: {named}") as caught:
        parse_libsvm(f"1 1:1\n\n{line}\n1 1:1".encode("latin1"), "uci/some", 3)
    assert "\n" not in str(caught.value)
