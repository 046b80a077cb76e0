"""Graph partition neural networks (Liao et al. 2018, arXiv 1803.06272), a baseline.

A node has a state of its own that hears its neighbours and is updated by a gated unit:

    h⁰ = tanh(X W_in),   m_v = Σ_{u~v} Â_vu W_msg h_u,   h_v ← GRU(h_v, m_v),
    f = softmax([h⁰, h] W_out).

What sets the network apart is when which edges speak: see :func:`plan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.kernels.local import normalize
from lovasz.nn.dropout import Dropout
from lovasz.nn.inputs import Inputs, as_index, as_inputs
from lovasz.nn.operators import Operator, as_operator
from lovasz.nn.partition import Partition, Step, partition, sweep
from lovasz.nn.train import Phases, Split, Targets, Training, fit, glorot, pick_device, stream_seed
from lovasz.progress import Callback

SCHEDULES = ("synchronous", "partition", "sequential")
WITHIN = ("synchronous", "sequential")
CLUSTERS = 5  # of the authors' configuration for Cora
CLIP = 5.0  # norm of a run's gradient; the authors' value


def train_gpnn(
    graph: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    features: Any = None,
    classes: int | None = None,
    hidden: int = 16,
    dropout: float = 0.5,
    lr: float = 0.01,
    weight_decay: float = 5e-4,
    epochs: int = 200,
    clusters: int | Partition | None = None,
    method: str = "flood",
    schedule: str = "partition",
    within: str = "synchronous",
    outer: int = 2,
    inner: int = 1,
    between: int = 1,
    seeds: Sequence[int] | None = None,
    partition_seed: int = 0,
    device: str = "auto",
    dtype: torch.dtype = torch.float32,
    callback: Callback | None = None,
) -> Training:
    seeds = range(len(splits)) if seeds is None else seeds
    if len(seeds) != len(splits):
        raise LovaszError(f"{len(seeds)} seeds for {len(splits)} splits; give one a split")
    graph = as_graph(graph)
    classes = int(y.max()) + 1 if classes is None else classes
    placed: dict[str, Any] = {"device": pick_device(device), "dtype": dtype}
    if not isinstance(clusters, Partition):
        clusters = min(CLUSTERS, graph.n) if clusters is None else clusters
        clusters = partition(graph, clusters, method=method, seed=partition_seed)
    steps = plan(
        graph, clusters, schedule=schedule, within=within, outer=outer, inner=inner, between=between
    )
    network = Network.of(graph.n, steps, features, placed)

    def phase(sets: list[np.ndarray]) -> Readout:
        return Readout.of(Targets.of(sets, y, graph.n, **placed), graph.n, placed["device"])

    return fit(
        network.forward,
        Phases.of(splits, graph.n, phase),
        network_weights(network.width, hidden, classes, seeds, placed),
        Dropout(dropout, [stream_seed(seed, 1) for seed in seeds], placed["device"]),
        lr=lr,
        weight_decay=weight_decay,
        epochs=epochs,
        clip=CLIP,
        callback=callback,
    )


def plan(
    graph: Graph,
    clusters: Partition,
    *,
    schedule: str = "partition",
    within: str = "synchronous",
    outer: int = 2,
    inner: int = 1,
    between: int = 1,
) -> list[Step]:
    if schedule not in SCHEDULES:
        raise LovaszError(f"schedule {schedule!r} is unknown; choose of {', '.join(SCHEDULES)}")
    if within not in WITHIN:
        raise LovaszError(f"within={within!r} is unknown; choose of {', '.join(WITHIN)}")
    for name, value in (("outer", outer), ("inner", inner), ("between", between)):
        if value < 1:
            raise LovaszError(f"{name}={value} must be at least 1 step")
    if len(clusters.labels) != graph.n:
        raise LovaszError(
            f"a partition of {len(clusters.labels)} nodes for a graph of {graph.n}; give one of it"
        )
    A = graph.adjacency

    def steps(part: sparse.csr_array, kind: str) -> list[Step]:
        scaled = normalize(part)
        if kind == "sequential":
            return sweep(scaled, clusters.seeds)
        return [Step.of(np.arange(graph.n), scaled)] if part.nnz else []

    if schedule != "partition":
        return steps(A, schedule) * (outer * inner)
    inside, cut = steps(clusters.inside(A), within), steps(clusters.cut(A), "synchronous")
    return (inside * inner + cut * between) * outer


@dataclass(frozen=True)
class Hearing:
    """A :class:`Step` on the device."""

    rows: Tensor | None
    """None for all nodes."""
    operator: Operator


@dataclass(frozen=True)
class Readout:
    """The nodes whose output is wanted."""

    targets: Targets
    rows: Tensor | None
    """None for all nodes."""

    @classmethod
    def of(cls, targets: Targets, n: int, device: Any) -> Readout:
        """Of ``targets`` in a graph of n nodes."""
        return cls(targets, as_index(None if len(targets.rows) == n else targets.rows, device))


@dataclass(frozen=True)
class Network:
    """Inputs and steps; the weights of all runs come with each call."""

    n: int
    width: int
    inputs: Inputs
    steps: list[Hearing]

    @classmethod
    def of(cls, n: int, steps: list[Step], features: Any, placed: dict[str, Any]) -> Network:
        """Steps that occur several times are placed once."""
        ready: dict[int, Hearing] = {}
        for step in steps:
            if id(step) not in ready:
                rows = as_index(None if len(step.rows) == n else step.rows, placed["device"])
                ready[id(step)] = Hearing(rows, as_operator(step.matrix, **placed))
        return cls(
            n=n,
            width=n if features is None else features.shape[1],
            inputs=as_inputs(features, np.arange(n), n, **placed),
            steps=[ready[id(step)] for step in steps],
        )

    def forward(self, use: Readout, weights: list[Tensor], dropout: Dropout | None) -> Tensor:
        """Logits (rows, B, classes) of all runs."""
        W_in, b_in, W_message, *gates, W_out, b_out = weights
        runs = W_in.shape[1]
        start = (self.inputs.project(W_in, dropout).unflatten(1, (runs, -1)) + b_in).tanh()
        state = start
        for step in self.steps:
            heard = (step.operator @ state.flatten(1)).unflatten(1, (runs, -1))
            if step.rows is None:
                state = gru(state, times(heard, W_message), *gates)
            else:
                # Who hears nothing keeps its state, as in a schedule of single messages.
                before = state.index_select(0, step.rows)
                after = gru(before, times(heard, W_message), *gates)
                state = state.index_copy(0, step.rows, after)
        both = torch.cat([start, state], dim=2)
        if dropout:
            both = both * dropout.factors(self.n, both.shape[2])
        both = both if use.rows is None else both.index_select(0, use.rows)
        return times(both, W_out) + b_out


def network_weights(
    width: int, hidden: int, classes: int, seeds: Sequence[int], placed: dict[str, Any]
) -> list[Tensor]:
    """W_in, b_in, W_msg, the GRU's W, U, b and c, W_out, b_out: (in, B, out), biases (1, B, out)."""
    h = hidden
    shapes = [(width, h), (h, h), (h, 3 * h), (h, 3 * h), (2 * h, classes)]
    W_in, W_message, W, U, W_out = glorot(shapes, seeds, **placed)

    def zeros(size: int) -> Tensor:
        return torch.zeros(1, len(seeds), size, **placed, requires_grad=True)

    return [W_in, zeros(h), W_message, W, U, zeros(3 * h), zeros(h), W_out, zeros(classes)]


def gru(state: Tensor, message: Tensor, W: Tensor, U: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """The gated recurrent unit of every run, in torch's form.

    r, z = σ(m W + b + h U),  c̃ = tanh(m W + b + r ∘ (h U + c)),  h ← (1 − z) ∘ c̃ + z ∘ h,
    where W, U and b hold the parts of r, z and c̃ side by side.
    """
    h = state.shape[2]
    heard, own = times(message, W) + b, times(state, U)
    reset, keep = (heard[..., : 2 * h] + own[..., : 2 * h]).sigmoid().split(h, dim=2)
    fresh = (heard[..., 2 * h :] + reset * (own[..., 2 * h :] + c)).tanh()
    return torch.lerp(fresh, state, keep)


def times(H: Tensor, W: Tensor) -> Tensor:
    """(n, B, in) by (in, B, out), run by run."""
    return torch.einsum("nbi,ibo->nbo", H, W)
