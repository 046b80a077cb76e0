"""
Label a hypergraph
==================

Papers are nodes, and the papers of one author are a hyperedge. The clique expansion forgets how
often two papers meet; ``weights="hyperedges"`` keeps it.
"""

import matplotlib.pyplot as plt
import numpy as np

import lovasz
from lovasz.hypergraphs import fractional_cover

rng = np.random.default_rng(0)
n, classes = 120, 3
truth = np.arange(n) % classes
authors = []
for _ in range(150):
    field = rng.integers(classes)
    weight = np.where(truth == field, 20.0, 1.0)
    authors.append(rng.choice(n, rng.integers(3, 6), replace=False, p=weight / weight.sum()))
H = lovasz.as_hypergraph(authors, nodes=range(n))
print(H)

# %%
# The classifier takes the hypergraph as it is.

y = np.full(n, -1)
y[:24] = truth[:24]
clf = lovasz.LCNClassifier(
    kernel="ls", kernel_options={"weights": "hyperedges"}, random_state=0
).fit(H, y)
print(f"accuracy {np.mean(clf.predict()[24:] == truth[24:]):.3f} from 24 labels")

# %%
# ϑ of a hypergraph lies between the size of the largest set of papers without a common author and
# the fractional number of authors that cover all papers.

small = lovasz.as_hypergraph(authors[:30])
result, cover = lovasz.theta(small), fractional_cover(small)
print(f"{result.lower:.4f} ≤ ϑ ≤ {result.upper:.4f}, fractional cover {cover.value:.4f}")

# %%

K = lovasz.kernel(H, "ls", weights="hyperedges").toarray()
order = np.argsort(truth, kind="stable")
plt.figure(figsize=(4.5, 4), layout="constrained")
plt.imshow(K[np.ix_(order, order)], cmap="Blues", vmax=0.3)
plt.title("the kernel, sorted by class")
plt.axis("off")
plt.show()
