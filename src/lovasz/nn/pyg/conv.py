"""The layer K x W + b as a layer of PyTorch Geometric."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn
from torch_geometric import EdgeIndex
from torch_geometric.nn import MessagePassing
from torch_geometric.nn.dense.linear import Linear
from torch_geometric.typing import SparseTensor
from torch_geometric.utils import is_torch_sparse_tensor, spmm, to_edge_index, to_torch_csr_tensor

from lovasz.base.errors import LovaszError
from lovasz.linalg.low_rank import LowRank
from lovasz.nn.engine.operators import Operator, as_operator
from lovasz.nn.pyg.kernel_edges import kernel_entries

EdgeList = tuple[Any, Tensor | None]
"""An edge index or a sparse tensor, and the edge weights if they are not in the sparse tensor."""


class LovaszConv(MessagePassing):  # type: ignore[misc]  # PyTorch Geometric has no types
    """x ↦ K x W + b with K in 𝒦(G), a replacement for ``GCNConv``.

    K is given in one of these ways:

    - ``edge_index`` with ``edge_weight`` are the entries of K, including its diagonal, as
      :class:`~lovasz.nn.LovaszKernel` writes them. Nothing is added and nothing is normalised.
    - ``edge_index`` alone is a graph, and K is its ``kernel``, as ``GCNConv`` does with Â. K is
      remembered as long as the same tensor is given; with ``cached=True`` the first K is kept for
      all calls. With ``normalize=False`` all entries are 1. All nodes belong to one graph; for
      batches use the transform, which computes one K per graph. A compiled layer remembers
      nothing and computes K in every call unless ``cached``.
    - A sparse tensor is K, transposed if it is not symmetric (``adj_t``); a sparse tensor with
      ones only and an empty diagonal is a graph.
    - A dense tensor, or what :func:`~lovasz.nn.engine.operators.as_operator` takes or returns, is
      K.

    ``in_channels=-1`` waits for the first input. ``x`` may be a pair (sources, targets) if K is
    given, a sparse tensor, or None for identity features: K I W = K W. A vector stands for its
    diagonal matrix. ``state_dict`` has the keys of ``GCNConv``. Other arguments are those of
    ``MessagePassing``.

    >>> conv = LovaszConv(4, 2)
    >>> conv(torch.ones(3, 4), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        kernel: str = "ls",
        kernel_options: dict[str, Any] | None = None,
        symmetrize: bool = False,
        cached: bool = False,
        normalize: bool = True,
        bias: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault("aggr", "add")
        super().__init__(**kwargs)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel, self.recipe = kernel, _recipe(kernel, kernel_options, symmetrize)
        self.cached, self.normalize = cached, normalize
        self.lin = Linear(in_channels, out_channels, bias=False, weight_initializer="glorot")
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw Glorot's uniform weights, set the bias to zero and forget K."""
        super().reset_parameters()
        self.lin.reset_parameters()
        if self.bias is not None:
            nn.init.zeros_(self.bias)
        self._cached_edge_index: EdgeList | None = None
        self._last: tuple[Any, ...] | None = None

    def forward(
        self,
        x: Any,
        edge_index: Any,
        edge_weight: Tensor | None = None,
        size: tuple[int, int] | None = None,
    ) -> Tensor:
        """Return K x W + b; ``size`` = (sources, targets) if x does not tell."""
        is_pair = isinstance(x, tuple | list)
        h = self._project(x[0] if is_pair else x)
        if _is_matrix(edge_index):
            out = _times(edge_index, h)
        else:
            if isinstance(edge_index, SparseTensor):
                edge_index = edge_index.to_torch_sparse_csr_tensor(h.dtype)
            if edge_weight is None and self.normalize:
                edge_index, edge_weight = self._kernel(edge_index, h, is_pair)
            # propagate_type: (x: OptPairTensor, edge_weight: OptTensor)
            given = (h, x[1]) if is_pair else h
            out = self.propagate(edge_index, x=given, edge_weight=edge_weight, size=size)
        return out if self.bias is None else out + self.bias

    def message(self, x_j: Tensor, edge_weight: Tensor | None) -> Tensor:
        """Return an entry of K times the row of x that belongs to its column."""
        return x_j if edge_weight is None else edge_weight.unsqueeze(-1) * x_j

    def message_and_aggregate(self, adj_t: Any, x: Any) -> Tensor:
        """Multiply and sum at once, for sparse tensors."""
        product: Tensor = spmm(adj_t, x[0] if isinstance(x, tuple) else x, reduce=self.aggr)
        return product

    def _project(self, x: Tensor | None) -> Tensor:
        """Return x W; None stands for the identity and a vector for its diagonal matrix."""
        if x is not None and x.dim() > 1:
            projected: Tensor = self.lin(x)
            return projected
        if self.lin.in_channels < 0:
            raise LovaszError("x=None with in_channels=-1; give in_channels, the number of nodes")
        weight: Tensor = self.lin.weight.t()
        return weight if x is None else x.unsqueeze(-1) * weight

    def _kernel(self, edge_index: Any, h: Tensor, is_pair: bool) -> EdgeList:
        """Return K of a graph in the form of the graph: as an edge index or as a sparse tensor."""
        is_sparse = is_torch_sparse_tensor(edge_index)
        if is_sparse and not _is_graph(edge_index):
            return edge_index, None
        if is_pair:
            raise ValueError(
                f"{type(self).__name__} got a pair of node features and no edge_weight: a graph "
                "between two kinds of nodes has no kernel; pass entries of K, or normalize=False"
            )
        if self._cached_edge_index is not None:
            return self._cached_edge_index
        n = int(h.shape[self.node_dim])
        if not self.cached and (last := self._remembered(edge_index, n, h.dtype)) is not None:
            return last
        indices, values = kernel_edges(_indices(edge_index), n, self.recipe)
        values = values.to(h.dtype)
        found: EdgeList = (indices, values)
        if is_sparse:
            found = to_torch_csr_tensor(indices, values, size=(n, n)), None
        if self.cached:
            self._cached_edge_index = found
        elif not torch.compiler.is_compiling() and not edge_index.is_inference():
            self._last = (ref(edge_index), edge_index._version, n, h.dtype, found)
        return found

    def _remembered(self, edge_index: Tensor, n: int, dtype: torch.dtype) -> EdgeList | None:
        """Return the last K if it belongs to this very tensor, and the tensor is unchanged."""
        if self._last is None or torch.compiler.is_compiling() or edge_index.is_inference():
            return None
        owner, *marks, found = self._last
        same = owner() is edge_index and marks == [edge_index._version, n, dtype]
        return found if same else None

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> LovaszConv:
        """Let ``.to(device)`` also move the cached K."""
        self._last = None
        if self._cached_edge_index is not None:
            indices, values = self._cached_edge_index
            self._cached_edge_index = fn(indices), None if values is None else fn(values)
        super()._apply(fn, recurse)
        return self

    def __getstate__(self) -> dict[str, Any]:
        # A weak reference cannot be pickled; K can be computed again.
        return self.__dict__ | {"_last": None}


def _recipe(kernel: str, options: dict[str, Any] | None, symmetrize: bool) -> str:
    """Return how to compute K as text, which an operator of torch can take."""
    try:
        return json.dumps([kernel, options or {}, symmetrize])
    except TypeError:
        raise LovaszError(
            f"kernel_options={options!r} of a layer must be numbers and strings; "
            "LovaszKernel takes any"
        ) from None


# This is an operator, so that torch.compile and torch.export see one node and do not look inside.
@torch.library.custom_op("lovasz::kernel_edges", mutates_args=())
def kernel_edges(edge_index: Tensor, num_nodes: int, recipe: str) -> tuple[Tensor, Tensor]:
    """Return the entries of a kernel in the order of :class:`~.kernel_edges.KernelEntries`."""
    name, options, symmetrize = json.loads(recipe)
    indices = edge_index.detach().cpu().numpy()
    found = kernel_entries(indices, num_nodes, name, options, symmetrize=symmetrize)
    device = edge_index.device
    return (
        torch.as_tensor(found.edge_index, device=device),
        torch.as_tensor(found.value, device=device),
    )


@kernel_edges.register_fake
def _(edge_index: Tensor, num_nodes: int, recipe: str) -> tuple[Tensor, Tensor]:
    count = torch.library.get_ctx().new_dynamic_size()
    return (
        edge_index.new_empty((2, count)),
        edge_index.new_empty((count,), dtype=torch.float64),
    )


def _is_matrix(K: Any) -> bool:
    """Return whether K is a matrix, and neither an edge index nor a sparse tensor."""
    if isinstance(K, Tensor):
        return K.layout == torch.strided and K.is_floating_point()
    return sparse.issparse(K) or isinstance(K, np.ndarray | LowRank | Operator)


def _times(K: Any, h: Tensor) -> Tensor:
    if not isinstance(K, Operator | Tensor):
        K = as_operator(K, device=h.device, dtype=h.dtype)
    product: Tensor = K @ h
    return product


def _is_graph(matrix: Tensor) -> bool:
    """Return whether a sparse tensor has ones only, and nothing on its diagonal."""
    (rows, columns), values = to_edge_index(matrix)
    return bool((values == 1).all()) and not bool((rows == columns).any())


def _indices(edge_index: Tensor) -> Tensor:
    """Return the ends of the edges, (2, edges)."""
    ends = edge_index.as_tensor() if isinstance(edge_index, EdgeIndex) else edge_index
    if is_torch_sparse_tensor(edge_index):
        ends = to_edge_index(edge_index)[0]  # a graph does not care which end is the source
    return ends
