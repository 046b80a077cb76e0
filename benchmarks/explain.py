"""Explanations: the probability that is lost when the evidence they name first is removed.

    LOVASZ_DATA=… python benchmarks/explain.py [--nodes 50] [--only cora] > explain.txt

For ``--nodes`` random unlabelled nodes with more than ``TOP`` pieces of evidence within two steps
(labelled nodes and edges; the node's own features are left out, as they have no kernel entry), the
first ``TOP`` pieces are removed together, and the probability of the answer is computed again. The
order of the pieces is

- ``explain``: by the effect of removing each piece, as ``LCNClassifier.explain`` lists them;
- ``gradient``: by the derivative of the log-probability by the kernel entries of each piece, times
  the entries (edge saliency), here a difference quotient in double precision;
- ``random``: at random, the mean of ``DRAWS`` orders.

The first two put the pieces that speak most for the answer first. Cells are the mean loss of
probability with its standard error over nodes, ``wins`` is the share of nodes at which it is at
least as large for the explanation as for the gradient, ``gain`` the mean difference of the two with
its standard error, and ``ms`` the CPU time of one explanation.
Labels: the public split of Cora and Citeseer, a fifth of the nodes of the others.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from lovasz import LCNClassifier
from lovasz.classify.explanation import (
    answering_names,
    explainer_of,
    list_pieces,
    piece_effects,
    remove,
)
from lovasz.datasets import load
from lovasz.graphs.families import planted_partition

TOP = 5
DRAWS = 10
STEP = 1e-5


def fitted(name: str) -> LCNClassifier:
    rng = np.random.default_rng(0)
    if name == "blocks":
        graph, truth, *_ = planted_partition(500, 4, 0.06, 0.015, seed=0)
        X, train = None, rng.permutation(graph.n)[: graph.n // 5]
    else:
        data = load(name)
        graph, truth, X = data.graph, data.y, data.features
        train = rng.permutation(graph.n)[: graph.n // 5]
        if "public" in data.splits:
            train = data.splits["public"]["train"]
    y = np.full(graph.n, -1)
    y[train] = truth[train]
    return LCNClassifier(random_state=0, fast=True).fit(graph, y, X)


def measure(clf: LCNClassifier, count: int) -> dict[str, np.ndarray]:
    explainer, rng = explainer_of(clf), np.random.default_rng(1)
    unlabelled = np.flatnonzero((explainer.problem.codes < 0) & ~clf.unreached_)
    moved: dict[str, list[float]] = {"explain": [], "gradient": [], "random": [], "ms": []}
    for row in rng.permutation(unlabelled).tolist():
        pieces = [one for one in list_pieces(explainer, row) if one.kind != "features"]
        if len(pieces) <= TOP or len(moved["ms"]) == count:
            continue
        names = answering_names(explainer, row)
        answer = int(clf.predict_proba()[row].argmax())
        start = time.process_time()
        effects = piece_effects(explainer, row, answer, pieces, names)
        moved["ms"].append(1000 * (time.process_time() - start))
        single = [[], *([piece] for piece in pieces)]
        logs = np.log(remove(explainer, row, single, names, fraction=STEP)[:, answer])
        orders = [np.argsort(-effects), np.argsort(logs[1:] - logs[0])]
        orders += [rng.permutation(len(pieces)) for _ in range(DRAWS)]
        chosen = [[pieces[k] for k in order[:TOP]] for order in orders]
        P = remove(explainer, row, [[], *chosen], names)[:, answer]
        change = P[0] - P[1:]
        moved["explain"].append(change[0])
        moved["gradient"].append(change[1])
        moved["random"].append(change[2:].mean())
    return {name: np.array(values) for name, values in moved.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--only", default="texas,blocks,cora,citeseer")
    options = parser.parse_args()
    ways = ("explain", "gradient", "random")
    print(
        f"{'graph':10}{'nodes':>6}"
        + "".join(f"{way:>18}" for way in ways)
        + f"{'wins':>7}{'ms':>7}"
    )
    for name in options.only.split(","):
        found = measure(fitted(name), options.nodes)
        count = len(found["ms"])
        line = f"{name:10}{count:6}"
        gain = found["explain"] - found["gradient"]
        for values in (*(found[way] for way in ways), gain):
            error = values.std(ddof=1) / np.sqrt(count)
            line += f"{values.mean():10.4f} ± {error:.4f}"
        wins = 100 * (gain >= -1e-9).mean()
        print(f"{line}{wins:6.0f}%{found['ms'].mean():7.0f}", flush=True)


if __name__ == "__main__":
    main()
