"""The figures of the theory page.

    python docs/scripts/theory_pictures.py

Draws ``images/theory-sandwich.svg`` and ``images/theory-reductions.svg``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx

import lovasz
from lovasz.graphs.families import gnp

IMAGES = Path(__file__).parents[1] / "images"
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#9aa0a6"


def main() -> None:
    """Draw both figures."""
    # A fixed salt and no date give the same file every time.
    plt.rcParams.update({"font.size": 11, "svg.hashsalt": "theory", "svg.fonttype": "path"})
    plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
    for draw, name in ((draw_sandwich, "sandwich"), (draw_reductions, "reductions")):
        figure = draw()
        path = IMAGES / f"theory-{name}.svg"
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
        print(path)


def draw_sandwich() -> plt.Figure:
    """α, ϑ and χ of the complement of eight graphs, divided by ϑ."""
    graphs = {
        "5-cycle": nx.cycle_graph(5),
        "7-cycle": nx.cycle_graph(7),
        "Petersen": nx.petersen_graph(),
        "Paley 13": nx.paley_graph(13).to_undirected(),
        "Paley 17": nx.paley_graph(17).to_undirected(),
        "icosahedron": nx.icosahedral_graph(),
        "dodecahedron": nx.dodecahedral_graph(),
        "G(24, ½)": gnp(24, 0.5, seed=1),
    }
    figure, ax = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
    for y, graph in enumerate(graphs.values()):
        found, cover = lovasz.independent_set(graph), lovasz.clique_cover(graph)
        if not (found.optimal and cover.optimal):
            raise RuntimeError(f"{graph}: α or χ is not proven")
        value = lovasz.theta(graph).value
        ax.plot([found.size / value, cover.size / value], [y, y], lw=7, color="#9ecae1")
        ax.plot(1, y, "|", color="black", ms=15, mew=2)
        ax.annotate(f"{found.size}", (found.size / value, y), (-14, -4), textcoords="offset points")
        ax.annotate(f"{cover.size}", (cover.size / value, y), (7, -4), textcoords="offset points")
        ax.annotate(f"ϑ = {value:.4g}", (1.62, y), va="center")
    ax.set(yticks=range(len(graphs)), yticklabels=graphs, xlim=(0.6, 1.85), xlabel="number / ϑ")
    ax.set_xticks([0.6, 0.8, 1.0, 1.2, 1.4])
    ax.invert_yaxis()
    return figure


def draw_reductions() -> plt.Figure:
    """Dominance, a crown, and a component, each on a small graph."""
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
    dominance = nx.Graph([("u", "v"), ("u", "a"), ("v", "a"), ("v", "b"), ("v", "c"), ("a", "b")])
    places = {"u": (0, 0.4), "a": (1, 1), "v": (1, 0), "b": (2, 0.8), "c": (2, -0.2)}
    _draw(axes[0], dominance, places, removed={"v"}, title="dominance: v goes,\nu keeps its vector")
    crown = nx.Graph([("i", "h"), ("j", "h"), ("j", "k"), ("l", "k"), ("h", "x"), ("k", "y")])
    crown.add_edges_from([("x", "y"), ("h", "k"), ("y", "z"), ("x", "z")])
    places = {"i": (0, 2), "j": (1, 2), "l": (2, 2), "h": (0.5, 1), "k": (1.5, 1)}
    places |= {"x": (0.4, 0), "y": (1.6, 0), "z": (1, -0.8)}
    _draw(
        axes[1], crown, places, removed=set("ijlhk"), bold=[("i", "h"), ("l", "k")],
        title="crown: i, j, l with h, k go,\nϑ falls by 3",
    )  # fmt: skip
    apart = nx.disjoint_union(nx.cycle_graph(5), nx.complete_graph(3))
    places = nx.circular_layout(nx.cycle_graph(5))
    triangle = {5: (1.8, 0.5), 6: (2.6, 0.5), 7: (2.2, -0.4)}
    places = {**{node: tuple(place) for node, place in places.items()}, **triangle}
    _draw(axes[2], apart, places, removed=set(), labels=False, title="components add:\nϑ = √5 + 1")
    return figure


def _draw(ax, graph, places, *, removed, title, bold=(), labels=True) -> None:
    color = [ORANGE if node in removed else BLUE for node in graph]
    nx.draw_networkx_edges(graph, places, ax=ax, edge_color=GREY)
    nx.draw_networkx_edges(graph, places, bold, ax=ax, edge_color=ORANGE, width=3)
    nx.draw_networkx_nodes(graph, places, ax=ax, node_color=color, node_size=330)
    if labels:
        nx.draw_networkx_labels(graph, places, ax=ax, font_color="white", font_size=11)
    ax.set_title(title, fontsize=11)
    ax.margins(0.15)
    ax.axis("off")


if __name__ == "__main__":
    main()
