"""What the page says about the comparison of kernels: protocol and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from lovasz.classify.candidates import FOLDS
from lovasz.pages.reproduction.section import Entry, Section, Table
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.items.kernels.conclusions import conclude
from lovasz.reproduce.items.kernels.entrants import BASELINES, CONSISTENCY, ENTRANTS
from lovasz.reproduce.items.kernels.row_results import (
    on_shared_graphs,
    result_of,
    runs_by_graph,
    runs_of,
)
from lovasz.reproduce.items.kernels.rows import (
    AUTO,
    BARE,
    BLOCK_NODES,
    COMMON,
    OTHERS,
    PLAIN,
    RUNS,
    WITH_FEATURES,
    methods_of,
)
from lovasz.reproduce.items.uci_mnist import GRAPHS, MNIST
from lovasz.reproduce.tables.numbers import NOT_RUN, mark_best, write_runs

TITLE = "Beyond the paper: kernels that are chosen"


def section(results: Results) -> Section:
    """The tables and what to say about them."""
    results = on_shared_graphs(results)
    tables = (
        _main(results),
        _single(results, WITH_FEATURES, "with features"),
        _single(results, BARE, "with identity features"),
        _trust(results),
    )
    return Section(
        TITLE,
        protocol=_protocol(results),
        verdict=conclude(results),
        tables=[table for table in tables if table.rows],
    )


def _protocol(results: Results) -> list[str]:
    settings = len(OTHERS)
    return [
        f"All networks have {COMMON['hidden']} hidden units, at most {COMMON['epochs']} epochs, an "
        "L2 penalty on the first weight matrix, features with rows that sum to one, and "
        f"{RUNS} runs per graph. Each network tries {settings} settings, and each run keeps the "
        "one that is most accurate on its validation nodes. On the citation networks, Amazon and "
        "Coauthor the settings are rate 0.01, L2 5e-4 or 5e-3 and dropout 0.5 or 0.8. On the other "
        "rows they are rate 0.01 or 0.05, with L2 5e-4 and dropout 0.5 or with L2 5e-5 and dropout "
        f"0.2. In each run, auto chooses among {len(AUTO)} networks with Â or with kernels in 𝒦(G) "
        f"({len(PLAIN)} networks without features), so it tries {settings * len(AUTO)} settings. "
        "The best baseline is chosen in the same way among GCN, GAT, APPNP and GPRGNN "
        f"({settings * len(BASELINES)} settings). APPNP and GPRGNN are our p(K) with K = Â, and "
        "GAT runs in the same training loop.",
        "The citation networks have the public split with ten seeds, and Texas to Squirrel have "
        "the ten published splits. Amazon and Coauthor have random splits with 20 training and 30 "
        "validation nodes per class. UCI and MNIST have the paper’s graphs, with 10 % of the "
        f"labels for training and 10 % for validation. A row of MNIST has {GRAPHS} graphs, which "
        f"are drawn with their splits from seeds 0 to {GRAPHS - 1}. The block models (SBM) have "
        f"{BLOCK_NODES} nodes, with 20 % and 10 % of the labels. UCI, MNIST and SBM have identity "
        "features, and their labelled nodes are drawn at random. On these rows the settings of "
        f"every network are chosen on {FOLDS} random partitions of a run’s labels, by nodes that "
        "are used neither to train nor to stop the network. A single network is then trained and "
        "stopped on the split itself. "
        "auto answers, as LCNClassifier does without validation nodes, with the mean of its "
        "candidates on all partitions, weighted by the same nodes.",
        "The difference of two means is compared with the larger of their standard errors. For a "
        "row of one graph this is the standard error of the mean over runs, which says nothing "
        f"about other graphs. For a row of MNIST it is that of the mean over its {GRAPHS} graphs, "
        "each represented by the mean of its runs, because runs on one graph are not independent. "
        "The error of the paired difference is often smaller and would be a stricter measure.",
        *_fewer(results),
        f"These choices were not blind. The weight of the consistency penalty ({CONSISTENCY:g}), "
        "the restart probability of PageRank (.05) and the list of candidates were settled on Cora "
        "and Citeseer, with a few seeds and with their test accuracy in sight. That networks with "
        "Â are candidates, and that calibrated probabilities choose and not accuracy, was decided "
        "after a first run of all rows. That candidates answer together if there are no validation "
        "nodes was decided after runs of the rows with identity features, in which every rule for "
        "picking one candidate was behind on some row. The baselines had no such care and no "
        "consistency penalty, except in the column that says so.",
    ]


def _fewer(results: Results) -> list[str]:
    """Which rows have not been run on all their graphs."""
    counts = {
        row: len(runs_by_graph(row, cell["test"]))
        for (row, _), cell in results.items()
        if row in MNIST
    }
    said = [f"{row} ({count})" for row, count in counts.items() if count < GRAPHS]
    if not said:
        return []
    return [
        "Some rows show only their first graphs, on which all networks have been run: "
        f"{', '.join(said)}."
    ]


def _row(results: Results, row: str, names: Sequence[str]) -> list[Entry | str]:
    tests = {name: runs_of(results, row, name) for name in names}
    marks = mark_best({n: float(np.mean(t)) for n, t in tests.items() if t}, {})
    asked = {*methods_of(row), "auto", "baseline"}
    return [
        row,
        *(Entry(write_runs(t) if n in asked else "–", marks.get(n, "")) for n, t in tests.items()),
    ]


def _main(results: Results) -> Table:
    """auto beside the baselines."""
    names = ("auto", "baseline", *BASELINES)
    body = []
    for row in (*WITH_FEATURES, *BARE):
        if any(runs_of(results, row, n) for n in names):
            auto = result_of(results, row, "auto")
            body.append([*_row(results, row, names), _picked(auto), _seconds(results, row)])
    return Table(
        "Test accuracy in per cent, as mean and standard deviation over the runs. The column "
        "“chosen” shows what auto chose, with the number of runs or with the mean share in its "
        "answers. The column “seconds” shows the time to train all settings and runs, for auto and "
        "for GCN. The committed results were measured with up to 14 networks sharing one GPU, so "
        "the times are longer than they would be alone.",
        ["dataset", "auto", "best baseline", *(ENTRANTS[n].title for n in BASELINES), "chosen",
         "seconds"],
        body,
    )  # fmt: skip


def _picked(auto: Any) -> str:
    if not auto:
        return NOT_RUN
    if "name" not in auto:
        shares = {n: float(np.mean(auto[f"share of {n}"])) for n in PLAIN}
        most = sorted(shares, key=lambda n: -shares[n])[:2]
        return "; ".join(f"{ENTRANTS[n].title} ({100 * shares[n]:.0f} %)" for n in most)
    counts = Counter(auto["name"]).most_common(2)
    return "; ".join(f"{ENTRANTS[name].title} ({count})" for name, count in counts)


def _seconds(results: Results, row: str) -> str:
    pair = [result_of(results, row, name) for name in ("auto", "gcn")]
    return " / ".join(f"{np.sum(f['train_seconds']):.0f}" if f else NOT_RUN for f in pair)


def _single(results: Results, rows: Sequence[str], kind: str) -> Table:
    """Every single network: what the weights C, learning and propagation contribute."""
    names = [n for n in ENTRANTS if any((row, n) in results for row in rows)]
    if kind == "with features":
        names = [n for n in names if n not in BASELINES]
    body = [_row(results, row, names) for row in rows if any((row, n) in results for n in names)]
    return Table(
        f"Test accuracy in per cent of single networks {kind}, all with the same grid.",
        ["dataset", *(ENTRANTS[n].title for n in names)],
        body,
    )


def _trust(results: Results) -> Table:
    """How far the probabilities of auto can be trusted."""
    body: list[list[Entry | str]] = []
    for row in (*WITH_FEATURES, *BARE):
        if auto := result_of(results, row, "auto"):
            keys = ("test", "expected", "raw_error", "error")
            body.append([row, *(write_runs(auto[key]) for key in keys)])
    return Table(
        "How far the probabilities of auto can be trusted: accuracy on the test nodes, the "
        "accuracy that the mean probability predicts, and the expected calibration error (ten "
        "bins, in points) before and after calibration.",
        ["dataset", "accuracy", "expected", "error, raw", "error, calibrated"],
        body,
    )
