"""Files: what is written is read back, and what is wrong is said in one line."""

import gzip
import io
import sys
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import mmwrite
from torch_geometric.data import Data

from lovasz.errors import LovaszError
from lovasz.files import atomic
from lovasz.graphs import Graph, as_graph, read_graph, write_graph

NAMED = [".csv", ".tsv", ".txt", ".edges", ".edgelist", ".gml", ".graphml", ".npz"]
NAMELESS = [".mtx", ".pt"]
NAMELESS_UNWEIGHTED = [".col", ".clq", ".g6", ".s6"]
ALL = NAMED + NAMELESS + NAMELESS_UNWEIGHTED

ODD = ["007", "7", "-1", "1.0", "nan", "source", "target", "#1", "% x", "a,b", 'say "hi"', " pad ",
       "New York", "é漢字", "a\nb", "a\r\nb", "tab\tbed", "x;y", "&amp;", "<b>", "n0", "graph [",
       "\N{NO-BREAK SPACE}x", '"', "p edge 3 2", "\u2028"]  # fmt: skip
TEXT = st.one_of(
    st.sampled_from(ODD), st.text(st.sampled_from(' ,;"#%\t\n\r|aB1&<>é漢'), min_size=1, max_size=4)
)
NAMES = st.one_of(
    st.lists(TEXT, unique=True, max_size=7),
    st.lists(st.integers(-5, 10**12), unique=True, max_size=7),
    st.integers(0, 7).map(lambda n: list(range(n))),
    st.lists(st.integers(0, 99).map(str), unique=True, max_size=7),
)
WEIGHT = st.floats(allow_nan=False, allow_infinity=False).filter(bool)


@st.composite
def graphs(draw, weighted=True):
    names = draw(NAMES)
    row = st.integers(0, max(len(names) - 1, 0))
    pairs = draw(st.lists(st.tuples(row, row), max_size=9, unique_by=frozenset)) if names else []
    weights = [draw(WEIGHT) for _ in pairs] if weighted and draw(st.booleans()) else None
    return Graph.from_edges(
        [u for u, _ in pairs], [v for _, v in pairs], n=len(names), nodes=names, weights=weights
    )


LAW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def assert_same(graph, other, *, names=True):
    np.testing.assert_array_equal(graph.adjacency.toarray(), other.adjacency.toarray())
    if names:
        assert list(graph.nodes) == list(other.nodes)
        assert [type(name) for name in graph.nodes] == [type(name) for name in other.nodes]


@pytest.mark.parametrize("suffix", NAMED)
@LAW
@given(graph=graphs())
def test_named_formats_give_everything_back(graph, suffix, tmp_path):
    write_graph(graph, tmp_path / f"g{suffix}")
    assert_same(graph, read_graph(tmp_path / f"g{suffix}", weights="keep"))


@pytest.mark.parametrize("suffix", NAMELESS)
@LAW
@given(graph=graphs())
def test_matrix_formats_give_the_matrix_back(graph, suffix, tmp_path):
    write_graph(graph, tmp_path / f"g{suffix}")
    assert_same(graph, read_graph(tmp_path / f"g{suffix}", weights="keep"), names=False)


@pytest.mark.parametrize("suffix", NAMELESS_UNWEIGHTED)
@LAW
@given(graph=graphs(weighted=False))
def test_unweighted_formats_give_the_matrix_back(graph, suffix, tmp_path):
    write_graph(graph, tmp_path / f"g{suffix}")
    assert_same(graph, read_graph(tmp_path / f"g{suffix}"), names=False)


PETERSEN = as_graph(nx.petersen_graph())


@pytest.mark.parametrize("gz", ["", ".gz"])
@pytest.mark.parametrize("suffix", ALL)
def test_content_is_recognised_compressed_and_from_standard_input(
    suffix, gz, tmp_path, monkeypatch
):
    file = tmp_path / f"g{suffix}{gz}"
    write_graph(PETERSEN, file)
    data = file.read_bytes()
    assert data.startswith(b"\x1f\x8b") == bool(gz)
    assert_same(PETERSEN, read_graph(file), names=False)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert_same(PETERSEN, as_graph("-"), names=False)
    (tmp_path / "nameless").write_bytes(data)
    assert_same(PETERSEN, read_graph(str(tmp_path / "nameless")), names=False)


def read_text(tmp_path, text, name="g.csv", **options):
    data = text if isinstance(text, bytes) else text.encode()
    (tmp_path / name).write_bytes(data)
    return read_graph(tmp_path / name, **options)


@pytest.mark.parametrize(
    "text",
    [
        "ann,bob\nbob,cem\ndan,\n",
        "\ufeffann,bob\r\nbob,cem\r\ndan,\r\n",
        "ann,bob\rbob,cem\rdan,",
        "# people\n\n% more\nSource,Target\nann , bob\n bob,cem\ndan,\n",
        "ann\tbob\nbob\tcem\ndan\t\n",
        "ann;bob\nbob;cem\ndan;",
        'ann bob\n  bob   "cem" \n"dan" ""\n',
        '"ann","bob"\nbob , "cem"\n"dan",\n',
        "from,to,weight\nann,bob,1\nbob,cem,1.0\ndan,,\n",
        "ann,bob,1\nbob,cem,1\ndan,,",
        "ID_1,id_2,note\nann,bob,x\nbob,cem,\ndan,,y",
        "Source,Target,Type,Id,Weight\nann,bob,Undirected,0,1\nbob,cem,Undirected,1,1\ndan,,,,",
        "ann bob {}\nbob cem {}\ndan \"\"",
        "ann,bob\nbob,ann\nbob,cem\ncem,bob\ndan,",
    ],
)  # fmt: skip
def test_edge_lists_of_every_shape(text, tmp_path):
    graph = read_text(tmp_path, text)
    assert graph.nodes == ("ann", "bob", "cem", "dan")
    assert [e.tolist() for e in graph.edges()] == [[0, 1], [1, 2]]


def test_integer_names_are_sorted_unless_one_is_no_plain_integer(tmp_path):
    assert read_text(tmp_path, "10,9\n2,10\n").nodes == (2, 9, 10)
    assert read_text(tmp_path, "1 0\n2 1\n").nodes == range(3)
    assert read_text(tmp_path, "007,9\n2,007\n").nodes == ("007", "9", "2")


def test_words_of_a_header_are_names_elsewhere(tmp_path):
    assert read_text(tmp_path, "source,ann\n").nodes == ("source", "ann")
    assert read_text(tmp_path, "a,b\nsource,target\n").m == 2
    assert read_text(tmp_path, "source,target\n").n == 0


def test_unused_columns_and_dropped_edges_are_noted(tmp_path):
    graph = read_text(tmp_path, "source,target,year\na,b,1999\na,a,1999\na,b,2000\n")
    assert graph.notes == (
        "dropped 1 self-loop", "dropped 1 duplicate edge", "ignored the column 'year'",
    )  # fmt: skip


def test_weights_are_kept_or_dropped_as_told(tmp_path):
    text = "a\tb\t2.5\nb\tc\t1e-3\n"
    assert read_text(tmp_path, text, weights="keep").adjacency[0, 1] == 2.5
    assert not read_text(tmp_path, text, weights="drop").weighted


def test_dimacs_keeps_its_numbers_and_mistrusts_the_edge_count(tmp_path):
    text = "c a comment\nc\np col 4 99\ne 1 2\ne 2 1\ne 3 2\ne 2 3\nn 1 5\n"
    graph = read_text(tmp_path, text, "g.txt")
    assert list(graph.nodes) == [1, 2, 3, 4]
    assert graph.degrees.tolist() == [1, 2, 1, 0]
    assert graph.notes == ()


def test_gset(tmp_path):
    graph = read_text(tmp_path, "4 2\n1 2 1\n2 3 -1\n", "G1", weights="keep")
    assert list(graph.nodes) == [1, 2, 3, 4]
    assert graph.adjacency[1, 2] == -1
    with pytest.raises(LovaszError, match="G1 line 1: it promises 4 edges and 2"):
        read_text(tmp_path, "3 4\n1 2 1\n2 3 -1\n", "G1")


def test_graph6_without_header_from_nauty(tmp_path):
    assert read_text(tmp_path, "DqK\n", "five").m == 5
    assert read_text(tmp_path, b":" + nx.to_sparse6_bytes(nx.path_graph(70))[12:], "g.s6").m == 69


@pytest.mark.parametrize(
    ("five", "one", "names"),
    [
        ('label "five"', 'label "é"', ["five", "é"]),
        ("label 50", "label 10", [50, 10]),
        ("", "", [5, 1]),
    ],
)
def test_gml_labels_or_ids_and_repeated_edges(five, one, names, tmp_path):
    text = f"""Creator "me"
Graph
[
  node [ id 5 {five} ]
  node [ id 1 {one} ]
  edge [ source 5 target 1 ]
  edge [ source 1 target 5 ]
]
"""
    graph = read_text(tmp_path, text, "g")
    assert list(graph.nodes) == names
    assert graph.notes == ("dropped 1 duplicate edge",)


def test_graphml_of_networkx_keeps_its_ids(tmp_path):
    nx.write_graphml(
        nx.relabel_nodes(nx.path_graph(3), {0: "a b", 1: "é", 2: "<c>"}), tmp_path / "g"
    )
    assert read_graph(tmp_path / "g").nodes == ("a b", "é", "<c>")


DIRECTED = {
    "g.csv": b"Source,Target,Type\na,b,Directed\n",
    "g.gml": b'graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] '
    b"edge [ source 0 target 1 ] ]",
    "g.graphml": b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    b'<graph edgedefault="directed"><edge source="a" target="b"/></graph></graphml>',
    "g.mtx": b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
}


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_files_need_symmetrize(name, tmp_path):
    with pytest.raises(LovaszError, match=rf"{name}: .*symmetrize=True"):
        read_text(tmp_path, DIRECTED[name], name)
    assert read_text(tmp_path, DIRECTED[name], name, symmetrize=True).m == 1


def saved(content):
    out = io.BytesIO()
    torch.save(content, out)
    return out.getvalue()


ENDS = torch.tensor([[0, 1], [1, 0]])
DATA = Data(edge_index=ENDS, num_nodes=3)


@pytest.mark.parametrize(
    "content",
    [
        {"edge_index": ENDS, "num_nodes": 3},
        {"edge_index": ENDS, "edge_weight": torch.ones(2), "num_nodes": torch.tensor(3)},
        torch.tensor([[0, 1, 2, 2], [1, 0, 2, 2]]),
        DATA,
        (DATA.to_dict(), None, Data),
        (DATA.to_dict(), {"edge_index": torch.tensor([0, 2])}, Data),
    ],
)
def test_torch_files(content, tmp_path):
    graph = read_text(tmp_path, saved(content), "g.pt")
    assert (graph.n, graph.m) == (3, 1)


class Evil:
    def __reduce__(self):
        return (open, ("ran", "w"))


def test_torch_files_run_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LovaszError, match="run code"):
        read_text(tmp_path, saved({"edge_index": ENDS, "evil": Evil()}), "g.pt")
    assert not (tmp_path / "ran").exists()


def test_npz_is_what_scipy_reads_and_writes(tmp_path):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(PETERSEN.adjacency))
    assert_same(PETERSEN, read_graph(tmp_path / "a.npz"))
    write_graph(PETERSEN, tmp_path / "b.npz")
    assert (sparse.load_npz(tmp_path / "b.npz") != PETERSEN.adjacency).nnz == 0


def matrix_market(matrix):
    out = io.BytesIO()
    mmwrite(out, matrix)
    return out.getvalue()


def pickled_npz():
    out = io.BytesIO()
    np.savez(out, format=np.array([Evil()], dtype=object), shape=np.array([1, 1]))
    return out.getvalue()


GOOD_CSV = b"a,b\nb,c\n"
BAD = [
    ("empty.csv", b"", "is empty"),
    ("blank.csv", b" \n\n", "is empty"),
    ("comments.csv", b"# only\n", "only comments"),
    ("cut.csv.gz", gzip.compress(GOOD_CSV * 99)[:-9], "damaged gzip"),
    ("bad.gz", b"\x1f\x8b" + b"junk" * 9, "damaged gzip"),
    ("one.csv", b"a,b\nalice\n", r"one.csv line 2: 'alice' has one field"),
    ("one.txt", b"alice\nbob\n", r"one.txt line 1: 'alice' has one field"),
    ("many.csv", b"a,b\n\na,b,c\n", r"line 3: 'a,b,c' has 3 fields, lines before it 2"),
    ("wide.csv", b"a,b,1,2\n", "line 1: .* 4 fields and no header"),
    ("first.csv", b"a,b\n,b\n", "line 2: ',b' starts with an empty name"),
    ("both.csv", b"a,b\n,\n", "line 2: ',' starts with an empty name"),
    ("word.csv", b"a,b,heavy\n", "line 1: .*weight 'heavy'.*number"),
    ("comma.csv", b"a;b;0,5\n", "line 1: .*weight '0,5'"),
    ("nan.csv", b"a,b,1\nb,c,nan\n", "line 2: .*weight nan.*finite"),
    ("quote.csv", b'a,b\n"a,b\nc,d\n', "line 2: .*quote"),
    ("weights.csv", b"a,b,2\n", "weights.csv: .*weights='keep'"),
    ("clash.csv", b"a,b,2\nb,a,3\n", "clash.csv: .*"),
    ("latin.csv", "é,b\n".encode("latin-1"), "latin.csv line 1: byte 0xe9 is not UTF-8"),
    ("wide16.csv", "a,b\n".encode("utf-16"), "not UTF-8"),
    ("noise", bytes(range(256)) * 4, "no known format"),
    ("range.col", b"p edge 3 1\ne 1 4\n", "range.col line 2: .*vertex 4.*1 to 3"),
    ("zero.col", b"p edge 3 1\ne 0 1\n", "line 2: .*vertex 0"),
    ("short.col", b"p edge 3 1\ne 1\n", "line 2: .*2 numbers"),
    ("word.col", b"p edge 3 1\ne a b\n", "line 2: .*vertices"),
    ("head.col", b"p edge n m\ne 1 2\n", "line 1: .*header"),
    ("late.col", b"e 1 2\np edge 3 1\n", "line 1: .*no DIMACS line"),
    ("none.col", b"c nothing\n", "no line 'p edge n m'"),
    ("twice.col", b"p edge 3 1\np edge 3 1\n", "line 2"),
    ("bad.gml", b"graph [ node [ id 0 ", "valid GML"),
    ("twin.gml", b'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] ]', "valid GML"),
    ("heavy.gml", b'graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] '
     b'edge [ source 0 target 1 weight "x" ] ]', "heavy.gml: .*no number"),
    ("bad.graphml", b"<?xml version='1.0'?><graphml><graph>", "valid GraphML"),
    ("other.graphml", b"<?xml version='1.0'?><svg/>", "valid GraphML"),
    ("bad.g6", b"D\x01\x02\n", "valid graph6"),
    ("cut.g6", b">>graph6<<Dq\n", "valid graph6"),
    ("two.g6", b"DqK\nDqK\n", "2 graphs"),
    ("bad.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 9\n1 1 1\n", "Matrix Market"),
    ("nohead.mtx", b"2 2\n", "Matrix Market"),
    ("flat.mtx", matrix_market(sparse.coo_array(np.ones((2, 3)))), "flat.mtx: .*square"),
    ("complex.mtx", matrix_market(np.array([[0, 1j], [1j, 0]])), "complex128"),
    ("bad.npz", b"PK\x03\x04 junk", "damaged zip"),
    ("text.npz", GOOD_CSV, "valid npz"),
    ("pickle.npz", pickled_npz(), "valid npz"),
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


@pytest.mark.parametrize(
    ("graph", "name", "words"),
    [
        (PETERSEN, "g.xyz", "g.xyz: the suffix names no known format"),
        (PETERSEN, "g", "suffix"),
        (PETERSEN, "none/g.csv", "no directory"),
        (as_graph([(0, 1, 2)], weights="keep"), "g.col", "g.col: .*no weights"),
        (as_graph([(0, 1, 2)], weights="keep"), "g.g6.gz", "no weights"),
        (as_graph([(1, "1")]), "g.csv", "both written as '1'"),
        (as_graph([("", "1")]), "g.gml", "empty name"),
        (as_graph([("a\x01", "b")]), "g.graphml", "XML"),
        (as_graph([("a\0", "b")]), "g.npz", "NUL"),
        (as_graph([(2**70, -1)]), "g.npz", "64 bits"),
        (as_graph([("\ud800", "b")]), "g.csv", "not valid text"),
    ],
)
def test_what_cannot_be_written_is_said_and_leaves_no_file(graph, name, words, tmp_path):
    with pytest.raises(LovaszError, match=words) as error:
        write_graph(graph, tmp_path / name)
    assert str(error.value).startswith(str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_names_of_other_kinds_are_written_as_text(tmp_path):
    write_graph(as_graph(nx.grid_2d_graph(1, 2)), tmp_path / "g.csv")
    assert read_graph(tmp_path / "g.csv").nodes == ("(0, 0)", "(0, 1)")


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_graph(PETERSEN, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_atomic_leaves_the_old_file_when_interrupted(stop, tmp_path):
    file = tmp_path / "g.csv"
    file.write_text("old")
    with pytest.raises(stop), atomic(file) as temporary:
        temporary.write_text("half")
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        raise stop
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_atomic_writes_through_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


def test_atomic_says_why_it_cannot_write(tmp_path):
    with pytest.raises(LovaszError, match="is a directory"), atomic(tmp_path):
        pass
    with pytest.raises(LovaszError, match="cannot write it"), atomic(tmp_path / "never"):
        pass  # nothing was written, so nothing can take its place
