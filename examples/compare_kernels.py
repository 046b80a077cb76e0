"""
Kernels side by side
====================

A kernel is the matrix with which a network propagates. Those of 𝒦(G), ``lovasz`` and ``ls``, have
ones on the diagonal and zeros between non-neighbours, and may be negative on edges.
"""

import matplotlib.pyplot as plt
import numpy as np

import lovasz
from lovasz.graphs.families import planted_partition

graph, truth, _ = planted_partition(150, 3, 0.5, 0.2, seed=0)
names = ["ls", "lovasz", "gcn", "ppr", "heat", "laplacian"]
kernels = {name: lovasz.kernel(graph, name) for name in names}

# %%

order = np.argsort(truth, kind="stable")
figure, axes = plt.subplots(2, 3, figsize=(8, 5.6), layout="constrained")
for ax, (name, K) in zip(axes.flat, kernels.items(), strict=True):
    shown = K.toarray()[np.ix_(order, order)]
    np.fill_diagonal(shown, 0)
    most = np.abs(shown).max()
    ax.imshow(shown, cmap="RdBu", vmin=-most, vmax=most)
    ax.set(title=f"{name}, {K.nnz / graph.n**2:.0%} filled", xticks=[], yticks=[])
plt.show()

# %%
# An SVM without bias on each kernel, from 15 labels. An SVM needs a positive semidefinite kernel,
# which ``gcn`` is not. ``LCNClassifier(kernel=…)`` trains a network on any of them, and its default
# tries several and weighs them.

y = np.full(graph.n, -1)
labelled = np.arange(0, graph.n, 10)
y[labelled] = truth[labelled]
for name in ["ls", "lovasz", "ppr", "heat", "laplacian"]:
    clf = lovasz.KernelClassifier(kernel=name).fit(graph, y)
    print(f"{name:10} {np.mean(np.delete(clf.predict() == truth, labelled)):.3f}")
