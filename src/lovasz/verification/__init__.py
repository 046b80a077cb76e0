"""Proofs that can be handed over: files that prove bounds on ϑ, and what checks them.

:meth:`lovasz.number.Theta.save` writes a proof, and :func:`verify` checks it against the graph.
:mod:`.proof_file` reads it and compares it with the graph; :mod:`.checker`, one file that shares no
code with the solvers, decides whether it proves what it claims. It rests on these facts:

- Upper: if Diag(t/w) + Y ⪰ J with Y on the edges, that is if this matrix bordered by ones is ⪰ 0,
  then ϑ ≤ t. For ϑ′ Y may also be negative on non-edges; for ϑ⁺ it must not be negative.
- Lower: if P ⪰ 0 is zero on the edges, then ϑ ≥ ΣP_ij / Σ(P_ii/w_i). P is made of V Vᵀ: what must
  go is subtracted, and its absolute row sums are added to the diagonal, so P ⪰ 0 still. For ϑ′ P
  must also not be negative on the non-edges; for ϑ⁺ it may be negative on the edges.
- ϑ of a clique is max w, and ϑ of an induced subgraph is at most ϑ. If the nodes are split, ϑ is at
  most the sum of the parts; it is the sum if no edge is between them, the largest if all are.
- If non-adjacent nodes have different non-adjacent representatives that weigh at least as much,
  ϑ is at most that of the representatives.
- If A² = d I + a A + b (J − I − A) with b > 0, a strongly regular graph, then in all variants
  ϑ = (d√Δ − d e − 2(d − b)) / 2b with e = a − b and Δ = e² + 4(d − b) (Lovász 1979).

>>> import lovasz, tempfile
>>> pentagon = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
>>> file = tempfile.mkdtemp() + "/pentagon.npz"
>>> lovasz.theta(pentagon).save(file)
>>> verify(pentagon, file), str(check_proof(pentagon, file).exact)
(True, 'sqrt(5)')
"""

from lovasz.verification.proof_file import Claim, check_proof, verify

__all__ = ["Claim", "check_proof", "verify"]
