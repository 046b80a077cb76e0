"""The vectors of the low-rank engine as rows of an array, on the CPU or on a GPU.

An array of n rows is an ndarray on the CPU and a tensor on a GPU. Everything that has one entry per
node or per edge is an ndarray, but for the multipliers while they move with the vectors. On a GPU
all nodes of a colour move at once (:mod:`.low_rank_order`), with the same formulas as in
:func:`.low_rank_compiled.sweep`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lovasz.base.deadline import crowding
from lovasz.base.device import one_thread
from lovasz.base.memory import free_memory
from lovasz.base.threads import in_bands, thread_count
from lovasz.graphs import Graph
from lovasz.number.solvers.algebra import Device, Host
from lovasz.number.solvers.low_rank_compiled import edge_products, shifted_product, weighted_sums
from lovasz.number.solvers.low_rank_order import COLOURED_FROM, Order

GPU_FROM = 4e6
"""Number of edges times coordinates from which a GPU is used."""
COPIES = 20
"""A GPU has to have room for this many times the rows in single precision: those of two mixed
states and of their differences, or of a certificate in double precision."""
GPU_RATE = 5e12
"""Operations per second that products of dense matrices are expected to do on a GPU."""
TRIED = 256
"""Order of the matrices whose product is timed."""
TRIALS = 3
"""Number of times that it is timed; the median counts."""
SWEEP_SECONDS = {"cpu": 2.4e-9, "cuda": 4e-11}
"""Seconds per edge and coordinate that a sweep is expected to take on one core, or on a GPU."""
MIXED_SHARE = 0.4
"""Share of the free memory for the differences that Anderson acceleration mixes."""
BLOCK = 16_384
"""Number of rows that are converted to double precision at once."""
PARTIAL_SUMS = 8
"""Number of sums that make up a sum over all rows, at most. It does not depend on the number of
threads, so that the rounding does not, either."""
LARGE = 10_000_000
"""Number of entries from which products with Y are in single precision if the rows are."""
CELLS = 2**26
"""Number of entries of rows that are gathered at once on a GPU."""
SHORT = 0.05
"""The number ε that is added to |d_i| |d_j| where the penalty of an edge is divided by it."""
TINY = 1e-15
"""Added to the lengths by which rows are divided on a GPU."""


def place_rows(graph: Graph, rng: np.random.Generator, device: str, r: int) -> HostRows:
    """Rows of r coordinates on the CPU, or on a GPU where that pays and has the memory."""
    pays = device.startswith("cuda") and graph.m * r >= GPU_FROM
    if pays and free_on(device) >= COPIES * 4 * graph.n * r:
        return DeviceRows(graph, rng, device)
    return HostRows(graph, rng)


@cache
def measured_rate() -> float:
    """Operations per second of a product of dense matrices of TRIED rows, by one thread."""
    A, seconds = np.ones((TRIED, TRIED)), []
    with one_thread():
        for _ in range(TRIALS):
            started = time.perf_counter()
            A @ A
            seconds.append(time.perf_counter() - started)
    return 2 * TRIED**3 / max(sorted(seconds)[TRIALS // 2], 1e-9)


def free_on(device: str) -> float:
    """Bytes of a GPU that are free, or held by torch and not in use."""
    import torch

    held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return float(torch.cuda.mem_get_info(device)[0] + held)


class HostRows(Host):
    """Rows on the CPU, in compiled loops with several threads."""

    name = "cpu"

    def __init__(self, graph: Graph, rng: np.random.Generator) -> None:
        self.n, self.ends, self.rng = graph.n, graph.edges(), rng
        self.order = Order.of(graph, rng, coloured=graph.n >= COLOURED_FROM)

    def pace_on_cpu(self, pace: float, r: int) -> float:
        """Seconds of a sweep of r coordinates on the CPU, where it takes ``pace`` here."""
        return pace

    def rate(self) -> float:
        """Operations per second that products of dense matrices do, or are expected to do."""
        return measured_rate()

    def room(self) -> float:
        """Bytes that there are for the differences of Anderson acceleration."""
        return MIXED_SHARE * free_memory()

    def copy(self, array: Any) -> Any:
        """Return a copy of the array."""
        return array.copy()

    def normal(self, r: int) -> Any:
        """(n, r) standard normal numbers in single precision."""
        return self.rng.standard_normal((self.n, r), dtype=np.float32)

    def as_row(self, D: Any, y: Any, out: Any = None) -> Any:
        """All entries of D and of y, in the precision of D; ``out`` is memory that may be used."""
        out = np.empty(D.size + len(y), D.dtype) if out is None else out
        out[: D.size] = D.ravel()
        out[D.size :] = y
        return out

    def beside(self, left: Any, right: Any) -> Any:
        """The columns of one array and then those of another, which is converted."""
        return np.hstack([left, right.astype(left.dtype)])

    def times(self, D: Any, Q: np.ndarray) -> Any:
        """D Q in the precision of D."""
        return D @ Q.astype(D.dtype)

    def penalties(self, D: Any, beta: float) -> Any:
        """(m,) β/(|d_i| |d_j| + ε) for every edge, where the rows are, with |d|² = d·e₀."""
        i, j = self.ends
        x = D[:, 0].clip(0)
        return np.asarray(beta / (np.sqrt(x[i] * x[j]) + SHORT), dtype=D.dtype)

    def sweep(self, D: Any, y: Any, w: Any, beta: Any, omega: float, least: float) -> None:
        """Move every row and every multiplier once, in place; all arrays are where the rows are."""
        self.order.sweep(D, y, w, beta, omega, least)

    def products(self, U: Any, V: Any) -> np.ndarray:
        """(m,) u_i·v_j for every edge, in double precision."""
        return edge_products(U, V, *self.ends)

    def sums(self, values: np.ndarray, D: Any, out: Any = None) -> Any:
        """(n, r) Σ_j value_ij d_j over the neighbours j of each node i, in the precision of D.

        ``out`` is memory that may be used for it.
        """
        out = np.empty_like(D) if out is None else out
        weighted_sums(values, D, *self.order.pattern, out)
        return out

    def lengths(self, D: Any) -> np.ndarray:
        """(n,) lengths of the rows, in double precision."""
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", D, D, dtype=np.float64)))

    def column(self, values: np.ndarray, D: Any) -> Any:
        """(n, 1) an array of values, one per row of D, in the precision of D."""
        return values.astype(D.dtype)[:, None]

    def grams(
        self, D: Any, scale: np.ndarray, v: np.ndarray, values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """DᵀDiag(scale)⁻¹D and DᵀMD, where M has the diagonal v and ``values`` on the edges.

        Products with ``values`` are in double precision unless D is large; then rounding of single
        precision is far below any tolerance that is reached.
        """
        image = self.sums(values, D if self.is_large(D) else self.double(D))
        r = D.shape[1]
        parts = min(PARTIAL_SUMS, -(-self.n // BLOCK))
        cuts = np.linspace(0, self.n, parts + 1).astype(int).tolist()
        grams, insides = (self.put(np.zeros((parts, r, r))) for _ in range(2))

        def add(first: int, last: int) -> None:
            for part in range(first, last):
                for begin in range(cuts[part], cuts[part + 1], BLOCK):
                    rows = slice(begin, min(begin + BLOCK, cuts[part + 1]))
                    block = self.double(D[rows])
                    grams[part] += block.T @ (block / self.put(scale[rows])[:, None])
                    insides[part] += block.T @ (image[rows] + self.put(v[rows])[:, None] * block)

        self.shared_out(add, 4 * self.n * r**2, parts)
        inside = insides.sum(0)
        return self.get(grams.sum(0)), self.get((inside + inside.T) / 2)

    def shared_out(self, task: Callable[[int, int], None], work: float, parts: int) -> None:
        """Do a task for the parts from 0 to ``parts``, several at once where that pays."""
        in_bands(task, work, 0, parts)

    def is_large(self, D: Any) -> bool:
        """Whether D has single precision and so many entries that products with it have, too."""
        return bool(D.dtype == np.float32) and D.shape[0] * D.shape[1] > LARGE

    def matrix(self, diagonal: np.ndarray, data: np.ndarray) -> Callable[[Any], Any]:
        """The product with a matrix of this diagonal and these entries on the adjacency's."""
        first, neighbours, _ = self.order.pattern

        def product(q: np.ndarray) -> np.ndarray:
            out = np.empty_like(q)
            shifted_product(diagonal, data, first, neighbours, q, out)
            return out

        return product

    def stack(self, vectors: list[Any]) -> Any:
        """(n, k) k vectors as columns."""
        return np.transpose(vectors)


class Group(NamedTuple):
    """The nodes of one colour, and their rows of the adjacency matrix, on a GPU."""

    nodes: Any
    first: Any
    neighbours: Any
    edge: Any
    owner: Any
    """The node of every entry."""
    moved: tuple[Any, Any, Any]
    """Owner, neighbour and edge of the entries whose neighbour has an earlier colour."""


class DeviceRows(Device, HostRows):
    """Rows on a GPU; see :class:`HostRows` for what the methods promise."""

    def __init__(self, graph: Graph, rng: np.random.Generator, device: str) -> None:
        from lovasz.linalg.torch_sparse import csr

        super().__init__(device)
        self.name, self.csr = device, csr
        self.n, self.ends, self.rng = graph.n, graph.edges(), rng
        self.order = Order.of(graph, rng, coloured=True)
        self.there = tuple(self.put(end.astype(np.int64)) for end in self.ends)
        self.pattern = tuple(self.put(part.astype(np.int64)) for part in self.order.pattern)
        self.groups = [self._group(begin, end) for begin, end in pairwise(self.order.cuts.tolist())]

    def _group(self, begin: int, end: int) -> Group:
        order = self.order
        first, neighbours, edge = order.rows
        at = slice(first[begin], first[end])
        degrees = np.diff(first[begin : end + 1])
        nodes, starts = order.nodes[begin:end], first[begin : end + 1] - first[begin]
        inside = np.arange(at.stop - at.start) - np.repeat(starts[:-1], degrees)
        moved = np.flatnonzero(inside < np.repeat(order.earlier[begin:end], degrees))
        parts = nodes, starts, neighbours[at], edge[at], np.repeat(nodes, degrees), moved
        nodes, starts, beside, edge, owner, at = (self.put(p.astype(np.int64)) for p in parts)
        return Group(nodes, starts, beside, edge, owner, (owner[at], beside[at], edge[at]))

    def pace_on_cpu(self, pace: float, r: int) -> float:  # noqa: D102
        entries = len(self.ends[0]) * r
        return max(pace, SWEEP_SECONDS["cpu"] * entries / thread_count() * crowding())

    def rate(self) -> float:  # noqa: D102
        return GPU_RATE

    def room(self) -> float:  # noqa: D102
        return MIXED_SHARE * free_on(self.device)

    def copy(self, array: Any) -> Any:  # noqa: D102
        return array.clone()

    def normal(self, r: int) -> Any:  # noqa: D102
        generator = self.torch.Generator(self.device).manual_seed(int(self.rng.integers(2**62)))
        return self.torch.randn((self.n, r), generator=generator, device=self.device)

    def as_row(self, D: Any, y: Any, out: Any = None) -> Any:  # noqa: D102
        return self.torch.cat([D.reshape(-1), y.to(D.dtype)], out=out)

    def beside(self, left: Any, right: Any) -> Any:  # noqa: D102
        return self.torch.hstack([left, right.to(left.dtype)])

    def times(self, D: Any, Q: np.ndarray) -> Any:  # noqa: D102
        return D @ self.put(Q).to(D.dtype)

    def penalties(self, D: Any, beta: float) -> Any:  # noqa: D102
        i, j = self.there
        x = D[:, 0].clip(0)
        return beta / ((x[i] * x[j]).sqrt() + SHORT)

    def sweep(  # noqa: D102
        self, D: Any, y: Any, w: Any, beta: Any, omega: float, least: float
    ) -> None:
        weights = w.to(D.dtype)
        for nodes, first, neighbours, edge, owner, moved in self.groups:
            mine = D[nodes]
            push = beta[edge]
            pushed = y[edge].to(D.dtype) + push * self._inner(D, D, owner, neighbours)
            pull = self._sparse(first, neighbours, push) @ D[:, :1]
            g = pull * mine
            g -= self._sparse(first, neighbours, pushed.clip(least)) @ D
            g[:, 0] += weights[nodes] - pull[:, 0] / 2
            g *= (omega / (g.norm(dim=1) + TINY))[:, None]
            g.add_(mine, alpha=2 * (1 - omega))
            g[:, 0] -= 1 - omega
            g *= (0.5 / (g.norm(dim=1) + TINY))[:, None]
            g[:, 0] += 0.5
            D[nodes] = g
            mover, earlier, e = moved
            y[e] = (y[e] + beta[e] * self._inner(D, D, mover, earlier)).clip(least)
        if D.is_cuda:  # so that the time of a sweep is known
            self.torch.cuda.synchronize(self.device)

    def _inner(self, U: Any, V: Any, i: Any, j: Any) -> Any:
        """u_i·v_j for lists of rows, in the precision of U."""
        step = max(1, CELLS // U.shape[1])
        parts = [
            U[i[k : k + step]].mul_(V[j[k : k + step]]).sum(dim=1) for k in range(0, len(i), step)
        ]
        return self.torch.cat([U.new_zeros(0), *parts])

    def _sparse(self, first: Any, columns: Any, values: Any) -> Any:
        """A sparse matrix of n columns."""
        return self.csr(first, columns, values, (len(first) - 1, self.n))

    def products(self, U: Any, V: Any) -> np.ndarray:  # noqa: D102
        return self.get(self._inner(U, V, *self.there).double())

    def sums(self, values: np.ndarray, D: Any, out: Any = None) -> Any:  # noqa: D102
        first, neighbours, edge = self.pattern
        return self._sparse(first, neighbours, self.put(values)[edge].to(D.dtype)) @ D

    def shared_out(  # noqa: D102
        self, task: Callable[[int, int], None], work: float, parts: int
    ) -> None:
        task(0, parts)

    def lengths(self, D: Any) -> np.ndarray:  # noqa: D102
        return self.get(D.norm(dim=1, dtype=self.torch.float64))

    def column(self, values: np.ndarray, D: Any) -> Any:  # noqa: D102
        return self.put(values).to(D.dtype)[:, None]

    def is_large(self, D: Any) -> bool:  # noqa: D102
        return D.dtype == self.torch.float32 and bool(D.numel() > LARGE)

    def matrix(self, diagonal: np.ndarray, data: np.ndarray) -> Callable[[Any], Any]:  # noqa: D102
        first, neighbours, _ = self.pattern
        S, d = self._sparse(first, neighbours, self.put(data)), self.put(diagonal)
        return lambda q: (S @ q).addcmul_(d, q)

    def stack(self, vectors: list[Any]) -> Any:  # noqa: D102
        return self.torch.stack(vectors, dim=1)


def to_spheres(D: Any) -> Any:
    """Move every row to the nearest point with d·e₀ = |d|²; D is overwritten."""
    D[:, 0] -= 0.5
    square = np.einsum("ij,ij->i", D, D) if isinstance(D, np.ndarray) else D.norm(dim=1) ** 2
    D *= (0.5 / square**0.5)[:, None]
    D[:, 0] += 0.5
    return D
