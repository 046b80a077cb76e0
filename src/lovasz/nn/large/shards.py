"""A network whose kernel and features are cut by rows over the ranks of ``torch.distributed``.

Rank r owns the nodes bounds[r] … bounds[r+1] − 1: their rows of K, of X and of every hidden
layer. For a layer K H W, a rank computes its rows of H W, receives from the other ranks the rows
of H W that the non-zero columns of its rows of K need (its halo, and no others), and multiplies
them with its rows of K. The weights are on every rank and their gradients are summed. In exact
arithmetic this is what one process computes. Without a process group there is one rank, and
nothing is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from scipy import sparse
from torch import Tensor

from lovasz.base.errors import LovaszError
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.initial_weights import initial_weights
from lovasz.nn.engine.inputs import CompiledInputs, Inputs, SparseInputs, as_inputs
from lovasz.nn.engine.network import Network, Phases, Place, Placed, Split
from lovasz.nn.engine.operators import Operator, as_operator
from lovasz.nn.engine.settings import Rates
from lovasz.nn.engine.targets import Targets


@dataclass(frozen=True)
class Shard:
    """The part of the problem that one rank holds.

    >>> K, y = sparse.eye_array(4, format="csr"), np.array([0, 1, 0, 1])
    >>> (shard,) = cut(K, None, y, (np.array([0, 3]), np.array([1])), 1)
    >>> shard.bounds.tolist(), shard.K.shape
    ([0, 4], (4, 4))
    """

    bounds: np.ndarray
    """(ranks + 1,): the first node of every rank, followed by n."""
    rank: int
    """The number of this rank."""
    K: sparse.csr_array
    """(rows, n): the rows of the kernel that belong to this rank."""
    X: Any
    """(rows, d): its rows of the features, dense or sparse, or None for the identity."""
    y: np.ndarray
    """(rows,): the class codes of its nodes."""
    split: Split
    """Its training nodes and validation nodes, counted from its first node."""

    @property
    def n(self) -> int:
        """Number of nodes of the whole graph."""
        return int(self.bounds[-1])

    @property
    def first(self) -> int:
        """The first node of this rank."""
        return int(self.bounds[self.rank])


def cut(K: Any, X: Any, y: np.ndarray, split: Split, ranks: int) -> list[Shard]:
    """Cut a problem into one shard per rank, with about equally many rows plus non-zeros of K.

    >>> K, y = sparse.eye_array(4, format="csr"), np.array([0, 1, 0, 1])
    >>> shards = cut(K, None, y, (np.array([0, 3]), np.array([1])), 2)
    >>> sum(len(shard.y) for shard in shards)  # every node belongs to one rank
    4
    """
    n = K.shape[0]
    if not 1 <= ranks <= n:
        raise LovaszError(f"{ranks} ranks for {n} nodes; start at least 1 and at most one per node")
    K = sparse.csr_array(K)
    work = K.indptr[1:].astype(np.int64) + np.arange(1, n + 1)
    inner = np.searchsorted(work, work[-1] * np.arange(1, ranks) / ranks)
    # A rank without rows would give the right result, but is never what one wants.
    inner = np.maximum.accumulate(np.maximum(inner, np.arange(1, ranks)))
    inner = np.minimum(inner, n - np.arange(ranks - 1, 0, -1))
    bounds = np.array([0, *inner, n])
    return [
        Shard(
            bounds, rank, K[a:b], None if X is None else X[a:b], y[a:b],
            (_within(split[0], a, b), _within(split[1], a, b)),
        )
        for rank, (a, b) in enumerate(pairwise(bounds))
    ]  # fmt: skip


def _within(nodes: np.ndarray, a: int, b: int) -> np.ndarray:
    nodes = np.sort(nodes)
    return nodes[(nodes >= a) & (nodes < b)] - a


class SharedTargets(Targets):
    """The targets of one rank; means are taken over the targets of all ranks."""

    @classmethod
    def on(cls, nodes: np.ndarray, y: np.ndarray, *, device: Any, dtype: torch.dtype) -> Targets:
        """Return the targets among the rows of a shard."""
        local = Targets.of([nodes], y, len(y), device=device, dtype=dtype)
        parts = {field.name: getattr(local, field.name) for field in fields(local)}
        return cls(**parts | {"sizes": add_up(local.sizes)})

    def _mean(self, values: Tensor) -> Tensor:
        mine = super()._mean(values)  # the share of this rank, because sizes are those of all ranks
        # The value is the mean over all ranks, the gradient is that of this rank's share.
        return mine + (add_up(mine.detach()) - mine.detach())


@dataclass(frozen=True)
class Halo:
    """The rows that are exchanged with each rank before a product with K."""

    index: Tensor
    """The rows of H to send, those for rank 0 first; a rank also sends to itself."""
    sent: list[int]
    """Number of rows sent to each rank."""
    received: list[int]
    """Number of rows received from each rank."""

    def fetch(self, H: Tensor) -> Tensor:
        """Return the rows that this rank's part of K multiplies, in the order of its columns."""
        return _fetch_rows(H, self)


class _Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, H: Tensor, halo: Halo) -> Tensor:
        ctx.halo, ctx.rows = halo, len(H)
        return exchange(H.index_select(0, halo.index), halo.sent, halo.received)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        halo = ctx.halo
        back = exchange(gradient.contiguous(), halo.received, halo.sent)
        return back.new_zeros(ctx.rows, back.shape[1]).index_add_(0, halo.index, back), None


_fetch_rows: Callable[[Tensor, Halo], Tensor] = _Exchange.apply


@dataclass(frozen=True)
class ShardPhase:
    """One use of the network by one rank, as :class:`lovasz.nn.networks.hop.HopPhase`."""

    inputs: Inputs
    """The rows of X that this rank reads."""
    entries: tuple[Tensor, Tensor | None, int]
    """Where the entries of X stand, for dropout: the node of every row, None, and the number of
    columns; if X is sparse, the node and the column of every non-zero, and the number of columns.
    """
    operators: list[Operator]
    """The part of K that each layer multiplies with."""
    halos: list[Halo]
    """The exchange before each product."""
    nodes: list[Tensor]
    """The nodes (of the whole graph) of this rank's rows before each layer."""
    targets: Targets
    """The nodes of this rank whose output counts."""

    @classmethod
    def of(
        cls,
        shard: Shard,
        rows: np.ndarray,
        layers: int,
        placed: Placed,
        judged: Placed | None = None,
    ) -> ShardPhase:
        """Plan what this rank has to do so that all ranks know the output of their ``rows``.

        Every rank asks the others for the columns that its rows need; the rows that others ask of
        it are the ones it has to compute one layer earlier. ``placed`` is for the matrices,
        ``judged`` (by default the same) for the targets.
        """
        device = placed["device"]
        operators: list[Operator] = []
        halos: list[Halo] = []
        nodes: list[Tensor] = []
        needed = rows
        for _ in range(layers):
            part = shard.K[needed]
            columns = np.unique(part.indices)
            part = part[:, columns]
            halo, needed = _plan(shard, columns, device)
            # torch's sparse products refuse some matrices without rows; dense products take them.
            operators.insert(0, as_operator(part if part.nnz else part.toarray(), **placed))
            halos.insert(0, halo)
            nodes.insert(0, torch.as_tensor(needed + shard.first, device=device))
        inputs, entries = _inputs(shard, needed, placed)
        targets = SharedTargets.on(rows, shard.y, **(judged or placed))
        return cls(inputs, entries, operators, halos, nodes, targets)


def _plan(shard: Shard, columns: np.ndarray, device: Any) -> tuple[Halo, np.ndarray]:
    """Ask the owners of ``columns`` for them; return what to send and the rows to compute."""
    received = np.diff(np.searchsorted(columns, shard.bounds)).tolist()
    ones = [1] * len(received)
    sent = exchange(torch.tensor(received), ones, ones).tolist()
    asked = exchange(torch.as_tensor(columns, dtype=torch.int64), received, sent).numpy()
    rows = np.unique(asked) - shard.first
    index = np.searchsorted(rows, asked - shard.first)
    return Halo(torch.as_tensor(index, device=device), sent, received), rows


def _inputs(
    shard: Shard, rows: np.ndarray, placed: Placed
) -> tuple[Inputs, tuple[Tensor, Tensor | None, int]]:
    device, nodes = placed["device"], rows + shard.first
    if shard.X is None:
        inputs = as_inputs(None, nodes, shard.n, **placed)
        return inputs, (torch.as_tensor(nodes, device=device), None, 1)
    X = shard.X[rows]
    inputs = as_inputs(X, np.arange(len(rows)), len(rows), **placed)
    columns = None
    if isinstance(inputs, CompiledInputs):
        X = inputs.table
    elif isinstance(inputs, SparseInputs):
        X = sparse.csr_array(X, copy=True)
        X.sum_duplicates()
    if isinstance(inputs, CompiledInputs | SparseInputs):  # non-zeros are numbered in this order
        nodes = np.repeat(nodes, np.diff(X.indptr))
        columns = torch.as_tensor(X.indices.astype(np.int64), device=device)
    return inputs, (torch.as_tensor(nodes, device=device), columns, X.shape[1])


@dataclass(frozen=True)
class ShardNetwork(Network[ShardPhase]):
    """The network of :mod:`lovasz.nn.networks.hop` on the shards of all ranks."""

    shard: Shard
    classes: int
    hidden: int
    layers: int

    @property
    def width(self) -> int:
        """Number of features."""
        return self.shard.n if self.shard.X is None else int(self.shard.X.shape[1])

    def initial_weights(self, seeds: Sequence[int], placed: Placed) -> list[Tensor]:
        """One Glorot matrix per layer, the same on every rank."""
        widths = [self.width, *[self.hidden] * (self.layers - 1), self.classes]
        return initial_weights(widths, seeds, **placed)

    def phases(self, place: Place) -> Phases[ShardPhase]:
        """Agree with the other ranks on what to exchange; every rank has to call it."""
        training, validation = self.shard.split
        everything = np.arange(len(self.shard.y))
        return Phases(
            train=ShardPhase.of(self.shard, training, self.layers, place.low, place.full),
            validation=ShardPhase.of(self.shard, validation, self.layers, place.full),
            everything=ShardPhase.of(self.shard, everything, self.layers, place.full),
        )

    def forward(self, phase: ShardPhase, weights: list[Tensor], drop: Dropout | None) -> Tensor:
        """Return the logits (rows of this rank, 1, classes)."""
        masks = drop.masks(0, *phase.entries) if drop else None
        H = phase.inputs.project(weights[0], masks)
        for layer, (operator, halo) in enumerate(zip(phase.operators, phase.halos, strict=True)):
            if layer:
                H = H.relu()
                if drop:
                    masks = drop.masks(layer, phase.nodes[layer], None, H.shape[1])
                    H = H * masks.factors(len(H), H.shape[1])[:, 0]
                H = H @ weights[layer][:, 0]
            H = operator @ halo.fetch(H)
        return H.unsqueeze(1)

    def adjust_gradients(self, weights: list[Tensor]) -> None:
        """Sum the gradients of all ranks, in one message."""
        gradients = [W.grad for W in weights if W.grad is not None]
        total = add_up(torch.cat([g.flatten() for g in gradients]))
        for g, part in zip(gradients, total.split([g.numel() for g in gradients]), strict=True):
            g.copy_(part.view_as(g))


class CountedDropout(Dropout):
    """Masks that are a function of seed, epoch, layer, node and column, the same on any rank.

    A stream of random numbers would have to be drawn for the whole graph on every rank. Here the
    64 bits for four entries are a hash of their number (the finaliser of SplitMix64, Steele, Lea,
    Flood 2014), so a rank computes only the masks of its own rows.
    """

    def __init__(self, rate: Rates, seed: int, device: Any) -> None:
        super().__init__(rate, [], device)
        self.seed, self.epoch = seed, 0

    def masks(self, layer: int, nodes: Tensor, columns: Tensor | None, width: int) -> Masks:
        """Return the masks of the rows ``nodes``, or of the entries (node, column)."""
        drawn = np.random.SeedSequence([self.seed, 1, self.epoch, layer]).generate_state(1, "u8")
        return Masks(self, int(drawn.astype(np.int64)[0]), nodes, columns, width)


class Masks(Dropout):
    """The masks of one layer in one epoch, with the methods of :class:`Dropout`."""

    def __init__(
        self, drop: Dropout, key: int, nodes: Tensor, columns: Tensor | None, width: int
    ) -> None:
        self.thresholds, self.scales, self.streams = drop.thresholds, drop.scales, drop.streams
        self.key, self.nodes, self.columns, self.width = key, nodes, columns, width

    def keep(self, run: int, count: int) -> Tensor:
        """Return booleans that are True with probability 1 − rate."""
        groups = (self.width + 3) // 4
        if self.columns is None:
            group = torch.arange(groups, device=self.nodes.device)
            bits = mix((self.nodes * groups)[:, None] + group, self.key)
            values = bits.view(torch.int16)[:, : self.width].flatten()
        else:
            bits = mix(self.nodes * groups + self.columns // 4, self.key)
            values = bits.view(torch.int16).view(-1, 4).gather(1, self.columns[:, None] % 4)[:, 0]
        return values >= self.thresholds[0] - 2**15

    def factors(self, n: int, width: int = 1, rows: Tensor | None = None) -> Tensor:
        """Return (rows, 1, width) factors: 0 where dropped, the scale where kept."""
        return self.keep(0, len(self.nodes) * width).view(-1, 1, width) * self.scales[0]


def mix(number: Tensor, key: int) -> Tensor:
    """Hash 64-bit integers to 64 bits that look random; arithmetic is modulo 2⁶⁴."""
    x = number * -0x61C8864680B583EB + key
    for shift, factor in ((30, -0x40A7B892E31B1A47), (27, -0x6B2FB644ECCEEE15)):
        x = (x ^ ((x >> shift) & (2 ** (64 - shift) - 1))) * factor  # >> keeps the sign, so mask it
    return x ^ ((x >> 31) & (2**33 - 1))


def exchange(rows: Tensor, sent: list[int], received: list[int]) -> Tensor:
    """Send ``sent[r]`` of the rows to rank r; return the rows from rank 0, 1, … in this order."""
    if not dist.is_initialized():
        return rows
    result = rows.new_empty(sum(received), *rows.shape[1:])
    dist.all_to_all_single(result, rows, received, sent)
    return result


def add_up(values: Tensor) -> Tensor:
    """Return the sum over all ranks, on every rank."""
    if not dist.is_initialized():
        return values
    total = values.clone()
    dist.all_reduce(total)
    return total
