"""The nearest point of the spectraplex, by an eigendecomposition or by one of a matrix nearby."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lovasz.number.solvers.algebra import Host
from lovasz.number.solvers.packing import Packing

SHARE = 0.5
"""Largest error of a projection, in units of the last step.

It is estimated by a bound that is several times too large.
"""
WINDOW = 8
"""Number of eigenvalues on either side of τ that are watched for crossing it."""


class Projector:
    """The point U of Δ = {X ⪰ 0, tr X = 1} nearest to W, and τ with U = (W − τI)₊.

    Let W₀ = Q diag(d) Qᵀ be the last matrix that was decomposed, P the columns with d > τ₀ and N
    the others, H = Qᵀ(W − W₀)Q. To first order in H, with U₀ the projection of W₀,

        U = U₀ + Q [[H_PP − (τ − τ₀) I, Φ∘H_PN], [(Φ∘H_PN)ᵀ, 0]] Qᵀ,   Φ_ij = (d_i − τ)/(d_i − d_j),

    and tr U = 1 gives τ. That is four products of n × n with n × r matrices, and single precision
    is enough for them: they make up a small change. The next term is Σ H_ij²/(d_i − d_j) over
    P × N in nuclear norm, up to a constant. Where it is not small beside the last step, W is
    decomposed instead. Once the rank has settled, a decomposition serves for many iterations.

    W and U are given and returned as vectors, see :class:`.packing.Packing`.
    """

    def __init__(self, packing: Packing) -> None:
        self.packing, self.on = packing, packing.on
        self.near: Decomposition | None = None
        self.rate = 0.0  # the last value of the second-order term divided by ‖W − W₀‖²

    def __call__(self, W: Any, *, step: float, coarse: bool) -> tuple[Any, float]:
        """Return U and τ, after a step of norm ``step``; 0 asks for a decomposition.

        ``coarse`` allows a decomposition in single precision.
        """
        near = self.near
        if near is not None and step > 0 and (coarse or not near.coarse):
            found = self._estimate(W, near, SHARE * step)
            if found is not None:
                return found
        self.near, U, tau = _decompose(W, self.packing, coarse)
        return U, tau

    def _estimate(self, W: Any, near: Decomposition, most: float) -> tuple[Any, float] | None:
        """Return U and τ to first order, or None if the second order exceeds ``most``."""
        on, change = self.on, W - near.W
        size = 2 * float(change @ change)
        if self.rate * size > most:
            return None
        rank, below = near.rank, len(near.Q) - near.rank
        edge = min(WINDOW, below)
        H = near.Q.T @ (self.packing.unpack(on.single(change)) @ near.Q[:, below - edge :])
        beside, H = H[below - edge : below, :edge], H[:, edge:]
        across, inside = H[:below], H[below:]
        turned = across * near.inverse
        lacking = float((turned * across).sum())
        self.rate = lacking / size if size else 0.0
        top = near.values[below:]
        tau = float(top.sum() + inside.diagonal().sum() - 1) / rank
        if lacking > most or near.crossed(on, beside, inside, tau) > most:
            return None
        H[:below] = turned * on.single(top - tau)
        inside *= 0.5
        diagonal = on.diagonal(inside)
        diagonal -= (tau - near.tau) / 2
        half = (near.Q @ H) @ near.Q[:, below:].T
        return near.U + on.double(self.packing.pack_twice(half)), tau


class Decomposition(NamedTuple):
    """A matrix W₀ with its eigenvalues, its eigenvectors and its projection U₀."""

    W: Any
    U: Any
    tau: float
    values: Any
    Q: Any
    rank: int
    inverse: Any
    """1 / (d_i − d_j), with one row per j in N and one column per i in P."""
    coarse: bool
    """Whether the eigenvectors were computed in single precision."""

    def crossed(self, on: Host, beside: Any, inside: Any, tau: float) -> float:
        """How far eigenvalues have crossed τ, judged by those next to it and by diagonal entries.

        The window alone misses eigenvalues of P that fall past it, as they do together for graphs
        of codes, whose eigenvalues are multiple. A diagonal entry below τ shows one of them.
        """
        below, edge = len(self.Q) - self.rank, len(beside)
        most = float((tau - self.values[below:] - inside.diagonal()).max())
        for H, values, sign in (
            (beside, self.values[below - edge : below], 1),
            (inside[:WINDOW, :WINDOW], self.values[below : below + WINDOW], -1),
        ):
            block = on.get(H).astype(np.float64)
            block.flat[:: len(block) + 1] += on.get(values) - tau
            most = max(most, float(np.linalg.eigvalsh(sign * block)[-1]))
        return most


def _decompose(W: Any, packing: Packing, coarse: bool) -> tuple[Decomposition | None, Any, float]:
    """Project by an eigendecomposition; in single precision it takes half the time."""
    on = packing.on
    values, Q = on.eigh(packing.unpack(on.single(W) if coarse else W))
    values = on.double(values)
    tau = simplex_threshold(on.get(values))
    positive = (values - tau).clip(min=0)
    rank = int((positive > 0).sum())
    below = packing.n - rank
    root = positive[below:] ** 0.5
    V = Q[:, below:] * (on.single(root) if coarse else root)
    U = on.double(packing.pack(V @ V.T))
    if not 0 < rank < packing.n:
        return None, U, tau
    inverse = 1 / on.single(values[below:] - values[:below, None])
    return Decomposition(W, U, tau, values, on.single(Q), rank, inverse, coarse), U, tau


def simplex_threshold(values: np.ndarray) -> float:
    """Return τ with Σ(λ−τ)₊ = 1, for ascending λ."""
    descending = values[::-1]
    excess = np.cumsum(descending) - 1
    thresholds = excess / np.arange(1, len(descending) + 1)
    return float(thresholds[np.flatnonzero(descending > thresholds)[-1]])
