"""Label and feature tables: matched by name, refused with the place of what is wrong."""

import gzip
import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs import as_graph
from lovasz.graphs.labels import list_labels
from lovasz.graphs.node_tables import (
    match_labels,
    read_features,
    read_labels,
    read_nodes,
    write_predictions,
)

PEOPLE = as_graph([("ann", "bob"), ("bob", "cem")])
NUMBERS = as_graph([(7, 8), (8, 9)])


@pytest.fixture
def write(tmp_path):
    def put(data, name="t.csv"):
        (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return tmp_path / name

    return put


@pytest.mark.parametrize(
    "text",
    [
        "ann,x\nbob,y z\n",
        "# who\nNode,anything\nann,x\nbob,y z\ncem,\n",
        "id\tclass\nann\tx\nbob\ty z\ncem\t\n",
        'ann x\nbob "y z"\n',
        'ann;x\r\n"bob";"y z"\r\nann;x\r\n',
        gzip.compress(b"ann,x\nbob,y z\n", mtime=0),
    ],
)
def test_labels_of_every_shape(text, write):
    assert read_labels(write(text)) == {"ann": "x", "bob": "y z"}


def test_labels_from_standard_input_and_integer_names(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"7,1\n8,0\n9,\n")))
    assert read_labels("-") == {7: "1", 8: "0"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ann,x\nbob\n", "line 2: 'bob' is not a node and its class"),
        ("ann,x,y\n", "line 1"),
        (",x\n", "line 1"),
        ("ann,x\nbob,y\nann,y\n", "line 3: 'ann,y' contradicts the class 'x'"),
        ("", "is empty"),
        (b"ann,\xe9\n", "not UTF-8"),
    ],
)
def test_bad_labels_are_one_line(text, words, write):
    with pytest.raises(LovaszError, match=words) as error:
        read_labels(write(text))
    assert str(error.value).startswith(str(write(text)))
    assert "\n" not in str(error.value)


def test_labels_meet_the_names_of_the_graph():
    assert match_labels({"7": "x", 9: "y"}, NUMBERS) == {7: "x", 9: "y"}
    assert match_labels({7: "x"}, as_graph([("7", "8")])) == {"7": "x"}
    matched = match_labels({"7": "a", 7: "b"}, as_graph([(7, "7")]))
    assert matched == {"7": "a", 7: "b"}


def test_unknown_and_contradicting_labels_are_named():
    labels = {"ann": "x", "zoe": "x", "yan": "x", "xia": "x", "wim": "x"}
    with pytest.raises(LovaszError, match=r"4 labelled nodes.*'zoe', 'yan', 'xia', …;"):
        match_labels(labels, PEOPLE)
    with pytest.raises(LovaszError, match="1 labelled node not in the graph: '007';"):
        match_labels({"007": "x"}, NUMBERS)
    with pytest.raises(LovaszError, match="node 7 is labelled 'x' and 'y'"):
        match_labels({"7": "x", 7: "y"}, NUMBERS)


TABLE = np.array([[1, 2.5], [3, -4], [0, 1e-3]])


@pytest.mark.parametrize(
    "text",
    [
        "ann,1,2.5\nbob,3,-4\ncem,0,1e-3\n",
        "cem,0,1e-3\nbob,3,-4\nann,1,2.5\n",
        "node,0,1\nbob,3,-4\nann,1,2.5\ncem,0,0.001\n",
        "who,height,width\nbob,3,-4\nann,1,2.5\ncem,0,0.001\n",
        "ann 1 2.5\nbob 3 -4\ncem 0 1e-3\n",
    ],
)
def test_feature_lines_come_in_node_order(text, write):
    np.testing.assert_array_equal(read_features(write(text), PEOPLE), TABLE)


def test_feature_lines_of_integer_nodes(write):
    features = read_features(write("9,3\n8,2\n7,1\n"), NUMBERS)
    assert features.tolist() == [[1], [2], [3]]


def stored(function, *arrays):
    out = io.BytesIO()
    function(out, *arrays)
    return out.getvalue()


def test_feature_arrays_dense_and_sparse(write):
    for function in (np.save, np.savez):
        features = read_features(write(stored(function, TABLE)), PEOPLE)
        np.testing.assert_array_equal(features, TABLE)
    features = read_features(write(stored(sparse.save_npz, sparse.coo_array(TABLE))), PEOPLE)
    assert isinstance(features, sparse.csr_array)
    np.testing.assert_array_equal(features.toarray(), TABLE)
    assert read_features(write(stored(np.save, TABLE > 0)), PEOPLE).dtype == np.float64


HOLE = np.array([[1, 2], [3, np.nan], [5, np.inf]])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("ann,1\nbob,2\ncem,3\ndan,4\neve,5\n", "2 rows for nodes .*'dan', 'eve';"),
        ("ann,1\n", "2 nodes without features: 'bob', 'cem';"),
        ("ann,1\nbob,x\ncem,3\n", "line 2: column 2 of node 'bob' is 'x'"),
        ("ann,1\nbob,\ncem,3\n", "line 2: column 2 of node 'bob' is ''; .*drop the column"),
        ("node,age\nann,1\nbob,\ncem,3\n", "line 3: column 'age' of node 'bob' is ''; features"),
        ("ann,1\nbob,1,2\ncem,3\n", "line 2: .*3 fields, the first line has 2"),
        ("ann,1\nbob,1\nann,3\n", "line 3: .*repeats the node of line 1"),
        ("ann,1\nbob,nan\ncem,3\n", "line 2: column 2 of node 'bob' is nan; replace it by"),
        ("cem,1\nbob,1\n# x\nann,1e300\n", r"line 4: column 2 of node 'ann' is 1e\+300; repl"),
        (
            "who,age,size\ncem,1,2\nbob,1,nan\nann,inf,1\n",
            r"line 3: column 'size' of node 'bob' is nan; .* between -3.4e\+38 and 3.4e\+38",
        ),
        (stored(np.save, HOLE), "row 2, column 2, of node 'bob' is nan"),
        (stored(np.save, TABLE * 1e300), r"row 1, column 1, of node 'ann' is 1e\+300"),
        (stored(sparse.save_npz, sparse.csr_array(HOLE[::-1])), "row 1, column 2, of .* is inf"),
        ("node\nann\nbob\ncem\n", "line 1: 'node' has no feature column; write the node"),
        ("ann\nbob\ncem\n", "line 1: 'ann' has no feature column"),
        (stored(np.save, TABLE[:2]), "2 rows and the graph has 3 nodes"),
        (stored(np.save, TABLE[:, 0]), r"shape \(3,\)"),
        (stored(np.save, TABLE * 1j), "complex128"),
        (stored(np.save, np.array([[{}]] * 3)), "Python objects"),
        (stored(np.savez, TABLE, TABLE), "2 arrays"),
        (b"PK\x03\x04junk", "valid npz"),
        (b"", "is empty"),
    ],
)
def test_bad_features_are_one_line(data, words, write):
    with pytest.raises(LovaszError, match=words) as error:
        read_features(write(data), PEOPLE)
    assert str(error.value).startswith(str(write(data)))
    assert "\n" not in str(error.value)


def test_long_names_are_quoted_in_part(tmp_path):
    long = "ann" * 1000
    (tmp_path / "table.csv").write_text(f"ann,1\nbob,2\ncem,3\n{long},4\n")
    for read in (
        lambda: read_features(tmp_path / "table.csv", PEOPLE),
        lambda: read_nodes(tmp_path / "table.csv", PEOPLE),
        lambda: match_labels({long: "x"}, PEOPLE),
        lambda: list_labels({long: "x"}, PEOPLE.nodes),
    ):
        with pytest.raises(LovaszError, match=r"'annann.*…") as error:
            read()
        assert len(str(error.value)) < 300


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a b\nc\n", {"a b": None, "c": None}),  # a name with a space is one name
        ("node\nc\n", {"c": None}),
        ("node,class\na b,x\nc,\n", {"a b": "x", "c": None}),
        ("c x\n7 y\n", {"c": "x", 7: "y"}),
    ],
)
def test_nodes_are_read_with_or_without_a_class(tmp_path, text, found):
    graph = as_graph([("a b", "c"), ("c", 7)])
    (tmp_path / "nodes.csv").write_text(text)
    assert read_nodes(tmp_path / "nodes.csv", graph) == found


def test_names_that_spreadsheets_would_run_are_read_back(tmp_path):
    graph = as_graph([("=1+1", "@bob"), ("@bob", "'quoted"), ("'quoted", "-x"), ("-x", "-7")])
    classes = ["=A1", "plain", "@x", "'y", "-3"]
    file = tmp_path / "predictions.csv"
    write_predictions(file, graph.nodes, classes, [1.0] * graph.n)
    lines = [line.rsplit(",", 1)[0] for line in file.read_text().splitlines()[1:]]
    assert lines == ["'=1+1,'=A1", "'@bob,plain", "''quoted,'@x", "'-x,''y", "-7,-3"]
    file.write_text("\n".join(["node,class", *lines]))
    wanted = dict(zip(graph.nodes, classes, strict=True))
    assert match_labels(read_labels(file), graph) == wanted
    assert read_nodes(file, graph) == wanted
    file.write_text("\n".join(f"{line.partition(',')[0]},1" for line in lines))
    assert read_features(file, graph).tolist() == [[1.0]] * graph.n
