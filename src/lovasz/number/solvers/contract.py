"""The contract of solvers: ``Solver(options).solve(core, referee, start) -> Approximation``.

A solver only has to come close. Nothing it returns is trusted: the referee certifies it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from lovasz.graphs import Graph
from lovasz.number.variants import Variant

STALL = 1.3
"""Factor by which a certificate must improve on the last but one, or the search has stalled."""


@dataclass(frozen=True)
class Core:
    """A pair of semidefinite programmes,

    max cᵀXc  over X ⪰ 0, tr X = 1, X_ij = 0 on edges, and
    min t     over t I + A*(y) − c cᵀ ⪰ 0, A*(y) supported on the edges,

    or one of their variants, and the place where they are to be solved.
    """

    graph: Graph
    c: np.ndarray
    """(n,) square roots of the node weights; all ones if there are none."""
    variant: Variant = Variant.LOVASZ
    device: str = "cpu"
    """``"cpu"`` computes with NumPy; every other name is a device of torch."""


@dataclass(frozen=True)
class Approximation:
    """An approximate pair of solutions of a :class:`Core`."""

    edge_values: np.ndarray | None
    """(m,) y on the edges, in the order of ``graph.edges()``."""
    factor: np.ndarray | None = None
    """(n, r) V with X ≈ V Vᵀ; either this or ``matrix`` is given."""
    matrix: np.ndarray | None = None
    """(n, n) X; either this or ``factor`` is given."""
    t: float | None = None
    """λ_max(c cᵀ − A*(y)), if it is known up to rounding."""
    excess: np.ndarray | None = None
    """(n, n) S ≥ 0 on the non-edges with t I + A*(y) − S − c cᵀ ⪰ 0, for ϑ′ only.

    Its entries on the edges and on the diagonal are ignored.
    """
    solution: np.ndarray | None = None
    """(n,) z with (I + A*(y)/t) z ≈ c, for large sparse graphs, where it is known."""
    device: str = "cpu"
    """Where the bounds of large sparse graphs are computed."""
    iterations: int = 0
    converged: bool = False
    """Whether the solver reached its goal, so that no other solver would do better."""


class Bounds(NamedTuple):
    """The best bounds on ϑ of a core that are proven so far."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return (self.upper - self.lower) / self.upper


def never() -> bool:
    """Do not stop."""
    return False


def _believe(approximation: Approximation) -> Bounds:
    return Bounds(1.0, 1.0)


def unlimited() -> float:
    """The seconds that are left where there is no limit."""
    return math.inf


def _ignore(make: Callable[[], Approximation]) -> None:
    return None


@dataclass(frozen=True)
class Referee:
    """Tells a solver how far to go, and hears from it."""

    tol: float
    """The relative gap that the certified bounds should reach."""
    stop: Callable[[], bool] = never
    """Polled once per iteration; when it is true, the solver returns what it has."""
    certify: Callable[[Approximation], Bounds] = _believe
    """Called when a solver expects to be done, and with whatever it returns."""
    show: Callable[[Callable[[], Approximation]], None] = _ignore
    """Called in between; it makes and certifies the approximation now and then."""
    left: Callable[[], float] = unlimited
    """Seconds until the time limit, for solvers whose last certificate takes long."""


class Solver(Protocol):
    """What every solver offers. The options of a solver are the fields of its dataclass."""

    @property
    def name(self) -> str:
        """What :attr:`lovasz.number.Theta.method` calls it."""

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """Approximate the solutions of ``core``; what is returned has been certified.

        ``start`` is what the previous solver returned. Solvers that have no use for it ignore it.
        """


def has_stalled(gaps: Sequence[float]) -> bool:
    """Whether the last of the certified gaps is hardly better than the last but one before it."""
    return len(gaps) > 3 and gaps[-1] * STALL > gaps[-3]
