"""What ``theta`` returns, and what the steps of its computation pass to each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from scipy import sparse

from lovasz.base.display import as_html
from lovasz.base.errors import LovaszError
from lovasz.base.surds import Surd
from lovasz.linalg.kernel_matrix import Kernel
from lovasz.number.proofs.evidence import Evidence, ProofMaterial
from lovasz.number.symmetry.scheme_kernel import SchemeKernel


@dataclass(frozen=True)
class Theta:
    """ϑ(G): an interval that contains it, and a kernel that attains its upper end.

    The interval is proven, or its upper end holds with a probability of at least 1 − 10⁻¹²:
    ``certificate`` says which.

    >>> import lovasz
    >>> result = lovasz.theta([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])  # the 5-cycle
    >>> result.status, result.lower <= 5**0.5 <= result.upper, result.gap < 1e-6
    ('optimal', True, True)
    >>> result.certificate
    'proven'
    """

    value: float
    """The best estimate, inside the interval: an integer if the lower bound is one and tight."""
    lower: float
    """A proven lower bound."""
    upper: float
    """An upper bound: proven, or with a probability of at least 1 − 10⁻¹², see ``certificate``."""
    kernel: Kernel | SchemeKernel
    """K in 𝒦(G) with upper · K ⪰ J, rows in the order of ``nodes``; with weights J is √w√wᵀ.

    That K is positive semidefinite, and upper · K ⪰ J, is as certain as ``upper``.
    For ϑ′, K ≤ 0 instead of K = 0 on the non-edges; for ϑ⁺, also K ≥ 0 on the edges. Of a
    :class:`~lovasz.graphs.symmetric_graph.SymmetricGraph` it is not written down: see
    :class:`~lovasz.number.symmetry.scheme_kernel.SchemeKernel`, which ``tocsr()`` converts.
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
    exact_number: Fraction | Surd | None = None
    """ϑ itself as a number, where it was recognised and proven, else None."""
    material: ProofMaterial | None = field(default=None, repr=False, compare=False)
    """What :meth:`save` makes a proof of."""
    fallback: float | None = None
    """A proven upper bound where ``upper`` is probabilistic; None where ``upper`` is proven."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a proof of both bounds, which :func:`lovasz.verify` checks, to an npz file.

        What is written has been checked. It proves ``lower`` and ``proven_upper``, which is not
        ``upper`` if the certificate is "probabilistic". Its bounds may be wider than these by a few
        roundings, because the checker allows for more of them.
        """
        from lovasz.number.proofs.handover import save_proof

        if isinstance(self.kernel, SchemeKernel):
            raise LovaszError(
                "a proof is about a graph that is written down: call theta(graph.to_graph()), or, "
                "for the command, lovasz.write_graph(graph.to_graph(), 'graph.csv') in Python"
            )
        if self.material is None:
            raise LovaszError(
                "nothing was kept that a proof could be made of; weights must be doubles between "
                "2**-60 and 2**60 for that"
            )
        save_proof(self.material, path)

    @property
    def exact(self) -> str | None:
        """ϑ itself, such as "16/3" or "1865+sqrt(5)", if it was recognised and proven, else None.

        >>> import lovasz
        >>> lovasz.theta([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).exact
        'sqrt(5)'
        """
        return None if self.exact_number is None else str(self.exact_number)

    @property
    def certificate(self) -> str:
        """What holds of ``upper``: "proven", or "probabilistic" if only with that probability.

        The probability is over random vectors drawn during the computation, whatever the graph.
        Everything else about a result is proven in either case.
        """
        return "proven" if self.fallback is None else "probabilistic"

    @property
    def proven_upper(self) -> float:
        """The best proven upper bound, which is ``upper`` itself unless that is probabilistic."""
        return self.upper if self.fallback is None else self.fallback

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
            f"{'' if self.exact is None else f'exactly {self.exact}, '}"
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
    evidence: Evidence | None = None
    """What proves the bounds, of which the upper one is ``proven_upper``, if it was kept."""
    exact: Fraction | Surd | None = None
    """ϑ of the part, if it is known."""
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
