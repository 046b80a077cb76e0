"""What ``theta`` returns, and what the steps of its computation pass to each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from scipy import sparse

from lovasz.base.display import as_html


@dataclass(frozen=True)
class Theta:
    """ϑ(G): an interval that provably contains it, and a kernel that attains its upper end.

    >>> import lovasz
    >>> result = lovasz.theta([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])  # the 5-cycle
    >>> result.status, result.lower <= 5**0.5 <= result.upper, result.gap < 1e-6
    ('optimal', True, True)
    """

    value: float
    """The best estimate, inside the interval: an integer if the lower bound is one and tight."""
    lower: float
    """A proven lower bound."""
    upper: float
    """A proven upper bound."""
    kernel: sparse.csr_array
    """K in 𝒦(G) with upper · K ⪰ J, rows in the order of ``nodes``; with weights J is √w√wᵀ.

    For ϑ′, K ≤ 0 instead of K = 0 on the non-edges; for ϑ⁺, also K ≥ 0 on the edges.
    """
    nodes: Sequence[Hashable]
    """The names of the nodes."""
    status: str
    """"optimal", or what ended the search and what to try."""
    seconds: float
    """Wall-clock time of the computation."""
    method: str
    """What solved the cores, such as "reduction" or "interior point (3), clique cover (1)"."""
    reduction: dict[str, int]
    """Number of nodes that each rule removed, of cores, of nodes left, and of the largest core."""

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return (self.upper - self.lower) / self.upper if self.upper else 0.0

    def _repr_html_(self) -> str | None:
        return as_html(self)

    def __repr__(self) -> str:
        return (
            f"Theta({self.value:.10g} in [{self.lower!r}, {self.upper!r}], "
            f"{self.status.partition(':')[0]}, {self.method}, {self.seconds:.2f} s)"
        )


@dataclass(frozen=True)
class Solution:
    """Proven bounds of a part of the graph, with the kernel of the upper one."""

    lower: float
    upper: float
    kernel: sparse.csr_array
    methods: tuple[str, ...]
    """The name of the method that solved each core."""
    sizes: tuple[int, ...] = ()
    """The number of nodes of each core that a solver worked on."""
