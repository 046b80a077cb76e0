"""New nodes: hide a tenth of a graph, fit, add it back, predict; beside a fit on the whole graph.

    LOVASZ_DATA=… python benchmarks/new_nodes.py [--seeds 3] [--fast] [--only blocks]

For each seed a tenth of the nodes is hidden with all its edges, and ``PER_CLASS`` random nodes of
each class among the others are labelled. ``grown`` is the accuracy on the hidden nodes of
``predict(graph=whole, features=…)`` of a classifier that was fitted without them, ``refit`` that of
a classifier fitted on the whole graph with the same labels. CPU seconds are those of the fit on the
whole graph and of the prediction; numba is compiled before. ``unreached`` is the mean number of
hidden nodes that no label reaches. ``gap`` is grown less refit, with its standard error over seeds.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from lovasz import Graph, LCNClassifier
from lovasz.datasets import load
from lovasz.graphs.families import planted_partition

PER_CLASS = 20
HIDDEN = 0.1


def read(name: str, seed: int) -> tuple[Graph, object, np.ndarray]:
    if name == "blocks":
        found = planted_partition(1000, 4, 0.05, 0.01, seed=seed)
        return found.graph, None, found.y
    data = load(name)
    return data.graph, data.features, data.y


def measure(name: str, seed: int, fast: bool) -> tuple[float, float, float, float, int]:
    graph, X, y = read(name, seed)
    rng = np.random.default_rng(seed)
    hidden = np.sort(rng.permutation(graph.n)[: round(HIDDEN * graph.n)])
    seen = np.setdiff1d(np.arange(graph.n), hidden)
    labelled = np.concatenate(
        [rng.permutation(seen[y[seen] == code])[:PER_CLASS] for code in range(y.max() + 1)]
    )
    labels = {int(row): int(y[row]) for row in labelled}
    named = Graph(graph.adjacency, range(graph.n))
    part = Graph(graph.adjacency[seen][:, seen], tuple(seen.tolist()))
    clf = LCNClassifier(random_state=seed, fast=fast).fit(
        part, labels, None if X is None else X[seen]
    )
    start = time.process_time()
    found = clf.extend(named, X)
    middle = time.process_time()
    refit = LCNClassifier(random_state=seed, fast=fast).fit(named, labels, X)
    end = time.process_time()
    right = [(answers == y)[hidden].mean() for answers in (found.predictions, refit.predict())]
    lonely = int(found.unreached[hidden].sum())
    return 100 * right[0], 100 * right[1], middle - start, end - middle, lonely


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="blocks,cora,citeseer")
    parser.add_argument("--fast", action="store_true", help="leave out the slow candidates")
    options = parser.parse_args()
    small = planted_partition(200, 2, 0.2, 0.05, seed=0)
    LCNClassifier(random_state=0, epochs=2).fit(small.graph, {0: 0, 199: 1})  # compile
    head = f"{'graph':10}{'seeds':>6}{'grown':>8}{'refit':>8}{'gap':>14}{'predict s':>11}"
    print(head + f"{'refit s':>9}{'ratio':>7}{'unreached':>11}", flush=True)
    for name in options.only.split(","):
        rows = np.array([measure(name, seed, options.fast) for seed in range(options.seeds)])
        grown, refit, predicting, fitting, lonely = rows.mean(axis=0)
        gap = rows[:, 0] - rows[:, 1]
        error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.nan
        line = f"{name:10}{len(rows):6}{grown:8.1f}{refit:8.1f}{gap.mean():+8.1f} ± {error:.1f}"
        line += f"{predicting:11.2f}{fitting:9.1f}{fitting / predicting:7.0f}{lonely:11.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
