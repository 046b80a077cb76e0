"""Figure "coloring fraction": K(50,50), edges removed 250 at a time, GCN beside LCN.

Labels come from the colours: the n matched pairs i — n + i cover the graph by cliques, half of
the pairs are class 0 and half class 1. The paper does not say which of the optimal colourings
(K(n,n) has n!, one a perfect matching) labels the nodes, nor which kernel of the optimal face
LCN uses. Five readings: GCN, LCN with the central kernel, LCN (LS), and LCN with the kernel of
a colouring, K_ij = 1 inside a pair, for the colouring the labels come from and for another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.classify.splits import random_splits
from lovasz.graphs import Graph
from lovasz.pages.reproduction.section import Picture, Section, Table
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results, joined
from lovasz.reproduce.engine.methods import GRID, RELEASED, Prepared, best, on_kernel, prepare
from lovasz.reproduce.references.matchings import another_matching, chance, knowable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N, STEP = 50, 250
REMOVED = (*range(0, 2251, STEP), N * (N - 1))
"""The paper's steps, and the bare matching at the end."""
QUICK = (0, 1250, N * (N - 1))
METHODS = {
    "gcn": "GCN",
    "lcn": "LCN, central kernel",
    "lcn-ls": "LCN (LS)",
    "lcn-other": "LCN, another colouring",
    "lcn-same": "LCN, the labels' colouring",
}
SHARES = {"20/20/60": (0.2, 0.2, 0.6), "70/10/20": (0.7, 0.1, 0.2)}
"""Of the paper's text; of its released code."""
SETTINGS = {
    "released": "settings of the released code",
    "tuned": "settings chosen on validation",
}
SPLITS, GRAPHS = 10, 4
"""Splits of a graph, and graphs: the paper has one, which leaves the noise of its edges."""
DEMONSTRATION = ("K(n,n)", "exact")


def cells(quick: bool) -> list[Cell]:
    """One a step and reading, and the demonstration."""
    steps = QUICK if quick else REMOVED
    found = [
        Cell("bipartite", f"{m} removed", method, cost=8.0) for m in steps for method in METHODS
    ]
    return [*found, Cell("bipartite", *DEMONSTRATION, cost=0.1)]


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Scores by share and reading ("released", "tuned"), with what could be known at best."""
    if (cell.row, cell.method) == DEMONSTRATION:
        return {"sizes": [chance(n) for n in (2, 4)]}
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
    """One graph at one share of labels."""
    splits = random_splits(y, SHARES[share], 2 if context.quick else SPLITS, seed=seed)
    tried = method.tried(y, splits, seed=100 * seed, grid=RELEASED if context.quick else GRID)
    kinds = (
        {"released": tried[0]} if context.quick else {"released": tried[0], "tuned": best(tried)}
    )
    return {**{kind: s.as_json() for kind, s in kinds.items()}, **knowable(y, pair, splits)}


def _together(graphs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The scores of all graphs one after the other, the mean of the rest."""
    return {
        key: joined([g[key] for g in graphs])
        if key in SETTINGS
        else round(float(np.mean([g[key] for g in graphs])), 2)
        for key in graphs[0]
    }


def _prepared(method: str, graph: Graph, pair: np.ndarray, device: str, seed: int) -> Prepared:
    """The method on the graph; two of them have the kernel of a colouring."""
    if method not in ("lcn-same", "lcn-other"):
        options = {"gap": 1e-5, "time_limit": 60} if method == "lcn" else {}
        return prepare(method, graph, device=device, **options)
    from lovasz.number.reduction.combinatorial import cover_kernel

    clique = pair if method == "lcn-same" else another_matching(graph, seed=seed)
    K = cover_kernel(graph, np.ones(graph.n), clique)
    shared = float((clique[:N] == clique[N:][pair[:N]]).mean())
    return on_kernel(K, device, {"pairs in common": shared})


def section(results: Results) -> Section:
    """The curves, and why the paper's cannot be had from the graph."""
    measured = {key: r for key, r in results.items() if key != DEMONSTRATION}
    tables, pictures = [], []
    if measured:
        kinds = ("released", "tuned") if kind_of(measured) == "tuned" else ("released",)
        tables = [_table(measured, share, kind) for share in SHARES for kind in kinds]
        pictures.append(
            Picture(
                "bipartite",
                "Test accuracy against the colouring fraction for " + ", ".join(METHODS.values()),
                "Test accuracy (mean, and a band of one standard deviation over the runs), "
                f"{SETTINGS[kind_of(measured)]}. The experiment runs from right to left. Dashed: "
                "a coin, and the partner's label where it is known from training.",
                lambda figure: paint(figure, measured),
                height=330,
            )
        )
    return Section(ITEM.title, _protocol(measured), _verdict(results, measured), tables, pictures)


def kind_of(measured: Mapping[tuple[str, str], Any]) -> str:
    """The settings to speak of: "tuned" where every cell has them."""
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
        f"Test accuracy in per cent, split {share}, {SETTINGS[kind]}",
        ("edges", "β", *METHODS.values(), "matching known"),
        rows,
    )


def _protocol(measured: Mapping[tuple[str, str], Any]) -> list[str]:
    said = [
        f"K({N},{N}); {STEP} more edges are removed at each step, never one inside a matched pair, "
        "so the pairs stay an optimal colouring of the complement; the last row, the bare "
        "matching, is ours. Half of the pairs, at random, are class 1. Identity features; the "
        "split of the text (20 % to learn, 20 % to choose by) and that of the released code (70 % "
        "and 10 %). The paper prints no numbers for this figure.",
        "Which colouring labels what: the labels always come from the planted pairs. “LCN, central "
        "kernel” sees only the graph (the optimal kernel of least norm, which is unique). “The "
        "labels' colouring” is given the planted pairs as its kernel, K = 1 inside a pair, an "
        "extreme point of the optimal face; “another colouring” a perfect matching drawn at "
        "random, as good a solution of the same semidefinite program.",
    ]
    runs = {len(s["released"]["test"]) for r in measured.values() for s in r["shares"].values()}
    if runs:
        said.append(
            f"{max(runs)} runs, the same for every method. At full size, {SPLITS} splits of "
            f"each of {GRAPHS} graphs with removed edges and labels of their own."
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
        f"on K({s['n']},{s['n']}) each of the {s['answers']} answers averages "
        f"{s['least']}"
        + (f" to {s['most']}" if s["most"] != s["least"] else "")
        + f" over the {s['matchings']} matchings"
        for s in sizes
    )
    return (
        "The labels cannot be read off K(n,n). C4 = K(2,2) has two perfect matchings, both optimal "
        "colourings of its complement, and swapping the two nodes of one side maps one to the "
        "other and the graph to itself. Counted exactly, with every label of the left side known "
        f"and the right side to be labelled: {counted}."
    )


def _ceiling(measured: Mapping[tuple[str, str], Any], share: str) -> str:
    known = next(iter(measured.values()))["shares"][share]
    return (
        f"Split {share}: what can be known. Told the matching, one copies the label of a partner "
        f"among the training nodes and tosses a coin for the rest: {known['matched']:.1f} % on "
        f"these splits, {known['validated']:.1f} % with the validation labels too. Validation "
        "chooses the epoch, so networks can end between the two; a curve far above them does not "
        "come from this protocol. Without the graph, the class seen more often in training gives "
        f"{known['majority']:.1f} % (a class seen often is the rarer one among the rest, and "
        "networks tend to answer it), the class seen less often on each side, the best rule there "
        f"is on K({N},{N}), {known['rarer']:.1f} %."
    )


def _compared(measured: Mapping[tuple[str, str], Any], share: str) -> list[str]:
    """What the curves do over the paper's steps, from the smallest β to ½, run by run."""
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
        f"From few edges to many, {SETTINGS[kind]} (change ± two standard errors): "
        + "; ".join(said)
        + ". Not above a coin at the largest β by two standard errors: "
        + f"{'; '.join(guesses) or 'none'}.",
        *_reading(measured, share, steady, drops),
    ]


def _mean_and_error(values: Any) -> tuple[float, float]:
    """Mean over the runs and its standard error.

    Splits of one graph share its edges and labels; where there are several graphs the error is
    that of their means.
    """
    values = np.asarray(values, dtype=float)
    if len(values) == GRAPHS * SPLITS:
        values = values.reshape(GRAPHS, SPLITS).mean(axis=1)
    error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return float(values.mean()), float(error)


def _reading(
    measured: Mapping[tuple[str, str], Any], share: str, steady: list[str], drops: list[str]
) -> list[str]:
    """Whether the paper's claim holds, and by what; ``steady``: no change, and no guess."""
    top = max(r["fraction"] for r in measured.values())
    at = {m: r for (_, m), r in measured.items() if r["fraction"] == top}
    if not set(METHODS) <= set(at):
        return []
    mean = {m: _summary(r, share, kind_of(measured))[0] for m, r in at.items()}
    said = (
        f"At β = {top:.2f} LCN is {mean['lcn-same'] - mean['gcn']:+.1f} points from GCN if its "
        f"kernel is the colouring the labels were made from, {mean['lcn'] - mean['gcn']:+.1f} with "
        f"the central kernel, {mean['lcn-ls'] - mean['gcn']:+.1f} with LS and "
        f"{mean['lcn-other'] - mean['gcn']:+.1f} with another optimal colouring."
    )
    if steady == ["lcn-same"]:
        said += (
            " The paper says that GCN drops and LCN does not. LCN stays, above a coin, in the "
            "first reading alone, and there the kernel is the answer: I + P, P the matching, is "
            f"twice what GCN sees on the bare matching. {_dropping(drops)}"
        )
    return [said]


def _dropping(drops: Sequence[str]) -> str:
    names = " and ".join(METHODS[m] for m in drops if m != "gcn")
    if "gcn" in drops:
        return f"GCN drops, and so does {names}." if names else "GCN alone drops."
    return f"GCN does not drop beyond noise; {names or 'nothing'} does."


def paint(figure: Figure, measured: Mapping[tuple[str, str], Any]) -> None:
    """Accuracy against β, a panel a split, a line with a band a method."""
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
