"""The desk: what is next, and which answers count."""

import numpy as np
import pytest

from lovasz.app.cards import Cards
from lovasz.app.desk import Desk
from lovasz.app.messages import Answer, Failed, Progress


@pytest.fixture
def desk(project):
    return Desk(project, Cards(project))


def answer(desk, version, **more):
    n = desk.graph.n
    return Answer(
        version, len(desk.project.state.labels), 0.5, [(5, "tells the most"), (3, "is second")],
        classes=tuple(desk.project.state.classes), codes=np.zeros(n, dtype=int),
        confidence=np.full(n, 0.7), runner_up=np.ones(n, dtype=int),
        runner_up_confidence=np.full(n, 0.3), **more,
    )  # fmt: skip


@pytest.fixture
def labelled(desk):
    desk.project.label(0, "red")
    desk.project.label(1, "blue")
    return desk


def test_there_is_no_node_before_the_first_suggestions_unless_they_fail(desk):
    assert desk.next_card("one") is None
    desk.take(Failed(0, "no memory"))
    assert desk.next_card("one")["degree"] == 3  # then those with many neighbours come first


def test_suggested_nodes_come_first_and_answers_are_shown(labelled):
    labelled.take(answer(labelled, 2))
    card = labelled.next_card("one")
    assert (card["row"], card["reason"]) == (5, "tells the most")
    assert card["answers"] == [{"class": "red", "p": 0.7}, {"class": "blue", "p": 0.3}]
    assert labelled.next_card("two")["row"] == 3
    assert labelled.next_card("three")["reason"] == "one of the nodes that are left"
    assert 5 not in [node["row"] for node in labelled.snapshot()["queue"]]


def test_an_answer_counts_until_a_newer_one_is_there(labelled):
    labelled.take(answer(labelled, 2, expected=(0.6, 0.5, 0.7)))
    assert labelled.progress is None
    labelled.project.label(2, "red")
    labelled.take(answer(labelled, 1))
    assert labelled.answer.version == 2 and labelled.progress == 0.0
    labelled.take(Progress(3, 0.5))
    assert labelled.progress == 0.5
    labelled.take(answer(labelled, 3, expected=(0.8, 0.7, 0.9)))
    state = labelled.snapshot()
    assert state["training"]["version"] == 3 and state["training"]["share"] is None
    assert [(p["labels"], p["expected"]) for p in state["curve"]] == [(2, 0.6), (3, 0.8)]


def test_a_failure_leaves_the_last_answer(labelled):
    labelled.take(answer(labelled, 2))
    labelled.take(Failed(2, "no memory"))
    state = labelled.snapshot()
    assert state["training"]["failure"] == "no memory" and state["training"]["version"] == 2
    assert labelled.next_card("one")["row"] == 5


def test_a_doubt_goes_when_the_label_is_changed(labelled):
    labelled.take(answer(labelled, 2, suspicious=[(0, "blue", 0.95), (1, "red", 0.92)]))
    assert [doubt["row"] for doubt in labelled.snapshot()["doubts"]] == [0, 1]
    labelled.project.label(0, "blue")
    labelled.project.undo("", ())
    labelled.project.label(1, "red")
    assert [doubt["row"] for doubt in labelled.snapshot()["doubts"]] == [0]


def test_features_that_stand_out_are_shown_with_their_names(project):
    table = np.zeros((project.graph.n, 3))
    table[:, 1] = 1.0
    table[2, 2] = 5.0
    cards = Cards(project, table, ("width", "height", "age"))
    found = cards.card(2, None)["features"]
    assert [(entry["column"], entry["value"]) for entry in found] == [("age", 5.0), ("height", 1.0)]
    assert Cards(project, table).card(2, None)["features"][0]["column"] == "column 3"
