"""
Which nodes to label
====================

If a label costs time, ask for those that tell the most. ``lovasz.suggest`` needs no label at all;
``clf.suggest`` knows what the model is unsure of. ``lovasz label`` does the same on a page in the
browser.
"""

import matplotlib.pyplot as plt
import numpy as np

import lovasz
from lovasz.graphs.families import planted_partition

graph, truth, _ = planted_partition(300, 6, 0.2, 0.02, seed=2)

# %%
# Before there is any label:

for asked in lovasz.suggest(graph, 6):
    print(f"{asked.node:4}  {asked.reason}")

# %%
# Compare with labels at random. ``fast=True`` leaves out the slow candidates.


def accuracy(rows):
    y = np.full(graph.n, -1)
    y[rows] = truth[rows]
    clf = lovasz.LCNClassifier(fast=True, random_state=0).fit(graph, y)
    return np.mean(np.delete(clf.predict() == truth, rows)), clf


budgets = [6, 12, 24]
chosen = [lovasz.suggest(graph, k).nodes for k in budgets]
asked = [accuracy(rows)[0] for rows in chosen]
rng = np.random.default_rng(0)
drawn = []
for k in budgets:
    rows = rng.choice(graph.n, k, replace=False)
    drawn.append(accuracy(rows)[0] if len(set(truth[rows])) > 1 else np.nan)
print(f"accuracy {asked[-1]:.3f} from {budgets[-1]} suggested labels")

# %%

plt.figure(figsize=(5, 3), layout="constrained")
plt.plot(budgets, asked, "o-", label="suggested")
plt.plot(budgets, drawn, "s--", color="grey", label="at random, one draw")
plt.gca().set(xlabel="labels", ylabel="accuracy", xticks=budgets)
plt.legend()
plt.show()

# %%
# After a fit, the model says what to ask next, and why.

_, clf = accuracy(chosen[0])
for asked in clf.suggest(3):
    print(f"{asked.node:4}  {asked.reason}")
