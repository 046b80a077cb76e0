"""Reader of MNIST, with the LCN paper's graphs on some of its images."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from numbers import Integral
from operator import index

import numpy as np

from lovasz.base.checks import Seed, random_generator
from lovasz.base.errors import LovaszError
from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import DatasetEntry
from lovasz.graphs.similarity import similarity_graph


def read_mnist(
    entry: DatasetEntry,
    contents: Mapping[str, bytes],
    *,
    n: int | None = None,
    classes: Iterable[int] | None = None,
    seed: Seed = 0,
) -> Dataset:
    """Return training images as rows of 784 grey levels from 0 to 1, and the graph of ``n`` images.

    The LCN paper draws 500 or 2,000 images in total from two, three or ten digits, and joins two
    images if their cosine distance is below 0.4; ``n=2000, classes=(1, 7)`` is an example. They
    are drawn uniformly, not digit by digit, and its averages over five graphs are those of five
    seeds. Without ``n`` all images are returned without a graph, which would have more edges than
    fit into memory.
    """
    images, digits = map(parse_idx, contents.values())
    chosen = _digits(classes, entry)
    rows = np.flatnonzero(np.isin(digits, chosen))
    if n is not None:
        rows = _draw(rows, n, seed)
    features = images[rows].reshape(rows.size, -1) / np.float32(255)
    code = np.zeros(len(entry.classes), dtype=np.int64)
    code[chosen] = np.arange(len(chosen))
    graph = None if n is None else similarity_graph(features, "cosine", threshold=0.4)
    names = tuple(entry.classes[digit] for digit in chosen)
    return Dataset(entry.name, graph, features, code[digits[rows]], names, {})


def parse_idx(content: bytes) -> np.ndarray:
    """Return the array in a gzipped idx file: its type, number of axes, sizes, and entries."""
    data = gzip.decompress(content)
    axes = data[3]
    shape = np.frombuffer(data, dtype=">u4", count=axes, offset=4)
    return np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * axes).reshape(shape)


def _digits(classes: Iterable[int] | None, entry: DatasetEntry) -> list[int]:
    known = range(len(entry.classes))
    try:
        chosen = [index(digit) for digit in (known if classes is None else classes)]
    except TypeError:
        chosen = []
    if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= set(known):
        raise LovaszError(f"classes={classes!r}; pass different digits, such as (1, 7)")
    return chosen


def _draw(rows: np.ndarray, n: int, seed: Seed) -> np.ndarray:
    """Return a uniformly random set of ``n`` of the ``rows``, in the order of the file."""
    if not isinstance(n, Integral) or not 1 <= n <= rows.size:
        raise LovaszError(
            f"n={n!r}; pass a whole number from 1 to {rows.size:,}, as many as these digits have"
        )
    rng = random_generator(seed, optional=True)
    return np.sort(rng.choice(rows, size=n, replace=False))
