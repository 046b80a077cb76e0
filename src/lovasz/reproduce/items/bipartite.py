"""Figure "coloring fraction": K(50,50), edges removed 250 at a time, GCN beside LCN.

The labels come from the colours: the n matched pairs i — n + i cover the graph by cliques, and
half of the pairs are class 0, half class 1. The paper does not say which of the optimal
colourings labels the nodes (K(n,n) has n! of them, one per perfect matching), nor which of the
optimal kernels LCN uses. Five methods are run: GCN, LCN with the central kernel, LCN (LS), and
LCN with the kernel of a colouring, K_ij = 1 inside a pair, both for the colouring that the labels
come from and for another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.classify.splits import random_splits
from lovasz.graphs import Graph
from lovasz.pages.reproduction.section import Picture, Section, Table
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results, joined
from lovasz.reproduce.engine.methods import Prepared, on_kernel, prepare, released_and_tuned
from lovasz.reproduce.references.matchings import (
    accuracy_by_chance,
    another_matching,
    knowable_accuracies,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N = 50
"""Number of nodes per side of the bipartite graph."""
STEP = 250
"""Number of edges that each step removes."""
REMOVED = (*range(0, 2251, STEP), N * (N - 1))
"""Numbers of removed edges: the paper's steps, and the bare matching at the end."""
QUICK = (0, 1250, N * (N - 1))
"""Numbers of removed edges in a quick run."""
METHODS = {
    "gcn": "GCN",
    "lcn": "LCN, central kernel",
    "lcn-ls": "LCN (LS)",
    "lcn-other": "LCN, another colouring",
    "lcn-same": "LCN, the labels' colouring",
}
SHARES = {"20/20/60": (0.2, 0.2, 0.6), "70/10/20": (0.7, 0.1, 0.2)}
"""Shares of training, validation and test nodes: the paper's text, then its released code."""
SETTINGS = {
    "released": "settings of the released code",
    "tuned": "settings chosen on validation",
}
SPLITS = 10
"""Number of splits per graph."""
GRAPHS = 4
"""Number of graphs; the paper has one, whose random edges leave noise in the result."""
DEMONSTRATION = ("K(n,n)", "exact")
"""Row and method of the cell that counts what can be known on small K(n,n)."""


def cells(quick: bool) -> list[Cell]:
    """One cell per step and method, and the demonstration."""
    steps = QUICK if quick else REMOVED
    found = [
        Cell("bipartite", f"{m} removed", method, cost=8.0) for m in steps for method in METHODS
    ]
    return [*found, Cell("bipartite", *DEMONSTRATION, cost=0.1)]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Scores by split and settings ("released", "tuned"), and the best that can be known."""
    if (cell.row, cell.method) == DEMONSTRATION:
        return {"sizes": [accuracy_by_chance(n) for n in (2, 4)]}
    from lovasz.graphs.families import bipartite

    removed = int(cell.row.split()[0])
    graphs = []
    for seed in range(1 if context.quick else GRAPHS):
        graph, pair, _ = bipartite(N, removed, seed=seed)
        y = np.random.default_rng([seed, 1]).permutation(np.arange(N) % 2)[pair]
        method = _prepared(cell.method, graph, pair, context.device, seed)
        scores = {s: _scored(method, y, pair, s, context, seed) for s in SHARES}
        graphs.append((scores, method.facts))
    return {
        "fraction": (N * (N - 1) - removed) / (2 * N * (N - 1)),
        "shares": {s: _together([by_share[s] for by_share, _ in graphs]) for s in SHARES},
        **{fact: [facts[fact] for _, facts in graphs] for fact in graphs[0][1]},
    }


def _scored(
    method: Prepared, y: np.ndarray, pair: np.ndarray, share: str, context: Context, seed: int
) -> dict[str, Any]:
    """Scores on one graph with one way of splitting the labels."""
    splits = random_splits(y, SHARES[share], 2 if context.quick else SPLITS, seed=seed)
    scores = released_and_tuned(method, y, splits, seed=seed, quick=context.quick)
    if context.quick:
        del scores["tuned"]  # a quick run has only one setting
    return {**scores, **knowable_accuracies(y, pair, splits)}


def _together(graphs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Append the scores of all graphs, and take the mean of the other numbers."""
    return {
        key: joined([g[key] for g in graphs])
        if key in SETTINGS
        else round(float(np.mean([g[key] for g in graphs])), 2)
        for key in graphs[0]
    }


def _prepared(method: str, graph: Graph, pair: np.ndarray, device: str, seed: int) -> Prepared:
    """Prepare a method on the graph; two of the methods have the kernel of a colouring."""
    if method not in ("lcn-same", "lcn-other"):
        options = {"gap": 1e-5, "theta_limit": 60} if method == "lcn" else {}
        return prepare(method, graph, device=device, **options)
    from lovasz.number.reduction.combinatorial import cover_kernel

    clique = pair if method == "lcn-same" else another_matching(graph, seed=seed)
    K = cover_kernel(graph, np.ones(graph.n), clique)
    shared = float((clique[:N] == clique[N:][pair[:N]]).mean())
    return on_kernel(K, device, {"pairs in common": shared})


def section(results: Results) -> Section:
    """The curves, and why the graph does not determine those of the paper."""
    measured = {key: r for key, r in results.items() if key != DEMONSTRATION}
    tables, pictures = [], []
    if measured:
        kinds = ("released", "tuned") if kind_of(measured) == "tuned" else ("released",)
        tables = [_table(measured, share, kind) for share in SHARES for kind in kinds]
        pictures.append(
            Picture(
                "bipartite",
                "Test accuracy against the colouring fraction for " + ", ".join(METHODS.values()),
                "Mean test accuracy with a band of one standard deviation over the runs, "
                f"{SETTINGS[kind_of(measured)]}. The experiment runs from right to left. The "
                "dashed lines are the accuracy of tossing a coin, and of copying the partner’s "
                "label if it is known from training.",
                lambda figure: _paint(figure, measured),
                height=330,
            )
        )
    return Section(ITEM.title, _protocol(measured), _verdict(results, measured), tables, pictures)


def kind_of(measured: Mapping[tuple[str, str], Any]) -> str:
    """The settings that the text is about: "tuned" if every cell has them, else "released"."""
    shares = [share for result in measured.values() for share in result["shares"].values()]
    return "tuned" if all("tuned" in share for share in shares) else "released"


def _summary(result: Mapping[str, Any], share: str, kind: str) -> tuple[float, float]:
    """Mean and standard deviation of the test accuracy."""
    test = np.asarray(result["shares"][share][kind]["test"])
    return float(test.mean()), float(test.std(ddof=1)) if len(test) > 1 else 0.0


def _table(measured: Mapping[tuple[str, str], Any], share: str, kind: str) -> Table:
    rows = []
    for row in dict.fromkeys(row for row, _ in measured):
        there = {m: measured[row, m] for m in METHODS if (row, m) in measured}
        entries = [
            "{:.1f} ± {:.1f}".format(*_summary(there[m], share, kind)) if m in there else "–"
            for m in METHODS
        ]
        known = next(iter(there.values()))
        rows.append(
            [row, f"{known['fraction']:.3f}", *entries, f"{known['shares'][share]['matched']:.1f}"]
        )
    return Table(
        f"Test accuracy in per cent, split {share}, {SETTINGS[kind]}.",
        ("edges", "β", *METHODS.values(), "matching known"),
        rows,
    )


def _protocol(measured: Mapping[tuple[str, str], Any]) -> list[str]:
    said = [
        f"The experiment starts with K({N},{N}), and each step removes {STEP} more edges. Edges "
        "inside matched pairs are never removed, so the pairs stay an optimal colouring of the "
        "complement. The last row, the bare matching, is our addition. A random half of the pairs "
        "is class 1. The features are the identity. There are two kinds of splits: that of the "
        "text (20 % for training, 20 % for validation) and that of the released code (70 % and "
        "10 %). The paper prints no numbers for this figure.",
        "The labels always come from the planted pairs. “LCN, central kernel” depends on the graph "
        "only: it is the optimal kernel of least norm, which is unique. “LCN, the labels' "
        "colouring” has the planted pairs as its kernel, K = 1 inside a pair, which is an extreme "
        "point of the set of optimal kernels. “LCN, another colouring” has the kernel of a random "
        "perfect matching instead, which solves the same semidefinite program equally well.",
    ]
    runs = {len(s["released"]["test"]) for r in measured.values() for s in r["shares"].values()}
    if runs:
        said.append(
            f"Every method has the same {max(runs)} runs. A full run has {SPLITS} splits of each "
            f"of {GRAPHS} graphs, and each graph has its own removed edges and labels."
        )
    return said


def _verdict(results: Results, measured: Mapping[tuple[str, str], Any]) -> list[str]:
    said = []
    if DEMONSTRATION in results:
        said.append(_impossible(results[DEMONSTRATION]["sizes"]))
    for share in SHARES if measured else ():
        said += [_ceiling(measured, share), *_compared(measured, share)]
    return said


def _impossible(sizes: Sequence[Mapping[str, Any]]) -> str:
    counted = "; ".join(
        f"on K({s['n']},{s['n']}) each of the {s['answers']} answers has a mean accuracy of "
        f"{s['least']}"
        + (f" to {s['most']}" if s["most"] != s["least"] else "")
        + f" over the {s['matchings']} matchings"
        for s in sizes
    )
    return (
        "K(n,n) does not determine the labels. C4 = K(2,2) has two perfect matchings, both of them "
        "optimal colourings of its complement, and swapping the two nodes of one side maps one to "
        "the other and the graph to itself. An exact count, with all labels of the left side known "
        f"and the right side to be labelled, shows: {counted}."
    )


def _ceiling(measured: Mapping[tuple[str, str], Any], share: str) -> str:
    known = next(iter(measured.values()))["shares"][share]
    return (
        f"Split {share}: the best possible accuracy. If the matching is known, one can copy the "
        "label of a partner among the training nodes and toss a coin for the other nodes. That "
        f"gives {known['matched']:.1f} % on these splits, and {known['validated']:.1f} % with the "
        "validation labels too. Validation chooses the epoch, so networks can lie between the two; "
        "a curve far above both cannot come from this protocol. Without the graph, answering the "
        f"class that is more frequent in training gives {known['majority']:.1f} %: that class is "
        "the less frequent one among the other nodes, and networks tend to answer it. The best "
        f"rule on K({N},{N}) is to answer on each side the class that is less frequent in "
        f"training, which gives {known['rarer']:.1f} %."
    )


def _compared(measured: Mapping[tuple[str, str], Any], share: str) -> list[str]:
    """How the curves change from the smallest β of the paper's steps to ½, run by run."""
    kind, said, steady, guesses, drops = kind_of(measured), [], [], [], []
    for method, name in METHODS.items():
        curve = sorted(
            (r["fraction"], r["shares"][share][kind]["test"])
            for (_, m), r in measured.items()
            if m == method and r["fraction"] > 0
        )
        if len(curve) < 2:
            continue
        (low, few), (high, many) = curve[0], curve[-1]
        change, error = _mean_and_error(np.subtract(many, few))
        (start, _), (end, end_error) = _mean_and_error(few), _mean_and_error(many)
        said.append(
            f"{name} {start:.1f} % at β = {low:.2f}, {end:.1f} % at {high:.2f} ({change:+.1f} ± "
            f"{2 * error:.1f})"
        )
        if end - 2 * end_error <= 50:
            guesses.append(name)
        elif abs(change) <= 2 * error or change == 0:
            steady.append(method)
        if change < -2 * error:
            drops.append(method)
    if not said:
        return []
    return [
        f"Accuracy from few edges to many, {SETTINGS[kind]} (change ± two standard errors): "
        + "; ".join(said)
        + ". The following are not more than two standard errors above 50 % at the largest β: "
        + f"{'; '.join(guesses) or 'none'}.",
        *_reading(measured, share, steady, drops),
    ]


def _mean_and_error(values: Any) -> tuple[float, float]:
    """Mean over the runs and its standard error.

    Splits of one graph share its edges and labels, so if there are several graphs, the error is
    computed from the means of the graphs.
    """
    values = np.asarray(values, dtype=float)
    if len(values) == GRAPHS * SPLITS:
        values = values.reshape(GRAPHS, SPLITS).mean(axis=1)
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return float(values.mean()), float(error)


def _reading(
    measured: Mapping[tuple[str, str], Any], share: str, steady: list[str], drops: list[str]
) -> list[str]:
    """Whether the paper's claim holds, and for which kernel.

    ``steady`` names the methods that do not change and are better than a coin; ``drops`` names
    those whose accuracy falls.
    """
    top = max(r["fraction"] for r in measured.values())
    at = {m: r for (_, m), r in measured.items() if r["fraction"] == top}
    if not set(METHODS) <= set(at):
        return []
    mean = {m: _summary(r, share, kind_of(measured))[0] for m, r in at.items()}
    said = (
        f"At β = {top:.2f} the difference LCN − GCN is {mean['lcn-same'] - mean['gcn']:+.1f} "
        "points if the kernel is the colouring that the labels were made from, "
        f"{mean['lcn'] - mean['gcn']:+.1f} with the central kernel, "
        f"{mean['lcn-ls'] - mean['gcn']:+.1f} with LS and "
        f"{mean['lcn-other'] - mean['gcn']:+.1f} with another optimal colouring."
    )
    if steady == ["lcn-same"]:
        said += (
            " The paper says that the accuracy of GCN drops and that of LCN does not. LCN "
            "keeps its accuracy and is above 50 % only in the first case, and there its kernel "
            "contains the answer: I + P, where P is the matching, is twice the matrix that GCN "
            "uses on the bare matching. "
            f"{_dropping(drops)}"
        )
    return [said]


def _dropping(drops: Sequence[str]) -> str:
    names = "; ".join(METHODS[m] for m in drops if m != "gcn")
    if "gcn" in drops:
        return f"GCN drops, and so do: {names}." if names else "Only GCN drops."
    others = f"these methods do: {names}." if names else "neither does any other method."
    return f"GCN does not drop by more than two standard errors; {others}"


def _paint(figure: Figure, measured: Mapping[tuple[str, str], Any]) -> None:
    """Draw accuracy against β, one panel per split and one line with a band per method."""
    panels = figure.subplots(1, len(SHARES), sharey=True)
    for axes, share in zip(panels, SHARES, strict=True):
        _panel(axes, measured, share)
    panels[0].set_ylabel("test accuracy, %")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=3)


def _panel(axes: Axes, measured: Mapping[tuple[str, str], Any], share: str) -> None:
    from lovasz.pages.style import FAINT, PALETTE

    kind = kind_of(measured)
    known = next(iter(measured.values()))["shares"][share]
    for level in (50.0, known["matched"]):
        axes.axhline(level, color=FAINT, linestyle=(0, (4, 3)), linewidth=1)
    for code, (method, name) in enumerate(METHODS.items()):
        points = sorted(
            (r["fraction"], *_summary(r, share, kind))
            for (_, m), r in measured.items()
            if m == method
        )
        if not points:
            continue
        x, mean, sd = np.array(points).T
        hue = PALETTE[code]
        axes.plot(x, mean, "osD^v"[code], linestyle="-", color=hue, markersize=4, label=name)
        axes.fill_between(
            x, mean - sd, np.minimum(mean + sd, 100), color=hue, alpha=0.1, linewidth=0
        )
    axes.set_xlabel("colouring fraction β")
    axes.set_title(f"split {share}", fontsize=10)


ITEM = Item("bipartite", "Bipartite graphs: the colouring fraction", cells, measure, section)
