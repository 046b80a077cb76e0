"""Figure "Test accuracy plots for graphs from the stochastic block model".

The graphs have 100 to 1,000 nodes in blocks of equal size, with edge probability p inside a block
and q between blocks. 20 % of the nodes are for training, 10 % for validation and 70 % for testing.
The networks are compared with the Bayes-optimal labels, which know p and q: no method can be more
accurate on average.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.classify.splits import Split, random_splits
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition
from lovasz.pages.reproduction.section import Entry, Picture, Section, Table
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results, joined
from lovasz.reproduce.engine.methods import GRID, Scores, answer_scores, prepare, released_and_tuned
from lovasz.reproduce.tables.numbers import (
    NOT_RUN,
    accuracies_of,
    better_of_two,
    compare_row,
    curve,
    draw_bands,
    title_of,
    write_interval,
    write_runs,
)

SETTINGS = {
    "2 classes .5/.45": (2, 0.5, 0.45),
    "2 classes .55/.45": (2, 0.55, 0.45),
    "2 classes .6/.4": (2, 0.6, 0.4),
    "3 classes .6/.4": (3, 0.6, 0.4),
    "3 classes .7/.6": (3, 0.7, 0.6),
    "3 classes .9/.8": (3, 0.9, 0.8),
}
"""Name -> number of blocks, p and q."""
SIZES = tuple(range(100, 1001, 100))
"""Numbers of nodes."""
METHODS = ("gcn", "lcn", "lcn-ls", "bayes")
LCNS = ("lcn", "lcn-ls")
"""The LCN with the exact kernel and the one with K_LS."""
SHARES = (0.2, 0.1, 0.7)
"""Shares of training, validation and test nodes."""
GRAPHS = 2
"""Number of graphs per setting and size."""
SPLITS = 5
"""Number of splits per graph."""
READINGS = {
    "released": "released hyper-parameters",
    "tuned": "hyper-parameters chosen on validation",
}
"""Name of a reading in the results -> its name on the page."""


def cells(quick: bool) -> list[Cell]:
    """One cell per setting, size and method."""
    settings = ("2 classes .55/.45", "3 classes .6/.4") if quick else SETTINGS
    sizes = (100, 200) if quick else SIZES
    return [
        Cell("sbm", f"{setting} n={n}", method, cost=60 * (n / 1000) ** 2)
        for setting in settings
        for n in sizes
        for method in METHODS
    ]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Accuracy on some graphs of a setting, with the paper's hyper-parameters and with tuned."""
    count = 1 if context.quick else GRAPHS
    parts = [_measure_graph(cell, context, seed) for seed in range(count)]
    return dict(joined(parts))


def _measure_graph(cell: Cell, context: Context, seed: int) -> dict[str, Any]:
    name, n = cell.row.split(" n=")
    classes, p, q = SETTINGS[name]
    graph, y, _ = planted_partition(int(n), classes, p, q, seed=seed)
    splits = random_splits(y, SHARES, 2 if context.quick else SPLITS, seed=seed)
    if cell.method == "bayes":
        return {"readings": {"bayes": _bayes(graph, y, splits, p, q).as_json()}}
    method = prepare(cell.method, graph, device=context.device, gap=1e-5)
    readings = released_and_tuned(method, y, splits, seed=seed, quick=context.quick)
    return {"readings": readings, **{fact: [value] for fact, value in method.facts.items()}}


def _bayes(graph: Graph, y: np.ndarray, splits: Sequence[Split], p: float, q: float) -> Scores:
    """Scores of belief propagation on the whole graph, given the labels of the training nodes."""
    from lovasz.reproduce.references.belief import bayes_labels

    classes = int(y.max()) + 1
    matrix = np.where(np.eye(classes, dtype=bool), p, q)
    sizes = np.bincount(y).tolist()
    answers = []
    for split in splits:
        known = np.full(len(y), -1)
        known[split.train] = y[split.train]
        found = bayes_labels(graph, known, probabilities=matrix, sizes=sizes)
        if not found.converged:
            raise LovaszError(
                f"belief propagation still changes by {found.change:.1e} after {found.iterations} "
                "iterations, so its labels are not known to be optimal"
            )
        answers.append(found.labels)
    return answer_scores(answers, y, splits, "known p, q")


def section(results: Results) -> Section:
    """Accuracy against n, with the released hyper-parameters and with tuned ones."""
    return Section(
        ITEM.title,
        protocol=(
            "The graphs have two or three blocks of equal size, and edges have probability p "
            "inside a block and q between two blocks. The features are the identity. There are "
            f"{GRAPHS} graphs (seeds 0 to {GRAPHS - 1}) with {SPLITS} splits of 20/10/70 each; as "
            "in the paper, the nodes are drawn regardless of class. “Released” means the "
            "hyper-parameters of the paper’s code, and “tuned” those that each split chooses on "
            f"its validation nodes from a grid of {len(GRID)}. The paper gives curves but no "
            "numbers.",
            "“Bayes” is belief propagation on all pairs of nodes, where p, q and the labels of the "
            "training nodes are known. On average no method that learns from these labels can be "
            "more accurate.",
        ),
        verdict=_verdict(results),
        tables=(_table(results),),
        pictures=tuple(
            Picture(
                f"sbm-{reading}",
                f"Accuracy against the number of nodes in six settings, {what}",
                f"Test accuracy in per cent, {what}. The bands are one standard deviation wide on "
                "each side.",
                partial(_paint, results=results, reading=reading),
                width=760,
                height=470,
            )
            for reading, what in READINGS.items()
        ),
    )


def _test(
    results: Results, setting: str, n: int, method: str, reading: str
) -> Sequence[float] | None:
    known = "bayes" if method == "bayes" else reading
    return accuracies_of(results, f"{setting} n={n}", method, known)


def _sizes(results: Results, setting: str) -> list[int]:
    return [n for n in SIZES if any((f"{setting} n={n}", m) in results for m in METHODS)]


def _table(results: Results) -> Table:
    body: list[list[Entry | str]] = []
    for setting in SETTINGS:
        for n in [n for n in _sizes(results, setting) if n in (100, 200, 500, 1000)]:
            ours = {m: _test(results, setting, n, m, "released") for m in METHODS[:3]}
            tuned = [_test(results, setting, n, m, "tuned") for m in METHODS[:3]]
            bayes = _test(results, setting, n, "bayes", "bayes")
            body.append(
                [setting, str(n), *compare_row(ours, {}).values(), *map(write_runs, tuned),
                 write_runs(bayes), _theta(results, setting, n)]
            )  # fmt: skip
    names = [title_of(m) for m in METHODS[:3]]
    return Table(
        "Test accuracy in per cent, and ϑ of the first graph.",
        ["setting", "n", *names, *[f"{name}, tuned" for name in names], "Bayes", "ϑ"],
        body,
    )


def _theta(results: Results, setting: str, n: int) -> str:
    found = results.get((f"{setting} n={n}", "lcn"))
    return write_interval(*found["theta"][0]) if found else NOT_RUN


def _paint(figure: Any, *, results: Results, reading: str) -> None:
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for number, (setting, panel) in enumerate(zip(SETTINGS, axes.flat, strict=True)):
        sizes = _sizes(results, setting)
        curves = {
            method: curve([_test(results, setting, n, method, reading) for n in sizes])
            for method in METHODS
        }
        draw_bands(panel, sizes, curves, legend=number == 0)
        panel.set_title(setting)
        panel.set_ylim(25, 102)
    for panel in axes[1]:
        panel.set_xlabel("nodes")
    for panel in axes[:, 0]:
        panel.set_ylabel("accuracy, %")


def _verdict(results: Results) -> list[str]:
    leads = {
        reading: {
            (setting, n): float(np.mean(lcn) - np.mean(gcn))
            for setting in SETTINGS
            for n in SIZES
            if (gcn := _test(results, setting, n, "gcn", reading))
            and (lcn := _best(results, setting, n, reading))
        }
        for reading in READINGS
    }
    said = [
        _leads(what[0].upper() + what[1:], leads[reading], _kernels(results, reading))
        for reading, what in READINGS.items()
        if leads[reading]
    ]
    return [*said, *_large(results), *_against_bayes(results)]


def _best(results: Results, setting: str, n: int, reading: str) -> list[float] | None:
    """For each split the LCN that does better on validation, or the only one that was run."""
    found = [results.get((f"{setting} n={n}", m), {}).get("readings", {}) for m in LCNS]
    both = [readings[reading] for readings in found if reading in readings]
    if not both:
        return None
    test: list[float] = (better_of_two(*both) if len(both) == 2 else both[0])["test"]
    return test


def _kernels(results: Results, reading: str) -> str:
    """The name of the LCN in the text; it says so if one of the two kernels lacks points."""
    has = {
        m: {row for (row, k), r in results.items() if k == m and reading in r["readings"]}
        for m in LCNS
    }
    if has["lcn"] == has["lcn-ls"]:
        return "LCN (the better of its two kernels on validation)"
    both = len(has["lcn"] & has["lcn-ls"])
    return (
        f"LCN (the better of its two kernels on validation where both were run, on {both} of "
        f"{len(has['lcn'] | has['lcn-ls'])} points)"
    )


def _large(results: Results) -> list[str]:
    """The accuracies at the largest n, and what tuning changes there."""
    rows = []
    for setting in SETTINGS:
        values = {
            (m, reading): _test(results, setting, SIZES[-1], m, reading)
            for m in ("gcn", "lcn-ls")
            for reading in READINGS
        }
        if all(values.values()):
            means = {key: float(np.mean(run or [])) for key, run in values.items()}
            rows.append((setting, means))
    if not rows:
        return []

    def listed(method: str) -> str:
        return "; ".join(
            f"{setting}: " + ", ".join(f"{means[method, r]:.0f}" for r in READINGS)
            for setting, means in rows
        )

    def gaining(method: str) -> list[str]:
        """The settings in which tuning gains more than 5 points."""
        return [s for s, means in rows if means[method, "tuned"] > means[method, "released"] + 5]

    said = f"Accuracies at n = {SIZES[-1]}, released and tuned. LCN (LS): {listed('lcn-ls')}. "
    said += f"GCN: {listed('gcn')}."
    if found := gaining("gcn"):
        said += (
            f" Tuning lifts GCN in {', '.join(found)}, where most splits choose "
            f"{_chosen(results, found, 'gcn')}. On a dense graph the rows of Â are nearly equal, "
            "and the signal is small compared with the released L2 and dropout. So it is only with "
            "the paper’s hyper-parameters that GCN cannot learn these graphs."
        )
    if found := gaining("lcn-ls"):
        said += (
            f" Tuning lifts LCN (LS) in {', '.join(found)}, where most splits choose "
            f"{_chosen(results, found, 'lcn-ls')}, because the entries of K² grow with n."
        )
    return [said]


def _chosen(results: Results, settings: list[str], method: str) -> str:
    """The hyper-parameters that most splits choose at the largest n."""
    cells = (results[f"{setting} n={SIZES[-1]}", method] for setting in settings)
    names = Counter(name for cell in cells for name in cell["readings"]["tuned"]["setting"])
    return str(names.most_common(1)[0][0])


def _leads(what: str, leads: dict[tuple[str, int], float], who: str) -> str:
    behind: dict[str, list[float]] = {}
    for (setting, _), lead in leads.items():
        if round(lead, 1) < 0:
            behind.setdefault(setting, []).append(lead)
    large = {s for (s, n), lead in leads.items() if n >= 500 and lead > 15}
    named = [
        f"{setting} at {len(found)} of {sum(s == setting for s, _ in leads)} sizes, by up to "
        f"{-min(found):.1f} points"
        for setting, found in behind.items()
    ]
    worst = f" It is behind in {'; '.join(named)}." if named else ""
    over = (
        f"more than 15 points ahead at some n ≥ 500 in {', '.join(sorted(large)) or 'no setting'}"
    )
    level = len(leads) - sum(map(len, behind.values()))
    return (
        f"{what}: {who} is level with or ahead of GCN on {level} of {len(leads)} points, and "
        f"{over}.{worst}"
    )


def _against_bayes(results: Results) -> list[str]:
    gaps = [
        float(np.mean(bayes) - np.mean(lcn))
        for setting in SETTINGS
        for n in SIZES
        if (bayes := _test(results, setting, n, "bayes", "bayes"))
        and (lcn := _best(results, setting, n, "tuned"))
    ]
    if not gaps:
        return []
    return [
        f"The tuned LCN is on average {np.mean(gaps):.1f} points below the Bayes-optimal labels; "
        f"{sum(gap < 2 for gap in gaps)} of {len(gaps)} accuracies are within 2 points of them, "
        f"and the largest difference is {max(gaps):.1f} points."
    ]


ITEM = Item("sbm", "Stochastic block models", cells, measure, section)
