"""Beyond the paper: ``LCNClassifier()`` with its defaults beside what a user would try instead.

Every method is one cell per row, and all methods have the same tasks
(:mod:`lovasz.reproduce.items.defaults.task_rows`): random graphs with planted classes, graphs from
data sets, and tables of features. The rule was fixed before the run: auto is never more than one
paired standard error below the best single method, and within two points of the best possible
answer where that is known (:mod:`lovasz.reproduce.items.defaults.rule`).
"""

from __future__ import annotations

import time
from typing import Any

from lovasz.base.device import count_cores, pick_device_name
from lovasz.reproduce.engine.cells import Cell, Context, Item
from lovasz.reproduce.engine.classifier_runs import (
    columns_of,
    fit_classifier,
    score_answers,
    score_probabilities,
)
from lovasz.reproduce.items.defaults.default_findings import TITLE, section
from lovasz.reproduce.items.defaults.rivals import answer
from lovasz.reproduce.items.defaults.task_rows import OURS, Task, cells, load_task, runs_of_row

__all__ = ["ITEM", "cells", "measure", "section"]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Scores and seconds of one method in every run of a row."""
    runs = []
    for number in range(runs_of_row(cell.row, context.quick)):
        task = load_task(cell.row, number, context.quick)
        ours = cell.method in OURS
        runs.append((_fit if ours else _answer)(cell.method, task, number, context))
    machine = {"cores": [count_cores()], "device": [pick_device_name(context.device)]}
    return columns_of(runs) | machine


def _fit(method: str, task: Task, seed: int, context: Context) -> dict[str, Any]:
    """Fit LCNClassifier; a table is passed instead of a graph, with the affinity that it needs."""
    options: dict[str, Any] = {"fast": True} if method == "auto-fast" else {}
    where: Any = {"seed": seed, "device": context.device}
    if task.graph is None:
        options["affinity"] = "knn"
        return fit_classifier(task.features, task.y, task.train, task.test, **where, **options)
    return fit_classifier(
        task.graph,
        task.y,
        task.train,
        task.test,
        features=task.features,
        validation=task.validation,
        **where,
        **options,
    )


def _answer(method: str, task: Task, seed: int, context: Context) -> dict[str, Any]:
    """Run another method; the time includes the choice of its settings."""
    started = time.monotonic()
    found = answer(method, task, seed, context)[task.test]
    seconds = time.monotonic() - started
    truth = task.y[task.test]
    if method == "svm":  # it has no probabilities
        scores = score_answers(found.argmax(axis=1), truth, task.classes)
    else:
        scores = score_probabilities(found, truth)
    return scores | {"seconds": round(seconds, 3)}


ITEM = Item("defaults", TITLE, cells, measure, section)
