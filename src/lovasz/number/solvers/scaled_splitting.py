"""Splitting in the scale of the nodes: dense cores on which the plain splitting stalls.

On threshold graphs of real data, X_ii spans five orders of magnitude, the spectra of X and of
Z = t I + A*(y) − c cᵀ run into each other without a gap, and no single step s suits all rows.
With D = diag(d) > 0 let X = D X̃ D and Z = D⁻¹ Z̃ D⁻¹: semidefiniteness, the zeros of X on the edges
and ⟨X, Z⟩ stay, and the trace becomes ⟨D², X̃⟩ = 1, orthogonal to the edges. Douglas–Rachford, with
state W and relaxation a, then reads

1. W = Q Λ Qᵀ, X̃ = Q Λ₊ Qᵀ, Z̃ = X̃ − W, both ⪰ 0;
2. Y = X̃ + Z̃ + D c cᵀ D, put to 0 on the edges, plus the multiple of D² that makes ⟨D², Y⟩ = 1;
3. W ← a Y + (1−a) X̃ − Z̃.

At a fixed point Y = X̃ is feasible and D⁻¹ Z̃ D⁻¹ = t I − c cᵀ off the edges. The step is part of d.

Rows in balance, ‖X̃_i‖ = ‖Z̃_i‖, make X exact soon and Z slow, d = const the reverse; a power of
the former in between serves both. Now and then d is found anew, and its size changed so that
what the two proven bounds lack of ϑ becomes equal: a larger d helps the upper one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lovasz.graphs import Graph
from lovasz.linalg.anderson import Anderson
from lovasz.number.solvers.contract import Candidate, Stop
from lovasz.number.solvers.splitting import RELAXATION

POWER = 0.4  # of the scaling that puts the rows in balance
FLOOR = 1e-4  # of d against its largest entry, before the power
MEMORY, LEAST, BYTES = 25, 10, 2e9  # differences kept: fewer where they would fill more bytes
ROUND = 150  # iterations with the same d
PATIENCE = 16  # rounds in which the gap has to fall by a third


def scaled_splitting(
    graph: Graph,
    c: np.ndarray,
    start: Candidate,
    *,
    tol: float,
    stop: Stop,
    judge: Callable[[Candidate], tuple[float, float]],
    look: Callable[[Callable[[], Candidate]], None] | None = None,
    device: Any = "cpu",
    most: int = 10_000,
) -> None:
    """Go on from ``start`` until the bounds are within the relative gap ``tol``, or ``stop``.

    ``judge`` certifies the candidate of each round and returns the best bounds that are proven.
    ``PATIENCE`` rounds that do not narrow their gap by a third end the search.
    """
    state, gaps = _State(graph, c, start, device), [np.inf]
    memory = int(min(max(BYTES / (16 * graph.n**2), LEAST), MEMORY))
    while state.iterations < most:
        accelerate = Anderson(memory)
        for _ in range(ROUND):
            state.project()
            if stop():
                judge(state.candidate())
                return
            if look is not None:
                look(state.candidate)
            state.W = accelerate(state.W, state.step())
        state.project()
        lower, upper = judge(state.candidate())
        gaps.append(1 - lower / upper)
        if gaps[-1] <= tol or (len(gaps) > PATIENCE and 1.5 * gaps[-1] > gaps[-PATIENCE]):
            return
        state.rescale(lower, upper)


class _State:
    """W, d and what the last projection made of them."""

    def __init__(self, graph: Graph, c: np.ndarray, start: Candidate, device: Any) -> None:
        import torch

        self.torch, self.iterations = torch, start.iterations
        self.place = partial(torch.as_tensor, device=device)
        self.c = self.place(c, dtype=torch.float64)
        self.i, self.j = (self.place(end.astype(np.int64)) for end in graph.edges())
        self.X = self.place(start.matrix, dtype=torch.float64)
        self.Z = -self._dual(self.place(start.edge_values, dtype=torch.float64))
        t = float(torch.linalg.eigvalsh(self.Z)[0])
        self.Z.diagonal().sub_(t)
        self.bias = 1.0
        self._scale()

    def _dual(self, y: Any) -> Any:
        """M = c cᵀ − A*(y)."""
        M = self.torch.outer(self.c, self.c)
        M[self.i, self.j] -= y
        M[self.j, self.i] = M[self.i, self.j]
        return M

    def _scale(self) -> None:
        """Choose d from X and Z, and make W of them."""
        d = balance(self.torch, self.X, self.Z) ** POWER
        both = self.torch.outer(d, d)
        size = float((self.X / both).norm() / (self.Z * both).norm())
        self.d = d * (self.bias * size) ** 0.25
        self.both, self.squares = self.torch.outer(self.d, self.d), self.d**2
        self.goal = self.torch.outer(self.d * self.c, self.d * self.c)
        self.W = self.X / self.both - self.Z * self.both

    def project(self) -> None:
        """X̃ and Z̃ = X̃ − W."""
        values, Q = self.torch.linalg.eigh(self.W)
        rank = int((values > 0).sum())
        V = Q[:, len(values) - rank :] * values[len(values) - rank :].sqrt()
        self.primal = V @ V.T
        self.dual = self.primal - self.W
        self.iterations += 1

    def step(self) -> Any:
        """The image of W."""
        Y = self.primal + self.dual + self.goal
        Y[self.i, self.j] = Y[self.j, self.i] = 0.0
        lacking = 1 - float(self.squares @ Y.diagonal())
        Y.diagonal().add_(self.squares, alpha=lacking / float(self.squares @ self.squares))
        return Y.mul_(RELAXATION).add_(self.primal, alpha=1 - RELAXATION).sub_(self.dual)

    def _pair(self) -> tuple[Any, Any]:
        """X of trace 1, and Z."""
        X = self.primal * self.both
        return X / float(X.trace()), self.dual / self.both

    def candidate(self) -> Candidate:
        """What the certificate is to look at."""
        X, Z = self._pair()
        y = Z[self.i, self.j] + self.c[self.i] * self.c[self.j]
        return Candidate(y.cpu().numpy(), matrix=X.cpu().numpy(), iterations=self.iterations)

    def rescale(self, lower: float, upper: float) -> None:
        """Find d anew. ϑ lies between the two bounds, near the multiplier of the trace."""
        self.X, self.Z = self._pair()
        diagonal, weight = self.Z.diagonal() + self.c**2, self.squares**2
        margin = 0.02 * (upper - lower)
        t = min(max(float(weight @ diagonal / weight.sum()), lower + margin), upper - margin)
        self.bias *= min(max(((upper - t) / (t - lower)) ** 0.5, 1 / 3), 3.0)
        self._scale()


def balance(torch: Any, X: Any, Z: Any, rounds: int = 60) -> Any:
    """0 < d ≤ 1 with ‖(D⁻¹XD⁻¹)_i‖ = f ‖(DZD)_i‖ for all i and some f, as near as it comes."""
    d = torch.ones(len(X), dtype=X.dtype, device=X.device)
    for _ in range(rounds):
        both = torch.outer(d, d)
        d = d * ((X / both).norm(dim=1) / (Z * both).norm(dim=1)) ** 0.25
        d = (d / d.max()).clamp_min(FLOOR)
    return d
