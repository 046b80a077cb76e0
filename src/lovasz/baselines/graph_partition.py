"""A graph cut into clusters, and the edges of a propagation step (GPNN, Liao et al. 2018)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.cluster.vq import kmeans2
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.linalg.scaling import normalize, unit_rows

DENSE_NODES = 300
"""Up to this number of nodes all eigenvectors are computed at once, which is faster and always
converges."""


@dataclass(frozen=True)
class Partition:
    """An assignment of every node to one of ``count`` clusters."""

    labels: np.ndarray
    """(n,): the cluster of each node, counted from 0."""
    seeds: np.ndarray
    """(count,): one node of each cluster, where its sequential propagation starts."""

    @property
    def count(self) -> int:
        """Number of clusters."""
        return len(self.seeds)

    def inside(self, A: sparse.csr_array) -> sparse.csr_array:
        """Return the entries of A between nodes of the same cluster."""
        return keep_entries(A, ~self._crosses(A))

    def cut(self, A: sparse.csr_array) -> sparse.csr_array:
        """Return the entries of A between clusters."""
        return keep_entries(A, self._crosses(A))

    def _crosses(self, A: sparse.csr_array) -> np.ndarray:
        crosses: np.ndarray = np.repeat(self.labels, np.diff(A.indptr)) != self.labels[A.indices]
        return crosses


def partition(graph: Graph, clusters: int, *, method: str = "flood", seed: int = 0) -> Partition:
    """Cut a graph into clusters by ``method``, which is ``flood`` or ``spectral``.

    >>> from lovasz.graphs import Graph
    >>> path = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    >>> partition(path, 2).labels
    array([0, 0, 1, 1, 1, 1])
    """
    if method not in METHODS:
        raise LovaszError(f"partition {method!r} is unknown; choose from {', '.join(METHODS)}")
    whole = isinstance(clusters, int | np.integer) and not isinstance(clusters, bool)
    if not whole or not 1 <= clusters <= graph.n:
        raise LovaszError(
            f"clusters={clusters!r} must be a whole number from 1 to the number of nodes, {graph.n}"
        )
    return METHODS[method](graph, int(clusters), seed=seed)


def flood(graph: Graph, clusters: int, *, seed: int = 0) -> Partition:
    """Cut a graph by a modified multi-seed flood fill in O(edges).

    Seeds are drawn with probability proportional to the degree. In a round every cluster, in a
    random order, takes the free neighbours of the nodes that it took in the round before, until
    no cluster grows. Components without a seed then go, largest first, to the cluster that is
    smallest at that time.
    """
    A, rng = graph.adjacency, np.random.default_rng(seed)
    # Isolated nodes are drawn only if there are no others.
    bias = np.maximum(graph.degrees, 1e-6)
    seeds = np.sort(rng.choice(graph.n, clusters, replace=False, p=bias / bias.sum()))
    labels = np.full(graph.n, -1)
    labels[seeds] = np.arange(clusters)
    frontier = seeds
    while frontier.size:
        turn = rng.permutation(clusters)
        i, j = A[frontier].nonzero()
        free = labels[j] < 0
        taker, taken = labels[frontier[i[free]]], j[free]
        # The cluster whose turn comes first takes the node, which is the first entry in this order.
        order = np.argsort(turn[taker], kind="stable")
        frontier, first = np.unique(taken[order], return_index=True)
        labels[frontier] = taker[order][first]
    return Partition(_share_out(A, labels, clusters), seeds)


def _share_out(A: sparse.csr_array, labels: np.ndarray, clusters: int) -> np.ndarray:
    """Give the components that no cluster reached to the smallest clusters."""
    left = np.flatnonzero(labels < 0)
    if not left.size:
        return labels
    sizes = np.bincount(labels[labels >= 0], minlength=clusters)
    _, component = connected_components(A[left][:, left], directed=False)
    weight = np.bincount(component)
    target = np.empty(len(weight), dtype=labels.dtype)
    for part in np.argsort(-weight, kind="stable"):
        target[part] = np.argmin(sizes)
        sizes[target[part]] += weight[part]
    labels[left] = target[component]
    return labels


def spectral(graph: Graph, clusters: int, *, seed: int = 0) -> Partition:
    """Cut a graph by k-means on the first k eigenvectors of I − D^-½ A D^-½, one row per node.

    The rows are scaled to length 1. k-means may leave a cluster empty; there are then fewer.
    """
    rng = np.random.default_rng(seed)
    M = normalize(graph.adjacency)
    if graph.n <= DENSE_NODES or clusters >= graph.n - 1:
        vectors = np.linalg.eigh(M.toarray())[1][:, -clusters:]
    else:
        # M + I is positive semidefinite, and its largest eigenvalues belong to the largest of M.
        shifted = M + sparse.eye_array(graph.n, format="csr")
        vectors = eigsh(shifted, clusters, which="LA", v0=rng.random(graph.n), tol=1e-6)[1]
    rows = unit_rows(vectors, least=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kmeans2 warns about empty clusters
        found = kmeans2(rows, clusters, iter=50, minit="++", seed=rng)[1]
    _, labels = np.unique(found, return_inverse=True)
    return Partition(labels, _hubs(graph.degrees, labels))


METHODS = {"flood": flood, "spectral": spectral}
"""The ways to cut a graph, by name."""


def _hubs(degrees: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the node of largest degree of each group, the first of several such nodes."""
    order = np.lexsort((np.arange(len(labels)), -degrees, labels))
    return order[np.unique(labels[order], return_index=True)[1]]


def levels(A: sparse.csr_array, roots: np.ndarray) -> np.ndarray:
    """Return the (n,) numbers of edges from each node to the nearest root.

    In a component without a root the node of largest degree becomes a root.
    """
    _, component = connected_components(A, directed=False)
    hubs = _hubs(np.diff(A.indptr), component)
    rooted = np.zeros(len(hubs), dtype=bool)
    rooted[component[roots]] = True
    frontier = np.concatenate([roots, hubs[~rooted]])
    level = np.full(A.shape[0], -1)
    level[frontier] = depth = 0
    while frontier.size:
        depth += 1
        reached = np.unique(A[frontier].indices)
        frontier = reached[level[reached] < 0]
        level[frontier] = depth
    return level


@dataclass(frozen=True)
class MessageStep:
    """The messages of one propagation step."""

    rows: np.ndarray
    """The nodes that receive messages."""
    matrix: sparse.csr_array
    """(rows, n): the weights of the messages from all nodes to these nodes."""

    @classmethod
    def of(cls, rows: np.ndarray, matrix: sparse.csr_array) -> MessageStep:
        """Return the step without the rows that receive no message."""
        receives = np.diff(matrix.indptr) > 0
        if receives.all():
            return cls(rows, matrix)
        return cls(rows[receives], matrix[receives])


def sweep(A: sparse.csr_array, roots: np.ndarray) -> list[MessageStep]:
    """Split A into the steps of one sequential propagation, away from the roots and back.

    On the way out, nodes at distance d receive messages from nodes at distance d − 1 and, with
    their old states, d; on the way back, from nodes at distance d + 1. Each entry of A is in
    exactly one step, so the steps add up to A.
    """
    level = levels(A, roots)
    groups = np.split(np.argsort(level, kind="stable"), np.cumsum(np.bincount(level))[:-1])
    out, back = [], []
    for depth, rows in enumerate(groups):
        part = A[rows]
        outward = level[part.indices] <= depth
        out.append(MessageStep.of(rows, keep_entries(part, outward)))
        back.append(MessageStep.of(rows, keep_entries(part, ~outward)))
    return [step for step in out + back[::-1] if len(step.rows)]


def keep_entries(A: sparse.csr_array, keep: np.ndarray) -> sparse.csr_array:
    """Return A without the stored entries that are not to be kept."""
    indptr = np.concatenate([[0], np.cumsum(keep)])[A.indptr]
    return sparse.csr_array((A.data[keep], A.indices[keep], indptr), shape=A.shape)
