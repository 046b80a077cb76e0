"""What the page says of :mod:`lovasz.reproduce.items.kernels`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from lovasz.pages.reproduction.section import Entry, Section, Table
from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.engine.contest import BASELINES, ENTRANTS
from lovasz.reproduce.items import kernels as beyond
from lovasz.reproduce.tables.numbers import NOT_RUN, mark_best, write_runs

PAPER = {"cora": 82.6, "citeseer": 73.5, "pubmed": 79.7}
"""The LCN of the paper."""
WITH_FEATURES = (*beyond.CITATION, *beyond.HETEROPHILOUS, *beyond.LARGE)
WITHOUT = beyond.BARE


def write(results: Results) -> Section:
    """The section."""
    results = _shared(results)
    return Section(
        beyond.ITEM.title,
        protocol=_protocol(results),
        verdict=[text for text in (_citations(results), _penalty(results), _all_rows(results),
                                   _parts(results), _learning(results),
                                   _calibration(results)) if text],
        tables=[t for t in (_main(results), _single(results, WITH_FEATURES, "with features"),
                            _single(results, WITHOUT, "with identity features"),
                            _trust(results)) if t.rows],
    )  # fmt: skip


def _protocol(results: Results) -> list[str]:
    """How it was run."""
    settings = len(beyond.OTHERS)
    return [
        f"All networks: {beyond.COMMON['hidden']} hidden units, "
        f"at most {beyond.COMMON['epochs']} epochs, L2 on the first matrix, rows of features "
        f"that sum to one, {beyond.RUNS} runs a graph. Each tries {settings} settings (rate 0.01, "
        "L2 5e-4 or 5e-3, dropout 0.5 or 0.8 on the citations, Amazon and Coauthor; elsewhere "
        "rate 0.01 or 0.05, L2 5e-4 and dropout 0.5 or L2 5e-5 and dropout 0.2) and each run "
        "keeps the most accurate on its validation nodes. auto "
        f"chooses run by run among {len(beyond.AUTO)} networks, with Â and kernels in 𝒦(G) "
        f"({len(beyond.PLAIN)} without features), so it tries {settings * len(beyond.AUTO)} "
        "settings; the best baseline is chosen in the same way among GCN, GAT, APPNP and "
        f"GPRGNN ({settings * len(BASELINES)} settings). APPNP and GPRGNN are our p(K) with "
        "K = Â; GAT is in the same loop too.",
        "Citations: the public split, ten seeds. Texas to Squirrel: the ten published splits. "
        "Amazon and Coauthor: 20 nodes a class to learn from and 30 to choose by, at random. "
        f"UCI and MNIST: the paper’s graphs (a row of MNIST: {beyond.GRAPHS}, drawn with seeds "
        f"0 to {beyond.GRAPHS - 1}, as are their splits), 10 % to learn from, 10 % to choose by. "
        f"SBM: {beyond.BLOCK_NODES} nodes, 20 % and 10 %. The last three "
        "have identity features and draw their labels at random. There the settings of every "
        f"network are chosen on {beyond.FOLDS} random parts of a run’s labels, by nodes that "
        "neither taught nor stopped it; a single network is then trained and stopped on the "
        "split itself, and auto answers, as LCNClassifier does without validation nodes, with "
        "the mean of its candidates on all parts, weighted by the same nodes.",
        "Two means are held against the larger of their standard errors. A row that is one "
        "graph has that of a mean over runs: it says nothing of other graphs. A row of MNIST "
        f"has that of a mean over its {beyond.GRAPHS} graphs, each with the mean of its runs: "
        "runs on one graph are not independent. The error of the paired difference is often "
        "smaller, and would be the stricter measure.",
        *_fewer(results),
        "Not blind: the weight of the consistency penalty (2), the restart of PageRank (.05) "
        "and the list of candidates were settled on Cora and Citeseer, with a few seeds and "
        "with their test accuracy in sight; that networks with Â are candidates, and that "
        "calibrated probabilities choose and not accuracy, after a first run of all rows; that "
        "candidates without validation nodes answer together, after runs of the rows with "
        "identity features in which every rule for picking one of them was behind in some. The "
        "baselines had no such care, and no consistency penalty, except in the row that says "
        "so.",
    ]


def _fewer(results: Results) -> list[str]:
    """Which rows have not been run on all their graphs."""
    counts = {
        row: len(_by_graph(row, cell["test"]))
        for (row, _), cell in results.items()
        if row in beyond.MNIST
    }
    said = [f"{row} ({count})" for row, count in counts.items() if count < beyond.GRAPHS]
    if not said:
        return []
    return [f"Only the first graphs, those that all networks have been run on: {', '.join(said)}."]


def _shared(results: Results) -> Results:
    """Of a row that is several graphs, those that every network run on it has."""
    cells = {row: [c for (r, _), c in results.items() if r == row] for row in beyond.MNIST}
    runs = {row: min(len(c["test"]) for c in found) for row, found in cells.items() if found}
    return {
        (row, name): _cut(cell, runs[row]) if row in runs else cell
        for (row, name), cell in results.items()
    }


def _cut(cell: Any, runs: int) -> Any:
    """The first graphs of a cell, with so many runs; a list has an entry a run or a graph."""
    share = runs / len(cell["test"])
    return {
        key: value[: round(share * len(value))] if isinstance(value, list) else value
        for key, value in cell.items()
    }


def _by_graph(row: str, values: Sequence[float]) -> list[Sequence[float]]:
    """The runs of each graph of a row of several; of others all of them."""
    step = beyond.RUNS if row in beyond.MNIST else len(values)
    return [values[k : k + step] for k in range(0, len(values), step)]


def _test(results: Results, row: str, name: str) -> list[float] | None:
    found = _found(results, row, name)
    return found["test"] if found else None


def _found(results: Results, row: str, name: str) -> Any:
    if row in WITHOUT:  # auto was measured, and GCN is the only baseline
        return results.get((row, "gcn" if name == "baseline" else name))
    if name == "auto":
        return beyond.choice(results, row, beyond.AUTO)
    if name == "baseline":
        return beyond.choice(results, row, BASELINES)
    return results.get((row, name))


def _row(results: Results, row: str, names: Sequence[str]) -> list[Entry | str]:
    tests = {name: _test(results, row, name) for name in names}
    marks = mark_best({n: float(np.mean(t)) for n, t in tests.items() if t}, {})
    asked = {*beyond.methods_of(row), "auto", "baseline"}
    return [
        row,
        *(Entry(write_runs(t) if n in asked else "–", marks.get(n, "")) for n, t in tests.items()),
    ]


def _main(results: Results) -> Table:
    names = ("auto", "baseline", *BASELINES)
    body = []
    for row in (*WITH_FEATURES, *WITHOUT):
        if any(_test(results, row, n) for n in names):
            auto = _found(results, row, "auto")
            body.append([*_row(results, row, names), _picked(auto), _seconds(results, row)])
    return Table(
        "Test accuracy in per cent, mean and standard deviation over the runs; what auto chose (in "
        "how many runs, or the mean share in its answers); "
        "seconds of training all settings and runs, auto and GCN. Where the committed results come "
        "from, up to 14 networks shared one GPU, so seconds are more than they would be alone.",
        ["dataset", "auto", "best baseline", *(ENTRANTS[n].title for n in BASELINES), "chosen",
         "seconds"],
        body,
    )  # fmt: skip


def _picked(auto: Any) -> str:
    if not auto:
        return NOT_RUN
    if "name" not in auto:
        shares = {n: float(np.mean(auto[f"share of {n}"])) for n in beyond.PLAIN}
        most = sorted(shares, key=lambda n: -shares[n])[:2]
        return "; ".join(f"{ENTRANTS[n].title} ({100 * shares[n]:.0f} %)" for n in most)
    counts = Counter(auto["name"]).most_common(2)
    return "; ".join(f"{ENTRANTS[name].title} ({count})" for name, count in counts)


def _seconds(results: Results, row: str) -> str:
    pair = [_found(results, row, name) for name in ("auto", "gcn")]
    return " / ".join(f"{np.sum(f['train_seconds']):.0f}" if f else NOT_RUN for f in pair)


def _single(results: Results, rows: Sequence[str], kind: str) -> Table:
    """Every network of ours alone: what C, learning and propagation bring."""
    names = [n for n in ENTRANTS if any((row, n) in results for row in rows)]
    if kind == "with features":
        names = [n for n in names if n not in BASELINES]
    body = [_row(results, row, names) for row in rows if any((row, n) in results for n in names)]
    return Table(
        f"Single networks {kind}: the same grid for each.",
        ["dataset", *(ENTRANTS[n].title for n in names)],
        body,
    )


def _trust(results: Results) -> Table:
    body: list[list[Entry | str]] = []
    for row in (*WITH_FEATURES, *WITHOUT):
        if auto := _found(results, row, "auto"):
            body.append(
                [row, write_runs(auto["test"]), write_runs(auto["expected"]),
                 write_runs(auto["raw_error"]), write_runs(auto["error"])]
            )  # fmt: skip
    return Table(
        "How far auto’s probabilities can be trusted: accuracy on the test nodes, what the mean "
        "probability says it is, and the expected calibration error (ten bins, points) before "
        "and after calibration.",
        ["dataset", "accuracy", "expected", "error, raw", "error, calibrated"],
        body,
    )


def _citations(results: Results) -> str:
    said = []
    for row in beyond.CITATION:
        auto, gcn = _test(results, row, "auto"), _test(results, row, "gcn")
        if auto and gcn:
            mean = float(np.mean(auto))
            reached = "at or above" if mean >= PAPER[row] else "below"
            said.append(
                f"{row} {mean:.1f}, GCN {np.mean(gcn):.1f}, {reached} the published {PAPER[row]:g}"
            )
    return f"Citations, auto: {'; '.join(said)}." if said else ""


def _penalty(results: Results) -> str:
    """Whether the consistency penalty does for Â what it does for our kernel."""
    said, ahead = [], 0
    for row in beyond.CITATION:
        names = ("ppr", "ppr-consistent", "appnp", "appnp-consistent")
        tests = [_test(results, row, name) for name in names]
        if all(tests):
            plain, ours, bare, theirs = (float(np.mean(test or [])) for test in tests)
            ahead += ours > theirs
            said.append(f"{row} {plain:.1f} to {ours:.1f}, with Â {bare:.1f} to {theirs:.1f}")
    if not said:
        return ""
    return (
        f"What the consistency penalty brings PageRank over K(D^-½AD^-½): {'; '.join(said)}. With "
        f"it our kernel is ahead of Â on {ahead} of {len(said)}: what the penalty brings does not "
        "belong to the kernel."
    )


def _standard_error(row: str, runs: Sequence[float]) -> float:
    """Of the mean over the graphs of a row, each with the mean of its runs; of one, over its runs.

    The m runs of one of g graphs share its luck, so if that varies by τ² and runs beside it by σ²,
    the variance of the mean is τ²/g + σ²/(gm): a gth of that of a graph's mean, which g graphs
    show, whatever τ. Runs taken for independent would show (τ² + σ²)/(gm).
    """
    graphs = _by_graph(row, runs)
    values = [np.mean(g) for g in graphs] if len(graphs) > 1 else runs
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def _all_rows(results: Results) -> str:
    """Where auto is the best or within one standard error of it, and where it is not."""
    groups = {
        "the citations": beyond.CITATION,
        "Texas to Squirrel, Amazon and Coauthor": (*beyond.HETEROPHILOUS, *beyond.LARGE),
        "UCI and MNIST": (*beyond.UCI, *beyond.MNIST),
        "the block models": tuple(beyond.BLOCKS),
    }
    said, behind = [], []
    for group, rows in groups.items():
        lost = {row: words for row in rows if (words := _lost(results, row)) is not None}
        if lost:
            behind += [words for words in lost.values() if words]
            said.append(f"{sum(not words for words in lost.values())} of {len(lost)} in {group}")
    if not said:
        return ""
    text = (
        "Of its candidates, the four baselines and the exact Lovász kernel, none is more than a "
        f"standard error ahead of auto on {', '.join(said)}"
    )
    return text + (f"; it is behind on {', '.join(behind)}." if behind else ".")


def _lost(results: Results, row: str) -> str | None:
    """By how much auto is behind, and what; nothing where it is not; None where it was not run."""
    auto = _test(results, row, "auto")
    rivals = dict.fromkeys((*BASELINES, "lcn", *beyond.AUTO))
    others = {n: t for n in rivals if (t := _test(results, row, n))}
    return _behind(row, auto, others) if auto and others else None


def _behind(row: str, auto: Sequence[float], others: dict[str, list[float]]) -> str:
    """Nothing where auto is within a standard error of the best of the others."""
    top = max(others, key=lambda n: np.mean(others[n]))
    gap = float(np.mean(others[top]) - np.mean(auto))
    fine = gap <= max(_standard_error(row, auto), _standard_error(row, others[top]))
    return "" if fine else f"{row} by {gap:.1f} ({ENTRANTS[top].title})"


def _parts(results: Results) -> str:
    """What the mean over parts of the labels is worth to every kernel, and to auto."""
    names = ("lcn", *beyond.PLAIN)
    rows = [r for r in WITHOUT if all((r, n) in results for n in (*names, "auto"))]
    if not rows:
        return ""
    said = [
        f"{ENTRANTS[n].title} {_mean(results, rows, n, 'test'):.1f} to "
        f"{_mean(results, rows, n, 'mean'):.1f}"
        for n in names
    ]
    behind = [
        words
        for r in rows
        if (
            words := _behind(
                r, results[r, "auto"]["test"], {n: results[r, n]["mean"] for n in names}
            )
        )
    ]
    text = (
        f"How much of that is the mean over the parts of the labels: over the {len(rows)} rows "
        f"with identity features it takes {', '.join(said)}; auto has "
        f"{_mean(results, rows, 'auto', 'test'):.1f}. Held against kernels with the "
        f"same mean, auto is within a standard error of the best on {len(rows) - len(behind)}"
    )
    return text + (f"; behind on {', '.join(behind)}." if behind else ".")


def _mean(results: Results, rows: Sequence[str], name: str, key: str) -> float:
    """Over rows, however many runs each has."""
    return float(np.mean([np.mean(results[row, name][key]) for row in rows]))


def _learning(results: Results) -> str:
    """What the parts bring, on the citations where all were run."""
    said = []
    for row in beyond.CITATION:
        steps = ("lcn-ls", "lcn-normalized", "ppr", "ppr-consistent", "edges", "appnp-consistent")
        means = {s: float(np.mean(t)) for s in steps if (t := _test(results, row, s))}
        if len(means) == len(steps):
            said.append(
                f"{row}: C = A {means['lcn-ls']:.1f}, normalised {means['lcn-normalized']:.1f}, "
                f"with PageRank {means['ppr']:.1f}, and consistency {means['ppr-consistent']:.1f} "
                f"(Â instead of K: {means['appnp-consistent']:.1f}); learned C with PageRank "
                f"{means['edges']:.1f}, to be held against {means['ppr']:.1f}"
            )
    return f"What each part brings. {'. '.join(said)}." if said else ""


def _calibration(results: Results) -> str:
    found = [a for row in (*WITH_FEATURES, *WITHOUT) if (a := _found(results, row, "auto"))]
    if not found:
        return ""
    raw, calm = (np.mean([np.mean(a[k]) for a in found]) for k in ("raw_error", "error"))
    off = np.mean([abs(np.mean(a["expected"]) - np.mean(a["test"])) for a in found])
    text = (
        f"Over {len(found)} rows calibration takes the expected calibration error of auto "
        f"from {raw:.1f} to {calm:.1f} points; the accuracy that its mean probability promises is "
        f"{off:.1f} points from the one measured."
    )
    mixed = [np.mean(a["test"]) - np.mean(a["expected"]) for a in found if "name" not in a]
    if not mixed or np.mean(mixed) <= 0:
        return text
    return text + (
        f" Where networks answer together it promises {np.mean(mixed):.1f} points less than it "
        "holds: a mean of calibrated probabilities is less sure than it could be, and no label is "
        "left that none of the networks learned from to sharpen it by."
    )
