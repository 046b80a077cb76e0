"""Graph partition neural networks (Liao et al. 2018, arXiv 1803.06272).

Every node has a state that receives messages from its neighbours and is updated by a gated unit:

    h⁰ = tanh(X W_in),   m_v = W_msg · Σ_{u~v} A_vu h_u / d_v,   h_v ← GRU(h_v, m_v),
    f = softmax(W_out [h⁰, h]),

with biases, and with d_v the degree of v in the whole graph, whichever edges carry messages in a
step. The network differs from others in which edges carry messages when: see :func:`plan`. As in
:mod:`lovasz.nn.engine.loop`, B runs are one computation, and none depends on another.

There are two differences from the paper. The seeds of the flood fill do not favour labelled nodes,
because all runs share one partition. And there is dropout on X, on messages and before W_out, and
the weights are near the identity (:func:`near_identity`), because otherwise the network memorises
a few labels. A first version without such weights and without dropout on messages, and with
D^-½ A D^-½ of the edges of each step, was right on 70 % of the validation nodes of Cora, where
this one is right on 79 % (hidden=16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor
from torch.nn.functional import pad

from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.baselines.graph_partition import MessageStep, Partition, partition, sweep
from lovasz.graphs import Graph, as_graph
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.initial_weights import glorot
from lovasz.nn.engine.inputs import Inputs, as_index, as_inputs
from lovasz.nn.engine.loop import clip_runs, train_network
from lovasz.nn.engine.network import Network, Phases, Place, Placed, Split, Supervision
from lovasz.nn.engine.operators import Operator, as_operator
from lovasz.nn.engine.readout import Readout, readouts, times
from lovasz.nn.engine.settings import Settings
from lovasz.nn.engine.training import Training

if TYPE_CHECKING:
    from lovasz.nn.pyg.models import LCN

SCHEDULES = ("synchronous", "partition", "sequential")
"""The values of ``schedule``; see :func:`plan`."""
WITHIN = ("synchronous", "sequential")
"""The values of ``within``, the schedule inside clusters."""
CLUSTERS = 5
"""Default number of clusters, which is the authors' value for Cora."""
GAIN = 0.3
"""The factor s of :func:`near_identity`, chosen on the validation nodes of Cora."""
CLIP = 5.0
"""Largest norm of the gradient of a run, which is the authors' value."""


@dataclass(frozen=True)
class GPNNTraining(Training):
    """B trained GPNNs, which have no torch module."""

    def model(self, run: int = 0) -> LCN:
        """Raise an error, because a GPNN is not an LCN."""
        raise LovaszError(f"run {run} is a GPNN, not an LCN module; use its logits or weights")


def train_gpnn(
    graph: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    clusters: int | Partition | None = None,
    method: str = "flood",
    partition_seed: int = 0,
    schedule: str = "partition",
    within: str = "synchronous",
    outer: int = 2,
    inner: int = 1,
    between: int = 1,
    features: Any = None,
    classes: int | None = None,
    settings: Settings = Settings(),
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    callback: Callback | None = None,
) -> GPNNTraining:
    """Train one GPNN for each of ``splits`` = [(train nodes, validation nodes), …].

    Arguments shared with :func:`lovasz.nn.train` mean the same, L2 is on every weight and bias,
    and the gradient of a run is clipped to norm ``CLIP``. ``settings.layers`` is not used. The
    other arguments:

    - ``clusters``: the number of clusters (default 5, fewer on smaller graphs), found by
      ``method`` = ``flood`` or ``spectral`` with ``partition_seed``, the same for all runs; or a
      :class:`~lovasz.baselines.graph_partition.Partition`.
    - ``schedule``, ``within``, ``outer``, ``inner``, ``between``: see :func:`plan`.

    The authors' configuration for Cora: 5 spectral clusters, outer=5, inner=between=1,
    hidden=128, no dropout. Here outer=2: on a dense graph every step costs as much as a layer.

    ``weights`` of the result are those of :meth:`GPNN.initial_weights`; ``model()`` is for LCNs
    and raises an error.

    >>> from lovasz import as_graph
    >>> split = np.array([0, 3]), np.array([1])
    >>> path = as_graph([(0, 1), (1, 2), (2, 3)])
    >>> few = Settings(epochs=5)
    >>> train_gpnn(path, np.array([0, 0, 1, 1]), [split], settings=few).logits.shape
    (1, 4, 2)
    """
    graph, task = as_graph(graph), Supervision.of(y, splits, classes)
    seeds = task.seeds(seeds)
    if not isinstance(clusters, Partition):
        wanted = min(CLUSTERS, graph.n) if clusters is None else clusters
        clusters = partition(graph, wanted, method=method, seed=partition_seed)
    steps = plan(
        graph, clusters, schedule=schedule, within=within, outer=outer, inner=inner, between=between
    )
    network = GPNN(graph.n, steps, features, task, settings.hidden)
    result = train_network(
        network, task, settings=settings, seeds=seeds, device=device, callback=callback
    )
    return GPNNTraining(**vars(result))


def plan(
    graph: Graph,
    clusters: Partition,
    *,
    schedule: str = "partition",
    within: str = "synchronous",
    outer: int = 2,
    inner: int = 1,
    between: int = 1,
) -> list[MessageStep]:
    """Return the messages of each step; a node without a message in a step keeps its state.

    - ``partition``: ``outer`` times, ``inner`` rounds on the edges inside clusters, then
      ``between`` steps on the edges between them. A round is one step on all of them, or with
      ``within="sequential"`` a sweep from the seeds of the clusters
      (:func:`~lovasz.baselines.graph_partition.sweep`).
    - ``synchronous``: ``outer`` · ``inner`` steps on all edges (a gated graph network).
    - ``sequential``: ``outer`` · ``inner`` sweeps over the whole graph from the same seeds; a
      sweep has about twice as many steps as the graph has levels.
    """
    if schedule not in SCHEDULES:
        raise LovaszError(f"schedule {schedule!r} is unknown; choose from {', '.join(SCHEDULES)}")
    if within not in WITHIN:
        raise LovaszError(f"within={within!r} is unknown; choose from {', '.join(WITHIN)}")
    for name, value in (("outer", outer), ("inner", inner), ("between", between)):
        if value < 1:
            raise LovaszError(f"{name}={value} must be at least 1 step")
    if len(clusters.labels) != graph.n:
        raise LovaszError(
            f"a partition of {len(clusters.labels)} nodes for a graph of {graph.n} nodes; "
            "give a partition of the graph"
        )
    total = abs(graph.adjacency).sum(axis=1)
    share = np.divide(1.0, total, out=np.zeros(graph.n), where=total > 0)
    A = sparse.csr_array(sparse.diags_array(share) @ graph.adjacency)

    def steps(part: sparse.csr_array, kind: str) -> list[MessageStep]:
        if kind == "sequential":
            return sweep(part, clusters.seeds)
        return [MessageStep.of(np.arange(graph.n), part)] if part.nnz else []

    if schedule != "partition":
        return steps(A, schedule) * (outer * inner)
    inside, cut = steps(clusters.inside(A), within), steps(clusters.cut(A), "synchronous")
    return (inside * inner + cut * between) * outer


@dataclass(frozen=True)
class Hearing:
    """A :class:`~lovasz.baselines.graph_partition.MessageStep` on the device."""

    rows: Tensor | None
    """The nodes that receive messages, or None for all nodes."""
    operator: Operator
    """The matrix that sums the messages to these nodes."""


@dataclass(frozen=True)
class GPNN(Network[Readout["GPNNLayers"]]):
    """A graph partition neural network: the steps of its plan, and what it reads."""

    n: int
    """Number of nodes."""
    steps: list[MessageStep]
    """The messages of each step."""
    features: Any
    """The features X, or None for X = I."""
    task: Supervision
    """The classes and the splits."""
    hidden: int
    """Width of the state of a node."""

    def initial_weights(self, seeds: Sequence[int], placed: Placed) -> list[Tensor]:
        """W_in, b_in, V_msg, V, V_U, b, c, W_out, b_out, each of shape (in or 1, B, out).

        The matrices are Glorot's, the biases are 0.
        """
        h, classes = self.hidden, self.task.classes
        width = self.n if self.features is None else self.features.shape[1]
        W_in, V_message, V, V_U, W_out = glorot(
            [(width, h), (h, h), (h, 3 * h), (h, 3 * h), (2 * h, classes)], seeds, **placed
        )
        b_in, b, c, b_out = (
            torch.zeros(1, len(seeds), size, **placed, requires_grad=True)
            for size in (h, 3 * h, h, classes)
        )
        return [W_in, b_in, V_message, V, V_U, b, c, W_out, b_out]

    def phases(self, place: Place) -> Phases[Readout[GPNNLayers]]:
        """All phases share the layers, except where precision is mixed."""
        return readouts(self.task, place, partial(GPNNLayers.of, self.n, self.steps, self.features))

    def forward(
        self, phase: Readout[GPNNLayers], weights: list[Tensor], drop: Dropout | None
    ) -> Tensor:
        """Return the logits of the nodes of a phase."""
        return phase.read(weights, drop)

    def adjust_gradients(self, weights: list[Tensor]) -> None:
        """Clip the gradient of each run."""
        clip_runs(weights, CLIP)


@dataclass(frozen=True)
class GPNNLayers:
    """Inputs and steps on a device; the weights of all runs come with each call."""

    n: int
    """Number of nodes."""
    inputs: Inputs
    """The features."""
    steps: list[Hearing]
    """The messages of each step."""

    @classmethod
    def of(cls, n: int, steps: list[MessageStep], features: Any, placed: Placed) -> GPNNLayers:
        """Move everything to the device; a step that occurs several times is moved once."""
        ready: dict[int, Hearing] = {}
        for step in steps:
            if id(step) not in ready:
                rows = as_index(None if len(step.rows) == n else step.rows, placed["device"])
                ready[id(step)] = Hearing(rows, as_operator(step.matrix, **placed))
        return cls(
            n=n,
            inputs=as_inputs(features, np.arange(n), n, **placed),
            steps=[ready[id(step)] for step in steps],
        )

    def logits(
        self, weights: list[Tensor], drop: Dropout | None = None, rows: Tensor | None = None
    ) -> Tensor:
        """Return the logits (rows, B, classes) of all runs; ``rows=None`` means all nodes."""
        W_in, b_in, V_message, V, V_U, b, c, W_out, b_out = weights
        W_message, W, U = near_identity(V_message, V, V_U)
        runs = W_in.shape[1]
        start = (self.inputs.project(W_in, drop).unflatten(1, (runs, -1)) + b_in).tanh()
        state = start
        for step in self.steps:
            said = state * drop.factors(self.n, state.shape[2]) if drop else state
            heard = (step.operator @ said.flatten(1)).unflatten(1, (runs, -1))
            if step.rows is None:
                state = gru(state, times(heard, W_message), W, U, b, c)
            else:
                # A node without a message keeps its state, as in a schedule of single messages.
                before = state.index_select(0, step.rows)
                after = gru(before, times(heard, W_message), W, U, b, c)
                state = state.index_copy(0, step.rows, after)
        both = torch.cat([start, state], dim=2)
        if drop:
            both = both * drop.factors(self.n, both.shape[2])
        both = both if rows is None else both.index_select(0, rows)
        return times(both, W_out) + b_out


def near_identity(V_message: Tensor, V: Tensor, V_U: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return W_msg = I + s V_msg, W = [0, 0, I] + s V and U = s V_U, with s = GAIN.

    L2 on the matrices V then pulls the network towards one that averages over neighbours, whereas
    L2 on the weights themselves would pull it towards one that ignores messages.
    """
    h = len(V_message)
    one = torch.eye(h, device=V.device, dtype=V.dtype)[:, None]
    return one + GAIN * V_message, pad(one, (2 * h, 0)) + GAIN * V, GAIN * V_U


def gru(state: Tensor, message: Tensor, W: Tensor, U: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """Apply the gated recurrent unit of every run, in torch's form.

    r, z = σ(m W + b + h U),  c̃ = tanh(m W + b + r ∘ (h U + c)),  h ← (1 − z) ∘ c̃ + z ∘ h,
    where W, U and b hold the parts of r, z and c̃ side by side.
    """
    h = state.shape[2]
    heard, own = times(message, W) + b, times(state, U)
    reset, keep = (heard[..., : 2 * h] + own[..., : 2 * h]).sigmoid().split(h, dim=2)
    fresh = (heard[..., 2 * h :] + reset * (own[..., 2 * h :] + c)).tanh()
    return torch.lerp(fresh, state, keep)
