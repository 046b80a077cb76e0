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

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lovasz.base.device import threads_for
from lovasz.linalg.anderson import Anderson
from lovasz.number.solvers.algebra import norm, place
from lovasz.number.solvers.contract import Approximation, Bounds, Core, Referee
from lovasz.number.solvers.splitting import RELAXATION

POWER = 0.4
"""Exponent of the scaling that puts the rows in balance."""
FLOOR = 1e-4
"""Smallest entry of d before the power is taken, in units of its largest."""
MEMORY = 25
"""Number of differences that Anderson acceleration keeps."""
LEAST_MEMORY = 10
"""Number of differences that are kept however much memory they take."""
MEMORY_BYTES = 2e9
"""Memory in bytes beyond which fewer than MEMORY differences are kept."""
ROUND = 150
"""Number of iterations with the same d."""
PATIENCE = 16
"""Number of rounds in which the gap has to fall by a third."""


@dataclass(frozen=True)
class ScaledSplitting:
    """Continue ``start`` until the certificate, tried once per round, is within the tolerance.

    ``PATIENCE`` rounds that do not narrow the gap by a third end the search.
    """

    most: int = 10_000
    """Largest number of iterations, those of ``start`` included."""
    name: str = "scaled splitting"

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """See :class:`.contract.Solver`; ``start`` must have a matrix and edge values."""
        if start is None or start.matrix is None:
            raise ValueError("scaled splitting continues another solver: pass its matrix as start")
        memory = int(min(max(MEMORY_BYTES / (16 * core.graph.n**2), LEAST_MEMORY), MEMORY))
        with threads_for(core.graph.n):
            state, found, gaps = ScaledState(core, start, start.matrix), start, [np.inf]
            while state.iterations < self.most and not referee.stop():
                state.iterate(Anderson(memory), referee)
                found = state.approximation()
                bounds = referee.certify(found)
                gaps.append(bounds.gap)
                slow = len(gaps) > PATIENCE and 1.5 * gaps[-1] > gaps[-PATIENCE]
                if gaps[-1] <= referee.tol or slow:
                    break
                state.rescale(bounds)
        return replace(found, converged=gaps[-1] <= referee.tol)


class ScaledState:
    """W, d and what the last projection made of them."""

    def __init__(self, core: Core, start: Approximation, X: np.ndarray) -> None:
        self.on, self.iterations = place(core.device), start.iterations
        put, c = self.on.put, np.asarray(core.c, dtype=np.float64)
        i, j = core.graph.edges()
        Z = -np.outer(c, c)
        Z[i, j] += start.edge_values
        Z[j, i] = Z[i, j]
        self.c, self.i, self.j = put(c), put(i.astype(np.int64)), put(j.astype(np.int64))
        self.X, self.Z = put(X), put(Z)
        diagonal = self.on.diagonal(self.Z)
        diagonal -= float(self.on.eigvalsh(self.Z)[0])
        self.bias = 1.0
        self._scale()

    def _scale(self) -> None:
        """Choose d from X and Z, and compute W."""
        d = balance(self.X, self.Z) ** POWER
        both = d[:, None] * d
        size = norm((self.X / both).reshape(-1)) / norm((self.Z * both).reshape(-1))
        self.d = d * (self.bias * size) ** 0.25
        self.both, self.squares = self.d[:, None] * self.d, self.d**2
        scaled = self.d * self.c
        self.goal = scaled[:, None] * scaled
        self.W = self.X / self.both - self.Z * self.both

    def iterate(self, accelerate: Anderson, referee: Referee) -> None:
        """Do ROUND iterations with the same d, or fewer if the referee stops them; project."""
        for _ in range(ROUND):
            self.project()
            if referee.stop():
                return
            referee.show(self.approximation)
            self.W = accelerate(self.W, self.step())
        self.project()

    def project(self) -> None:
        """Compute X̃ and Z̃ = X̃ − W."""
        values, Q = self.on.eigh(self.W)
        below = int((values <= 0).sum())
        V = Q[:, below:] * values[below:] ** 0.5
        self.primal = V @ V.T
        self.dual = self.primal - self.W
        self.iterations += 1

    def step(self) -> Any:
        """The image of W."""
        Y = self.primal + self.dual
        Y += self.goal
        Y[self.i, self.j] = Y[self.j, self.i] = 0.0
        diagonal = self.on.diagonal(Y)
        lacking = 1 - float(self.squares @ diagonal)
        diagonal += lacking / float(self.squares @ self.squares) * self.squares
        Y *= RELAXATION
        Y += (1 - RELAXATION) * self.primal
        Y -= self.dual
        return Y

    def _pair(self) -> tuple[Any, Any]:
        """X of trace 1, and Z."""
        X = self.primal * self.both
        return X / float(X.trace()), self.dual / self.both

    def approximation(self) -> Approximation:
        """The pair that the last projection gave."""
        X, Z = self._pair()
        y = Z[self.i, self.j] + self.c[self.i] * self.c[self.j]
        return Approximation(self.on.get(y), matrix=self.on.get(X), iterations=self.iterations)

    def rescale(self, bounds: Bounds) -> None:
        """Choose d anew. ϑ lies between the two bounds, near the multiplier of the trace."""
        lower, upper = bounds
        self.X, self.Z = self._pair()
        diagonal, weight = self.on.diagonal(self.Z) + self.c**2, self.squares**2
        margin = 0.02 * (upper - lower)
        t = min(max(float(weight @ diagonal / weight.sum()), lower + margin), upper - margin)
        self.bias *= min(max(((upper - t) / (t - lower)) ** 0.5, 1 / 3), 3.0)
        self._scale()


def balance(X: Any, Z: Any, rounds: int = 60) -> Any:
    """0 < d ≤ 1 with ‖(D⁻¹XD⁻¹)_i‖ = f ‖(DZD)_i‖ for all i and some f, as near as it comes."""
    d = 0 * X[0] + 1
    for _ in range(rounds):
        both = d[:, None] * d
        ratio = ((X / both) ** 2).sum(1) / ((Z * both) ** 2).sum(1)
        d = d * ratio**0.125
        d = (d / d.max()).clip(min=FLOOR)
    return d
