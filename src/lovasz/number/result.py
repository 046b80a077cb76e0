"""What ``theta`` returns, and what the steps of its computation pass to each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from scipy import sparse

from lovasz.base.display import as_html


@dataclass(frozen=True)
class Theta:
    """ϑ(G): an interval that contains it, and a kernel that attains its upper end.

    The interval is proven, or its upper end holds with a probability of at least 1 − 10⁻¹²:
    ``certificate`` says which.
    """

    value: float
    """The best estimate, inside the interval: an integer if the lower bound is one and tight."""
    lower: float
    """A proven lower bound."""
    upper: float
    """An upper bound: proven, or with a probability of at least 1 − 10⁻¹², see ``certificate``."""
    kernel: sparse.csr_array
    """K in 𝒦(G) with upper · K ⪰ J, rows in the order of ``nodes``; with weights J is √w√wᵀ.

    That K is positive semidefinite, and upper · K ⪰ J, is as certain as ``upper``.

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

    proven: float | None = None
    """A proven upper bound where ``upper`` is probabilistic; None where ``upper`` is proven."""

    @property
    def certificate(self) -> str:
        """What holds of ``upper``: "proven", or "probabilistic" if only with that probability.

        The probability is over random vectors drawn during the computation, whatever the graph.
        Everything else about a result is proven in either case.
        """
        return "proven" if self.proven is None else "probabilistic"

    @property
    def proven_upper(self) -> float:
        """The best proven upper bound, which is ``upper`` itself unless that is probabilistic."""
        return self.upper if self.proven is None else self.proven

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return (self.upper - self.lower) / self.upper if self.upper else 0.0

    def _repr_html_(self) -> str | None:
        return as_html(self)

    def __repr__(self) -> str:
        how = "" if self.certificate == "proven" else f"{self.certificate}, "
        return (
            f"Theta({self.value:.10g} in [{self.lower!r}, {self.upper!r}], {how}"
            f"{self.status.partition(':')[0]}, {self.method}, {self.seconds:.2f} s)"
        )


@dataclass(frozen=True)
class Solution:
    """Bounds of a part of the graph, with the kernel of the upper one."""

    lower: float
    upper: float
    kernel: sparse.csr_array
    methods: tuple[str, ...]
    """The name of the method that solved each core."""
    sizes: tuple[int, ...] = ()
    """The number of nodes of each core that a solver worked on."""
    proven: float | None = None
    """A proven upper bound where ``upper`` is only probable; None where ``upper`` is proven."""

    @property
    def proven_upper(self) -> float:
        """The proven upper bound."""
        return self.upper if self.proven is None else self.proven


def proven_beside(
    solutions: Sequence[Solution], combine: Callable[[list[float]], float]
) -> float | None:
    """``combine`` of the proven upper bounds of parts, or None if all upper bounds are proven."""
    if all(part.proven is None for part in solutions):
        return None
    return combine([part.proven_upper for part in solutions])
