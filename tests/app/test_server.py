"""The routes: what a window asks for and gets."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.app.conftest import HOSTILE

from lovasz.graphs.node_tables import match_labels, parse_labels


def give(client, row, name, window="one"):
    answer = client.post("/api/label", json={"client": window, "row": row, "class": name})
    assert answer.status_code == 200, answer.text
    return answer.json()["card"]


def test_a_label_is_answered_by_the_next_node(client, project):
    first = client.post("/api/next", json={"client": "one"}).json()["card"]
    assert (first["row"], first["name"], first["reason"]) == (0, "plain", "is next in order")
    assert [near["name"] for near in first["neighbours"]] and first["degree"] == 3
    second = give(client, 0, "red")
    assert second["row"] == 1
    assert second["neighbours"][0] == {"row": 0, "name": "plain", "label": "red"}
    assert project.state.labels == {0: "red"}


def test_two_windows_get_different_nodes_and_see_each_others_labels(client, project):
    one = client.post("/api/next", json={"client": "one"}).json()["card"]["row"]
    two = client.post("/api/next", json={"client": "two"}).json()["card"]["row"]
    assert (one, two) == (0, 1)
    assert give(client, two, "blue", "two")["row"] == 2
    state = client.get("/api/state").json()
    assert state["labelled"] == 1
    assert state["recent"][0] == {"kind": "label", "row": 1, "name": "other", "label": "blue"}


def test_undo_shows_the_node_again(client, project):
    give(client, 0, "red")
    undone = client.post("/api/undo", json={"client": "one"}).json()
    assert undone["card"]["row"] == 0 and undone["card"]["label"] is None
    assert project.state.labels == {}
    again = client.post("/api/undo", json={"client": "one"})
    assert again.status_code == 400 and "nothing to undo" in again.json()["problem"]


def test_skipped_nodes_come_last_and_those_nobody_can_tell_not_at_all(client):
    client.post("/api/skip", json={"client": "one", "row": 0})
    card = client.post("/api/cannot", json={"client": "one", "row": 1}).json()["card"]
    order = []
    while card is not None and card["status"] is None:
        order.append(card["row"])
        card = give(client, card["row"], "red")
    assert order == [2, 3, 4, 5, 6, 7]
    assert card["row"] == 0 and card["status"] == "skip"
    assert give(client, 0, "red") is None


def test_a_class_may_be_added_before_it_is_used(client):
    assert client.post("/api/class", json={"class": "later"}).status_code == 200
    assert client.get("/api/state").json()["classes"] == [{"name": "later", "count": 0}]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("label", {"row": 99, "class": "red"}),
        ("label", {"row": -1, "class": "red"}),
        ("label", {"row": "x", "class": "red"}),
        ("label", {"class": "red"}),
        ("label", {"row": 0}),
        ("label", {"row": 0, "class": 7}),
        ("label", {"row": 0, "class": "  "}),
        ("label", {"row": 0, "class": "x" * 999}),
        ("label", [1, 2]),
        ("label", {"row": 0, "class": "\ud800"}),
        ("label", {"row": 1e999, "class": "red"}),
        ("show", {"row": None}),
        ("import", {"text": "nobody,red\n"}),
        ("import", {"text": "plain\n"}),
    ],
)
def test_a_bad_request_is_one_line_and_changes_nothing(client, project, path, body):
    answer = client.post(f"/api/{path}", content=json.dumps(body))
    assert answer.status_code == 400
    assert len(answer.json()["problem"].splitlines()) == 1
    assert project.state.version == 0


def test_a_body_that_is_no_json_is_refused(client):
    for body in (b"{", b"\xff", b"[" * 100_000):
        assert client.post("/api/label", content=body).status_code == 400


def test_labels_leave_and_come_back_the_same(client, project, graph):
    names = [*HOSTILE, "=1+1", "-3"]
    names[3] = "several words"  # a class is on one line
    names[2] = "Straße"
    given = {row: names[row % len(names)] for row in range(graph.n)}
    for row, name in given.items():
        give(client, row, name)
    text = client.get("/api/export").text
    cells = [cell for line in text.splitlines()[1:] for cell in line.split('","')]
    assert not [cell for cell in cells if cell.strip('"')[:1] in ("=", "+", "@")]
    assert match_labels(parse_labels(text), graph) == {
        graph.nodes[row]: name for row, name in given.items()
    }
    for _ in given:
        client.post("/api/undo", json={"client": "one"})
    assert project.state.labels == {}
    answer = client.post("/api/import", json={"client": "one", "text": text}).json()
    assert answer == {"read": graph.n, "news": graph.n}
    assert project.state.labels == given


def test_names_arrive_as_they_are_but_cannot_reorder_text(client):
    card = client.post("/api/show", json={"client": "one", "row": 2}).json()["card"]
    assert card["name"] == HOSTILE[0]
    card = client.post("/api/show", json={"client": "one", "row": 4}).json()["card"]
    assert "\u202e" not in card["name"]


def test_the_trainer_gets_the_labels_and_what_is_set_aside(client, server):
    give(client, 0, "red")
    give(client, 1, "blue")
    client.post("/api/cannot", json={"client": "one", "row": 2})
    task = server._trainer.tasks[-1]
    assert task.classes == ("red", "blue") and task.codes == {0: 0, 1: 1}
    assert task.excluded == (2,) and task.version == 3


def test_the_map_has_labels_at_once_and_updates_are_small(client):
    whole = client.get("/api/map").json()
    assert whole["n"] == 8 and whole["names"][2] == HOSTILE[0] and whole["classes"] == []
    give(client, 0, "red")
    part = client.get("/api/map?part=1").json()
    assert part["classes"] == ["red"] and part["labels"] != whole["labels"]
    assert "names" not in part and "edges" not in part


def test_a_window_may_have_any_name(client, project):
    body = json.dumps({"client": "\ud800" * 99, "row": 0, "class": "red"})
    assert client.post("/api/label", content=body).status_code == 200
    assert project.state.labels == {0: "red"}


def test_many_requests_at_once_lose_nothing(client, project):
    def work(number):
        window = f"window {number % 3}"
        give(client, number % 8, f"class {number}", window)
        return client.get("/api/state").status_code, client.get("/api/map").status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(48))) == {(200, 200)}
    assert project.state.version == 48
    assert len(project.state.labels) == 8 and len(project.state.classes) == 48
