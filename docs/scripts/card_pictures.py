"""The pictures of the README and of the first page: what the four cards show.

    python docs/scripts/card_pictures.py

Draws ``images/club.png`` and the four ``images/card-*.png`` in about twenty seconds. The results
that they show are computed here or read from ``results/``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from PIL import Image

import lovasz
from lovasz.graphs.families import planted_partition
from lovasz.reproduce import ITEMS, find
from lovasz.reproduce.engine.cells import Store

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
RESULTS = ROOT / "results"
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
GREY = "#9aa0a6"
CARD = (6.4, 3.6)


def main() -> None:
    plt.rcParams.update({"font.size": 11, "savefig.dpi": 150, "axes.spines.top": False})
    plt.rcParams.update({"axes.spines.right": False, "savefig.facecolor": "white"})
    for draw in (draw_club, draw_labelling, draw_umbrella, draw_structure, draw_paper):
        figure, name = draw()
        figure.savefig(IMAGES / name)
        Image.open(IMAGES / name).convert("RGB").quantize(128).save(IMAGES / name, optimize=True)
        plt.close(figure)
        print(IMAGES / name)


def draw_club() -> tuple[plt.Figure, str]:
    """What the ten lines of the README do: two labels in, 34 labels with probabilities out."""
    karate = nx.karate_club_graph()
    graph = lovasz.as_graph(karate, weights="drop")
    given = {0: "Mr. Hi", 33: "Officer"}
    clf = lovasz.LCNClassifier(random_state=0).fit(graph, given)
    officer = clf.predict_proba()[:, list(clf.classes_).index("Officer")]
    position = nx.spring_layout(karate, seed=4, k=0.34)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    known = [COLORS[0] if v == 0 else COLORS[1] if v == 33 else "white" for v in karate]
    for ax, color in zip(axes, (known, _mix(officer)), strict=True):
        nx.draw_networkx_edges(karate, position, ax=ax, edge_color="#d0d4d9", width=0.8)
        nx.draw_networkx_nodes(
            karate, position, ax=ax, node_color=color, edgecolors="#5f6368", node_size=190
        )
        ax.axis("off")
    for v, name in given.items():
        above = {"xytext": (0, 12), "textcoords": "offset points", "ha": "center"}
        box = {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1}
        axes[0].annotate(name, position[v], weight="bold", bbox=box, **above)
    answers = zip(clf.nodes_, clf.predict(), strict=True)
    wrong = [v for v, label in answers if label != karate.nodes[v]["club"]]
    nx.draw_networkx_nodes(
        karate, position, wrong, ax=axes[1], node_color="none", edgecolors="black", node_size=420
    )
    axes[0].set_title("a graph and two labels")
    axes[1].set_title(f"{graph.n - len(wrong)} of {graph.n} right; paler means less sure")
    return figure, "club.png"


def _mix(share: np.ndarray) -> np.ndarray:
    """Blue to white to orange as a probability goes from 0 to 1."""
    ends = np.array([[0, 114, 178], [255, 255, 255], [213, 94, 0]]) / 255
    sure = np.abs(2 * share - 1)[:, None]
    return (1 - sure) * ends[1] + sure * np.where(share[:, None] < 0.5, ends[0], ends[2])


def draw_labelling() -> tuple[plt.Figure, str]:
    """A block model's adjacency matrix, as it comes and sorted by predicted class."""
    graph, truth, _ = planted_partition(300, 3, 0.6, 0.4, seed=1)
    rng = np.random.default_rng(0)
    y = np.full(graph.n, -1)
    labelled = rng.choice(graph.n, 60, replace=False)
    y[labelled] = truth[labelled]
    found = lovasz.LCNClassifier(fast=True, random_state=0).fit(graph, y).predict()
    accuracy = np.mean(np.delete(found == truth, labelled))
    A = graph.adjacency.toarray()
    shuffled, ordered = rng.permutation(graph.n), np.argsort(found, kind="stable")
    figure, axes = plt.subplots(1, 2, figsize=CARD, layout="constrained")
    for ax, order in zip(axes, (shuffled, ordered), strict=True):
        ax.imshow(A[np.ix_(order, order)], cmap="Blues", vmax=1.4, interpolation="none")
        ax.set_xticks([])
        ax.set_yticks([])
    axes[0].set_title("300 nodes, 60 labels")
    axes[1].set_title(f"sorted by answer: {accuracy:.0%} right")
    return figure, "card-label.png"


def draw_umbrella() -> tuple[plt.Figure, str]:
    """Lovász's umbrella: the optimal orthonormal representation of the 5-cycle."""
    cycle = nx.cycle_graph(5)
    result = lovasz.theta(cycle)
    vectors = lovasz.embedding(cycle).vectors
    figure = plt.figure(figsize=CARD)
    ax = figure.add_axes((0, -0.2, 1, 1.25), projection="3d", computed_zorder=False)
    height, ribs = vectors[:, 0], vectors[:, 1:3]
    for i, (rib, z) in enumerate(zip(ribs, height, strict=True)):
        ax.plot([0, rib[0]], [0, rib[1]], [0, -z], color=COLORS[i], lw=2.5)
        ax.scatter([rib[0]], [rib[1]], [-z], color=COLORS[i], s=40)
        near = (i + 1) % 5
        ax.plot(*np.c_[[*rib, -z], [*ribs[near], -height[near]]], color=GREY, lw=1, ls=":")
    ax.plot([0, 0], [0, 0], [-1, 0.12], color="black", lw=2)
    ax.text(0.06, 0, -1.08, "handle c", ha="left")
    ax.view_init(elev=14, azim=-62)
    ax.set_box_aspect((1, 1, 0.72), zoom=1.35)
    ax.axis("off")
    figure.suptitle(f"{result.lower!r} ≤ ϑ(C₅) ≤ {result.upper!r}")
    return figure, "card-theta.png"


def draw_structure() -> tuple[plt.Figure, str]:
    """The characters of Les Misérables: a proven colouring, and communities."""
    book = nx.les_miserables_graph()
    colors = lovasz.coloring(lovasz.as_graph(book, weights="drop"))
    found = lovasz.communities(lovasz.as_graph(book, weights="drop"), random_state=0)
    group = {node: i for i, members in enumerate(found) for node in members}
    position = nx.kamada_kawai_layout(book, weight=None)
    figure, axes = plt.subplots(1, 2, figsize=CARD, layout="constrained")
    palette = plt.get_cmap("tab10").colors
    classes = dict(zip(colors.nodes, colors.colors, strict=True))
    for ax, of in zip(axes, (group, classes), strict=True):
        nx.draw_networkx_edges(book, position, ax=ax, edge_color="#d0d4d9", width=0.5)
        nx.draw_networkx_nodes(
            book, position, ax=ax, node_color=[palette[of[v] % 10] for v in book], node_size=28
        )
        ax.axis("off")
    axes[0].set_title(f"{len(found)} communities")
    axes[1].set_title(f"{colors.size} colours" + (", proven least" if colors.optimal else ""))
    return figure, "card-structure.png"


def draw_paper() -> tuple[plt.Figure, str]:
    """Every published accuracy against ours, from the cells in ``results/``."""
    store = Store(RESULTS)
    pairs = []
    for item in map(find, ITEMS):
        results = store.results(item) if item.published else []
        for (row, method), paper in item.published.items():
            if (ours := item.headline(results, row, method)) is not None:
                pairs.append((paper, ours[0]))
    paper, ours = np.array(pairs).T
    figure, ax = plt.subplots(figsize=CARD, layout="constrained")
    ends = np.array([min(paper.min(), ours.min()) - 2, 101])
    ax.fill_between(ends, ends - 2, ends + 2, color="#e8eaed", lw=0)
    ax.scatter(paper, ours, s=22, color=COLORS[0], alpha=0.75, lw=0)
    ax.set(xlabel="published accuracy, %", ylabel="ours, %", xlim=ends, ylim=ends)
    ax.set_title(f"{len(pairs)} published numbers; grey: within 2 points")
    return figure, "card-paper.png"


if __name__ == "__main__":
    main()
