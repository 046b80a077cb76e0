"""Orthonormal vectors and ϑ for hypergraphs, which the LCN paper leaves open.

H has nodes 1 … n and hyperedges e of weight w_e > 0, two or more nodes each. A node in no
hyperedge counts as a hyperedge of its own wherever nodes are to be covered.

**Definition.** An orthonormal representation of H gives every node a unit vector, and orthogonal
ones to two nodes that share no hyperedge. Its Gram matrices are 𝒦(H) = 𝒦(G), G the 2-section
(:meth:`lovasz.Hypergraph.expansion`), and ϑ(H) := ϑ(G): ``lovasz.theta(H)``.

1. α(H) ≤ ϑ(H) ≤ ρ*(H). α is the largest set of nodes no two of which share a hyperedge, ρ* the
   fractional cover: min Σ_e x_e, x ≥ 0, Σ_{e ∋ i} x_e ≥ 1. *Proof.* The first is Lovász's for G.
   For the second lower x node by node until the cover is exact: what is too much at i moves from
   e to e∖{i}, still a clique of G. So let x be exact on cliques of G, t = Σ x. By Cauchy–Schwarz
   (Σ_e x_e 1_eᵀv)² ≤ t Σ_e x_e (1_eᵀv)², so J ⪯ t Σ_e x_e 1_e1_eᵀ =: t K, and K has ones on the
   diagonal and zeros off G: K ∈ 𝒦(H), t K ⪰ J, hence ϑ ≤ t. ∎
2. ϑ(H ⊔ H′) = ϑ(H) + ϑ(H′), and ϑ does not depend on the weights or the order of anything.

**The incidence vectors.** u_i = (√(w_e/(|e|−1)) for e ∋ i, 0 for others) / √S_i with
S_i = Σ_{e ∋ i} w_e/(|e|−1) are an orthonormal representation with a coordinate a hyperedge: who
shares none has disjoint supports. A graph alone has no such vectors without a search for cliques.

Their best handle gives ρ*: for a unit vector c the best u_i on the coordinates e ∋ i has
(cᵀu_i)² = Σ_{e ∋ i} c_e², so min max_i 1/(cᵀu_i)² = min Σ x_e / min_i Σ_{e ∋ i} x_e = ρ*(H), with
x = c². ϑ allows more vectors, so this is ϑ ≤ ρ* once more (:func:`fractional_cover` finds x).

**The LS family.** With C_ij = Σ_{e ∋ i,j} w_e/(|e|−1), whose rows sum to the weighted degrees,
K(C) = I + C/|λ_min(C)| ∈ 𝒦(H) for any w ≥ 0, as C is supported on G.

3. λ_min(C) ≥ −max_i S_i, λ_min(S^-½ C S^-½) ≥ −1 and λ_min(D^-½ C D^-½) ≥ −max_i S_i/D_i, S and
   D diagonal, D_i = Σ_{e ∋ i} w_e. *Proof.* C + S = Σ_e w_e/(|e|−1) 1_e1_eᵀ ⪰ 0; scale both sides.
   ∎ With r or more nodes in every hyperedge S_i/D_i ≤ 1/(r−1): K = I + (r−1) D^-½ C D^-½ ∈ 𝒦(H),
   large hyperedges are strong in it. S^-½(C + S)S^-½ is the Gram matrix of the incidence vectors.

``kernel(H, "ls", weights="hyperedges")`` takes C, ``"incidence"`` takes S^-½ C S^-½ and
``"hyperedges-normalized"`` takes D^-½ C D^-½.

**Weights chosen on the feasible set.** ϑ has free weights on the edges; a hypergraph has one a
hyperedge. With B_e = 1_e1_eᵀ − diag(1_e):

    ϑ_h(H) = min t  over z ≥ 0 with  t I + Σ_e z_e B_e ⪰ J          (:func:`hyperedge_theta`)
           = max ⟨J, X⟩  over X ⪰ 0, tr X = 1, ⟨B_e, X⟩ ≤ 0 for all e.

4. K = I + Σ_e z_e B_e / t is in 𝒦(H), K ≥ 0 and t K ⪰ J: a member of the LS family (C with
   w_e = (|e|−1) z_e, divided by some t ≥ |λ_min|). Over all w and all such divisors ϑ_h is the
   least max_v 2·1ᵀv − vᵀKv: that is at most t if and only if t K ⪰ J.
5. ϑ(H) ≤ ϑ⁺(G) ≤ ϑ_h(H) ≤ π*(H) ≤ n, ϑ⁺ Szegedy's number and π* the least Σ x of an *exact*
   fractional cover Σ_{e ∋ i} x_e = 1 by hyperedges and single nodes. *Proof.* z ≥ 0 gives edge
   weights ≥ 0, hence ϑ⁺ ≤ ϑ_h. An exact x gives z = t x by the inequality of 1 (single nodes add
   to the diagonal alone). ∎ Where H holds every pair of nodes of its hyperedges, ϑ_h = ϑ⁺.
6. ϑ_h ≤ ρ* may fail: a cover that is too much at a node cannot move to a part of a hyperedge.
   {1,2,3}, {3,4,5} has ϑ = ρ* = 2 < ϑ_h. So ϑ_h sees more of H than its 2-section.
7. ϑ_h(H ⊔ H′) = ϑ_h(H) + ϑ_h(H′). *Proof.* ≤: K ⊕ K′ with t + t′, as J ⪯ (t + t′)(J/t ⊕ J/t′).
   ≥: the maximum in 4 is a sum over the two parts, each at least its own ϑ_h. ∎
8. A lower bound from any X = V Vᵀ: with v_e = max(0, ⟨B_e, X⟩), the matrix X + Σ_e v_e L_e /
   (|e|(|e|−1)), L_e the Laplacian of the clique e, is feasible up to its trace tr X + Σ v_e
   (⟨B_f, L_e⟩ ≤ 0 for all f, and = −|e|(|e|−1) for f = e; ⟨J, L_e⟩ = 0). So
   ϑ_h ≥ ⟨J, X⟩ / (tr X + Σ_e v_e).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs.hyperconvert import as_hypergraph


@dataclass(frozen=True)
class Cover:
    """A fractional cover of the nodes by hyperedges: ϑ(H) ≤ ``value``."""

    value: float
    """Σ x_e, and 1 for each node in no hyperedge; ρ*(H) or, by rounding, barely above."""
    weights: np.ndarray
    """x, an entry a hyperedge; every node in some hyperedge has Σ_{e ∋ i} x_e ≥ 1."""


def fractional_cover(hypergraph: Any) -> Cover:
    """ρ*(H) = min Σ_e x_e over x ≥ 0 with Σ_{e ∋ i} x_e ≥ 1 for every node, by linear programming.

    >>> fractional_cover([[0, 1], [1, 2], [2, 0]]).value
    1.5
    """
    from scipy.optimize import linprog

    H = as_hypergraph(hypergraph)
    alone = int((H.degrees == 0).sum())
    if H.m == 0:
        return Cover(float(alone), np.zeros(0))
    covered = sparse.csr_array(H.incidence[H.degrees > 0])
    solution = linprog(np.ones(H.m), A_ub=-covered, b_ub=-np.ones(covered.shape[0]))
    if solution.x is None:
        raise LovaszError(f"the linear programme of the cover failed: {solution.message}")
    x = np.clip(solution.x, 0.0, 1.0)
    x /= min(1.0, float((covered @ x).min()))  # a cover for certain, whatever the tolerance was
    return Cover(float(x.sum()) + alone, x)


@dataclass(frozen=True)
class HyperedgeTheta:
    """ϑ_h(H): an interval that provably contains it, with the weights of its upper end."""

    lower: float
    upper: float
    weights: np.ndarray
    """z ≥ 0, an entry a hyperedge: t I + Σ z_e B_e ⪰ J with t of its component."""
    kernel: sparse.csr_array
    """K = I + Σ_e z_e B_e / t in 𝒦(H), K ≥ 0, upper · K ⪰ J; rows in the order of the nodes."""

    @property
    def value(self) -> float:
        """The middle of the interval."""
        return (self.lower + self.upper) / 2


def hyperedge_theta(hypergraph: Any, *, tol: float = 1e-6, iterations: int = 200) -> HyperedgeTheta:
    """ϑ_h(H) of :mod:`lovasz.hypergraphs`, component by component.

    Newton's method along the path of a barrier, with dense matrices of the size of a component
    and of its number of hyperedges: for some thousand of both at most. The bounds are proven with
    rounding accounted for, whether ``tol``, the relative gap, is reached within ``iterations``
    steps or not.

    >>> found = hyperedge_theta([[0, 1, 2], [2, 3, 4]])
    >>> found.lower <= 49 / 17 <= found.upper
    True
    """
    H = as_hypergraph(hypergraph)
    if H.n == 0:
        raise LovaszError("the hypergraph has no nodes; ϑ needs at least one")
    if not 0 < tol < 1:
        raise LovaszError(f"tol={tol!r} must be a relative gap between 0 and 1")
    from lovasz.base.rounding import UNIT, down, up
    from lovasz.hypergraphs.programme import solve

    graph = H.expansion()
    count, component = connected_components(graph.adjacency, directed=False)
    sizes = np.bincount(component, minlength=count)
    refuse_if_too_large("the programme of ϑ_h", 3 * int(sizes.max()) ** 2, "take a part of it")
    edge_part = component[[int(edge[0]) for edge in H.rows()]] if H.m else np.zeros(0, dtype=int)
    z, scale = np.zeros(H.m), np.ones(H.n)
    lower = upper = float((H.degrees == 0).sum())
    for part in np.unique(edge_part):
        nodes, edges = np.flatnonzero(component == part), np.flatnonzero(edge_part == part)
        incidence = sparse.csr_array(H.incidence[nodes][:, edges])
        low, high, z[edges] = solve(incidence, tol=tol, iterations=iterations)
        lower, upper = down(lower + low, 1), up(upper + high, 1)
        scale[nodes] = high
    K = sparse.csr_array(sparse.diags_array(1 / scale) @ H.spread(z))
    K.data *= 1 - 8 * UNIT * max(1.0, float(np.linalg.norm(K.data)))  # past rounding: K ⪰ 0 stays
    K.eliminate_zeros()
    identity = sparse.eye_array(H.n, format="csr")
    return HyperedgeTheta(lower, upper, z, sparse.csr_array(K + identity))
