"""The server as a process: its address, its end, and what a sudden end loses."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from tests.waiting import LONGEST

import lovasz
from lovasz.app.launch import listen
from lovasz.app.project import read_project
from lovasz.base.errors import LovaszError

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")


@pytest.fixture
def start(tmp_path):
    """Start ``lovasz label``; returns the process, and a function that sends it requests."""
    (tmp_path / "graph.csv").write_text("a,b\nb,c\nc,d\nd,a\n")
    started = []

    def call():
        process = subprocess.Popen(
            [sys.executable, "-m", "lovasz", "label", "graph.csv", "--no-browser"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
        )  # fmt: skip
        started.append(process)
        address = process.stdout.readline().strip()
        base, token = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=([\w-]+)", address).groups()

        def send(path, body=None, **headers):
            request = urllib.request.Request(f"{base}/api/{path}")
            request.data = None if body is None else json.dumps(body).encode()
            for name, value in {"X-Lovasz-Token": token, "Origin": base, **headers}.items():
                request.add_header(name, value)
            with urllib.request.urlopen(request, timeout=LONGEST) as answer:
                return json.load(answer)

        return process, send

    yield call
    for process in started:
        process.kill()
        process.communicate()


def test_kill_9_loses_nothing_and_the_next_start_goes_on(start, tmp_path):
    process, send = start()
    for row, name in enumerate(("red", "blue", "red")):
        send("label", {"client": "one", "row": row, "class": name})
    process.kill()
    process.wait()
    process, send = start()
    state = send("state")
    assert state["labelled"] == 3
    assert [entry["name"] for entry in state["classes"]] == ["red", "blue"]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        send("state", **{"X-Lovasz-Token": "that of the last run"})
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LONGEST)
    assert process.returncode == 0
    assert said.splitlines()[-1] == "3 labels in graph.lovasz"
    graph = lovasz.as_graph(tmp_path / "graph.csv")
    assert read_project(tmp_path / "graph.lovasz", graph) == {"a": "red", "b": "blue", "c": "red"}
    # After an orderly end the one file has everything.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.csv", "graph.lovasz"]


def test_the_socket_is_on_this_machine_only_and_a_taken_port_is_one_line():
    with listen(0) as place:
        host, port = place.getsockname()
        assert host == "127.0.0.1"
        assert place.family == socket.AF_INET
        with pytest.raises(LovaszError, match=rf"port {port} .*--port 0"):
            listen(port)
