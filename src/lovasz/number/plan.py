"""Which solvers suit a core, and in which order they are tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lovasz.base.device import pick_device_name
from lovasz.base.errors import LovaszError
from lovasz.base.memory import free_memory
from lovasz.graphs import Graph
from lovasz.number.solvers.contract import Solver
from lovasz.number.solvers.interior_point import InteriorPoint, schur_size
from lovasz.number.solvers.low_rank import LowRankSweeps, first_rank
from lovasz.number.solvers.low_rank_rows import SWEEP_SECONDS
from lovasz.number.solvers.scaled_splitting import ScaledSplitting
from lovasz.number.solvers.splitting import DenseSplitting
from lovasz.number.variants import Variant

DENSE_UP_TO = {"cpu": 8_000, "cuda": 20_000}
"""Number of nodes up to which n × n arrays are formed, by kind of device."""
SPARSE_FROM = 300
"""Number of nodes from which sparse graphs are solved by low-rank sweeps."""
SPARSE_DEGREE = 30
"""Mean degree up to which a graph counts as sparse."""
SPARSE_DEGREE_LARGE = 42
"""The same for graphs of SPARSE_LARGE nodes and more, see benchmarks/engines.txt."""
SPARSE_LARGE = 900
"""See SPARSE_DEGREE_LARGE."""
SPARSE_BESIDE_GPU = 14
"""The same where a GPU would do the dense work. At this degree sweeps on the CPU take half a second
for 1,000 nodes, and a dense solution on a GPU about one."""
INTERIOR_FIRST = 1_000
"""Order of the Schur matrix up to which the interior point is tried before anything else."""
INTERIOR_SPARSE = {"cpu": 7, "cuda": 12}
"""The same, in multiples of the number of nodes; the larger of the two limits holds."""
INTERIOR_AT_ALL = {"cpu": 25_000, "cuda": 120_000}
"""Order of the Schur matrix up to which the interior point is tried when splitting stalls."""
INTERIOR_DEAR = 8_000
"""Order of the Schur matrix from which the interior point takes minutes on the CPU."""
INTERIOR_SOON = 3_000
"""Order of the Schur matrix up to which low-rank sweeps have only FEW_PERIODS for ϑ, and splitting
only FEW_ITERATIONS for ϑ′ and ϑ⁺, whose signs may make it go in circles."""
FEW_ITERATIONS = 500
"""Number of iterations of splitting where the interior point comes soon."""
FEW_PERIODS = 200
"""Number of periods of low-rank sweeps where the interior point comes soon."""
PERIODS = 3000
"""Number of periods of low-rank sweeps otherwise."""
ITERATIONS = 5000
"""Number of iterations of splitting otherwise."""
SCHUR_RATE = {"cpu": 3e10}
"""Operations per second that the factorisation of a Schur matrix is expected to do."""
CERTIFICATE_SECONDS = {"cpu": 1e-9, "cuda": 1e-10}
"""Seconds per cube of the number of nodes that a dense certificate and the first iteration of
splitting take together at most. On two quiet cores they take about a third of this."""
ONE_WEIGHT_SECONDS = 5e-7
"""Seconds per edge of the search for one weight for all edges; its proof is a single factorisation,
which takes a 25th of a whole certificate."""
FEWEST_SWEEPS = 40
"""Number of low-rank sweeps that are worth while, counting their certificate."""
DEVICE_FROM = 400
"""Number of nodes from which a GPU is used, or a tenth of the order of the Schur matrix."""
PATIENCE = 200
"""Number of iterations in which the residual of splitting has to halve."""
PATIENCE_DEAR = 1000
"""The same where the interior point that would follow is dear."""
PATIENCE_HASTY = 100
"""Number of iterations in which it has to fall by FALL_HASTY where what follows is not dear."""
FALL_HASTY = 4.0
"""See PATIENCE_HASTY."""


class Attempt(NamedTuple):
    """One solver, and the variant that it is to solve."""

    solver: Solver
    variant: Variant
    least: float = 0.0
    """Seconds that it takes at least; it is not begun if fewer are left."""
    foresees: bool = False
    """Whether it sees to it by itself that its last certificate fits into a time limit."""


class Plan(NamedTuple):
    """What suits a core, judged by its size."""

    variant: Variant
    dense: bool
    """Whether n × n arrays fit."""
    slim: bool
    """Whether to do without n × n arrays, by low-rank sweeps, which do not solve ϑ′."""
    first: bool
    """Whether the interior point is tried before anything else."""
    soon: bool
    """Whether the interior point is tried soon because signs may make splitting go in circles."""
    within: bool
    """Whether the interior point is tried when splitting stalls."""
    near: bool
    """Whether the interior point takes so little that others are to be done soon."""
    dear: bool
    """Whether the interior point takes long or is out of reach."""
    scaled: bool
    """Whether splitting goes on in the scale of the nodes when it stalls."""
    hasty: bool
    """Whether the plain splitting is given up soon, because what follows is better."""
    iteration: float
    """Seconds of an iteration of the interior point, at least."""
    certificate: float
    """Seconds that a dense certificate is expected to take."""
    one_weight: float
    """Seconds that the bound by one weight for all edges is expected to take."""
    sweeps: float
    """Seconds that the fewest low-rank sweeps of any use are expected to take."""
    plain_first: bool
    """Whether ϑ is solved first because the interior point of ϑ′ or ϑ⁺ is larger."""

    @classmethod
    def of(cls, graph: Graph, variant: Variant, device: str) -> Plan:
        """Make the plan of a core."""
        kind, n = device.partition(":")[0], graph.n
        size = schur_size(graph, variant)
        few = max(INTERIOR_FIRST, INTERIOR_SPARSE.get(kind, 0) * n)
        dense = n <= DENSE_UP_TO.get(kind, 0)
        within = size <= INTERIOR_AT_ALL.get(kind, 0) and interior_fits(n, size, device) and dense
        dear = not within or (kind == "cpu" and size > INTERIOR_DEAR)
        degree = SPARSE_DEGREE if n < SPARSE_LARGE else SPARSE_DEGREE_LARGE
        degree = degree if kind == "cpu" else SPARSE_BESIDE_GPU
        thin = n >= SPARSE_FROM and 2 * graph.m <= degree * n
        slim = (thin and variant is not Variant.SCHRIJVER) or not dense
        return cls(
            variant=variant,
            dense=dense,
            slim=slim,
            first=within and size <= few and not slim,
            soon=within and size <= INTERIOR_SOON and variant.sign != 0,
            within=within,
            near=within and size <= INTERIOR_SOON,
            dear=dear,
            scaled=dear and not slim and not variant.sign,
            hasty=(dear or kind != "cpu") and not slim and not variant.sign,
            iteration=size**3 / 3 / SCHUR_RATE[kind] if kind in SCHUR_RATE else 0.0,
            certificate=CERTIFICATE_SECONDS.get(kind, 0.0) * n**3,
            one_weight=CERTIFICATE_SECONDS["cpu"] / 25 * n**3 + ONE_WEIGHT_SECONDS * graph.m,
            sweeps=FEWEST_SWEEPS
            * SWEEP_SECONDS.get(kind, SWEEP_SECONDS["cpu"])
            * graph.m
            * first_rank(n, graph.m),
            plain_first=dense and schur_size(graph) <= few < size,
        )

    def attempts(self, solver: str) -> Iterator[Attempt]:
        """The solvers to try in turn until the bounds are close enough.

        ``solver`` is "auto", "interior", "splitting" or "low-rank".
        """
        auto, least = solver == "auto", self.iteration + self.certificate
        interior = Attempt(InteriorPoint(), self.variant, least)
        if auto and self.plain_first:  # nothing else is needed where ϑ = α, or X ≥ 0
            yield Attempt(InteriorPoint(), Variant.LOVASZ, self.certificate)
        if solver == "interior" or (auto and self.first):
            yield interior
        if solver == "interior":
            return
        if solver == "low-rank" or (self.slim and (auto or not self.dense)):
            yield Attempt(self.low_rank(auto=auto), self.variant, self.sweeps, foresees=True)
        else:
            yield Attempt(self.splitting(auto=auto), self.variant, self.certificate)
        if self.scaled and solver != "low-rank":
            yield Attempt(ScaledSplitting(), self.variant, 2 * self.certificate)
        if auto and self.within and not self.first:
            yield interior

    def low_rank(self, *, auto: bool) -> Solver:
        """Low-rank sweeps, fewer of them where an interior point takes little and may follow."""
        return LowRankSweeps(most=FEW_PERIODS if self.near and auto else PERIODS)

    def splitting(self, *, auto: bool) -> Solver:
        """The splitting of a core; ``auto`` if an interior point may follow."""
        goes_on = self.scaled or (auto and self.within)
        patience = PATIENCE_DEAR if self.dear else PATIENCE
        if self.hasty:
            patience = PATIENCE_HASTY
        ends = goes_on and (self.scaled or not self.first)
        return DenseSplitting(
            most=FEW_ITERATIONS if self.soon and auto else ITERATIONS,
            patience=patience if ends else None,
            fall=FALL_HASTY if self.hasty else 2.0,
            may_stall=goes_on,
        )


def place_core(graph: Graph, variant: Variant, device: str) -> str:
    """The device for a core, which is the CPU for small ones."""
    large = graph.n >= DEVICE_FROM or schur_size(graph, variant) >= 10 * DEVICE_FROM
    return pick_device_name(device) if large else "cpu"


def interior_fits(n: int, size: int, device: str) -> bool:
    """Whether memory has room for a Schur matrix of this size and some thirty n × n matrices."""
    if size <= INTERIOR_FIRST:
        return True
    if device == "cpu":
        free = free_memory()
    else:
        import torch

        free = torch.cuda.mem_get_info(device)[0]
    return 8 * (size**2 + 30 * n**2) <= 0.9 * free


def refuse_too_large(graph: Graph, variant: Variant) -> None:
    """Raise the error for a core that the interior point cannot hold."""
    size = schur_size(graph, variant)
    raise LovaszError(
        f"the interior point needs a matrix of {size:,} rows for a core of {graph.n:,} nodes, "
        "which is too large; use solver='auto' or 'splitting'"
    )
