"""Arrays in npz files, read within the memory that is free and checked before they are used."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Hashable, Mapping

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs.counts import ALWAYS_FITS, BYTES_PER_NODE
from lovasz.graphs.source import parsing

PEAK = 4
"""Peak memory per byte of the unpacked arrays, copies and checks included."""


def read_archive(data: bytes, *, only: tuple[str, ...] | None = None) -> dict[str, np.ndarray]:
    """Return the arrays of an npz file by name; ``only`` names the ones that are wanted.

    No pickle is loaded. A file whose arrays would not fit into free memory is refused before
    anything is unpacked.
    """
    with parsing("npz"), zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if only is None or info.filename.removesuffix(".npy") in only
        }
        refuse_if_too_large(
            "unpacking its arrays",
            sum(info.file_size for info in members.values()),
            "use a machine with more memory, or save fewer entries",
            bytes_per_entry=PEAK,
        )
        return {name: read_array(archive.read(info)) for name, info in members.items()}


def read_array(content: bytes) -> np.ndarray:
    """Return the array of an ``.npy`` file; its header may not declare more than follows."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read_header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    if version[0] < 3:  # version 3 is for names of fields beyond Latin-1, which no array here has
        shape, _, dtype = read_header(file)
        if dtype.hasobject:
            raise LovaszError("an array holds Python objects, which are never loaded; save numbers")
        count = 1
        for size in shape:  # Python's integers do not overflow
            count *= size
        if min(shape, default=0) < 0 or count * dtype.itemsize > len(content):
            raise LovaszError(f"an array declares the shape {shape}, and its file ends before that")
    file.seek(0)
    array: np.ndarray = np.lib.format.read_array(file, allow_pickle=False)
    if array.dtype.kind == "U":
        _check_characters(array)
    return array


def _check_characters(texts: np.ndarray) -> None:
    """Refuse numbers above Unicode's last character, on which Python ends in a SystemError."""
    number = np.dtype(np.uint32).newbyteorder(texts.dtype.byteorder)
    codes = np.frombuffer(texts.tobytes(), number)
    if codes.size and codes.max() > sys.maxunicode:
        raise LovaszError(
            f"an array of text holds the number {codes.max():,}, which is no character; save it "
            "again"
        )


def names_in(data: bytes) -> list[str]:
    """Return the names of the arrays of an npz file without unpacking them."""
    with parsing("npz"), zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]


def stored_names(arrays: Mapping[str, np.ndarray]) -> tuple[Hashable, ...] | None:
    """Return the names of the nodes in an array ``nodes``, or None if there is no such array."""
    if "nodes" not in arrays:
        return None
    names = arrays["nodes"]
    if names.ndim != 1 or names.dtype.kind not in "iuUS":
        raise LovaszError(
            f"the array 'nodes' holds {names.dtype} of shape {names.shape}; save one text or "
            "integer per node"
        )
    return tuple(names.tolist())


def sparse_matrix(arrays: Mapping[str, np.ndarray]) -> sparse.csr_array:
    """Return the matrix of the arrays that ``scipy.sparse.save_npz`` writes.

    SciPy's own ``load_npz`` trusts the indices, and a wrong one makes compiled code read or write
    memory that is not its own.
    """
    with parsing("npz"):
        kind = arrays["format"].item()
        kind = kind.decode("ascii") if isinstance(kind, bytes) else str(kind)
        shape = _shape(arrays["shape"])
        data = arrays["data"]
        if kind == "coo":
            places = arrays["coords"] if "coords" in arrays else (arrays["row"], arrays["col"])
            for place in places:
                _check_indices(place)
            return sparse.csr_array(sparse.coo_array((data, tuple(places)), shape=shape))
        if kind == "dia":
            _check_indices(arrays["offsets"])
            return sparse.csr_array(sparse.dia_array((data, arrays["offsets"]), shape=shape))
        parts = (data, arrays["indices"], arrays["indptr"])
        if kind == "csr":
            return checked_csr(*parts, shape)
        if kind == "csc":
            return sparse.csr_array(checked_csr(*parts, shape[::-1]).T)
    raise LovaszError(
        f"it holds a sparse matrix of the format {kind!r}; save a csr_array, csc_array or coo_array"
    )


def checked_csr(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return the matrix of these three arrays, or raise if an index is out of its range."""
    _check_indices(indices)
    _check_indices(indptr)
    rows, columns = shape
    fits = (
        data.shape == indices.shape
        and indptr.size == rows + 1
        and indptr[0] == 0
        and indptr[-1] == indices.size
        and bool((indptr[1:] >= indptr[:-1]).all())  # differences of unsigned integers wrap
        and (indices.size == 0 or (indices.min() >= 0 and indices.max() < columns))
    )
    if not fits:
        raise LovaszError("the arrays of its sparse matrix contradict each other; save it again")
    return sparse.csr_array((data, indices, indptr), shape=shape)


def _shape(array: np.ndarray) -> tuple[int, int]:
    if array.shape != (2,) or array.dtype.kind not in "iu" or (array < 0).any():
        raise LovaszError("the array 'shape' must be two whole numbers from 0 on; save it again")
    rows, columns = (int(size) for size in array.tolist())
    if rows + columns > ALWAYS_FITS:
        refuse_if_too_large(
            f"a matrix of {rows:,} rows and {columns:,} columns",
            rows + columns,
            "correct its shape",
            bytes_per_entry=BYTES_PER_NODE,
        )
    return rows, columns


def _check_indices(array: np.ndarray) -> None:
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise LovaszError(
            f"the indices of the matrix are {array.dtype} of shape {array.shape}; save it again"
        )
