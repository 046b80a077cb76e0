"""
Check a bound yourself
======================

A bound on ϑ comes with the matrices that prove it, so that nobody has to trust the solver. The
kernel proves the upper bound t: K has ones on the diagonal, zeros between non-neighbours, and
t K − J is positive semidefinite.
"""

import tempfile

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import lovasz

graph = nx.random_regular_graph(6, 40, seed=1)
result = lovasz.theta(graph)
print(result)

# %%
# The three conditions, in plain NumPy.

K = result.kernel.toarray()
adjacent = nx.to_numpy_array(graph, nodelist=result.nodes) > 0
print("ones on the diagonal:", np.all(np.diag(K) == 1))
print("zeros between non-neighbours:", not K[~adjacent & ~np.eye(40, dtype=bool)].any())
slack = np.linalg.eigvalsh(result.upper * K - 1)
print(f"least eigenvalue of t K − J: {slack[0]:.1e}, largest {slack[-1]:.1f}")

# %%
# Why this proves t ≥ ϑ: if X ⪰ 0 has trace 1 and is zero on the edges, then ⟨K, X⟩ = tr X = 1, and
# so t − ⟨J, X⟩ = ⟨t K − J, X⟩ ≥ 0. An independent set S gives such an X, with ⟨J, X⟩ its size.

found = lovasz.independent_set(graph)
print(f"{found.size} ≤ α ≤ ϑ ≤ {result.upper:.6f}")

# %%
# The eigenvalues: many are zero where the bound is tight.

plt.figure(figsize=(6, 2.6), layout="constrained")
plt.stem(np.maximum(slack, 0), basefmt=" ")
plt.gca().set(xlabel="index", ylabel="eigenvalue of t K − J")
plt.show()

# %%
# A proof of both bounds can be handed over as a file. ``lovasz.verify`` checks it with code that
# shares nothing with the solvers; so does ``lovasz verify`` on the command line.

with tempfile.TemporaryDirectory() as folder:
    result.save(f"{folder}/proof.npz")
    print("accepted:", lovasz.verify(graph, f"{folder}/proof.npz"))
