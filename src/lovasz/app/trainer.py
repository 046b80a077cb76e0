"""The server's end of the process that trains."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import Any

from lovasz.app.messages import Answer, Explained, ExplainTask, Failed, Progress, TrainTask
from lovasz.app.worker import work
from lovasz.graphs import Graph

MOST_QUESTIONS = 32
"""Number of explanations that may be waited for at a time; later questions get none."""
PATIENCE = 2.0
"""Seconds that the process has to end by itself when the server ends."""

Report = Callable[[Progress | Answer | Failed], None]
"""Is called, in a thread of the trainer, with what the process says about trainings."""


class Trainer:
    """One process that trains, so that the server answers at once whatever is computed.

    At most one training runs. While it runs, only the newest labels are remembered; its answer
    counts although labels were added meanwhile, because until the next one it is the best there
    is. The process is started at the first task, and again if it dies.
    """

    def __init__(self, graph: Graph, features: Any, seed: int, report: Report) -> None:
        self._content = graph, features, seed
        self._report = report
        self._lock = Lock()
        self._process: Any = None
        self._pipe: Connection | None = None
        self._running: TrainTask | None = None
        self._next: TrainTask | None = None
        self._questions: dict[int, Future[dict[str, Any] | None]] = {}
        self._numbers = count()
        self._closed = False

    def submit(self, task: TrainTask) -> None:
        """Train on these labels as soon as the running training is done."""
        with self._lock:
            if self._closed:
                return
            if self._running is None:
                self._send(task)
            else:
                self._next = task

    def ask(self, row: int) -> Future[dict[str, Any] | None]:
        """Return the explanation of a node, to come; None if there is no answer to explain."""
        question: Future[dict[str, Any] | None] = Future()
        with self._lock:
            if self._pipe is None or self._closed or len(self._questions) >= MOST_QUESTIONS:
                question.set_result(None)
                return question
            number = next(self._numbers)
            self._questions[number] = question
            try:
                self._pipe.send(ExplainTask(number, row))
            except OSError:  # the process has died; the reader will notice
                self._questions.pop(number).set_result(None)
        return question

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._closed = True
            if self._pipe is not None:
                self._pipe.close()
            process = self._process
        if process is not None:
            process.terminate()
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()

    def _send(self, task: TrainTask) -> None:
        """Send a task, with the lock held; start the process if there is none."""
        if self._pipe is None:
            self._start()
        self._running = task
        try:
            if self._pipe is not None:
                self._pipe.send(task)
        except OSError:  # it died this moment; the reader starts it again
            self._next = task

    def _start(self) -> None:
        # A forked child would inherit threads and locks of the server in an unknown state.
        context = get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(
            target=work, args=(other, *self._content), daemon=True, name="lovasz-training"
        )
        self._process.start()
        other.close()
        Thread(target=self._read, args=(self._pipe, self._process), daemon=True).start()

    def _read(self, pipe: Connection, process: Any) -> None:
        """Pass on what the process says until it ends."""
        while True:
            try:
                message = pipe.recv()
            except (EOFError, OSError, TypeError):  # TypeError: closed while it was read
                break
            if isinstance(message, Explained):
                with self._lock:
                    question = self._questions.pop(message.number, None)
                if question is not None:
                    _settle(question, message.content)
                continue
            if isinstance(message, Answer | Failed):
                self._finish()
            self._report(message)
        self._bury(process)

    def drop_questions(self) -> None:
        """Answer all open questions with None."""
        with self._lock:
            questions, self._questions = self._questions, {}
        for question in questions.values():
            _settle(question, None)

    def _finish(self) -> None:
        """Note that a training is done, and start the next one if there are newer labels."""
        with self._lock:
            task, self._running, self._next = self._next, None, None
            if task is not None and not self._closed:
                self._send(task)

    def _bury(self, process: Any) -> None:
        """Clear up after the process; if labels came meanwhile, start another one for them."""
        process.join()
        self.drop_questions()
        with self._lock:
            failed, self._pipe = self._running, None
            closed = self._closed
        if closed:
            return
        self._finish()
        if failed is not None:
            reason = f"the training process ended with exit code {process.exitcode}"
            self._report(Failed(failed.version, f"{reason}; the next label starts it again"))


def _settle(question: Future[Any], content: Any) -> None:
    """Answer a question, unless nobody waits for it any more."""
    with suppress(InvalidStateError):
        question.set_result(content)
