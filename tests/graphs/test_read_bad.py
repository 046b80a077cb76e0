"""Files that cannot be read: one line that names the file, the line and the value."""

import gzip
import io
import re
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy import sparse
from scipy.io import mmwrite
from tests.graphs.samples import DATA, ENDS, Evil, read_text, saved
from torch_geometric.data import Data

from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, read_graph


def matrix_market(matrix):
    out = io.BytesIO()
    mmwrite(out, matrix)
    return out.getvalue()


def pickled_npz():
    out = io.BytesIO()
    np.savez(out, format=np.array([Evil()], dtype=object), shape=np.array([1, 1]))
    return out.getvalue()


def pickled_npy_3():
    """Objects behind a header of version 3, which is not looked into."""
    out, archive = io.BytesIO(), io.BytesIO()
    evil = np.array([Evil()], dtype=object)
    np.lib.format.write_array(out, evil, version=(3, 0), allow_pickle=True)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("format.npy", out.getvalue())
    return archive.getvalue()


def saved_array():
    """The bytes of an npy file."""
    file = io.BytesIO()
    np.save(file, np.eye(3))
    return file.getvalue()


GOOD_CSV = b"a,b\nb,c\n"
GRAPHML = (
    b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    b'<node id="a"/>%s</graph></graphml>'
)
BAD = [
    ("empty.csv", b"", "is empty"),
    ("blank.csv", b" \n\n", "is empty"),
    ("comments.csv", b"# only\n", "only comments"),
    ("cut.csv.gz", gzip.compress(GOOD_CSV * 99)[:-9], "damaged gzip"),
    ("text.csv.gz", GOOD_CSV, "is not a gzip file; .*without .gz"),
    ("array.npy", saved_array(), "array of NumPy; .*scipy.sparse.save_npz.*lovasz.as_graph"),
    ("pajek.net", b'*Vertices 3\n1 "a"\n2 "b"\n*Edges\n1 2\n', "Pajek, a format that is not read"),
    ("matrix.csv", b"0,1,1,1\n1,0,1,1\n", "line 1: .* 4 fields, .*matrix with scipy.sparse.save_n"),
    ("names.csv", b",a,b,c\na,0,1,1\n", "line 1: .* 4 fields, .*adjacency matrix"),
    ("three.csv", b"0,1,1\n1,0,1\n1,1,0\n", "the rows of a matrix; .*scipy.sparse.save_npz"),
    ("links.json", b'{"nodes": [{"id": 0}], "links": []}', "read as a hypergraph .*write_graphml"),
    ("bad.gz", b"\x1f\x8b" + b"junk" * 9, "damaged gzip"),
    ("one.csv", b"a,b\nalice\n", r"one.csv line 2: 'alice' has one field"),
    ("one.txt", b"alice\nbob\n", r"one.txt line 1: 'alice' has one field"),
    ("many.csv", b"a,b\n\na,b,c\n", r"line 3: 'a,b,c' has 3 fields, but lines before it 2"),
    ("wide.csv", b"a,b,1,2\n", "line 1: .* 4 fields, and no header"),
    ("first.csv", b"a,b\n,b\n", "line 2: ',b' starts with an empty name"),
    ("both.csv", b"a,b\n,\n", "line 2: ',' starts with an empty name"),
    ("word.csv", b"a,b,heavy\n", "line 1: .*weight 'heavy'.*number"),
    ("comma.csv", b"a;b;0,5\n", "line 1: .*weight '0,5'"),
    ("nan.csv", b"a,b,1\nb,c,nan\n", "line 2: .*weight nan.*finite"),
    ("quote.csv", b'a,b\n"a,b\nc,d\n', "line 2: .*quote"),
    ("weights.csv", b"a,b,2\n", "weights.csv: .*weights='keep'"),
    ("clash.csv", b"a,b,2\nb,a,3\n", "clash.csv: .*"),
    ("latin.csv", "é,b\n".encode("latin-1"), "latin.csv line 1: byte 0xe9 is not UTF-8"),
    ("wide16.csv", "a,b\n".encode("utf-16"), "as in UTF-16; save the file as UTF-8"),
    ("bare16.csv", "a,b\nb,a\n".encode("utf-16-le"), "as in UTF-16"),  # without a mark
    ("twice.csv", b"source,target,source,target\n1,2,3,4\n", "several columns are named 'source'"),
    ("heavy.csv", b"source,target,weight,weight\n1,2,1,5\n", "several columns are named 'weight'"),
    ("list.json", b'[["a", "b"], ["b", "c"]]', "JSON list"),
    ("deep.json", b"[" * 99, "JSON list"),
    ("directed.g6", b"&BP_\n", "digraph6 holds directed graphs"),
    ("header.g6", b">>digraph6<<&BP_\n", "digraph6 holds directed graphs"),
    ("two.graphml", GRAPHML % b'</graph><graph edgedefault="undirected"><node id="b"/>', "several"),
    ("inner.graphml", GRAPHML % b'<node id="b"><graph><node id="c"/></graph></node>', "several"),
    ("noise", bytes(range(256)) * 4, "no known format"),
    ("range.col", b"p edge 3 1\ne 1 4\n", "range.col line 2: .*vertex 4.*1 to 3"),
    ("zero.col", b"p edge 3 1\ne 0 1\n", "line 2: .*vertex 0"),
    ("short.col", b"p edge 3 1\ne 1\n", "line 2: .*2 numbers"),
    ("word.col", b"p edge 3 1\ne a b\n", "line 2: .*vertices"),
    ("head.col", b"p edge n m\ne 1 2\n", "line 1: .*header"),
    ("late.col", b"e 1 2\np edge 3 1\n", "line 1: .*not a DIMACS line"),
    ("none.col", b"c nothing\n", "no line 'p edge n m'"),
    ("twice.col", b"p edge 3 1\np edge 3 1\n", "line 2"),
    ("bad.gml", b"graph [ node [ id 0 ", "valid GML"),
    ("twin.gml", b'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] ]', "valid GML"),
    ("heavy.gml", b'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] '
     b'edge [ source 0 target 1 weight "x" ] ]', "heavy.gml: .*not a number"),
    ("bad.graphml", b"<?xml version='1.0'?><graphml><graph>", "valid GraphML"),
    ("other.graphml", b"<?xml version='1.0'?><svg/>", "valid GraphML"),
    ("bad.g6", b"D\x01\x02\n", "valid graph6"),
    ("cut.g6", b">>graph6<<Dq\n", "valid graph6"),
    ("two.g6", b"DqK\nDqK\n", "2 graphs"),
    ("bad.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 9\n1 1 1\n", "Matrix Market"),
    ("nul.mtx", b"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 1 2.0\0\t\n",
     "line 4: byte 0x00"),
    ("nohead.mtx", b"2 2\n", "Matrix Market"),
    ("flat.mtx", matrix_market(sparse.coo_array(np.ones((2, 3)))), "flat.mtx: .*square"),
    ("complex.mtx", matrix_market(np.array([[0, 1j], [1j, 0]])), "complex128"),
    ("bad.npz", b"PK\x03\x04 junk", "damaged zip"),
    ("text.npz", GOOD_CSV, "valid npz"),
    ("pickle.npz", pickled_npz(), "Python objects"),
    ("pickle3.npz", pickled_npy_3(), "Object arrays cannot be loaded"),
    ("gephi.csv", b"Source,Target,Type\na,b,Directed\nb,c,Directed\n", "directed"),
    ("count.rud", b"3 3\n1 2 1\n2 3 1\n", "line 1: it declares 3 edges, but 2 lines follow"),
    ("bad.pt", b"junk", "bad.pt: "),
    ("many.pt", saved((DATA.to_dict(), {"edge_index": torch.tensor([0, 1, 2])}, Data)), "2 graphs"),
    ("none.pt", saved({"x": ENDS}), "edge_index"),
    ("float.pt", saved(torch.ones(2, 3)), "edge_index"),
    ("shape.pt", saved(torch.ones(3, 3, dtype=torch.long)), "edge_index"),
    ("small.pt", saved({"edge_index": ENDS, "num_nodes": 1}), "num_nodes"),
    ("minus.pt", saved({"edge_index": -ENDS, "num_nodes": 3}), "num_nodes"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "words"), BAD, ids=[name for name, _, _ in BAD])
def test_bad_files_are_one_line_that_names_them(name, data, words, tmp_path):
    with pytest.raises(LovaszError, match=words) as error:
        read_text(tmp_path, data, name)
    assert str(error.value).startswith(str(tmp_path / name))
    assert "\n" not in str(error.value)


LONG = b"9" * 5000
HUGE = b"100000000000"
PATTERN = b"%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n"
DENSE = b"%%MatrixMarket matrix array real general\n"


def coordinates(n):
    out = io.BytesIO()
    sparse.save_npz(out, sparse.coo_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(n, n)))
    return out.getvalue()


TOO_LARGE = [
    ("huge.col", b"c x\np edge " + HUGE + b" 1\ne 1 2\n", " line 2: a graph of 100,000"),
    ("long.col", b"p edge " + LONG + b" 1\ne 1 2\n", " line 1: 9+… nodes do not fit"),
    ("end.col", b"p edge 3 1\ne 1 " + b"9" * 4000 + b"\n", " line 2: .*names vertex 9+…"),
    ("huge", HUGE + b" 1\n1 2 1\n", " line 1: a graph of 100,000"),
    ("long", LONG + b" 1\n1 2 1\n", " line 1: 9+… nodes do not fit"),
    ("edges", b"3 " + LONG + b"\n1 2 1\n", " line 1: 9+… edges do not fit"),
    ("huge.mtx", PATTERN + HUGE + b" " + HUGE + b" 1\n2 1\n", " line 3: a graph of 100,000"),
    ("long.mtx", PATTERN + LONG + b" " + LONG + b" 1\n2 1\n", " line 3: 9+… nodes do not fit"),
    ("many.mtx", PATTERN + b"3 3 " + HUGE + b"\n2 1\n", " line 3: declares '3 3 100000000000'"),
    ("much.mtx", PATTERN + b"3 3 " + LONG + b"\n2 1\n", " line 3: 9+… entries do not fit"),
    ("dense.mtx", DENSE + b"900000 900000\n1\n", " line 2: declares '900000 900000', more"),
    ("huge.s6", b":~~~?????\n", ": a graph of 67,645,734,912 nodes"),
    ("huge.npz", coordinates(10**11), ": a matrix of 100,000"),
    ("huge.pt", saved({"edge_index": ENDS, "num_nodes": 10**11}), ": a graph of 100,000"),
    ("weight.gml", b"graph [ node [ id 0 label 0 ] node [ id 1 label 1 ] edge [ source 0 target 1 "
     b"weight 1" + b"0" * 400 + b" ] ]", ": an edge weight is not a number"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "words"), TOO_LARGE, ids=[row[0] for row in TOO_LARGE])
def test_sizes_that_cannot_be_are_one_line(name, data, words, tmp_path):
    with pytest.raises(LovaszError, match="^" + re.escape(str(tmp_path / name)) + words) as error:
        read_text(tmp_path, data, name)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < len(str(tmp_path / name)) + 250


def test_whether_a_size_fits_depends_on_the_memory_that_is_free(tmp_path, monkeypatch):
    text = "p edge 2000000 1\ne 1 2\n"
    assert read_text(tmp_path, text, "g.col").n == 2_000_000
    monkeypatch.setattr(memory, "free_memory", lambda: 2.0**26)
    with pytest.raises(LovaszError, match=r"line 1: a graph of 2,000,000 nodes .* 0.1 GiB"):
        read_text(tmp_path, text, "g.col")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "does not fit into memory"),
        (ValueError("two\nlines"), r"\(two lines\)"),
        (OverflowError("too large"), r"\(too large\)"),
    ],
    ids=repr,
)
def test_what_nobody_foresaw_is_one_line_too(error, words, tmp_path, monkeypatch):
    def fails(*args, **options):
        raise error

    monkeypatch.setattr(Graph, "from_edges", fails)
    with pytest.raises(LovaszError, match=rf"g.csv: .*{words}"):
        read_text(tmp_path, GOOD_CSV)


def test_memory_that_runs_out_while_unpacking(tmp_path, monkeypatch):
    def fails(*_):
        raise MemoryError

    monkeypatch.setattr(gzip.GzipFile, "read", fails)
    with pytest.raises(LovaszError, match=r"g.csv.gz: .*does not fit into memory"):
        read_text(tmp_path, b"\x1f\x8b", "g.csv.gz")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing.csv", "missing.csv: no such file"),
        (".", "is a directory"),
        ("a\nb", r"'a\\nb': no such file"),
        ("a\0b", "cannot read it"),
        ("", "is a directory"),
    ],
)
def test_paths_that_cannot_be_read(path, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LovaszError, match=words) as error:
        read_graph(path)
    assert "\n" not in str(error.value)


def test_errors_call_standard_input_by_its_name(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a,b\nc\n")))
    with pytest.raises(LovaszError, match=r"^standard input line 2: 'c' has one field"):
        read_graph("-")
