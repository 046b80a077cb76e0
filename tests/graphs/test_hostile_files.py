"""Files made to crash or to hang a reader are refused in one line, and quickly."""

import io
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from scipy import sparse
from tests.graphs.samples import ENDS, read_text, saved

from lovasz.base.errors import LovaszError
from lovasz.graphs import as_graph, read_graph
from lovasz.graphs.formats.hyperedges import read_hypergraph
from lovasz.graphs.formats.lines import records
from lovasz.graphs.node_tables import read_features

READ = """
import sys
from lovasz.graphs import read_graph
for path in sys.argv[1:]:
    print(read_graph(path))
"""
"""A program that reads graphs; a crash of the interpreter is its return code."""


def npz(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def parts(kind="csr", shape=(3, 3), **changes):
    """The arrays of a sparse matrix of a path, some of them changed."""
    path = sparse.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=float))
    held = {"data": path.data, "indices": path.indices, "indptr": path.indptr}
    return {"format": np.array(kind.encode()), "shape": np.array(shape)} | held | changes


WRONG = {
    "column": {"indices": np.array([1, 0, 10**9, 1])},
    "next column": {"indices": np.array([1, 0, 3, 1])},
    "beyond the end": {"indptr": np.array([0, 1, 3, 9])},
    "before the end": {"indptr": np.array([0, 1, 2, 3])},
    "negative": {"indices": np.array([1, 0, -5, 1])},
    "bounds": {"indptr": np.array([0, 9999, 3, 4])},
    "start": {"indptr": np.array([2, 1, 3, 4])},
    "fewer": {"indptr": np.array([0, 4])},
    "floats": {"indices": np.array([1.0, 0.0, 2.0, 1.0])},
    "deep": {"indices": np.array([[1, 0], [2, 1]])},
    "shape": {"shape": np.array([-3, -3])},
    "word": {"shape": np.array(["a", "b"])},
    "three": {"shape": np.array([3, 3, 3])},
    "values": {"data": np.ones(2)},
    "kind": {"format": np.array(b"xyz")},
}


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("name", WRONG)
def test_arrays_of_a_sparse_matrix_that_disagree(name, kind, tmp_path):
    file = tmp_path / "g.npz"
    file.write_bytes(npz(**(parts(kind) | WRONG[name])))
    graph = as_graph([(0, 1), (1, 2)])
    for read in (read_graph, read_hypergraph, lambda path: read_features(path, graph)):
        with pytest.raises(LovaszError, match=r"g\.npz: ") as error:
            read(file)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dia"])
def test_sparse_matrices_of_every_kind_are_read(kind, tmp_path):
    path = sparse.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=float))
    sparse.save_npz(tmp_path / "g.npz", path.asformat(kind))
    assert (read_graph(tmp_path / "g.npz").adjacency != path).nnz == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"edge_indptr": np.array([0, 99, 4])},
        {"edge_indptr": np.array([0, 2])},
        {"edge_indptr": np.array([[0, 2, 4]])},
        {"edge_indices": np.array(["a", "b", "c", "d"])},
        {"edge_indices": np.array([0.5, 1, 2, 3])},
        {"n_nodes": np.array([4, 4])},
        {"n_nodes": np.array(-1)},
        {"n_nodes": np.array("four")},
        {"edge_weights": np.array(["x", "y"])},
        {"edge_weights": np.array([1.0])},
        {"edge_weights": np.array([[1.0], [1.0]])},
        {"nodes": np.array([[1, 2], [3, 4], [5, 6], [7, 8]])},
        {"nodes": np.array(["a", "b"])},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_arrays_of_a_hypergraph_that_disagree(changes, tmp_path):
    good = {"edge_indptr": np.array([0, 2, 4]), "edge_indices": np.arange(4)}
    (tmp_path / "h.npz").write_bytes(npz(**(good | changes)))
    with pytest.raises(LovaszError, match=r"h\.npz: ") as error:
        read_hypergraph(tmp_path / "h.npz")
    assert "\n" not in str(error.value)
    assert "n_nodes" in str(error.value) or "n_nodes" not in changes


def test_a_header_that_declares_more_than_follows(tmp_path):
    whole = io.BytesIO()
    np.save(whole, np.ones((3, 2)))
    lying = whole.getvalue().replace(b"(3, 2), }          ", b"(3, 9999999999), }")
    assert len(lying) < len(whole.getvalue())
    (tmp_path / "x.npy").write_bytes(lying)
    with pytest.raises(LovaszError, match=r"x\.npy: "):
        read_features(tmp_path / "x.npy", as_graph([(0, 1), (1, 2)]))


def test_a_matrix_market_file_may_end_in_any_space(tmp_path):
    head = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1"
    ends = [b"", b" ", b"\n ", b"\n\n", b"\t", b" \r"]
    files = [tmp_path / f"{number}.mtx" for number in range(len(ends))]
    for file, end in zip(files, ends, strict=True):
        file.write_bytes(head + end)
    done = subprocess.run([sys.executable, "-c", READ, *files], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "Graph(n=3, m=1)\n" * len(ends))


@pytest.mark.parametrize("sizes", ["0 2", "2 0", "0 0"])
def test_a_dense_matrix_market_file_without_rows_is_refused(sizes, tmp_path):
    """SciPy's reader divides by the number of rows, which ended the interpreter."""
    (tmp_path / "x.mtx").write_text(f"%%MatrixMarket matrix array real general\n{sizes}\n0\n1\n")
    with pytest.raises(LovaszError, match=f"x.mtx line 2: declares '{sizes}'"):
        read_graph(tmp_path / "x.mtx")


def test_lines_that_begin_like_comments_of_dimacs_are_read_quickly(tmp_path):
    start = time.process_time()
    graph = read_text(tmp_path, "".join(f"c-{k},c-{k + 1}\r\n" for k in range(500)))
    assert graph.n == 501
    assert time.process_time() - start < 20
    assert read_text(tmp_path, "c x\r\n\r\n c y\r\np edge 2 1\r\ne 1 2\r\n", "noname").m == 1


@pytest.mark.parametrize(
    "text", ['"' + '\n""' * 60_000, '"a"' + "x " * 60_000 + ",b", '"' * 60_001, 'a,"b""' * 30_000]
)
def test_quotes_are_read_in_linear_time(text):
    start = time.process_time()
    with pytest.raises(LovaszError, match="quote that does not close"):
        list(records(text))
    assert time.process_time() - start < 20


def test_quoted_fields_may_hold_anything():
    text = 'a,b\nc,d\n"a\n\nb" , " c ""d"" ",e"f\n"g",'
    fields = [["a", "b"], ["c", "d"], ["a\n\nb", ' c "d" ', 'e"f'], ["g", ""]]
    assert list(records(text)) == list(zip([1, 2, 3, 6], fields, strict=True))
    assert list(records('"a b" c"d "" \n')) == [(1, ["a b", 'c"d', ""])]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ENDS.to(torch.complex64), "no edges"),
        (ENDS.bool(), "no edges"),
        (ENDS.to_sparse(), "no edges"),
        ({"edge_index": [[0, 1], [1, 0]]}, "no edges"),
        ({"edge_index": ENDS, "edge_weight": torch.ones(2, dtype=torch.complex64)}, "edge_weight"),
        ({"edge_index": ENDS, "edge_weight": torch.ones(3)}, "edge_weight"),
        ({"edge_index": ENDS, "edge_weight": torch.ones(2).to_sparse()}, "edge_weight"),
        ({"edge_index": ENDS, "edge_weight": "heavy"}, "edge_weight"),
        ({"edge_index": ENDS, "num_nodes": torch.tensor([3, 4])}, "num_nodes"),
        ({"edge_index": ENDS, "num_nodes": 2.5}, "num_nodes"),
        ({"edge_index": ENDS, "num_nodes": "three"}, "num_nodes"),
        ({"edge_index": ENDS, "num_nodes": [3]}, "num_nodes"),
        ({"edge_index": ENDS, "num_nodes": True}, "num_nodes"),
    ],
)
def test_odd_tensors_are_refused(content, words, tmp_path):
    with pytest.raises(LovaszError, match=rf"g\.pt: .*{words}") as error:
        read_text(tmp_path, saved(content), "g.pt")
    assert "\n" not in str(error.value)


def test_tensors_of_usual_kinds_are_read(tmp_path):
    for ends in (ENDS, ENDS.to(torch.int32), ENDS.to(torch.uint8), ENDS.t().contiguous().t()):
        content = {"edge_index": ends, "num_nodes": torch.tensor(3)}
        assert read_text(tmp_path, saved(content), "g.pt").n == 3
    content["edge_weight"] = torch.full((2,), 0.5, dtype=torch.bfloat16, requires_grad=True)
    assert read_text(tmp_path, saved(content), "g.pt", weights="keep").adjacency.max() == 0.5


@pytest.mark.parametrize("order", "<>")
def test_text_with_numbers_that_are_no_characters_is_refused(order, tmp_path):
    # Found by `python -m tests.fuzz.harness 65000 --seed 62`: a SystemError of Python.
    names = np.array([[ord("a"), 0x110000], [ord("b"), 0]], f"{order}u4").view(f"{order}U2")[:, 0]
    path = tmp_path / "sets.npz"
    np.savez(path, n_nodes=2, edge_indptr=[0, 2], edge_indices=[0, 1], nodes=names)
    with pytest.raises(LovaszError, match="the number 1,114,112, which is no character"):
        read_hypergraph(path)
