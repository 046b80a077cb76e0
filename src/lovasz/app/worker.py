"""The process that trains: it takes labels from a pipe and sends back answers and suggestions."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from copy import copy
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

import numpy as np

from lovasz.app.messages import Answer, Explained, ExplainTask, Failed, Progress, TrainTask
from lovasz.base.text import one_line
from lovasz.graphs import Graph
from lovasz.graphs.labels import encode

SUGGESTED = 60
"""Number of nodes that are suggested at a time, enough to label while the next training runs."""
EVIDENCE = 8
"""Number of pieces of evidence that are shown for an answer."""
STEP = 0.02
"""Smallest share of the work that is worth a message."""


def work(connection: Connection, graph: Graph, features: Any, seed: int) -> None:
    """Serve tasks until the pipe is closed, or the server is killed."""
    Thread(target=_end_with_the_server, daemon=True).start()
    # Ctrl-C reaches the whole group of processes; the server decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError, AttributeError):
        os.nice(5)  # a click must not wait for a training
    learner = Learner(graph, features, seed)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            _serve(connection, learner, connection.recv())


def _end_with_the_server() -> None:
    """End this process at once when the server is gone, even in the middle of a training."""
    server = parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _serve(connection: Connection, learner: Learner, task: TrainTask | ExplainTask) -> None:
    """Answer a question, or train; questions that come while it trains are answered, too."""
    if isinstance(task, ExplainTask):
        connection.send(Explained(task.number, learner.explain(task.row)))
        return
    told = 0.0

    def tell(share: float) -> None:
        nonlocal told
        while connection.poll():  # the server sends no labels while a training runs
            question = connection.recv()
            connection.send(Explained(question.number, learner.explain(question.row)))
        if share >= told + STEP:
            told = share
            connection.send(Progress(task.version, min(share, 1.0)))

    try:
        connection.send(learner.answer(task, tell))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise
    except Exception as problem:  # a training that fails must not end the labelling
        connection.send(Failed(task.version, one_line(problem)))


class Learner:
    """A classifier of one graph that is fitted again whenever there are new labels."""

    def __init__(self, graph: Graph, features: Any, seed: int) -> None:
        self.graph, self.features, self.seed = graph, features, seed
        self.fitted: Any = None
        self._steps = 1

    def answer(self, task: TrainTask, tell: Any) -> Answer:
        """Learn from the labels of a task; with fewer than two classes, only make suggestions."""
        start = time.perf_counter()
        used = sorted(set(task.codes.values()))
        if len(used) < 2:
            found = self._suggest_blindly(task)
            return Answer(task.version, len(task.codes), time.perf_counter() - start, found)
        self._fit(task, tell)
        return self._describe(task, time.perf_counter() - start)

    def _fit(self, task: TrainTask, tell: Any) -> None:
        """Fit afresh at first, and later with more labels."""
        from lovasz.classify import LCNClassifier
        from lovasz.classify.candidates import candidates_for
        from lovasz.classify.problem import make_problem
        from lovasz.classify.schedule import total_epochs

        def watch(done: int, note: str) -> None:
            tell(done / self._steps)

        labels = {self.graph.nodes[row]: task.classes[code] for row, code in task.codes.items()}
        if self.fitted is None:
            learning = LCNClassifier(fast=True, random_state=self.seed, device="cpu")
            problem = make_problem(
                self.graph, *encode(labels, self.graph), self.features, learning.scale
            )
            self._steps = total_epochs(candidates_for(problem, fast=True), learning.epochs)
            self.fitted = learning.fit_problem(problem, callback=watch)
        else:
            # Questions that come meanwhile are answered by the model as it is now.
            self.fitted = copy(self.fitted).partial_fit(labels, callback=watch)

    def _describe(self, task: TrainTask, seconds: float) -> Answer:
        """Return the answer of the classifier, with classes in the order of the project."""
        fitted = self.fitted
        order = [task.classes.index(str(name)) for name in fitted.classes_]
        P = np.zeros((self.graph.n, len(task.classes)), dtype=np.float32)
        P[:, order] = fitted.predict_proba()
        rows = np.arange(self.graph.n)
        best = P.argmax(axis=1)
        rest = P.copy()
        rest[rows, best] = -1
        second = rest.argmax(axis=1)
        expectation, forecast = fitted.expectation_, fitted.forecast()
        return Answer(
            version=task.version,
            labels=len(task.codes),
            seconds=seconds,
            suggestions=self._suggest(task),
            classes=task.classes,
            codes=best.astype(np.int32),
            confidence=P[rows, best],
            runner_up=second.astype(np.int32),
            runner_up_confidence=P[rows, second],
            expected=None if expectation is None else (
                expectation.accuracy, expectation.low, expectation.high
            ),
            suspicious=[
                (self.graph.positions[node], str(better), float(p))
                for node, _, better, p in fitted.suspicious_
            ],
            forecast=[(p.labels, p.accuracy, p.low, p.high) for p in forecast.curve],
            advice=forecast.advice,
        )  # fmt: skip

    def _suggest(self, task: TrainTask) -> list[tuple[int, str]]:
        """Return what to label next, after a fit."""
        count, excluded = self._free(task)
        if not count:
            return []
        return self._as_rows(self.fitted.suggest(count, exclude=excluded))

    def _suggest_blindly(self, task: TrainTask) -> list[tuple[int, str]]:
        """Return what to label first, before a classifier can be fitted."""
        import lovasz

        count, excluded = self._free(task)
        if not count:
            return []
        labelled = [self.graph.nodes[row] for row in task.codes]
        return self._as_rows(
            lovasz.suggest(
                self.graph, count, features=self.features, labelled=labelled, exclude=excluded,
                seed=self.seed,
            )
        )  # fmt: skip

    def _free(self, task: TrainTask) -> tuple[int, list[Any]]:
        """Return how many nodes to suggest, and the names of those that are not to be."""
        excluded = [self.graph.nodes[row] for row in task.excluded]
        return min(SUGGESTED, self.graph.n - len({*task.codes, *task.excluded})), excluded

    def _as_rows(self, suggestions: Any) -> list[tuple[int, str]]:
        return [(self.graph.positions[found.node], str(found.reason)) for found in suggestions]

    def explain(self, row: int) -> dict[str, Any] | None:
        """Return the evidence for the answer at a node, or None if there is no answer yet."""
        if self.fitted is None:
            return None
        try:
            found = self.fitted.explain(self.graph.nodes[row], top=EVIDENCE)
        except Exception as problem:
            return {"problem": one_line(problem)}
        return {
            "answer": str(found.answer),
            "probability": float(found.probability),
            "evidence": [
                {
                    "kind": piece.kind,
                    "rows": [self.graph.positions[node] for node in piece.nodes],
                    "effect": float(piece.effect),
                    "text": str(piece.text),
                }
                for piece in found.evidence
            ],
        }
