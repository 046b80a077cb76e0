"""More labels, a few at a time: partial_fit beside a fresh fit after every batch.

    LOVASZ_DATA=… python benchmarks/partial_fit.py [--seeds 3] [--steps 4] [--fast] [--only blocks]

Four random nodes of each class are labelled first, then ``BATCH`` random nodes at a time, as in the
labelling app. The classifier in the column ``warm`` is given every batch by ``partial_fit``, the
one in ``fresh`` is fitted anew. Accuracy is on the nodes that are never labelled, with the mean of
warm less fresh and its standard error over all batches and seeds; ``seconds`` are CPU seconds per
batch, and ``expected`` is the mean of ``expected_accuracy_`` where there is one.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from lovasz import LCNClassifier
from lovasz.graphs.families import planted_partition
from new_nodes import read

FIRST_PER_CLASS = 4
BATCH = 20


def measure(name: str, seed: int, steps: int, fast: bool) -> list[list[float]]:
    graph, X, y = read(name, seed)
    rng = np.random.default_rng(seed)
    first = [
        rng.permutation(np.flatnonzero(y == code))[:FIRST_PER_CLASS] for code in range(y.max() + 1)
    ]
    known = np.concatenate(first)
    order = rng.permutation(np.setdiff1d(np.arange(graph.n), known))
    rest = order[steps * BATCH :]
    warm = LCNClassifier(random_state=seed, fast=fast).fit(
        graph, {int(v): int(y[v]) for v in known}, X
    )
    rows = []
    for step in range(1, steps + 1):
        labels = {int(v): int(y[v]) for v in (*known, *order[: step * BATCH])}
        start = time.process_time()
        warm.partial_fit(labels)
        middle = time.process_time()
        fresh = LCNClassifier(random_state=seed, fast=fast).fit(graph, labels, X)
        end = time.process_time()
        right = [100 * (clf.predict() == y)[rest].mean() for clf in (warm, fresh)]
        said = [100 * (clf.expected_accuracy_ or np.nan) for clf in (warm, fresh)]
        rows.append([len(labels), *right, middle - start, end - middle, *said])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--only", default="blocks,cora")
    parser.add_argument("--fast", action="store_true", help="leave out the slow candidates")
    options = parser.parse_args()
    small = planted_partition(200, 2, 0.2, 0.05, seed=0)
    LCNClassifier(random_state=0, epochs=2).fit(small.graph, {0: 0, 199: 1})  # compile
    head = f"{'graph':8}{'labels':>8}{'warm':>7}{'fresh':>7}{'warm - fresh':>14}"
    print(head + f"{'seconds':>9}{'fresh':>8}{'expected':>10}{'fresh':>7}", flush=True)
    for name in options.only.split(","):
        runs = [measure(name, s, options.steps, options.fast) for s in range(options.seeds)]
        found = np.array(runs)
        for rows in (*found.transpose(1, 0, 2), found.reshape(-1, found.shape[2])):
            labels, warm, fresh, quick, slow, said, told = np.nanmean(rows, axis=0)
            gap = rows[:, 1] - rows[:, 2]
            error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.nan
            count = "all" if len(rows) > options.seeds else f"{labels:.0f}"
            line = f"{name:8}{count:>8}{warm:7.1f}{fresh:7.1f}{gap.mean():+8.2f} ± {error:.2f}"
            print(f"{line}{quick:9.1f}{slow:8.1f}{said:10.1f}{told:7.1f}", flush=True)


if __name__ == "__main__":
    main()
