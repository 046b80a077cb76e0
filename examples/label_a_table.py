"""Label the rows of a feature table: two interleaved half-circles, twenty labels."""

import numpy as np
from sklearn.datasets import make_moons

import lovasz

X, truth = make_moons(400, noise=0.08, random_state=0)
y = np.full(400, -1)
for label in (0, 1):
    y[np.flatnonzero(truth == label)[:10]] = label

clf = lovasz.LCNClassifier(affinity="knn", affinity_options={"k": 30}, random_state=0).fit(X, y)
print(f"accuracy {np.mean(clf.predict() == truth):.3f} from {np.sum(y >= 0)} labels")
