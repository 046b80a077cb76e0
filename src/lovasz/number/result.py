"""What ``theta`` returns, and what its parts pass to each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from scipy import sparse


@dataclass(frozen=True)
class Theta:
    """ϑ(G): an interval that provably contains it, and a kernel that attains its upper end."""

    value: float
    """The best guess, inside the interval; an integer when the proof leaves no other."""
    lower: float
    upper: float
    kernel: sparse.csr_array
    """K in 𝒦(G) with upper · K ⪰ J, rows in the order of ``nodes``; with weights J is √w√wᵀ.

    ϑ′ has K ≤ 0 instead of 0 on the non-edges, ϑ⁺ also K ≥ 0 on the edges.
    """
    nodes: Sequence[Hashable]
    status: str
    """"optimal", or what stopped the search and what to try."""
    seconds: float
    method: str
    """What solved the cores, such as "reduction" or "interior point (3), clique cover (1)"."""
    reduction: dict[str, int]
    """Nodes removed by each rule, and what was left: cores, their nodes, the largest."""

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return (self.upper - self.lower) / self.upper if self.upper else 0.0

    def __repr__(self) -> str:
        return (
            f"Theta({self.value:.10g} in [{self.lower!r}, {self.upper!r}], "
            f"{self.status.partition(':')[0]}, {self.method}, {self.seconds:.2f} s)"
        )


@dataclass(frozen=True)
class Solution:
    """Proven bounds for a part of the graph, with the kernel of the upper one."""

    lower: float
    upper: float
    kernel: sparse.csr_array
    methods: tuple[str, ...]
    """One word a core."""
    sizes: tuple[int, ...] = ()
    """Nodes of each core that needed work."""
