"""The project file: nothing is lost, nothing is mixed up, and only its own graph opens it."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import lovasz
from lovasz.app.project import Answered, Project, class_name, is_project, read_project
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph


def reopen(project):
    return Project(project.path, project.graph)


def test_labels_are_there_for_another_reader_at_once(project):
    project.label(0, "red", "window")
    other = reopen(project)
    assert other.state.labels == {0: "red"}
    project.label(1, "blue")
    assert other.refresh() and other.state.labels == {0: "red", 1: "blue"}
    assert not other.refresh()
    other.close()


def test_the_file_is_in_wal_mode_and_commits_are_synchronised(project):
    run = project._connection.execute
    assert run("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert run("PRAGMA synchronous").fetchone()[0] == 2  # FULL


def test_the_log_is_only_added_to(project):
    project.label(0, "red")
    project.undo()
    project.label(0, "blue")
    kinds = [row[0] for row in sqlite3.connect(project.path).execute("SELECT kind FROM events")]
    assert kinds == ["label", "undo", "label"]


def test_an_undo_takes_back_what_this_window_did(project):
    project.label(0, "red", "one")
    project.label(1, "blue", "two")
    assert [event.row for event in project.undo("one", {"one", "two"})] == [0]
    assert project.undo("one", {"one", "two"}) == []
    assert project.state.labels == {1: "blue"}


def test_an_undo_after_a_restart_takes_back_what_closed_windows_did(project):
    project.label(0, "red", "closed")
    project.skip(1, "closed")
    other = reopen(project)
    assert [event.kind for event in other.undo("new", {"new"})] == ["skip"]
    assert [event.kind for event in other.undo("new", {"new"})] == ["label"]
    assert other.state.labels == {} and other.state.classes == []
    other.close()


def test_an_undo_shows_the_label_that_was_there_before(project):
    project.label(0, "red")
    project.label(0, "blue")
    project.undo()
    assert project.state.labels == {0: "red"}


def test_an_undo_does_not_swap_the_keys_of_classes(project):
    project.label(0, "red", "one")
    project.label(1, "blue", "two")
    project.label(2, "red", "two")
    project.undo("one", {"one", "two"})
    assert project.state.classes == ["red", "blue"]


def test_many_labels_are_undone_together(project):
    project.label(0, "red")
    assert project.label_all({0: "red", 1: "blue", 2: "red"}) == 2
    assert len(project.undo()) == 2
    assert project.state.labels == {0: "red"}


def test_labels_to_start_with_do_not_overrule_the_log(project):
    project.label(0, "red")
    project.set_aside(1)
    assert project.label_all({0: "blue", 1: "blue", 2: "blue"}, gently=True) == 1
    assert project.state.labels == {0: "red", 2: "blue"}


def test_a_project_opens_with_its_own_graph_only(project):
    other = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(LovaszError, match="belongs to another graph"):
        Project(project.path, other)


@pytest.mark.parametrize("content", [b"node,class\na,b\n", b"SQLite format 3\0" + b"x" * 100])
def test_another_file_is_refused_and_stays_as_it_is(tmp_path, graph, content):
    file = tmp_path / "labels.lovasz"
    file.write_bytes(content)
    with pytest.raises(LovaszError, match=r"labels\.lovasz"):
        Project(file, graph)
    assert file.read_bytes() == content


def test_another_database_and_another_version_are_refused(tmp_path, graph, project):
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.commit()
    with pytest.raises(LovaszError, match="no project"):
        Project(tmp_path / "other.db", graph)
    project._connection.execute("PRAGMA user_version = 99")
    with pytest.raises(LovaszError, match="version 99"):
        reopen(project)


def test_only_names_that_can_be_shown_are_classes():
    assert class_name("  two  words ") == "two words"
    for bad in ("", "  ", "a\0b", "\u202ereversed", "x" * 201):
        with pytest.raises(LovaszError):
            class_name(bad)


def test_the_curve_keeps_the_last_answer_for_each_number_of_labels(project):
    project.note_answer(Answered(3, 20, 0.5, 0.4, 0.6, 1.0))
    project.note_answer(Answered(5, 20, 0.7, 0.6, 0.8, 1.0))
    project.note_answer(Answered(9, 10, None, None, None, 1.0))
    other = reopen(project)
    assert [(p.labels, p.expected) for p in other.curve()] == [(10, None), (20, 0.7)]
    other.close()


def test_a_label_that_cannot_be_saved_is_one_line_and_no_label(project):
    project._connection.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(project.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LovaszError, match="could not be saved"):
        project.label(0, "red")
    assert project.state.labels == {}
    other.execute("ROLLBACK")
    project.label(0, "red")
    assert project.state.labels == {0: "red"}


def test_reading_gives_the_names_of_the_graph(project):
    project.label(1, "red")
    assert is_project(project.path) and not is_project(Path(__file__))
    assert read_project(project.path, project.graph) == {"other": "red"}


KILLED = """
import sys
from lovasz.app.project import Project
from lovasz.graphs import Graph
project = Project(sys.argv[1], Graph.from_edges(range(500), range(1, 501)))
for row in range(500):
    project.label(row, "ab"[row % 2])
    print(row, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_kill_9_loses_no_label_that_was_confirmed(tmp_path):
    file = tmp_path / "path.lovasz"
    source = str(Path(lovasz.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, file], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": source},
    )  # fmt: skip
    for line in process.stdout:
        if int(line) == 40:
            process.kill()
            break
    confirmed = [40, *map(int, process.stdout.read().split())][-1]
    process.wait()
    found = Project(file, Graph.from_edges(range(500), range(1, 501)))
    assert set(range(confirmed + 1)) <= set(found.state.labels)
    assert found.state.labels[39] == "b"
    found.close()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM meta",
        "DROP TABLE meta",
        "UPDATE meta SET value = x'ff'",
        "UPDATE events SET row = 99",
        "UPDATE events SET row = 'first'",
        "UPDATE events SET label = x'ff00'",
        "UPDATE events SET client = x'00'",
        "ALTER TABLE events DROP COLUMN client",
        "ALTER TABLE answers DROP COLUMN seconds",
        "UPDATE answers SET labels = 'many'",
        "UPDATE answers SET labels = 1.5",
        "DROP TABLE answers",
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM meta; END",
        "CREATE VIEW v AS SELECT * FROM events",
    ],
)
def test_every_damage_of_a_project_is_one_line(change, project):
    project.label(0, "red")
    project.note_answer(Answered(1, 1, 0.5, 0.4, 0.6, 1.0))
    project.close()
    with sqlite3.connect(project.path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(LovaszError) as problem:
        reopen(project).curve()
    assert "\n" not in str(problem.value) and project.path.name in str(problem.value)
