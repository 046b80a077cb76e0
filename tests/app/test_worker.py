"""The process that trains: its answers, and what happens when it dies."""

import os
import signal
from queue import Queue

import numpy as np
import pytest
from tests.waiting import LONGEST

from lovasz.app.messages import Answer, Failed, Progress, TrainTask
from lovasz.app.trainer import Trainer
from lovasz.app.worker import Learner
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(60, 2, 0.5, 0.05, seed=0)


def task(version, labels, classes=("zebra", "ant")):
    return TrainTask(version, classes, labels)


def some_labels(count):
    rows = np.random.default_rng(0).permutation(60)[:count]
    return {int(row): int(BLOCKS.y[row]) for row in rows}


def test_the_learner_answers_in_the_order_of_the_project():
    heard = []
    given = some_labels(30)
    answer = Learner(BLOCKS.graph, None, 0).answer(task(7, given), heard.append)
    assert (answer.version, answer.labels, answer.classes) == (7, 30, ("zebra", "ant"))
    assert (answer.codes == BLOCKS.y).mean() > 0.9  # code 0 is zebra, although it sorts last
    assert all(answer.codes[row] == code for row, code in given.items())
    assert np.all(answer.confidence >= answer.runner_up_confidence)
    low, high = answer.expected[1:]
    assert 0 <= low <= answer.expected[0] <= high <= 1
    rows = [row for row, _ in answer.suggestions]
    assert len(set(rows)) == len(rows) == 30 and not set(rows) & set(given)
    assert heard and 0 < max(heard) <= 1.01


def test_a_class_without_a_node_and_nodes_set_aside_are_left_out():
    learner = Learner(BLOCKS.graph, None, 0)
    asked = TrainTask(1, ("unused", "zebra", "ant"), {0: 1, 59: 2}, excluded=(5, 6))
    answer = learner.answer(asked, lambda share: None)
    assert 0 not in answer.codes
    assert not {0, 59, 5, 6} & {row for row, _ in answer.suggestions}


@pytest.mark.parametrize("labels", [{}, {0: 0}])
def test_before_the_second_class_there_are_only_suggestions(labels):
    answer = Learner(BLOCKS.graph, None, 0).answer(task(1, labels), lambda share: None)
    assert answer.codes is None and answer.expected is None
    assert len(answer.suggestions) == 60 - len(labels)


def test_a_label_that_does_not_fit_is_doubted():
    labels = some_labels(60)
    labels[3] = 1 - labels[3]
    answer = Learner(BLOCKS.graph, None, 0).answer(task(1, labels), lambda share: None)
    assert 3 in [row for row, *_ in answer.suspicious]


@pytest.fixture
def trainer():
    heard = Queue()
    found = Trainer(BLOCKS.graph, None, 0, heard.put)
    found.heard = heard
    yield found
    found.close()


def wait_for(trainer, *kinds):
    while True:
        message = trainer.heard.get(timeout=LONGEST)
        if isinstance(message, kinds):
            return message


@pytest.mark.slow
def test_only_the_newest_labels_are_trained_on_and_progress_is_told(trainer):
    for version in (1, 2, 3, 4):
        trainer.submit(task(version, some_labels(28 + version)))
    assert wait_for(trainer, Progress).version == 1
    assert wait_for(trainer, Answer).version == 1  # older than the labels, but the first there is
    assert wait_for(trainer, Answer).version == 4
    assert trainer.heard.empty()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_process_that_dies_is_started_again(trainer):
    trainer.submit(task(1, {}))
    wait_for(trainer, Answer)
    trainer.submit(task(2, some_labels(30)))
    os.kill(trainer._process.pid, signal.SIGKILL)
    failed = wait_for(trainer, Failed)
    assert "exit code -9" in failed.reason
    assert trainer.ask(0).result(timeout=LONGEST) is None
    trainer.submit(task(3, some_labels(30)))
    assert wait_for(trainer, Answer).version == 3


def test_more_labels_are_learned_from_the_weights_there_are_and_answers_are_explained():
    learner = Learner(BLOCKS.graph, None, 0)
    labels = some_labels(24)
    learner.answer(task(1, labels), lambda share: None)
    before = learner.fitted
    asked = []

    def ask(share):
        asked.append(learner.explain(59))

    labels |= some_labels(30)
    answer = learner.answer(task(2, labels), ask)
    assert learner.fitted is not before and answer.labels == 30
    assert asked and asked[0]["evidence"]  # by the model before, while the next one is trained
    found = learner.explain(59)
    assert found["answer"] in ("zebra", "ant") and 0 < found["probability"] <= 1
    assert {"kind", "rows", "effect", "text"} == set(found["evidence"][0])
    assert answer.forecast and answer.advice
