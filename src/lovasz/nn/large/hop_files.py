"""K^l X for l = 0 … L in files, computed block by block for features that do not fit in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.base.progress import Callback

MEMORY = 2**30
"""Default number of bytes for working arrays."""


@dataclass(frozen=True)
class Hops:
    """A folder of hop-0.npy … hop-L.npy, each of shape (n, d), that :func:`write_hops` wrote.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_hops(sparse.eye_array(3, format="csr"), np.eye(3), 1, folder)
    ...     Hops.open(folder).n
    3
    """

    folder: Path
    """Where the files are."""
    n: int
    """Number of nodes."""
    width: int
    """Number of features per hop, d."""
    hops: int
    """Largest power of K, L; there are L + 1 files."""

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Hops:
        """Open what :func:`write_hops` left in ``folder``; refuse it if it did not finish."""
        path = Path(folder) / "hops.json"
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            return cls(Path(folder), facts["n"], facts["width"], facts["hops"])
        except (OSError, ValueError, KeyError, TypeError):
            raise LovaszError(
                f"{path} does not exist or cannot be read; run write_hops first"
            ) from None

    def path(self, hop: int) -> Path:
        """Return the file of K^hop X."""
        return self.folder / f"hop-{hop}.npy"

    def rows(self, nodes: np.ndarray | slice) -> np.ndarray:
        """Read [X, KX, …, K^L X] of some nodes, a float32 array of shape (nodes, (L+1) d).

        A file is mapped for this read only. Pages that stayed mapped would count as memory of the
        process until the system wants them back.
        """
        parts = [np.asarray(map_array(self.path(hop))[nodes]) for hop in range(self.hops + 1)]
        return np.concatenate(parts, axis=1, dtype=np.float32)

    def blocks(self, memory: float = MEMORY) -> Iterator[slice]:
        """Yield ranges of nodes whose rows take at most ``memory`` bytes."""
        return chunks(self.n, int(memory / (4 * self.width * (self.hops + 1))))


def write_hops(
    K: Any,
    X: Any,
    hops: int,
    folder: str | os.PathLike[str],
    *,
    memory: float = MEMORY,
    dtype: Any = np.float32,
    callback: Callback | None = None,
) -> Hops:
    """Write X, KX, …, K^hops X to ``folder``, in blocks of columns and rows.

    K is a scipy CSR matrix with float32 values (other values are copied), and X is an (n, d)
    array, which may be memory-mapped. A product reads c columns of the previous hop into memory
    and multiplies them with K, one block of rows after the other, where

        c = ⌊memory / (8 n)⌋,

    at least 1 and at most d. In addition to K this takes ``memory`` bytes: half of them for the
    columns, half for a block of rows with the pages it is read from or written to. If c = 1, it
    may take 4 n + ``memory`` / 2 bytes. The files are read ⌈d/c⌉ times per hop. ``dtype`` is the
    type of the stored numbers; float16 halves the files and rounds every hop to 3 digits.

    >>> import tempfile
    >>> import lovasz
    >>> K = lovasz.kernel([(0, 1), (1, 2)], "ls")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hops = write_hops(K, np.eye(3), 2, folder)
    ...     hops.rows(slice(0, 3)).shape  # X, KX and K²X side by side
    (3, 9)
    """
    K = sparse.csr_array(K).astype(np.float32, copy=False)
    n, d = _check_shapes(K, X, hops)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    (target / "hops.json").unlink(missing_ok=True)  # there is no result until all is written
    result = Hops(target, n, d, hops)
    columns = list(chunks(d, int(memory / (8 * n))))
    for hop in range(hops + 1):
        create_array(result.path(hop), (n, d), dtype)
        for number, part in enumerate(columns):
            if hop == 0:
                _copy(X, result.path(0), part, memory)
            else:
                _multiply(K, result.path(hop - 1), result.path(hop), part, memory)
            if callback:
                callback(hop * len(columns) + number + 1, f"hop {hop}, columns to {part.stop}")
    with atomic(target / "hops.json") as path:
        path.write_text(json.dumps({"n": n, "width": d, "hops": hops}), encoding="utf-8")
    return result


def _check_shapes(K: sparse.csr_array, X: Any, hops: int) -> tuple[int, int]:
    if K.shape[0] != K.shape[1] or len(getattr(X, "shape", ())) != 2 or X.shape[0] != K.shape[0]:
        raise LovaszError(
            f"K is {K.shape} and X is {getattr(X, 'shape', type(X).__name__)}; "
            "pass an n x n kernel and an n x d array"
        )
    if min(X.shape) == 0 or hops < 0:
        raise LovaszError(f"X is {X.shape} and hops={hops}; pass features and 0 hops or more")
    return int(X.shape[0]), int(X.shape[1])


def _copy(X: Any, path: Path, part: slice, memory: float) -> None:
    for rows in chunks(X.shape[0], int(memory / (32 * X.shape[1]))):
        block = np.asarray(X[rows, part], dtype=np.float32)
        if not np.isfinite(block).all():
            where = f"rows {rows.start} to {rows.stop - 1}"
            raise LovaszError(f"X holds NaN, inf or numbers beyond 3e38 in {where}; fill or scale")
        map_array(path, "r+")[rows, part] = block


def _multiply(K: sparse.csr_array, source: Path, target: Path, part: slice, memory: float) -> None:
    """Compute ``target[:, part] = K @ source[:, part]``."""
    (n, d), width = map_array(source).shape, part.stop - part.start
    block = np.empty((n, width), dtype=np.float32)
    for rows in chunks(n, int(memory / (8 * d))):
        block[rows] = map_array(source)[rows, part]  # mapped for this line only
    # Bytes per row: its product, its part of K (indices, values, a mask), the pages it lies in.
    each = 4 * width + 12 * K.nnz / n + 4 * d
    for rows in chunks(n, int(memory / (2 * each))):
        map_array(target, "r+")[rows, part] = K[rows] @ block


def chunks(total: int, size: int) -> Iterator[slice]:
    """Yield slices of ``size`` (at least 1) that cover range(total)."""
    size = max(1, min(size, total))
    return (slice(start, min(start + size, total)) for start in range(0, total, size))


def create_array(path: Path, shape: tuple[int, ...], dtype: Any) -> None:
    """Create an .npy file of zeros, which take no space on disk until they are overwritten."""
    try:
        np.lib.format.open_memmap(path, mode="w+", dtype=np.dtype(dtype), shape=shape)
    except OSError as problem:
        raise LovaszError(
            f"cannot write {path} ({problem.strerror}); choose another folder"
        ) from None


def map_array(path: Path, mode: Literal["r", "r+"] = "r") -> np.ndarray:
    """Map the array of an .npy file into memory."""
    mapped: np.ndarray = np.load(path, mmap_mode=mode)
    return mapped
