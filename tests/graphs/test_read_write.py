"""What is written is read back, and what cannot be written is said."""

import io
import sys
from types import SimpleNamespace

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.graphs.samples import PETERSEN, assert_same

from lovasz.base.errors import LovaszError
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


def test_npz_is_what_scipy_reads_and_writes(tmp_path):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(PETERSEN.adjacency))
    assert_same(PETERSEN, read_graph(tmp_path / "a.npz"))
    write_graph(PETERSEN, tmp_path / "b.npz")
    assert (sparse.load_npz(tmp_path / "b.npz") != PETERSEN.adjacency).nnz == 0


@pytest.mark.parametrize(
    ("graph", "name", "words"),
    [
        (PETERSEN, "g.xyz", "g.xyz: its suffix names no known format"),
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


def test_whatever_is_a_graph_can_be_written(tmp_path):
    for graph in (nx.petersen_graph(), sparse.csr_array(PETERSEN.adjacency)):
        write_graph(graph, tmp_path / "graph.npz")
        assert read_graph(tmp_path / "graph.npz").m == 15


@pytest.mark.parametrize("line", ["a,b,2.{}", "2 1 1\n1 2 -{}"])
def test_a_long_weight_that_is_no_number_is_quoted_in_part(tmp_path, line):
    path = tmp_path / "graph.txt"
    path.write_text(line.format("true" * 1000))
    with pytest.raises(LovaszError, match="has the weight") as problem:
        read_graph(path)
    assert len(str(problem.value)) < 500
