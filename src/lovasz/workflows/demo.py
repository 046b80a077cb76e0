"""The main job on a random graph: what ``lovasz demo`` runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lovasz.base.progress import progress, shift
from lovasz.classify.lcn import LCNClassifier
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.pages.report import Method
from lovasz.workflows.labelling import Job, compare, describe_splits, make_page

NODES, BLOCKS, P, Q = 500, 3, 0.6, 0.4
SHARES = (0.2, 0.1, 0.7)


def run_demo(*, splits: int, seed: int, device: str) -> Job:
    """Compare on ``splits`` splits of a planted partition, and label it from the first one.

    The comparison runs as in the LCN paper: nodes drawn at random, 200 epochs, L2 of 5e-4. It
    runs again on as many nodes drawn block by block, and without L2, because both change the
    verdict.
    """
    planted = planted_partition(NODES, BLOCKS, P, Q, seed=seed)
    graph, y = planted.graph, planted.y
    parts = random_splits(y, SHARES, splits, seed=seed)
    balanced = random_splits(y, SHARES, splits, seed=seed, by_class=True)
    first = parts[0]
    known = np.sort(np.concatenate([first.train, first.validation]))
    given = np.full(graph.n, -1)
    given[known] = y[known]
    classifier = LCNClassifier("ls", random_state=seed, device=device)
    epochs = classifier.epochs
    free = LCNClassifier("ls", random_state=seed, device=device, weight_decay=0.0)
    with progress("Training", 7 * epochs) as update:
        labels = {int(row): f"block {y[row] + 1}" for row in known}
        classifier.fit(graph, labels, validation=first.validation, callback=update)
        methods = compare(graph, y, parts, classifier, callback=shift(update, epochs))
        evenly = compare(graph, y, balanced, classifier, callback=shift(update, 3 * epochs))
        free.seed_ = classifier.seed_
        unbound = compare(graph, y, parts, free, callback=shift(update, 5 * epochs))
    page = make_page(
        graph,
        given,
        classifier,
        methods,
        describe_splits("the nodes, drawn regardless of class", SHARES, splits),
        title=f"Three hidden communities: {NODES} nodes, p = {P}, q = {Q}",
        command=f"lovasz demo --seed {seed} --splits {splits}",
    )
    note = (
        "The lead belongs to this protocol (the paper's: nodes drawn at random, 200 epochs, L2). "
        f"With as many nodes drawn evenly from each block it is {_scores(evenly)}; "
        f"on the same splits without L2 it is {_scores(unbound)}."
    )
    return Job(classifier, replace(page, notes=(*page.notes, note)))


def _scores(methods: Sequence[Method]) -> str:
    return " and ".join(f"{m.name} {100 * m.accuracy.mean():.1f} %" for m in methods)
