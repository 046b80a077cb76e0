"""
Find communities, and say how sure
==================================

``lovasz.communities`` chooses how many communities there is evidence for, and gives each node a
probability. Here it finds the four blocks of a random graph, and then the two halves of Zachary's
karate club.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import lovasz
from lovasz.graphs.families import planted_partition

graph, truth, _ = planted_partition(400, 4, 0.12, 0.02, seed=1)
found = lovasz.communities(graph)
print(found)
print(f"{np.mean(found.confidence > 0.95):.0%} of the nodes are placed with more than 95 %")

# %%
# The adjacency matrix, as it comes and sorted by community.

order = np.argsort(found.membership, kind="stable")
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
shuffled = np.random.default_rng(0).permutation(400)
for ax, rows in zip(axes, (shuffled, order), strict=True):
    ax.spy(graph.adjacency[rows][:, rows], markersize=0.7, color="#0072b2")
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# Known labels can be given; the communities are then the classes.

karate = nx.karate_club_graph()
clubs = lovasz.communities(
    lovasz.as_graph(karate, weights="drop"), labels={0: "Mr. Hi", 33: "Officer"}
)
answers = zip(clubs.nodes, clubs.membership, strict=True)
right = sum(karate.nodes[v]["club"] == clubs.names[code] for v, code in answers)
print(f"accuracy {right / len(karate):.3f} from 2 labels")
