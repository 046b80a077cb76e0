"""Writing kernels to files."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.base.tables import write_table
from lovasz.graphs import Graph
from lovasz.linalg.kernel_matrix import Kernel


def write_kernel(K: sparse.csr_array, graph: Graph, path: Path | None) -> None:
    """Write K as .npz (``scipy.sparse.load_npz``), .mtx or .csv; None is CSV on stdout."""
    if path is None:
        _write_csv(K, graph, sys.stdout)
        return
    if path.suffix not in (".npz", ".mtx", ".csv"):
        raise LovaszError(f"cannot write a kernel as {path.name!r}; end it in .npz, .mtx or .csv")
    with atomic(path) as temporary:
        if path.suffix == ".npz":
            sparse.save_npz(temporary, K)
        elif path.suffix == ".mtx":
            from scipy.io import mmwrite

            mmwrite(temporary, K, symmetry="symmetric")
        else:
            with open(temporary, "w", newline="", encoding="utf-8") as file:
                _write_csv(K, graph, file)


def _write_csv(K: sparse.csr_array, graph: Graph, file: TextIO) -> None:
    entries = K.tocoo()
    rows = zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True)
    named = ((graph.nodes[i], graph.nodes[j], value) for i, j, value in rows)
    write_table(file, chain([("node", "node", "value")], named))


def describe_kernel(K: Kernel) -> dict[str, Any]:
    """The shape and the range of values of a kernel, for ``--json``."""
    others = K.off_diagonal()
    values = others if len(others) else np.zeros(1)
    return {
        "kernel": K.name,
        "nodes": K.shape[0],
        "nonzeros": K.nnz,
        "diagonal": [float(K.diagonal().min()), float(K.diagonal().max())],
        "off_diagonal": [float(values.min()), float(values.max())],
    }
