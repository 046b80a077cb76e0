"""The nearest point of the spectraplex, by an eigendecomposition or by one of a matrix nearby."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lovasz.number.solvers.packing import Packing

SHARE = 0.5
"""Of the last step: what a projection may lack, by a bound that is several times too large."""
WINDOW = 8
"""Eigenvalues on either side of τ that are watched."""


class Projector:
    """The point U of Δ = {X ⪰ 0, tr X = 1} nearest to W, and τ with U = (W − τI)₊.

    Let W₀ = Q diag(d) Qᵀ be the last matrix that was decomposed, P the columns with d > τ₀ and N
    the others, H = Qᵀ(W − W₀)Q. To first order in H, with U₀ the projection of W₀,

        U = U₀ + Q [[H_PP − (τ − τ₀) I, Φ∘H_PN], [(Φ∘H_PN)ᵀ, 0]] Qᵀ,   Φ_ij = (d_i − τ)/(d_i − d_j),

    and tr U = 1 gives τ. That is four products of n × n with n × r matrices, and single precision
    is enough for them: they make up a small change. The next term is Σ H_ij²/(d_i − d_j) over
    P × N in nuclear norm, up to a constant. Where it is not small beside the last step, W is
    decomposed instead. Once the rank has settled, a decomposition serves for many iterations.

    W and U come and go as vectors.
    """

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self.near: _Decomposed | None = None
        self.rate = 0.0  # the second-order term over ‖W − W₀‖², when last found

    def __call__(self, W: Any, *, step: float, coarse: bool) -> tuple[Any, float]:
        """U and τ, after a step of norm ``step``; 0 asks for a decomposition.

        ``coarse``: it may be in single precision.
        """
        near = self.near
        if near is not None and step > 0 and (coarse or not near.coarse):
            found = self._estimate(W, near, SHARE * step)
            if found is not None:
                return found
        self.near, U, tau = _decompose(W, self.packing, coarse)
        return U, tau

    def _estimate(self, W: Any, near: _Decomposed, most: float) -> tuple[Any, float] | None:
        """U and τ to first order, or None where the second order is more than ``most``."""
        change = W - near.W
        size = 2 * float(change @ change)
        if self.rate * size > most:
            return None
        rank, below = near.rank, len(near.Q) - near.rank
        edge = min(WINDOW, below)
        H = near.Q.T @ (self.packing.unpack(change.float()) @ near.Q[:, below - edge :])
        beside, H = H[below - edge : below, :edge], H[:, edge:]
        across, inside = H[:below], H[below:]
        turned = across * near.inverse
        lacking = float((turned * across).sum())
        self.rate = lacking / size if size else 0.0
        top = near.values[below:]
        tau = float(top.sum() + inside.diagonal().sum() - 1) / rank
        if lacking > most or near.crossed(beside, inside, tau) > most:
            return None
        H[:below] = turned * (top - tau).float()
        inside.mul_(0.5).diagonal().sub_((tau - near.tau) / 2)
        half = (near.Q @ H) @ near.Q[:, below:].T
        return near.U + self.packing.pack_twice(half).double(), tau


class _Decomposed(NamedTuple):
    W: Any
    U: Any
    tau: float
    values: Any
    Q: Any
    rank: int
    inverse: Any
    """1 / (d_i − d_j), rows j in N, columns i in P."""
    coarse: bool

    def crossed(self, beside: Any, inside: Any, tau: float) -> float:
        """How far eigenvalues have crossed τ, judged by those that were next to it."""
        below, edge = len(self.Q) - self.rank, len(beside)
        most = 0.0
        for H, values, sign in (
            (beside, self.values[below - edge : below], 1),
            (inside[:WINDOW, :WINDOW], self.values[below : below + WINDOW], -1),
        ):
            block = H.double().cpu().numpy()
            block.flat[:: len(block) + 1] += values.cpu().numpy() - tau
            most = max(most, float(np.linalg.eigvalsh(sign * block)[-1]))
        return most


def _decompose(W: Any, packing: Packing, coarse: bool) -> tuple[_Decomposed | None, Any, float]:
    """By an eigendecomposition; in single precision it takes half the time."""
    import torch

    values, Q = torch.linalg.eigh(packing.unpack(W.float() if coarse else W))
    values = values.double()
    tau = simplex_threshold(values.cpu().numpy())
    positive = (values - tau).clamp_min(0)
    rank = int((positive > 0).sum())
    below = packing.n - rank
    V = Q[:, below:] * positive[below:].sqrt().to(Q.dtype)
    U = packing.pack(V @ V.T).double()
    if not 0 < rank < packing.n:
        return None, U, tau
    inverse = 1 / (values[below:] - values[:below, None]).float()
    return _Decomposed(W, U, tau, values, Q.float(), rank, inverse, coarse), U, tau


def simplex_threshold(values: np.ndarray) -> float:
    """τ with Σ(λ−τ)₊ = 1, for ascending λ."""
    descending = values[::-1]
    excess = np.cumsum(descending) - 1
    thresholds = excess / np.arange(1, len(descending) + 1)
    return float(thresholds[np.flatnonzero(descending > thresholds)[-1]])
