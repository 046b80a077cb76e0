import hashlib
import os
import pickle
import re
import subprocess
import sys
import threading
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from lovasz import datasets
from lovasz.base.errors import LovaszError
from lovasz.datasets import download as files
from lovasz.datasets import planetoid
from lovasz.datasets.catalogue import registry
from lovasz.datasets.entry import File

CONTENT = bytes(range(256)) * 1000


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A machine with an empty cache and no data folder."""
    monkeypatch.delenv("LOVASZ_DATA", raising=False)
    monkeypatch.setenv("LOVASZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache"


@contextmanager
def server(content=CONTENT, *, ranges=True, cut=(), together=1):
    """Serve ``content``; answer number k stops after ``cut[k]`` bytes. Yields url and log.

    Answers wait until ``together`` requests have come.
    """
    log = []
    meeting = threading.Barrier(together)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            number, asked = len(log), self.headers["Range"]
            log.append(asked)
            start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and ranges else 0
            if start >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            meeting.wait(timeout=10)
            try:
                self.wfile.write(content[start:][: cut[number] if number < len(cut) else None])
            except ConnectionError:
                log.append("hung up")
            self.close_connection = True

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = False  # leaving waits for the last answer
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{running.server_port}/some.bin", log
        finally:
            running.shutdown()


def remote(url, content=CONTENT):
    return File("some/some.bin", len(content), hashlib.sha256(content).hexdigest(), url)


def left_in(cache):
    return sorted(path.name for path in cache.rglob("*") if path.is_file())


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(registry))
def test_a_dataset_has_the_registered_size(name):
    entry, data = registry[name], datasets.load(name)
    if entry.m is not None:
        assert (data.graph.n, data.graph.m) == (entry.n, entry.m)
    assert (data.features.shape[1] if data.features is not None else 0) == entry.features
    assert data.y.shape == (entry.n,) and data.y.dtype.kind == "i"
    assert set(data.y) - {-1} == set(range(len(data.classes)))
    for split in data.splits.values():
        rows = np.concatenate([*split.values()])
        assert [*split] == (
            ["train", "val", "test"] if entry.hyperedges is None else ["train", "test"]
        )
        assert np.unique(rows).size == rows.size and (data.y[rows] >= 0).all()


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


@pytest.mark.data
@pytest.mark.parametrize("name", ["texas", "actor", "chameleon-filtered"])
def test_heterophilous_graphs_have_ten_splits_of_all_nodes(name):
    data = datasets.load(name)
    assert sorted(data.splits) == [str(number) for number in range(10)]
    for split in data.splits.values():
        assert sum(rows.size for rows in split.values()) == data.graph.n


def test_karate_is_that_of_networkx_without_weights():
    import networkx as nx

    data = datasets.load("karate")
    club = nx.karate_club_graph()
    assert (data.graph.adjacency.toarray() == nx.to_numpy_array(club, weight=None)).all()
    assert [data.classes[code] for code in data.y] == [club.nodes[i]["club"] for i in club]


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


def test_a_file_of_the_data_folder_needs_the_right_checksum(tmp_path, cache, monkeypatch):
    file = remote("http://127.0.0.1:9/some.bin")
    monkeypatch.setenv("LOVASZ_DATA", str(tmp_path))
    path = tmp_path / file.path
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    assert files.read_verified(file) == CONTENT
    path.write_bytes(CONTENT[:-1] + b"!")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(LovaszError, match=f"some.bin.*{found}.*{file.sha256}") as caught:
        files.read_verified(file)
    assert "\n" not in str(caught.value)


def test_the_data_folder_comes_before_the_cache(tmp_path, cache, monkeypatch):
    file = remote(None)
    for folder in (cache, tmp_path / "data"):
        (folder / file.path).parent.mkdir(parents=True)
        (folder / file.path).write_bytes(CONTENT)
    assert files.locate(file) == cache / file.path
    monkeypatch.setenv("LOVASZ_DATA", str(tmp_path / "data"))
    assert files.locate(file) == tmp_path / "data" / file.path


def test_a_data_folder_that_is_none_is_an_error(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("LOVASZ_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(LovaszError, match=r"LOVASZ_DATA=.*nowhere is no folder"):
        datasets.load("cora")


def test_a_download_is_checked_and_kept(cache):
    with server() as (url, log):
        assert files.read_verified(remote(url)) == CONTENT
        assert files.read_verified(remote(url)) == CONTENT
    assert log == [None]
    assert left_in(cache) == ["some.bin"]


def test_a_cut_transfer_is_resumed(cache):
    with server(cut=[1000, 500]) as (url, log):
        assert files.read_verified(remote(url)) == CONTENT
    assert log == [None, "bytes=1000-", "bytes=1500-"]
    assert left_in(cache) == ["some.bin"]


def test_a_later_call_goes_on_where_an_earlier_one_stopped(cache):
    with server(cut=[1000, 0]) as (url, log):
        with pytest.raises(LovaszError, match="cut"):
            files.read_verified(remote(url))
        assert left_in(cache) == ["some.bin.part"]
        assert files.read_verified(remote(url)) == CONTENT
    assert log == [None, "bytes=1000-", "bytes=1000-"]


def test_a_server_without_ranges_starts_again(cache):
    with server(cut=[1000], ranges=False) as (url, log):
        assert files.read_verified(remote(url)) == CONTENT
    assert log == [None, "bytes=1000-"]


def test_wrong_bytes_never_get_the_name_of_the_file(cache):
    wrong = CONTENT[:-1] + b"!"
    with server(wrong) as (url, _), pytest.raises(LovaszError) as caught:
        files.read_verified(remote(url))
    for part in (url, remote(url).sha256, hashlib.sha256(wrong).hexdigest()):
        assert part in str(caught.value)
    assert left_in(cache) == []


def test_more_bytes_than_registered_are_not_waited_for(cache):
    with server(CONTENT * 100) as (url, log), pytest.raises(LovaszError, match="expected"):
        files.read_verified(remote(url))
    assert log == [None, "hung up"]
    assert left_in(cache) == []


def test_a_part_of_something_else_does_not_block_the_next_try(cache):
    (cache / "some").mkdir(parents=True)
    (cache / "some" / "some.bin.part").write_bytes(b"?" * 999)
    with server() as (url, _):
        with pytest.raises(LovaszError, match="expected"):
            files.read_verified(remote(url))
        assert files.read_verified(remote(url)) == CONTENT


def test_a_part_the_server_cannot_go_on_from_is_dropped(cache):
    (cache / "some").mkdir(parents=True)
    (cache / "some" / "some.bin.part").write_bytes(b"?" * 20)
    with server(b"short") as (url, log), pytest.raises(LovaszError):
        files.read_verified(remote(url))
    assert log[:2] == ["bytes=20-", None]


def test_two_downloads_at_once_do_not_mix(cache):
    found = []
    with server(together=4) as (url, _):
        threads = [
            threading.Thread(target=lambda: found.append(files.read_verified(remote(url))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [CONTENT] * 4
    assert left_in(cache) == ["some.bin"]


def test_offline_says_in_one_line_what_to_do(cache):
    with server() as (url, _):
        pass  # now nobody listens there
    with pytest.raises(LovaszError) as caught:
        files.read_verified(remote(url))
    message = str(caught.value)
    assert "\n" not in message
    assert url in message and str(cache / "some/some.bin") in message and "LOVASZ_DATA" in message


def test_a_missing_page_is_an_error_of_one_line(cache):
    with server(b"") as (url, _), pytest.raises(LovaszError, match=r"cannot download.*Range"):
        files.read_verified(remote(url))


def test_a_cache_that_is_no_folder_is_an_error_of_one_line(cache):
    cache.write_text("a file")
    with pytest.raises(LovaszError, match=r"Not a directory|exists"):
        files.read_verified(remote("http://127.0.0.1:9/some.bin"))


def test_a_file_without_address_asks_for_the_data_folder(cache):
    with pytest.raises(LovaszError, match=r"community/polblogs.npz .*set LOVASZ_DATA"):
        datasets.load("polblogs")


def test_fetch_names_the_files(cache, monkeypatch):
    with server() as (url, _):
        entry = replace(registry["texas"], files=(remote(url),))
        monkeypatch.setitem(datasets.registry, "texas", entry)
        assert datasets.fetch("texas") == [cache / "some/some.bin"]
        (cache / "some/some.bin").write_bytes(CONTENT[:-1] + b"!")
        with pytest.raises(LovaszError, match=r"some.bin has SHA-256 .*, expected"):
            datasets.fetch("texas")  # being there is not enough
    assert datasets.fetch("karate") == []


def test_every_entry_is_complete():
    for name, entry in registry.items():
        assert entry.name == name and entry.about and entry.licence and entry.citation
        assert entry.format in datasets._READERS and len(entry.classes) > 1
        for file in entry.files:
            assert re.fullmatch("[0-9a-f]{64}", file.sha256) and file.bytes > 0
            assert file.url is None or file.url.startswith("https://")
            assert file.url is None or file.url.endswith(file.path.rpartition("/")[2])


def test_listing_says_where_the_files_are(tmp_path, cache, monkeypatch):
    def where(name):
        return next(row.where for row in datasets.listing() if row.name == name)

    (file,) = registry["texas"].files
    assert [row.name for row in datasets.listing()] == list(registry)
    assert where("karate") == "ships with lovasz"
    assert where("texas") == "not downloaded" and where("polblogs") == "needs LOVASZ_DATA"
    (cache / file.path).parent.mkdir(parents=True)
    (cache / file.path).touch()
    assert where("texas") == "cached"
    monkeypatch.setenv("LOVASZ_DATA", str(tmp_path))
    assert where("texas") == "cached"
    (tmp_path / file.path).parent.mkdir()
    (tmp_path / file.path).touch()
    assert where("texas") == "found in LOVASZ_DATA"


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(LovaszError, match=r"'citeser'; did you mean 'citeseer'\?"):
        datasets.load("citeser")
    with pytest.raises(LovaszError, match=r"use one of cora, citeseer"):
        datasets.load("42")


def test_names_may_be_written_large():
    assert datasets.load("Karate").name == "karate"


def test_importing_datasets_loads_nothing_heavy():
    check = "import sys, lovasz.datasets; print({'torch', 'sklearn', 'networkx'} & {*sys.modules})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, env=environment, check=True
    )
    assert run.stdout.strip() == "set()"
