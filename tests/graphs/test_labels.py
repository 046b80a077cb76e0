"""Labels in every form that callers pass, as one class code per node."""

import numpy as np
import pytest

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.graphs.labels import align_to_nodes, encode, list_labels

NODES = ("ann", "bob", "cem")
GRAPH = Graph.from_edges([0, 1], [1, 2], nodes=NODES)


@pytest.mark.parametrize(
    "y",
    [
        {"ann": "x", "cem": "y"},
        {"ann": "x", "bob": None, "cem": "y"},
        ["x", -1, "y"],
        ["x", None, "y"],
        np.array(["x", "-1", "y"]),
        np.array(["x", "", "y"], dtype=object),
    ],
)
def test_unlabelled_nodes_may_be_written_in_many_ways(y):
    assert list_labels(y, NODES) == ["x", None, "y"]


def test_the_word_minus_one_is_a_class_in_a_dict_and_among_objects():
    assert list_labels({"ann": "-1", "bob": "x"}, NODES) == ["-1", "x", None]
    assert list_labels(np.array(["-1", "x", -1], dtype=object), NODES) == ["-1", "x", None]
    assert list_labels(["-1", "x", -1], NODES) == [None, "x", None]


def test_labels_become_python_objects_and_whole_floats_integers():
    found = list_labels(np.array([1.0, 2.5, -1.0]), NODES)
    assert found == [1, 2.5, None] and type(found[0]) is int
    assert type(list_labels({"ann": np.int64(3)}, NODES)[0]) is int


def test_classes_are_sorted_and_codes_point_into_them():
    classes, codes = encode({"cem": "blue", "ann": "red"}, GRAPH)
    assert classes.tolist() == ["blue", "red"] and codes.tolist() == [1, -1, 0]


def test_labels_of_some_rows_leave_the_others_unlabelled():
    classes, codes = encode([5, 7], GRAPH, np.array([2, 0]))
    assert classes.tolist() == [5, 7] and codes.tolist() == [1, -1, 0]


def test_a_series_is_aligned_by_its_index():
    pandas = pytest.importorskip("pandas")
    by_name = pandas.Series([1, 2, 3], index=["cem", "bob", "ann"])
    assert list_labels(by_name, NODES) == [3, 2, 1]
    assert list_labels(pandas.Series([1, 2, 3]), NODES) == [1, 2, 3]
    with pytest.raises(LovaszError, match="the index of a Series is not the nodes"):
        align_to_nodes(pandas.Series([1, 2, 3], index=["x", "y", "z"]), NODES)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["x", None, "y"], ["x", None, "y"]),
        (["x", float("nan"), -1], ["x", None, None]),
        ([0, None, 1], [0, None, 1]),
        ([0.5, float("nan"), 2.0], [0.5, None, 2]),
    ],
)
def test_missing_values_of_a_series_are_unlabelled(values, wanted):
    pandas = pytest.importorskip("pandas")
    assert list_labels(pandas.Series(values), NODES) == wanted
    assert list_labels(pandas.Series(values, index=NODES)[::-1], NODES) == wanted
    for dtype in ("object", "category"):
        assert list_labels(pandas.Series(values, dtype=dtype), NODES) == wanted


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({"eve": 1}, r"1 labelled node is not in the graph: 'eve'; check"),
        (dict.fromkeys("vwxyz", 1), r"5 labelled nodes are not .*: 'v', 'w', 'x', …;"),
        ([1, 2], r"y has 2 entries and the graph 3 nodes; give one entry per node"),
        ([1, float("nan"), 2], r"a label is nan; mark unlabelled nodes with -1 or None"),
        ([(1, 2), 1, 2], r"a label is \(1, 2\); labels must be strings or numbers"),
        (np.array(["2020", "2021", "NaT"], "M8[D]"), r"a label is datetime.date.*strings or"),
        ([1j, 2, 3], r"a label is 1j; labels must be strings or numbers"),
        ([np.eye(2), 1, 2], r"a label is array"),
        (7, r"y is 7; give one entry per node"),
        ([-1, -1, None], r"no node is labelled"),
        ([1, "x", 2], r"labels mix int and str"),
        ([1, 1, -1], r"all 2 labels are 1; label at least two classes"),
    ],
)
def test_labels_that_cannot_be_used_are_one_line(y, message):
    with pytest.raises(LovaszError, match=message) as problem:
        encode(y, GRAPH)
    assert "\n" not in str(problem.value)
