"""How fast this machine is at ϑ and at training, beside a peer on the same graphs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from lovasz.base.extras import require
from lovasz.graphs import Graph, families
from lovasz.number import theta

TOL = 1e-6
"""The accuracy that ϑ is computed to, by us and by the peer."""
THETA: dict[str, Callable[[], Graph]] = {
    "G(50, 1/2)": lambda: families.gnp(50, 0.5, seed=1),
    "G(100, 1/2)": lambda: families.gnp(100, 0.5, seed=1),
    "G(200, 1/2)": lambda: families.gnp(200, 0.5, seed=1),
    "hamming(8, {1, 2})": lambda: families.hamming(8, {1, 2}).to_graph(),
    "mean degree 4": lambda: families.gnp(10_000, 4 / 10_000, seed=1),
}
"""The graphs of the ϑ benchmark: dense random ones, a symmetric one, and a large sparse one."""
PEER_NODES = 200
"""The peer of ϑ solves no larger graph; it would take minutes."""
REPEATS = 3
"""Number of times that everything is measured; rows show medians."""
EPOCHS = 40
"""Number of epochs of a training."""
WARM = 3
"""The first epochs do not count."""
PER_CLASS, VALIDATION = 20, 500
"""Training nodes per class, and validation nodes, as in the public splits."""


class Row(NamedTuple):
    """One graph, and how long we and the peer took."""

    task: str
    """Either "theta" or "train"."""
    graph: str
    n: int
    m: int
    seconds: float
    """Of ϑ, or of an epoch."""
    lower: float | None = None
    """The bounds on ϑ."""
    upper: float | None = None
    peer: str | None = None
    """The name of the peer, if there is one."""
    peer_seconds: float | None = None
    peer_error: float | None = None
    """How far the peer's ϑ lies outside our interval, relative to ϑ."""

    @property
    def ratio(self) -> float | None:
        """How many times longer the peer took."""
        return None if self.peer_seconds is None else self.peer_seconds / self.seconds


def check_peers(task: str, *, peers: bool) -> None:
    """Raise unless the packages that a task needs are installed."""
    if task == "train":
        require("torch", what="lovasz bench train")
    if peers:
        require({"theta": "scs", "train": "torch_geometric"}[task], what="lovasz bench --peers")


def time_theta(*, peers: bool, repeats: int = REPEATS) -> Iterator[Row]:
    """Time ϑ of every graph in ``THETA``, after one solution of each, which loads the engine."""
    from lovasz.baselines.direct_scs import theta_by_scs

    for name, draw in THETA.items():
        graph = draw()
        found = theta(graph, tol=TOL, device="cpu")
        row = Row(
            "theta", name, graph.n, graph.m,
            median(_clock(partial(theta, graph, tol=TOL, device="cpu"), repeats)),
            found.lower, found.upper,
        )  # fmt: skip
        if peers and graph.n <= PEER_NODES:
            value = theta_by_scs(graph, TOL)
            error = max(found.lower - value, value - found.upper, 0.0) / found.upper
            seconds = median(_clock(partial(theta_by_scs, graph, TOL), repeats))
            row = row._replace(peer="SCS", peer_seconds=seconds, peer_error=error)
        yield row


def time_training(*, peers: bool, repeats: int = REPEATS, epochs: int = EPOCHS) -> Iterator[Row]:
    """Time an epoch of the network of the paper on graphs as large as Cora and Pubmed."""
    from lovasz.baselines.epochs import SHAPES, draw_labelled, our_epochs, pyg_epochs

    for name, shape in SHAPES.items():
        task = draw_labelled(shape, PER_CLASS * shape.classes, VALIDATION)
        ours = [median(our_epochs(task, epochs)[WARM:]) for _ in range(repeats)]
        row = Row("train", name, task.graph.n, task.graph.m, median(ours))
        if peers:
            theirs = [median(pyg_epochs(task, epochs)[WARM:]) for _ in range(repeats)]
            row = row._replace(peer="PyG", peer_seconds=median(theirs))
        yield row


def _clock(run: Callable[[], Any], repeats: int) -> list[float]:
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    return seconds
