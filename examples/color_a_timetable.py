"""
Colour a timetable
==================

Courses that share a student cannot meet in the same hour: they are adjacent, and hours are
colours. ``lovasz.coloring`` returns a colouring, a proven lower bound, and what proves it.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import lovasz

rng = np.random.default_rng(3)
courses = [f"course {i}" for i in range(24)]
students = [rng.choice(24, 3, replace=False) for _ in range(30)]
clashes = nx.Graph()
clashes.add_nodes_from(courses)
for chosen in students:
    clashes.add_edges_from((courses[a], courses[b]) for a in chosen for b in chosen if a < b)

result = lovasz.coloring(clashes)
print(result)
print(f"at least {result.lower} hours, by {result.proof}; ϑ of the complement in {result.theta}")

# %%
# If it is optimal, nobody can do with fewer hours. The witness is a set of courses that all clash
# with each other.

for hour, meeting in enumerate(result.classes, 1):
    print(f"hour {hour}: {', '.join(meeting)}")
print("all clash:", ", ".join(result.witness))

# %%

position = nx.kamada_kawai_layout(clashes)
plt.figure(figsize=(6, 4.5), layout="constrained")
nx.draw_networkx_edges(clashes, position, edge_color="#c8ccd0", width=0.7)
nx.draw_networkx_nodes(
    clashes, position, list(result.nodes), node_color=result.colors, cmap="Set2", edgecolors="#444"
)
nx.draw_networkx_nodes(
    clashes, position, result.witness, node_color="none", edgecolors="black", node_size=480
)
plt.axis("off")
plt.show()

# %%
# Is the graph perfect? The evidence says what is proven, and leaves open what is not.

print(lovasz.is_perfect_evidence(clashes).reason)
