"""What is kept of a computation so that its bounds can be proven to others.

The evidence of a graph is a tree that follows the computation: parts, the evidence of each part,
and at the leaves what a core has: a kernel or a clique cover for its upper bound, and for its
lower bound an independent set or what a solver returned. Everything is kept as it comes and
costs nothing; :mod:`.handover` makes a proof of it when one is saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import sparse

from lovasz.base.surds import Surd
from lovasz.graphs import Graph


@dataclass(frozen=True)
class CoreEvidence:
    """What bounds ϑ of a core; one of the three fields for the lower bound is given."""

    upper: float
    """t with t K ⪰ √w√wᵀ, or the weight of the cover."""
    kernel: sparse.csr_array
    """K, which is that of the cover if there is one."""
    cover: np.ndarray | None = None
    """The clique of each node."""
    independent: np.ndarray | None = None
    """Rows of an independent set."""
    matrix: np.ndarray | None = None
    """(n, n) X that only has to be close to a feasible one."""
    factor: np.ndarray | None = None
    """(n, r) V with X ≈ V Vᵀ."""
    dual: sparse.csr_array | None = None
    """Y with upper · I + Y ⪰ J, exactly, where there are no weights and that is known."""


@dataclass(frozen=True)
class RegularEvidence:
    """A strongly regular graph, of which nothing but the graph needs to be known."""

    n: int


@dataclass(frozen=True)
class IsolatedEvidence:
    """Nodes without edges."""

    n: int


@dataclass(frozen=True)
class SplitEvidence:
    """A disjoint union or a join."""

    parts: Sequence[np.ndarray]
    """The rows of each part."""
    evidence: Sequence[Evidence]
    """The evidence of each part."""
    best: int | None = None
    """The part of a join whose lower bound is the largest; None for a disjoint union."""


@dataclass(frozen=True)
class LiftedEvidence:
    """A graph that was reduced to the nodes ``kept``."""

    kept: np.ndarray
    representative: np.ndarray
    evidence: Evidence


Evidence = CoreEvidence | RegularEvidence | IsolatedEvidence | SplitEvidence | LiftedEvidence
"""What proves both bounds of a graph."""


@dataclass(frozen=True)
class ProofMaterial:
    """All that a saved proof is made of."""

    graph: Graph
    weights: np.ndarray
    variant: str
    complement: bool
    lower: float
    upper: float
    exact: Fraction | Surd | None
    evidence: Evidence
