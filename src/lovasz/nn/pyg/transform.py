"""The kernel as a transform of PyTorch Geometric."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data, HeteroData
from torch_geometric.data.datapipes import functional_transform
from torch_geometric.transforms import BaseTransform

from lovasz.base.errors import LovaszError
from lovasz.nn.pyg.kernel_edges import KernelEntries, kernel_entries

NOTHING = KernelEntries(np.empty((2, 0), dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64))
"""The entries of the kernel of a graph without nodes."""


@functional_transform("lovasz_kernel")
class LovaszKernel(BaseTransform):  # type: ignore[misc]  # PyTorch Geometric has no types
    """Replace the edges of a graph by the entries of a kernel (functional name: lovasz_kernel).

    ``edge_index`` gets every entry of K, with its diagonal as self-loops, and ``edge_weight`` the
    values of the entries. Edges keep their order, and other attributes of edges move with them,
    with zeros for entries that were not edges; all other fields stay the same. If the data has an
    ``edge_weight``, it weights the graph. ``kernel`` and ``options`` are those of
    :func:`lovasz.kernel`; a directed graph is refused unless ``symmetrize`` is true.

    In a batch every graph has its own kernel (its own λ_min, its own ϑ), as if it had been
    transformed before. ``pre_transform``, ``transform`` and a batch therefore give the same edges.

    >>> data = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> LovaszKernel("ls")(data).edge_weight  # the path of 3 nodes: λ_min = -√2
    tensor([0.7071, 0.7071, 0.7071, 0.7071, 1.0000, 1.0000, 1.0000])
    """

    def __init__(self, kernel: str = "ls", *, symmetrize: bool = False, **options: Any) -> None:
        self.kernel, self.symmetrize, self.options = kernel, symmetrize, options

    def forward(self, data: Data) -> Data:
        """Return the data with the entries of K as edges, on the same device."""
        if isinstance(data, HeteroData):
            raise LovaszError(
                "LovaszKernel got a HeteroData, but K needs one kind of nodes and edges; "
                "call data.to_homogeneous() first"
            )
        if data.edge_index is None:
            raise LovaszError(
                "LovaszKernel got data without edge_index; apply it before ToSparseTensor"
            )
        parts = self._parts(data)
        sizes = [part.value.size for part in parts]
        device = data.edge_index.device
        origin = torch.as_tensor(np.concatenate([part.origin for part in parts]), device=device)
        attributes = _edge_attributes(data)
        for key in attributes:
            value = data[key]
            data[key] = _carry(value, origin, data.__cat_dim__(key, value))
        edge_index = np.concatenate([part.edge_index for part in parts], axis=1)
        value = np.concatenate([part.value for part in parts])
        data.edge_index = torch.as_tensor(edge_index, device=device)
        data.edge_weight = torch.as_tensor(value, dtype=_dtype(data), device=device)
        _note_slices(data, [*attributes, "edge_index", "edge_weight"], sizes)
        return data

    def _parts(self, data: Data) -> list[KernelEntries]:
        """Return K of each graph of a batch, with the node numbers of the batch."""
        edges = data.edge_index.detach().cpu().numpy()
        weights = data.get("edge_weight")
        weights = None if weights is None else weights.detach().cpu().double().numpy()
        n = int(data.num_nodes)
        members, owner = _graphs(data, n)
        if edges.size and (owner[edges[0]] != owner[edges[1]]).any():
            raise LovaszError("an edge joins two graphs of the batch; correct its batch vector")
        of_edges = owner[edges[0]]
        order = np.argsort(of_edges, kind="stable")
        stops = np.cumsum(np.bincount(of_edges, minlength=len(members)))
        position = np.empty(n, dtype=np.int64)
        found = []
        for nodes, mine in zip(members, np.split(order, stops[:-1]), strict=True):
            if not nodes.size:
                found.append(NOTHING)
                continue
            position[nodes] = np.arange(nodes.size)
            part = kernel_entries(
                position[edges[:, mine]],
                nodes.size,
                self.kernel,
                self.options,
                weights=None if weights is None else weights[mine],
                symmetrize=self.symmetrize,
            )
            origin = np.where(part.origin < 0, -1, mine[part.origin] if mine.size else -1)
            found.append(KernelEntries(nodes[part.edge_index], part.value, origin))
        return found

    def __repr__(self) -> str:
        given = ({"symmetrize": True} if self.symmetrize else {}) | self.options
        options = "".join(f", {name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({self.kernel!r}{options})"


def _graphs(data: Data, n: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the nodes of each graph, and the graph of each node."""
    batch = data.get("batch")
    if not isinstance(batch, Tensor) or batch.numel() != n:
        return [np.arange(n)], np.zeros(n, dtype=np.int64)
    owner = batch.cpu().numpy()
    count = getattr(data, "num_graphs", None) or int(owner.max(initial=-1)) + 1
    stops = np.cumsum(np.bincount(owner, minlength=count))
    return np.split(np.argsort(owner, kind="stable"), stops[:-1]), owner


def _edge_attributes(data: Data) -> list[str]:
    """Return the names of the other attributes that have one value per edge."""
    known = ("edge_index", "edge_weight")
    keys = [key for key in data.keys() if key not in known]  # noqa: SIM118  # not a mapping
    return [key for key in keys if isinstance(data[key], Tensor) and data.is_edge_attr(key)]


def _carry(value: Tensor, origin: Tensor, dim: int) -> Tensor:
    """Return the values of the given edges at their new places, and zeros elsewhere."""
    carried = value.index_select(dim, origin.clamp_min(0)) if value.size(dim) else None
    if carried is None:
        shape = list(value.shape)
        shape[dim] = origin.numel()
        return value.new_zeros(shape)
    return carried.index_fill(dim, (origin < 0).nonzero().flatten(), 0)


def _dtype(data: Data) -> torch.dtype:
    """Return the type of the features, so that they can be multiplied with the edge weights."""
    x = data.get("x")
    is_number = isinstance(x, Tensor) and x.is_floating_point()
    return x.dtype if is_number else torch.get_default_dtype()


def _note_slices(data: Data, keys: list[str], sizes: list[int]) -> None:
    """Tell a batch which edges belong to which graph, so that it can be taken apart."""
    slices = getattr(data, "_slice_dict", None)
    if slices is None:
        return
    starts = torch.as_tensor(np.cumsum([0, *sizes]))
    nothing = torch.zeros(len(sizes), dtype=torch.int64)
    # Make new dicts, because a transform does not change the data that it was given.
    data._slice_dict = slices | dict.fromkeys(keys, starts)
    data._inc_dict = {"edge_weight": nothing} | data._inc_dict
