"""What tests of the app share: a project on a small graph, and a server that does not train."""

from concurrent.futures import Future

import pytest

from lovasz.app.cards import Cards
from lovasz.app.desk import Desk
from lovasz.app.messages import Answer
from lovasz.app.project import Project
from lovasz.app.server import Server
from lovasz.graphs import Graph

HOSTILE = (
    '<img src=x onerror="window.hacked=1">',
    "=HYPERLINK(1)",
    "\u202eevil",
    'a"b,c\nd',
    "'-7",
)
"""Names of nodes, or of classes, that must never be more than text."""
PORT = 8000
TOKEN = "the-token"


class SuggestingTrainer:
    """Stands in for the process that trains: it suggests the nodes in order, at once."""

    def __init__(self, graph, features, seed, report):
        self.graph, self.report, self.tasks = graph, report, []

    def submit(self, task):
        self.tasks.append(task)
        rows = [(row, "is next in order") for row in range(self.graph.n) if row not in task.codes]
        self.report(Answer(task.version, len(task.codes), 0.1, rows))

    def ask(self, row):
        question = Future()
        question.set_result(None)
        return question

    def close(self):
        pass


@pytest.fixture
def graph():
    """A ring of eight nodes with a chord; five of them have hostile names."""
    names = ("plain", "other", *HOSTILE, "last")
    return Graph.from_edges([*range(8), 0], [*range(1, 8), 0, 4], nodes=names)


@pytest.fixture
def project(tmp_path, graph):
    opened = Project(tmp_path / "ring.lovasz", graph)
    yield opened
    opened.close()


@pytest.fixture
def server(project):
    desk = Desk(project, Cards(project))
    return Server(
        desk, port=PORT, token=TOKEN, once="code", title="ring.csv", trainer=SuggestingTrainer
    )


@pytest.fixture
def client(server):
    """A browser window that knows the token, and comes from the right page."""
    from starlette.testclient import TestClient

    origin = f"http://127.0.0.1:{PORT}"
    headers = {"x-lovasz-token": TOKEN, "origin": origin}
    with TestClient(server.app(), base_url=origin, headers=headers) as found:
        yield found
