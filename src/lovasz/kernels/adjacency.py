"""Kernels with the sparsity of A + I that are not orthonormal: the adjacency matrix and GCN's."""

from __future__ import annotations

from scipy import sparse

from lovasz.graphs import Graph
from lovasz.linalg.scaling import inverse_root, scale_symmetrically


def adjacency(graph: Graph) -> sparse.csr_array:
    """A itself, which the released code of the LCN paper used for its GCN."""
    return graph.adjacency.copy()


def gcn(graph: Graph) -> sparse.csr_array:
    """D̃^-½ (A + I) D̃^-½ with D̃ the row sums of A + I (Kipf and Welling, 2017)."""
    looped = (graph.adjacency + sparse.eye_array(graph.n, format="csr")).tocsr()
    return scale_symmetrically(looped, inverse_root(looped.sum(axis=1)))
