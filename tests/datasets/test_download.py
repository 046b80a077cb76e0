"""Files come from the data folder, the cache or a server, and only with their checksum."""

import hashlib
import re
import threading
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.waiting import LONGEST

from lovasz import datasets
from lovasz.base.errors import LovaszError
from lovasz.datasets import download as files
from lovasz.datasets.catalogue import registry
from lovasz.datasets.entry import File

CONTENT = bytes(range(256)) * 1000


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
            meeting.wait(timeout=LONGEST)
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
    with pytest.raises(LovaszError, match=r"LOVASZ_DATA=.*nowhere is not a folder"):
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


def test_fetch_names_the_files(cache, monkeypatch):
    with server() as (url, _):
        entry = replace(registry["texas"], files=(remote(url),))
        monkeypatch.setitem(datasets.registry, "texas", entry)
        assert datasets.fetch("texas") == [cache / "some/some.bin"]
        (cache / "some/some.bin").write_bytes(CONTENT[:-1] + b"!")
        with pytest.raises(LovaszError, match=r"some.bin has SHA-256 .*, expected"):
            datasets.fetch("texas")  # being there is not enough
    assert datasets.fetch("karate") == []
