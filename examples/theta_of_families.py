"""
ϑ between α and χ
=================

The Lovász number lies between two numbers that are hard to compute: the size α of the largest
independent set and the least number χ of cliques that cover the nodes. ``lovasz.theta`` returns an
interval that contains it, with all rounding accounted for.
"""

import matplotlib.pyplot as plt
import networkx as nx

import lovasz
from lovasz.graphs.families import gnp

graphs = {
    "5-cycle": nx.cycle_graph(5),
    "9-cycle": nx.cycle_graph(9),
    "Petersen": nx.petersen_graph(),
    "Paley 13": nx.paley_graph(13).to_undirected(),
    "Paley 17": nx.paley_graph(17).to_undirected(),
    "icosahedron": nx.icosahedral_graph(),
    "G(30, ½)": gnp(30, 0.5, seed=0),
}
rows = []
for name, graph in graphs.items():
    alpha = lovasz.independent_set(graph)
    cover = lovasz.clique_cover(graph)
    result = lovasz.theta(graph)
    rows.append((name, alpha.size, result, cover.size))
    interval = f"{result.lower:.7f} ≤ ϑ ≤ {result.upper:.7f}"
    print(f"{name:12} α ≥ {alpha.size}  {interval}  χ ≤ {cover.size}")

# %%
# On strongly regular graphs such as Petersen's, one eigenvalue proves the value, and no
# optimisation is needed; ``result.method`` says what was done.

print({name: result.method for name, _, result, _ in rows})

# %%
# The bar reaches from α to χ of the complement, all divided by ϑ.

plt.figure(figsize=(7, 3), layout="constrained")
for y, (_, alpha, result, cover) in enumerate(rows):
    plt.plot([alpha / result.value, cover / result.value], [y, y], lw=6, color="#9ecae1")
    plt.plot(1, y, "k|", ms=14)
plt.yticks(range(len(rows)), [name for name, *_ in rows])
plt.xlabel("number / ϑ")
plt.show()
