"""The layer: two lines of algebra, as a layer of PyTorch Geometric."""

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
from lovasz.nn.engine.operators import LowRank, Operator, as_operator
from lovasz.nn.pyg.kernel_edges import kernel_entries

Edges = tuple[Any, Tensor | None]


class LovaszConv(MessagePassing):
    """x ↦ K x W + b with K in 𝒦(G), in the place of ``GCNConv``.

    How K is handed over:

    - ``edge_index`` with ``edge_weight``: the entries of K, its diagonal among them, as
      :class:`~lovasz.nn.LovaszKernel` writes them. Nothing is added and nothing normalised.
    - ``edge_index`` alone is a graph, and K its ``kernel``: what ``GCNConv`` does with Â. K is
      remembered while the same tensor comes again; with ``cached=True`` the first K is kept for
      good. With ``normalize=False`` all entries are 1. All nodes are one graph; in batches let
      the transform make K, which gives each graph its own. Compiled, the layer remembers nothing
      and computes K in every call unless ``cached``.
    - a sparse tensor is K, transposed if it is not symmetric (``adj_t``); one of ones only and
      with an empty diagonal is a graph.
    - a dense tensor, or what :func:`~lovasz.nn.engine.operators.as_operator` takes or gives, is K.

    ``in_channels=-1`` waits for the first input. ``x`` may be a pair (sources, targets) if K is
    given, a sparse tensor, or None for identity features: K I W = K W. A vector stands for the
    diagonal matrix of it. ``state_dict`` has the keys of ``GCNConv``. Other arguments are those
    of ``MessagePassing``.

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
        """Glorot's uniform weights, zero bias, no K remembered."""
        super().reset_parameters()
        self.lin.reset_parameters()
        if self.bias is not None:
            nn.init.zeros_(self.bias)
        self._cached_edge_index: Edges | None = None
        self._last: tuple[Any, ...] | None = None

    def forward(
        self,
        x: Any,
        edge_index: Any,
        edge_weight: Tensor | None = None,
        size: tuple[int, int] | None = None,
    ) -> Tensor:
        """K x W + b; ``size`` = (sources, targets) where x does not say it."""
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
        """An entry of K times the row of its column."""
        return x_j if edge_weight is None else edge_weight.unsqueeze(-1) * x_j

    def message_and_aggregate(self, adj_t: Any, x: Any) -> Tensor:
        """The same at once, for sparse tensors."""
        return spmm(adj_t, x[0] if isinstance(x, tuple) else x, reduce=self.aggr)

    def _project(self, x: Tensor | None) -> Tensor:
        """x W, where None is the identity and a vector the diagonal matrix of it."""
        if x is not None and x.dim() > 1:
            return self.lin(x)
        if self.lin.in_channels < 0:
            raise LovaszError("x=None with in_channels=-1; give in_channels, the number of nodes")
        weight = self.lin.weight.t()
        return weight if x is None else x.unsqueeze(-1) * weight

    def _kernel(self, edge_index: Any, h: Tensor, is_pair: bool) -> Edges:
        """K of a graph, as what it was given as: an edge index or a sparse tensor."""
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
        found: Edges = (indices, values)
        if is_sparse:
            found = to_torch_csr_tensor(indices, values, size=(n, n)), None
        if self.cached:
            self._cached_edge_index = found
        elif not torch.compiler.is_compiling() and not edge_index.is_inference():
            self._last = (ref(edge_index), edge_index._version, n, h.dtype, found)
        return found

    def _remembered(self, edge_index: Tensor, n: int, dtype: torch.dtype) -> Edges | None:
        """The last K, if it is of this very tensor and nobody has written to it since."""
        if self._last is None or torch.compiler.is_compiling() or edge_index.is_inference():
            return None
        owner, *marks, found = self._last
        same = owner() is edge_index and marks == [edge_index._version, n, dtype]
        return found if same else None

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> LovaszConv:
        """``.to(device)`` moves the cached K along."""
        self._last = None
        if self._cached_edge_index is not None:
            indices, values = self._cached_edge_index
            self._cached_edge_index = fn(indices), None if values is None else fn(values)
        return super()._apply(fn, recurse)

    def __getstate__(self) -> dict[str, Any]:
        # A weak reference cannot be pickled; what it is for can be computed again.
        return self.__dict__ | {"_last": None}


def _recipe(kernel: str, options: dict[str, Any] | None, symmetrize: bool) -> str:
    """How to compute K, as text: what an operator of torch can take."""
    try:
        return json.dumps([kernel, options or {}, symmetrize])
    except TypeError:
        raise LovaszError(
            f"kernel_options={options!r} of a layer must be numbers and words; "
            "LovaszKernel takes any"
        ) from None


# An operator, so that torch.compile and torch.export see one node and do not look inside.
@torch.library.custom_op("lovasz::kernel_edges", mutates_args=())
def kernel_edges(edge_index: Tensor, num_nodes: int, recipe: str) -> tuple[Tensor, Tensor]:
    """The entries of a kernel of a graph, in the order of
    :class:`~lovasz.nn.pyg.kernel_edges.Entries`."""
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
    """Whether K is a matrix to multiply with, and neither an edge index nor a sparse tensor."""
    if isinstance(K, Tensor):
        return K.layout == torch.strided and K.is_floating_point()
    return sparse.issparse(K) or isinstance(K, np.ndarray | LowRank | Operator)


def _times(K: Any, h: Tensor) -> Tensor:
    if not isinstance(K, Operator | Tensor):
        K = as_operator(K, device=h.device, dtype=h.dtype)
    return K @ h


def _is_graph(matrix: Tensor) -> bool:
    """Whether a sparse tensor has nothing but ones, and nothing on its diagonal."""
    (rows, columns), values = to_edge_index(matrix)
    return bool((values == 1).all()) and not bool((rows == columns).any())


def _indices(edge_index: Tensor) -> Tensor:
    """The ends of the edges, (2, edges)."""
    if is_torch_sparse_tensor(edge_index):
        return to_edge_index(edge_index)[0]  # which end is the source does not matter to a graph
    return edge_index.as_tensor() if isinstance(edge_index, EdgeIndex) else edge_index
