"""Small files that hold much are refused before they take the memory."""

import gzip
import io
import tracemalloc
import zipfile

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graphs.samples import read_text

from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs import as_graph, read_graph, source
from lovasz.graphs.formats import archives
from lovasz.graphs.formats.graph6 import read_graph6
from lovasz.graphs.node_tables import read_features


@pytest.fixture
def little(monkeypatch):
    """A machine with 128 MB of free memory that reads in small pieces."""
    for module in (memory, source):
        monkeypatch.setattr(module, "free_memory", lambda: 2.0**27)
    monkeypatch.setattr(source, "CHUNK", 1 << 20)


def peak_of(read):
    tracemalloc.start()
    try:
        with pytest.raises(LovaszError, match="GiB") as error:
            read()
        assert "\n" not in str(error.value)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_gzip_file_that_holds_gigabytes(little, tmp_path):
    bomb = gzip.compress(bytes(1 << 20) * 64, compresslevel=1)
    (tmp_path / "g.csv.gz").write_bytes(bomb)
    assert len(bomb) < 1e6
    assert peak_of(lambda: read_graph(tmp_path / "g.csv.gz")) < 6e7


def test_a_plain_file_that_is_too_large(little, tmp_path):
    with open(tmp_path / "g.csv", "wb") as file:
        file.truncate(64 << 20)
    assert peak_of(lambda: read_graph(tmp_path / "g.csv")) < 6e7


def test_an_npz_file_that_holds_gigabytes(little, tmp_path):
    out = io.BytesIO()
    np.savez_compressed(out, np.zeros((3, 1_700_000)))
    (tmp_path / "x.npz").write_bytes(out.getvalue())
    graph = as_graph([(0, 1), (1, 2)])
    assert peak_of(lambda: read_features(tmp_path / "x.npz", graph)) < 6e7
    assert peak_of(lambda: read_graph(tmp_path / "x.npz")) < 6e7


def test_a_member_that_holds_more_than_it_says():
    """Of a member, no more than its declared size is unpacked."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", bytes(1 << 24))
    lying = out.getvalue().replace((1 << 24).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    with pytest.raises(LovaszError, match="valid npz"):
        archives.read_archive(lying)


def test_nine_bytes_of_sparse6(tmp_path):
    """Ten million nodes without edges take what the graph itself takes."""
    tracemalloc.start()
    graph = read_text(tmp_path, b":~~??eHY?\n", "g.s6")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.n == 10**7 and peak < 64 * graph.n


@given(st.integers(0, 70), st.floats(0, 1), st.integers(0, 10**6))
def test_graph6_and_sparse6_are_read_as_by_networkx(n, p, seed):
    network = nx.gnp_random_graph(n, p, seed=seed)
    for data in (nx.to_graph6_bytes(network), nx.to_sparse6_bytes(network)):
        graph = read_graph6(data, symmetrize=False, weights=None)
        assert graph.n == n
        assert set(zip(*(end.tolist() for end in graph.edges()), strict=True)) == {
            (min(u, v), max(u, v)) for u, v in network.edges
        }


@pytest.mark.parametrize("word", [b"~", b"~~", b"~?", b":~", b":~~??", b"D", b"Dq", b"DqKK"])
def test_short_and_long_words_are_refused(word):
    with pytest.raises(LovaszError, match="valid graph6"):
        read_graph6(word, symmetrize=False, weights=None)
