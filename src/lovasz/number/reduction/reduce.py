"""Exact reductions: an induced subgraph with the same ϑ, and a representative of each node.

One fact carries both rules. Let r map the nodes to some kept nodes, kept nodes to themselves,
such that different non-adjacent nodes have different, non-adjacent representatives: r is a
homomorphism of the complement. Then ϑ of the subgraph induced on the kept nodes is ϑ(G): it is
at most that of G because it is induced, and at least that because its kernels lift, see
:class:`Reduction`. The same goes for ϑ′ and ϑ⁺. Such maps compose, so the rules may follow each
other in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lovasz.base.compiled import COMPILING, PLAIN
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.number.reduction.crowns import crown
from lovasz.number.reduction.dominance import dominate
from lovasz.number.reduction.neighbour_lists import NeighbourLists, compact

STEPS = 8
"""Plain steps per node and entry of the neighbour lists that dominance takes."""


@dataclass(frozen=True)
class Reduction:
    """The core of a graph, the subgraph induced on ``kept``, and how its kernels lift.

    Let K be feasible for the core: K_ii = 1, K_ij = 0 on non-edges (≤ 0 in ϑ′; and ≥ 0 on edges
    in ϑ⁺), tK ⪰ √w√wᵀ. With
    r = ``representative`` and s_v = √(w_v / w_r(v)) ≤ 1 (all 1 without weights), the matrix::

        K'_vv = 1,    K'_vw = s_v s_w K[r(v), r(w)]  for v ≠ w

    is feasible for the whole graph with the same t. *Proof.* Non-adjacent v ≠ w have different
    non-adjacent representatives, where K is 0 (or ≤ 0), and so is K'. In ϑ⁺ K ≥ 0 everywhere.
    K' = S P K Pᵀ S + (I − S²), P the 0/1 matrix of r, and tK' ⪰ S P √w√wᵀ Pᵀ S, whose entries
    are √w_v √w_w. ∎
    """

    representative: np.ndarray
    """(n,) int64: the kept node whose vector each node gets; kept nodes stand for themselves."""
    kept: np.ndarray
    """Ascending rows of the nodes that remain."""
    counts: dict[str, int]
    """Number of nodes that each rule removed."""
    bare: bool
    """Whether the core has no edge."""


def reduce(graph: Graph, weights: np.ndarray | None = None) -> Reduction:
    """Remove nodes by dominance and by crowns, in turn, until neither rule finds any.

    *Dominance*: u ~ v, N[u] ⊆ N[v] and w_u ≥ w_v: v goes, u stands for it. *Proof.* A node not
    adjacent to v is neither u nor adjacent to u. Leaves, twins and simplicial nodes dominate;
    chordal graphs, cliques and trees become isolated nodes.

    *Crown*, without weights: I independent, H = N(I) matched into I: H goes, partners stand for
    it. *Proof.* Without H the nodes of I are isolated, so a partner is adjacent to nothing, and
    different h have different partners; only neighbours of h share its representative.

    In the core no edge satisfies dominance and no crown with an edge is left. ``weights`` are
    those of the nodes, positive.

    >>> path_and_cycle = Graph.from_edges([0, 1, 3, 4, 5, 6, 7], [1, 2, 4, 5, 6, 7, 3])
    >>> reduce(path_and_cycle).kept  # ϑ = 2 + √5
    array([0, 2, 3, 4, 5, 6, 7])
    """
    lists = NeighbourLists.of(graph)
    w = np.zeros(0) if weights is None else _checked(weights, graph.n)
    representative = np.arange(graph.n)
    pending = lists.degree > 0
    steps = graph.n + 2 * graph.m
    counts = {"dominance": 0, "crown": 0}
    while True:
        removed = dominate.within(STEPS * steps)(lists, w, representative, pending)
        counts["dominance"] += removed
        if weights is not None or (counts["crown"] and not removed):
            break
        compact.within(steps)(lists, pending)
        heads, partners = crown(lists)
        if heads.size == 0:
            break
        counts["crown"] += heads.size
        representative[heads], lists.alive[heads] = partners, False
        compact.within(steps)(lists, pending)
    kept = np.flatnonzero(lists.alive)
    return Reduction(_resolved(representative), kept, counts, bare=not lists.degree[kept].any())


def _checked(weights: np.ndarray, n: int) -> np.ndarray:
    w = np.array(weights, dtype=np.float64)
    if w.shape != (n,):
        raise LovaszError(f"weights have shape {w.shape}; pass one for each of the {n} nodes")
    if bad := np.flatnonzero(~((w > 0) & np.isfinite(w)))[:1].tolist():
        raise LovaszError(f"weights[{bad[0]}]={w[bad[0]]}; node weights must be positive")
    return w


def _resolved(representative: np.ndarray) -> np.ndarray:
    """Follow representatives to kept nodes; each round halves the number of steps that are left."""
    while True:
        further = representative[representative]
        if np.array_equal(further, representative):
            return representative
        representative = further


def compiling(graph: Graph) -> str:
    """A note if ϑ of this graph will compile, which takes a quarter of a minute, else nothing."""
    if PLAIN.covers(STEPS * (graph.n + 2 * graph.m)):
        return ""
    return "" if dominate.is_cached() else COMPILING
