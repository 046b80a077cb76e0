"""The Lovász kernel, by name: on the face { K ∈ 𝒦(G) : K ⪰ J/ϑ } of optimal kernels, or near it.

The optimal kernel is not unique, and the choice decides what a network learns. ``lifted`` is the
kernel that the computation of ϑ returns, an extreme point where dominated nodes collapse onto each
other; it is on the face up to the gap of the bounds on ϑ. ``central`` has the least norm, and
``nearest`` is closest to a given matrix. Both are projections, so they are unique:

    min ‖K − K₀‖_F  over  K ∈ 𝒦(G),  K ⪰ J / (ϑ (1+ε)),

component by component, with ε > 0 to give the set an interior. So they are off the face by design:
the least t with K ⪰ J/t, which is 1ᵀK⁻¹1 of an invertible K, is (1+ε)ϑ, 1 % above ϑ by default, to
the tolerance of the iteration. In Z = K − J/t the entries on the diagonal and off the graph are
fixed, and those on edges are free. The method is Douglas–Rachford
splitting between that set and Z ⪰ 0, with Anderson acceleration and one eigendecomposition per
iteration.
"""

from __future__ import annotations

from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.checks import is_number
from lovasz.base.deadline import Deadline, check_time_limit, crowding
from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs import Graph
from lovasz.kernels.by_component import SPARSE
from lovasz.linalg.eigenvalues import DENSE_SECONDS

if TYPE_CHECKING:
    from lovasz.number import Theta

CHOICES = ("central", "lifted", "nearest")
"""The names of the choices."""
STEP = 0.3
"""Step of the splitting. 0.1 to 0.3 took the fewest iterations on block models, UCI and MNIST."""
MOST = 2000
"""Largest number of iterations of the splitting."""
THETA_SHARE = 0.5
"""Share of a time limit that ϑ of a component may take."""


class Optimal(NamedTuple):
    """A kernel on the face or near it, and the interval that provably contains ϑ(G)."""

    kernel: sparse.csr_array
    """K in 𝒦(G), with rows in the order of the nodes."""
    lower: float
    """A proven lower bound on ϑ(G)."""
    upper: float
    """A proven upper bound on ϑ(G)."""


def optimal(
    graph: Graph,
    *,
    choice: str = "central",
    nearest: Any = None,
    epsilon: float = 1e-2,
    tol: float = 1e-5,
    device: str = "auto",
    gap: float = 1e-6,
    theta_limit: float | None = None,
    time_limit: float | None = None,
) -> Optimal:
    """The kernel of :mod:`lovasz.kernels.optimal`; ``nearest=K0`` implies ``choice="nearest"``.

    ``tol`` bounds the distance from feasibility, a root mean square over the entries, before
    the last correction makes K provably positive semidefinite. The computation of ϑ ends at the
    relative ``gap`` of its bounds, or after ``theta_limit`` seconds for each component.

    After ``time_limit`` seconds the iteration ends where it is. K is in 𝒦(G) all the same, but
    farther from its target; it is the lifted kernel if there was no time for an iteration.
    """
    from lovasz.base.rounding import sum_outward
    from lovasz.graphs.operations import components, induced

    deadline = Deadline(time_limit)
    check_time_limit(theta_limit, "theta_limit")
    choice = "nearest" if nearest is not None else choice
    if choice not in CHOICES or (choice == "nearest" and nearest is None):
        raise LovaszError(
            f"lovasz choice={choice!r} is not known; use 'central', 'lifted', or nearest=K0"
        )
    if not (is_number(epsilon) and epsilon > 0):
        raise LovaszError(f"epsilon={epsilon!r} must be > 0")
    projection = Projection(epsilon, tol, gap, device, theta_limit, deadline)
    if choice == "lifted":
        return projection.lift(graph)
    K0 = sparse.csr_array(graph.adjacency.shape if nearest is None else nearest)
    if K0.shape != graph.adjacency.shape:
        raise LovaszError(f"nearest has shape {K0.shape} and the graph {graph.n} nodes")
    parts = components(graph)
    refuse_if_too_large("kernel 'lovasz'", 3 * max(len(part) for part in parts) ** 2, SPARSE)
    blocks: list[Optimal] = []
    for number, part in enumerate(parts):
        if number and deadline.over():
            rest = np.sort(np.concatenate(parts[number:]))
            blocks.append(projection.lift(induced(graph, rest)))
            parts = [*parts[:number], rest]
            break
        target = K0[part][:, part].toarray()
        blocks.append(projection.solve(induced(graph, part), target))
    back = np.argsort(np.concatenate(parts))
    K = sparse.csr_array(sparse.block_diag([block.kernel for block in blocks], format="csr"))
    bounds = sum_outward([(block.lower, block.upper) for block in blocks])
    return Optimal(sparse.csr_array(K[back][:, back]), *bounds)


class Projection(NamedTuple):
    """How the kernel of a component is found; the options of :func:`optimal`."""

    epsilon: float
    tol: float
    gap: float
    device: str
    theta_limit: float | None
    deadline: Deadline

    def bound(self, graph: Graph, share: float = 1.0) -> Theta:
        """Return ϑ, for which there is this share of the time that is left."""
        from lovasz.number import theta
        from lovasz.number.solvers.contract import never

        limits = [share * max(self.deadline.left(), 0.0)]
        limits += [] if self.theta_limit is None else [self.theta_limit]
        return theta(
            graph, tol=self.gap, device=self.device, time_limit=min(limits), stop=never, proven=True
        )

    def lift(self, graph: Graph) -> Optimal:
        """Return the kernel that the computation of ϑ returns."""
        found = self.bound(graph)
        return Optimal(found.kernel, found.lower, found.upper)

    def solve(self, graph: Graph, target: np.ndarray) -> Optimal:
        """Return the kernel of a connected graph that is nearest to ``target``."""
        if graph.n == 1:
            return Optimal(sparse.csr_array(np.ones((1, 1))), 1.0, 1.0)
        found = self.bound(graph, THETA_SHARE)
        t = found.upper * (1 + self.epsilon)
        K = _project(graph, t, target, self.tol, self.device, self.deadline)
        if K is None:
            return Optimal(found.kernel, found.lower, found.upper)
        return Optimal(sparse.csr_array(make_psd(K, graph)), found.lower, found.upper)


@wraps(optimal, assigned=())  # inspect.signature then finds the options
def lovasz(graph: Graph, **options: Any) -> sparse.csr_array:
    """The kernel of :func:`optimal`, with the same options, without the bounds."""
    return optimal(graph, **options).kernel


def _project(
    graph: Graph, t: float, target: np.ndarray, tol: float, device: str, deadline: Deadline
) -> np.ndarray | None:
    """The K nearest to ``target`` with K ⪰ J/t, or None if there is no time for it.

    K is as close as the iteration came. Its last correction takes about as long as an iteration.
    """
    from lovasz.base.device import pick_device_name, threads_for
    from lovasz.linalg.anderson import Anderson
    from lovasz.number.solvers.algebra import place

    n, algebra = graph.n, place(pick_device_name(device))
    held = graph.adjacency.toarray() == 0  # the entries whose values are given
    values = np.where(np.eye(n, dtype=bool), 1.0, 0.0)[held] - 1 / t
    aim = target - 1 / t
    W = aim.copy()
    W[held] = values
    held, values, aim, W = (algebra.put(array) for array in (held, values, aim, W))
    accelerate, X = Anderson(), None
    pace = DENSE_SECONDS * n**3 * crowding()
    with threads_for(n):
        for _ in range(MOST):
            if not deadline.allows(2 * pace):
                break
            began = monotonic()
            roots, Q = algebra.eigh(W)
            positive = int((roots > 0).sum())
            V = Q[:, n - positive :] * roots[n - positive :] ** 0.5
            U = V @ V.T
            X = (2 * U - W + STEP * aim) / (1 + STEP)
            X[held] = values
            if float(((X - U) ** 2).sum()) ** 0.5 < tol * n:
                break
            W = accelerate(W, W + 1.6 * (X - U))
            pace = monotonic() - began
    return None if X is None else algebra.get(X) + 1 / t


def make_psd(K: np.ndarray, graph: Graph) -> np.ndarray:
    """K pulled towards I until K ⪰ 0 is proven, zero off the graph and one on the diagonal."""
    from lovasz.linalg.eigenvalues import dense_largest
    from lovasz.number.proofs.certify import proves_psd

    K = np.where(graph.adjacency.toarray() != 0, (K + K.T) / 2, 0.0)
    np.fill_diagonal(K, 1.0)
    low = -dense_largest(-K)
    pull = max(0.0, -low) + 1e-13 * len(K)
    while True:
        mixed = K / (1 + pull)
        np.fill_diagonal(mixed, 1.0)
        if proves_psd(mixed.copy()):
            return mixed
        pull *= 2
