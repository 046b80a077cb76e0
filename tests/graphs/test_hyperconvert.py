"""``as_hypergraph`` from everything it takes, and files there and back."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.formats.hyperedges import read_hypergraph, write_hypergraph

SETS = [["ann", "bob", "cem"], ["cem", "dee"]]
sets_of_nodes = st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=8)


def same(one, other):
    return (
        tuple(one.nodes) == tuple(other.nodes)
        and one.hyperedges() == other.hyperedges()
        and np.array_equal(one.weights, other.weights)
    )


@given(sets_of_nodes)
def test_hyperedges_are_the_different_sets_of_two_or_more(sets):
    H = lovasz.as_hypergraph(sets, nodes=range(10))
    wanted = dict.fromkeys(frozenset(edge) for edge in sets if len(set(edge)) > 1)
    assert H.hyperedges() == list(wanted)
    counts = [sum(frozenset(edge) == one for edge in sets) for one in wanted]
    assert H.weights.tolist() == counts
    assert H.n == 10 and H.degrees.sum() == H.sizes.sum() == sum(map(len, wanted))
    dropped = any(len(set(edge)) < 2 for edge in sets) or len(wanted) < len(sets)
    assert bool(H.notes) == dropped


def test_every_way_in_gives_the_same_hypergraph():
    H = lovasz.as_hypergraph(SETS)
    incidence = np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    for other in (
        lovasz.as_hypergraph({"x": SETS[0], "y": SETS[1]}),
        lovasz.as_hypergraph(incidence, nodes=("ann", "bob", "cem", "dee")),
        lovasz.as_hypergraph(sparse.coo_array(incidence), nodes=("ann", "bob", "cem", "dee")),
        lovasz.as_hypergraph(H),
        lovasz.as_hypergraph(H.expansion()),
        lovasz.as_hypergraph([np.array(SETS[0]), set(SETS[1])], nodes=H.nodes),
    ):
        assert same(H, other)


def test_a_graph_is_a_hypergraph_of_pairs():
    graph = lovasz.as_graph([(0, 1), (1, 2)], nodes=range(4))
    H = lovasz.as_hypergraph(graph)
    assert H.m == 2 and set(H.sizes) == {2} and H.n == 4
    assert (H.matrix() != graph.adjacency).nnz == 0


def test_xgi_keeps_names_order_and_weights():
    xgi = pytest.importorskip("xgi")
    source = xgi.Hypergraph()
    source.add_nodes_from(["z", "a", "b", "c"])
    source.add_edge(["a", "b", "c"], idx="first", weight=2.5)
    source.add_edge(["c", "a"], idx="second")
    H = lovasz.as_hypergraph(source)
    assert H.nodes == ("z", "a", "b", "c") and H.names == ("first", "second")
    assert H.weights.tolist() == [2.5, 1.0] and H.degrees[0] == 0
    assert lovasz.as_graph(source).m == 3
    directed = xgi.DiHypergraph()
    directed.add_edge([{1, 2}, {3}])
    with pytest.raises(LovaszError, match="is directed"):
        lovasz.as_hypergraph(directed)


def test_xgi_reads_what_we_write_and_writes_what_we_read(tmp_path):
    xgi = pytest.importorskip("xgi")
    H = lovasz.as_hypergraph({"e": ["b", "a"], "f": ["a", "c", "d"]}, nodes=[*"dcbaz"])
    write_hypergraph(H, tmp_path / "ours.json")
    assert {frozenset(m) for m in xgi.read_hif(str(tmp_path / "ours.json")).edges.members()} == set(
        H.hyperedges()
    )
    xgi.write_hif(xgi.Hypergraph({"e": ["b", "a"], "f": ["a", "c", "d"]}), str(tmp_path / "x.json"))
    assert set(read_hypergraph(tmp_path / "x.json").hyperedges()) == set(H.hyperedges())


@pytest.mark.parametrize("suffix", [".hg", ".csv", ".tsv", ".json", ".npz", ".hg.gz", ".json.gz"])
@pytest.mark.parametrize(
    "nodes", [["lone", "a b", "c,d", "#x", 'q"'], [4, 3, 2, 1, 0], range(5)], ids=str
)
def test_files_give_back_nodes_in_order(suffix, nodes, tmp_path):
    H = lovasz.as_hypergraph([nodes[3:0:-1], [nodes[1], nodes[4]]], nodes=tuple(nodes))
    path = tmp_path / f"h{suffix}"
    write_hypergraph(H, path)
    back = lovasz.as_hypergraph(path)
    assert same(H, back) and back.notes == ()


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_json_and_npz_keep_weights(suffix, tmp_path):
    H = lovasz.as_hypergraph(SETS, weights=[0.1, 3.0])
    write_hypergraph(H, tmp_path / f"h{suffix}")
    assert same(H, read_hypergraph(tmp_path / f"h{suffix}"))
    with pytest.raises(
        LovaszError, match=r"text files hold no weights of hyperedges; write \.json"
    ):
        write_hypergraph(H, tmp_path / "h.hg")


def test_an_incidence_matrix_of_scipy_and_the_arrays_of_hypergcn_are_read(tmp_path):
    sparse.save_npz(tmp_path / "i.npz", sparse.csr_array(np.array([[1, 0], [1, 1], [0, 1]])))
    assert read_hypergraph(tmp_path / "i.npz").hyperedges() == [{0, 1}, {1, 2}]
    arrays = {"n_nodes": 5, "edge_indptr": [0, 2, 5], "edge_indices": [0, 1, 1, 2, 3]}
    np.savez(tmp_path / "h.npz", **arrays)
    H = read_hypergraph(tmp_path / "h.npz")
    assert H.n == 5 and H.hyperedges() == [{0, 1}, {1, 2, 3}]


def test_a_graph_reader_takes_hg_and_json_for_hypergraphs(tmp_path):
    (tmp_path / "g.hg").write_text("1 2\n1 2 3\n")  # as lines of a graph it would be a Gset file
    graph = lovasz.as_graph(tmp_path / "g.hg")
    assert graph.nodes == (1, 2, 3) and graph.m == 3
    (tmp_path / "g.hg.gz").write_bytes(gzip.compress(b"a,b,c\nd,\n"))
    assert lovasz.theta(tmp_path / "g.hg.gz").value == 2


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (["ab", "cd"], {}, "hyperedge 0 is 'ab'; every hyperedge must be a list or set"),
        ([1, 2], {}, "hyperedge 0 is 1"),
        (7, {}, "cannot read a hypergraph from int"),
        ([[[1], [2]]], {}, "a node name is unusable"),
        ([[0, 1], [1, 9]], {"nodes": [0, 1]}, "hyperedge 1 has the node 9, which nodes= lacks"),
        ([[0, 1]], {"nodes": [0, 1, 1]}, "3 nodes need 3 different names, there are 2"),
        ([[0, 1]], {"weights": [1, 2]}, "weights of shape (2,) for 1 hyperedges"),
        ([[0, 1]], {"weights": [-1]}, "hyperedge 0 has weight -1.0; weights must be positive"),
        ([[0, 1]], {"weights": ["x"]}, "the weights are not numbers"),
        ({"x": [0, 1]}, {"weights": {"y": 1}}, "hyperedge 'x' has no weight"),
        ({"x": [0, 1]}, {"weights": {"x": 1, "y": 1}}, "a weight for 'y', which is not a"),
        (np.array([[2.0, 1.0]]), {}, "the incidence matrix holds 2.0; its entries must"),
        (np.array(["a", "b"]), {}, "is not an incidence matrix"),
        ("no-such-file.hg", {}, "no-such-file.hg: no such file"),
        ("x.hg", {"weights": [1]}, "nodes= and weights= are for node sets"),
    ],
)
def test_bad_input_is_named_in_one_line(source, options, message):
    with pytest.raises(LovaszError) as problem:
        lovasz.as_hypergraph(source, **options)
    assert message in str(problem.value) and "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not a valid JSON file"),
        (b'{"edges": []}', "the JSON has no list 'incidences'"),
        (b'{"incidences": [], "network-type": "directed"}', "the hypergraph is directed"),
        (b'{"incidences": [{"edge": 1}]}', "not a valid Hypergraph Interchange Format file"),
        (b"PK\x03\x04", "not a valid npz file"),
    ],
)
def test_bad_files_are_named_in_one_line(content, message, tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(LovaszError) as problem:
        read_hypergraph(path)
    assert message in str(problem.value) and str(path) in str(problem.value)
    assert "\n" not in str(problem.value)
    with pytest.raises(LovaszError, match="names no format of hypergraphs"):
        write_hypergraph(lovasz.as_hypergraph(SETS), tmp_path / "h.gml")


def test_nothing_can_be_written_to():
    H = lovasz.as_hypergraph(SETS)
    for array in (H.weights, H.incidence.data, H.incidence.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
