"""Matrix Market, npz and PyTorch files, which hold the adjacency matrix as arrays."""

from __future__ import annotations

import io
import re
from importlib.util import find_spec
from math import prod
from pickle import UnpicklingError
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for
from lovasz.base.text import short_repr, truncate
from lovasz.graphs.convert import Weights, as_graph, from_matrix
from lovasz.graphs.counts import parse_count, parse_node_count
from lovasz.graphs.formats.archives import read_archive, sparse_matrix, stored_names
from lovasz.graphs.formats.content import written_names
from lovasz.graphs.formats.lines import at_line
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import parsing

_NO_MATRIX_MARKET = re.compile(rb"[^\t\n\r\x20-\x7e\x80-\xff]")
"""Matches a byte that no Matrix Market file has; comments may be in any encoding."""


def read_matrix_market(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph on 0..n-1 of a square Matrix Market file."""
    from scipy.io import mmread

    _check_matrix_market(data)
    with parsing("Matrix Market"):
        # SciPy's reader runs over the end of a file that ends in a space.
        matrix = mmread(io.BytesIO(data.rstrip() + b"\n"))
    return from_matrix(matrix, symmetrize=symmetrize, weights=weights)


def _check_matrix_market(data: bytes) -> None:
    """Raise if SciPy would allocate more than is free or run over the end, or if the size is wrong.

    Its compiled reader looks for the end of a line with functions that stop at a NUL.
    """
    if (bad := _NO_MATRIX_MARKET.search(data)) is not None:
        number = data.count(b"\n", 0, bad.start()) + 1
        raise LovaszError(
            f"line {number}: byte 0x{bad[0][0]:02x} is not text; not a valid Matrix Market file"
        )
    start = 0
    for number, line in enumerate(io.BytesIO(data), 1):
        start += len(line)
        fields = line.decode("latin-1").split()
        if not fields or fields[0].startswith("%"):
            continue
        if not all(field.isascii() and field.isdigit() for field in fields[:3]):
            return  # SciPy will say what is wrong
        with at_line(number):
            sizes = [parse_node_count(field) for field in fields[:2]]
            if len(fields) == 2 and not all(sizes):  # SciPy's reader divides by the number of rows
                raise LovaszError(
                    f"declares {' '.join(fields)!r}, a dense matrix without entries; "
                    "an adjacency matrix has one row and one column per node"
                )
            # An entry of a coordinate file takes at least four bytes, "1 1" and a line break. An
            # entry of a dense file takes at least two, and a symmetric file has half of them.
            entries = parse_count(fields[2], "entries") if len(fields) > 2 else 0
            least = 4 * entries if len(fields) > 2 else prod(sizes) - max(sizes)
            if least > len(data) - start + 2:
                raise LovaszError(
                    f"declares {truncate(' '.join(fields))!r}, more entries than follow it; "
                    "not a valid Matrix Market file"
                )
        return


def write_matrix_market(graph: Graph) -> bytes:
    """Return a symmetric coordinate file, which is a pattern unless the graph is weighted."""
    from scipy.io import mmwrite

    out = io.BytesIO()
    field: Literal["real", "pattern"] = "real" if graph.weighted else "pattern"
    mmwrite(out, graph.adjacency, field=field, symmetry="symmetric", precision=17)
    return out.getvalue()


def read_npz(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph of a file by ``scipy.sparse.save_npz``; an array ``nodes`` has the names."""
    arrays = read_archive(data)
    if "format" not in arrays or "shape" not in arrays:
        raise LovaszError(
            f"the npz file holds {', '.join(arrays) or 'nothing'}, not a sparse matrix; "
            "write one with scipy.sparse.save_npz"
        )
    matrix = sparse_matrix(arrays)
    nodes = stored_names(arrays)
    if nodes is not None and len(nodes) == matrix.shape[0] and nodes == tuple(range(len(nodes))):
        nodes = None
    return from_matrix(matrix, symmetrize=symmetrize, weights=weights, nodes=nodes)


def write_npz(graph: Graph) -> bytes:
    """Return a file that ``scipy.sparse.load_npz`` reads, with the names in an array ``nodes``."""
    matrix = graph.adjacency
    out = io.BytesIO()
    np.savez_compressed(
        out,
        format=np.array(b"csr"),
        shape=np.array(matrix.shape),
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
        _is_array=np.array(True),
        nodes=name_array(graph),
    )
    return out.getvalue()


def read_torch(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph of a ``.pt`` file.

    The file holds a dict or a PyTorch Geometric ``Data`` with ``edge_index``, or a (2, E) tensor.
    It is loaded with ``weights_only=True``, so that it cannot run code.
    """
    content = _load_torch(data)
    if isinstance(content, tuple) and content and isinstance(content[0], dict):
        _refuse_many(content[1] if len(content) > 1 else None)
        content = content[0]  # PyTorch Geometric saves a dataset as (data, slices, class)
    if isinstance(content, dict):
        store = content
    elif hasattr(content, "edge_index"):
        store = {key: getattr(content, key, None) for key in ("edge_weight", "num_nodes")}
        store["edge_index"] = content.edge_index
    else:
        store = {"edge_index": content}
    ends = _plain_array(store.get("edge_index"))
    if ends is None or ends.ndim != 2 or ends.shape[0] != 2 or ends.dtype.kind not in "iu":
        raise LovaszError(
            "it holds no edges; save a dict with 'edge_index', a (2, E) tensor of integers"
        )
    return as_graph(
        SimpleNamespace(
            edge_index=ends,
            edge_weight=_edge_weights(store.get("edge_weight"), ends.shape[1]),
            num_nodes=_stored_count(store.get("num_nodes")),
        ),
        symmetrize=symmetrize,
        weights=weights,
    )


def _plain_array(tensor: Any) -> np.ndarray | None:
    """Return a dense tensor as an array; None for sparse, nested and quantized ones."""
    import torch

    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided:
        return None
    if tensor.is_nested or tensor.is_quantized or tensor.device.type != "cpu":
        return None
    with parsing("PyTorch"):
        tensor = tensor.detach().resolve_conj().resolve_neg()
        if tensor.is_floating_point():  # NumPy lacks some of the types, such as bfloat16
            tensor = tensor.to(torch.float64)
        array: np.ndarray = tensor.numpy()
    return array


def _edge_weights(tensor: Any, count: int) -> np.ndarray | None:
    if tensor is None:
        return None
    values = _plain_array(tensor)
    if values is None or values.size != count or values.dtype.kind not in "iuf":
        raise LovaszError(
            f"its edge_weight is not one number for each of the {count} edges; save it again"
        )
    return values.reshape(count)


def _stored_count(value: Any) -> int | None:
    """Return the number of nodes in a file, which is an integer or a tensor of one."""
    if value is None:
        return None
    array = _plain_array(value)
    number = value if array is None else array.item() if array.size == 1 else None
    if type(number) is not int or number < 0:
        raise LovaszError(f"its num_nodes is {short_repr(value)}; save a whole number")
    return number


def write_torch(graph: Graph) -> bytes:
    """Return a file with a dict of ``edge_index`` (both directions), ``num_nodes`` and weights."""
    with needed_for("a .pt file"):
        import torch

    edges = graph.adjacency.tocoo()
    content: dict[str, Any] = {
        "edge_index": torch.from_numpy(np.stack([edges.row, edges.col]).astype(np.int64)),
        "num_nodes": graph.n,
    }
    if graph.weighted:
        content["edge_weight"] = torch.from_numpy(edges.data.copy())
    out = io.BytesIO()
    torch.save(content, out)
    return out.getvalue()


def _load_torch(data: bytes) -> Any:
    with needed_for("a .pt file"):
        import torch

    with parsing("PyTorch"):
        try:
            return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        except UnpicklingError:
            if find_spec("torch_geometric") is None:
                raise _unsafe() from None
    # Importing PyTorch Geometric tells torch that its classes are safe, except for these three.
    from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
    from torch_geometric.data.storage import GlobalStorage

    untold = [DataEdgeAttr, DataTensorAttr, GlobalStorage]
    with parsing("PyTorch"), torch.serialization.safe_globals(untold):
        try:
            return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        except UnpicklingError:
            raise _unsafe() from None


def _unsafe() -> LovaszError:
    return LovaszError(
        "it holds more than tensors (or PyTorch Geometric is not installed), and loading it could "
        "run code; save a dict with 'edge_index' instead"
    )


def _refuse_many(slices: Any) -> None:
    bounds = slices.get("edge_index") if isinstance(slices, dict) else None
    if bounds is not None and len(bounds) > 2:
        raise LovaszError(f"it holds {len(bounds) - 1} graphs; save one of them alone")


def name_array(graph: Graph) -> np.ndarray:
    """Return the names of the nodes as an array that loads without pickles."""
    names = written_names(graph)
    array = np.array(names) if names else np.zeros(0, dtype=np.int64)
    # NumPy strips NULs at the end of text and turns huge integers into floats or objects.
    if array.dtype.kind not in "iuU" or array.tolist() != names:
        raise LovaszError("npz cannot hold names with NUL or integers over 64 bits; write .csv")
    return array
