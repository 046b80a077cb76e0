"""Orthonormal vectors and ϑ for hypergraphs, which the LCN paper leaves open.

This page is the theory. The code is in :mod:`.covers` (ρ*), :mod:`.theta_h` (ϑ_h) and its solver
:mod:`.programme`.

H has nodes 1 … n and hyperedges e of weight w_e > 0, with two or more nodes each. A node in no
hyperedge counts as a hyperedge of its own wherever nodes are to be covered.

**Definition.** An orthonormal representation of H gives unit vectors to the nodes, and orthogonal
ones to two nodes that share no hyperedge. Its Gram matrices are 𝒦(H) = 𝒦(G), where G is the
2-section (:meth:`lovasz.Hypergraph.expansion`), and ϑ(H) := ϑ(G) is ``lovasz.theta(H)``.

1. α(H) ≤ ϑ(H) ≤ ρ*(H). α is the largest set of nodes no two of which share a hyperedge, ρ* the
   fractional cover: min Σ_e x_e, x ≥ 0, Σ_{e ∋ i} x_e ≥ 1. *Proof.* The first is Lovász's for G.
   For the second, lower x node by node until the cover is exact: the excess at i moves from e to
   e∖{i}, still a clique of G. So let x be exact on cliques of G and t = Σ x. By Cauchy–Schwarz
   (Σ_e x_e 1_eᵀv)² ≤ t Σ_e x_e (1_eᵀv)², so J ⪯ t Σ_e x_e 1_e1_eᵀ =: t K, and K has ones on the
   diagonal and zeros off G: K ∈ 𝒦(H), t K ⪰ J, hence ϑ ≤ t. ∎
2. ϑ(H ⊔ H′) = ϑ(H) + ϑ(H′), and ϑ does not depend on the weights or the order of anything.

**The incidence vectors.** u_i = (√(w_e/(|e|−1)) for e ∋ i, 0 for others) / √S_i with
S_i = Σ_{e ∋ i} w_e/(|e|−1) are an orthonormal representation with one coordinate per hyperedge:
nodes that share no hyperedge have disjoint supports. For a graph alone such vectors would need a
search for cliques.

Their best handle gives ρ*: for a unit vector c the best u_i on the coordinates e ∋ i has
(cᵀu_i)² = Σ_{e ∋ i} c_e², so min max_i 1/(cᵀu_i)² = min Σ x_e / min_i Σ_{e ∋ i} x_e = ρ*(H), with
x = c². ϑ allows more vectors, which proves ϑ ≤ ρ* again (:func:`fractional_cover` finds x).

**The LS family.** With C_ij = Σ_{e ∋ i,j} w_e/(|e|−1), whose rows sum to the weighted degrees,
K(C) = I + C/|λ_min(C)| ∈ 𝒦(H) for any w ≥ 0, as C is supported on G.

3. λ_min(C) ≥ −max_i S_i, λ_min(S^-½ C S^-½) ≥ −1 and λ_min(D^-½ C D^-½) ≥ −max_i S_i/D_i, S and
   D diagonal, D_i = Σ_{e ∋ i} w_e. *Proof.* C + S = Σ_e w_e/(|e|−1) 1_e1_eᵀ ⪰ 0; scale both sides.
   ∎ If every hyperedge has r or more nodes, S_i/D_i ≤ 1/(r−1) and K = I + (r−1) D^-½ C D^-½ ∈ 𝒦(H),
   where large hyperedges are strong. S^-½(C + S)S^-½ is the Gram matrix of the incidence vectors.

``kernel(H, "ls", weights="hyperedges")`` takes C, ``"incidence"`` takes S^-½ C S^-½ and
``"hyperedges-normalized"`` takes D^-½ C D^-½.

**Weights chosen on the feasible set.** ϑ has free weights on the edges; a hypergraph has one per
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
6. ϑ_h ≤ ρ* may fail, because the excess of a cover at a node cannot move to a part of a hyperedge.
   {1,2,3}, {3,4,5} has ϑ = ρ* = 2 < ϑ_h. So ϑ_h depends on more of H than its 2-section.
7. ϑ_h(H ⊔ H′) = ϑ_h(H) + ϑ_h(H′). *Proof.* ≤: K ⊕ K′ with t + t′, as J ⪯ (t + t′)(J/t ⊕ J/t′).
   ≥: the maximum in 4 is a sum over the two parts, each at least its own ϑ_h. ∎
8. A lower bound from any X = V Vᵀ: with v_e = max(0, ⟨B_e, X⟩), the matrix X + Σ_e v_e L_e /
   (|e|(|e|−1)), L_e the Laplacian of the clique e, is feasible up to its trace tr X + Σ v_e
   (⟨B_f, L_e⟩ ≤ 0 for all f, and = −|e|(|e|−1) for f = e; ⟨J, L_e⟩ = 0). So
   ϑ_h ≥ ⟨J, X⟩ / (tr X + Σ_e v_e).
"""

from lovasz.hypergraphs.covers import Cover, fractional_cover
from lovasz.hypergraphs.theta_h import HyperedgeTheta, hyperedge_theta

__all__ = ["Cover", "HyperedgeTheta", "fractional_cover", "hyperedge_theta"]
