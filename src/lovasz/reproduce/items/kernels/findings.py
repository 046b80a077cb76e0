"""What the page says about the comparison of kernels: protocol and tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lovasz.base.text import join_words
from lovasz.pages.reproduction.section import Entry, Section, Table
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.engine.classifier_runs import coverage, write_shares
from lovasz.reproduce.items.kernels.conclusions import conclude
from lovasz.reproduce.items.kernels.entrants import BASELINES, CONSISTENCY, ENTRANTS
from lovasz.reproduce.items.kernels.row_results import (
    best_single,
    on_shared_graphs,
    runs_by_graph,
    runs_of,
)
from lovasz.reproduce.items.kernels.rows import (
    BARE,
    BLOCK_NODES,
    COMMON,
    OTHERS,
    RUNS,
    WITH_FEATURES,
    methods_of,
)
from lovasz.reproduce.items.kernels.trials import PARTITIONS
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
    return [
        "auto is LCNClassifier() with its defaults, fitted through its public interface; only the "
        "seed and the device are passed. On rows with features it is given the features as they "
        "are in the source and the validation nodes, which judge and on which nothing is trained. "
        "On rows without features it is given the labels of training and validation nodes, and "
        "makes its own folds of them.",
        f"All single networks have {COMMON['hidden']} hidden units, at most {COMMON['epochs']} "
        "epochs, an L2 penalty on the first weight matrix, no biases, features with rows that sum "
        f"to one, and {RUNS} runs per graph. Each network tries {len(OTHERS)} settings, and each "
        "run keeps the one that is most accurate on its validation nodes. On the citation "
        "networks, Amazon and Coauthor the settings are rate 0.01, L2 5e-4 or 5e-3 and dropout 0.5 "
        "or 0.8. On the other rows they are rate 0.01 or 0.05, with L2 5e-4 and dropout 0.5 or "
        "with L2 5e-5 and dropout 0.2. APPNP and GPRGNN are our p(K) with K = Â, and GAT runs in "
        "the same training loop. The item “defaults” has these networks with biases.",
        "The citation networks have the public split with ten seeds, and Texas to Squirrel have "
        "the ten published splits. Amazon and Coauthor have random splits with 20 training and 30 "
        "validation nodes per class. UCI and MNIST have the paper’s graphs, with 10 % of the "
        f"labels for training and 10 % for validation. A row of MNIST has {GRAPHS} graphs, which "
        f"are drawn with their splits from seeds 0 to {GRAPHS - 1}. The block models (SBM) have "
        f"{BLOCK_NODES} nodes, with 20 % and 10 % of the labels. UCI, MNIST and SBM have identity "
        "features, and their labelled nodes are drawn at random. On these rows the settings of "
        f"every single network are chosen on {PARTITIONS} random partitions of a run’s labels, by "
        "nodes that are used neither to train nor to stop the network. The network is then trained "
        "and stopped on the split itself.",
        "The difference of two means is compared with the larger of their standard errors. For a "
        "row of one graph this is the standard error of the mean over runs, which says nothing "
        f"about other graphs. For a row of MNIST it is that of the mean over its {GRAPHS} graphs, "
        "each represented by the mean of its runs, because runs on one graph are not independent. "
        "The error of the paired difference is often smaller and would be a stricter measure.",
        *_fewer(results),
        f"These choices were not blind. The weight of the consistency penalty ({CONSISTENCY:g}) "
        "and the restart probability of PageRank (.05) were settled on Cora and Citeseer, with a "
        "few seeds and with their test accuracy in sight. That networks with Â are candidates of "
        "auto, and that calibrated probabilities choose and not accuracy, was decided after a "
        "first run of all rows. That candidates answer together was decided after runs of the rows "
        "with identity features, in which every rule for picking one candidate was behind on some "
        "row. The learning rate of auto's network with a learned p was raised to 0.05 after this "
        "table had shown auto far behind that network on squirrel and fourclass; the rate was "
        "chosen by held-out labels of six rows. The baselines had no such care and "
        "no consistency penalty, except in the column that says so.",
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
    asked = methods_of(row)
    return [
        row,
        *(Entry(write_runs(t) if n in asked else "–", marks.get(n, "")) for n, t in tests.items()),
    ]


def _main(results: Results) -> Table:
    """auto beside the baselines and the best of all single networks."""
    names = ("auto", *BASELINES)
    body = []
    for row in (*WITH_FEATURES, *BARE):
        if any(runs_of(results, row, n) for n in names):
            auto, top = results.get((row, "auto")), best_single(results, row)
            best = (
                f"{write_runs(runs_of(results, row, top))} ({ENTRANTS[top].title})" if top else ""
            )
            rests = write_shares(auto) if auto else NOT_RUN
            body.append([*_row(results, row, names), best, rests, _seconds(results, row)])
    return Table(
        "Test accuracy in per cent, as mean and standard deviation over the runs. The best single "
        "network is the one of all networks of the tables below with the highest mean. The next "
        "column names the candidates with the largest mean shares in the answer of auto. The "
        "column “seconds” shows the time of all runs, for auto and, with all settings, for GCN. "
        "The single networks were measured with up to 14 networks sharing one GPU, so their times "
        f"are longer than they would be alone.{_where(results)}",
        ["dataset", "auto", *(ENTRANTS[n].title for n in BASELINES), "best single network",
         "auto rests on", "seconds"],
        body,
    )  # fmt: skip


def _where(results: Results) -> str:
    fits = {row: cell for (row, method), cell in results.items() if method == "auto"}
    on_gpu = [row for row, cell in fits.items() if "cuda" in cell.get("device", [])]
    if not on_gpu:
        return ""
    return f" On {join_words(on_gpu)}, fits of auto shared a GPU; the other rows had none."


def _seconds(results: Results, row: str) -> str:
    pair = [results.get((row, name)) for name in ("auto", "gcn")]
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
    """How far the probabilities of auto, and the accuracy that it expects, can be trusted."""
    body: list[list[Entry | str]] = []
    for row in (*WITH_FEATURES, *BARE):
        if auto := results.get((row, "auto")):
            expected = [value for value in auto["expected"] if value is not None]
            inside, fits = coverage(auto)
            body.append(
                [row, write_runs(auto["test"]), write_runs(expected), f"{inside} of {fits}",
                 write_runs(auto["error"]), write_runs(auto["macro_f1"]),
                 write_runs(auto["seconds"])]
            )  # fmt: skip
    return Table(
        "How far auto can be trusted: its accuracy on the test nodes, the accuracy that it "
        "expects, in how many fits the 95 % interval of that holds the accuracy on the test nodes, "
        "the expected calibration error (ten bins, in points), the mean F1 score of the classes in "
        "per cent, and the seconds of a fit.",
        ["dataset", "accuracy", "expected", "interval holds", "calibration error", "macro-F1",
         "seconds"],
        body,
    )  # fmt: skip
