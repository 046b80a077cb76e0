"""Questions to the process that trains: what becomes of those that nobody waits for."""

from concurrent.futures import Future

from lovasz.app.trainer import Trainer, _settle
from lovasz.graphs.families import planted_partition


def test_an_answer_that_nobody_waits_for_is_dropped():
    question: Future[None] = Future()
    question.cancel()
    _settle(question, None)
    assert question.cancelled()


def test_open_questions_are_answered_with_nothing_when_windows_are_let_go():
    trainer = Trainer(planted_partition(8, 2, 0.9, 0.4, seed=0).graph, None, 0, lambda _: None)
    waiting, gone = Future(), Future()
    gone.cancel()
    trainer._questions |= {1: waiting, 2: gone}
    trainer.drop_questions()
    assert waiting.result(timeout=0) is None and trainer._questions == {}
