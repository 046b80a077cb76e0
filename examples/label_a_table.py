"""
Label the rows of a feature table
=================================

Two interleaved half-circles, twenty labels. ``affinity="knn"`` makes a graph of the rows: each is
joined to the rows that are nearest to it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import lovasz

X, truth = make_moons(400, noise=0.08, random_state=0)
y = np.full(400, -1)
for label in (0, 1):
    y[np.flatnonzero(truth == label)[:10]] = label

clf = lovasz.LCNClassifier(affinity="knn", affinity_options={"k": 30}, random_state=0).fit(X, y)
print(f"accuracy {np.mean(clf.predict() == truth):.3f} from {np.sum(y >= 0)} labels")

# %%
# Rows with a label are large. Paler rows are less sure.

sure = clf.predict_proba().max(axis=1)
plt.figure(figsize=(6, 3.5), layout="constrained")
plt.scatter(*X.T, c=clf.predict(), cmap="coolwarm", alpha=2 * sure - 1, s=np.where(y < 0, 12, 60))
plt.gca().set(aspect="equal", xticks=[], yticks=[])
plt.show()
