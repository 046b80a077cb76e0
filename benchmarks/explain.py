"""Explanations: the probability that is lost when the evidence they choose first is removed.

    LOVASZ_DATA=… python benchmarks/explain.py [--nodes 50] [--only cora] > explain.txt

For ``--nodes`` random unlabelled nodes with more than ``TOP`` pieces of evidence within two steps
(labelled nodes and edges; the node's own features are left out, as they have no kernel entry), the
first ``TOP`` pieces are removed together, and the probability of the answer is computed again. The
order of the pieces is

- ``explain``: as ``LCNClassifier.explain`` chooses them, before it sorts them by effect;
- ``saliency``: by the size of the derivative of the log-probability by the kernel entries of each
  piece, of either sign;
- ``signed``: by that derivative times the entries, pieces for the answer first (gradient × input);
- ``random``: at random, the mean of ``DRAWS`` orders.

Derivatives are difference quotients in double precision; that by an entry of a labelled node is a
mean over its entries. Cells are the mean loss of probability with its standard error over nodes,
``gain`` is the mean difference of ``explain`` and ``signed``, ``ms`` the CPU time of one
explanation.
The classifier is ``LCNClassifier(fast=True)``. Labels: the public split of Cora and Citeseer, a
fifth of the nodes of the others.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy import sparse

from lovasz import LCNClassifier
from lovasz.classify.explanation import (
    answering_names,
    choose_pieces,
    cut_entries,
    explainer_of,
    list_pieces,
    piece_effects,
    remove,
)
from lovasz.datasets import load
from lovasz.graphs.families import planted_partition

TOP = 5
DRAWS = 10
WAYS = ("explain", "saliency", "signed", "random")
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


def mean_entry(W: sparse.csr_array, cut: np.ndarray) -> float:
    """Return the mean of the entries of a piece, in the scale of D^-½ A D^-½."""
    return float(np.asarray(W[cut[:, 0], cut[:, 1]]).mean())


def measure(clf: LCNClassifier, count: int) -> dict[str, np.ndarray]:
    explainer, rng = explainer_of(clf), np.random.default_rng(1)
    unlabelled = np.flatnonzero((explainer.problem.codes < 0) & ~clf.unreached_)
    moved: dict[str, list[float]] = {way: [] for way in (*WAYS, "ms")}
    for row in rng.permutation(unlabelled).tolist():
        pieces = [one for one in list_pieces(explainer, row) if one.kind != "features"]
        if len(pieces) <= TOP or len(moved["ms"]) == count:
            continue
        names = answering_names(explainer, row)
        answer = int(clf.predict_proba()[row].argmax())
        start = time.process_time()
        effects = piece_effects(explainer, row, answer, pieces, names)
        listed = choose_pieces(explainer, row, answer, pieces, effects, names, top=10)
        moved["ms"].append(1000 * (time.process_time() - start))
        single = [[], *([piece] for piece in pieces)]
        logs = np.log(remove(explainer, row, single, names, fraction=STEP)[:, answer])
        slopes = logs[0] - logs[1:]
        entries = [mean_entry(explainer.weights, cut_entries(explainer, one)) for one in pieces]
        orders = [listed, np.argsort(-abs(slopes / entries)), np.argsort(-slopes)]
        orders += [rng.permutation(len(pieces)) for _ in range(DRAWS)]
        chosen = [[pieces[k] for k in order[:TOP]] for order in orders]
        P = remove(explainer, row, [[], *chosen], names)[:, answer]
        change = P[0] - P[1:]
        for way, value in zip(WAYS, (*change[:3], change[3:].mean()), strict=True):
            moved[way].append(value)
    return {name: np.array(values) for name, values in moved.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--only", default="texas,blocks,cora,citeseer")
    options = parser.parse_args()
    print(
        f"{'graph':10}{'nodes':>6}"
        + "".join(f"{way:>18}" for way in (*WAYS, "gain"))
        + f"{'ms':>6}"
    )
    for name in options.only.split(","):
        found = measure(fitted(name), options.nodes)
        count = len(found["ms"])
        line = f"{name:10}{count:6}"
        gain = found["explain"] - found["signed"]
        for values in (*(found[way] for way in WAYS), gain):
            error = values.std(ddof=1) / np.sqrt(count)
            line += f"{values.mean():10.4f} ± {error:.4f}"
        print(f"{line}{found['ms'].mean():6.0f}", flush=True)


if __name__ == "__main__":
    main()
