"""Reader of MNIST, and the paper's graphs of some of its images."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from numbers import Integral
from operator import index

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import Entry
from lovasz.graphs.families import Seed
from lovasz.graphs.similarity import similarity_graph


def read_mnist(
    entry: Entry,
    contents: Mapping[str, bytes],
    *,
    n: int | None = None,
    classes: Iterable[int] | None = None,
    seed: Seed = 0,
) -> Dataset:
    """The training images as rows of 784 grey levels from 0 to 1, and the graph of ``n`` of them.

    The LCN paper draws 500 or 2,000 images in all from two, three or ten digits, and joins two
    where their cosine distance is below 0.4: that is ``n=2000, classes=(1, 7)``. They are drawn
    uniformly, not digit by digit; its averages over five graphs are those of five seeds. With no
    ``n`` every image comes, and no graph: it would join more pairs than fit in memory.
    """
    images, digits = map(parse, contents.values())
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


def parse(content: bytes) -> np.ndarray:
    """The array of bytes in a gzipped idx file: three bytes of type, the number of axes, sizes."""
    data = gzip.decompress(content)
    axes = data[3]
    shape = np.frombuffer(data, dtype=">u4", count=axes, offset=4)
    return np.frombuffer(data, dtype=np.uint8, offset=4 + 4 * axes).reshape(shape)


def _digits(classes: Iterable[int] | None, entry: Entry) -> list[int]:
    known = range(len(entry.classes))
    try:
        chosen = [index(digit) for digit in (known if classes is None else classes)]
    except TypeError:
        chosen = []
    if not chosen or len(set(chosen)) < len(chosen) or not set(chosen) <= set(known):
        raise LovaszError(f"classes={classes!r}; pass different digits, such as (1, 7)")
    return chosen


def _draw(rows: np.ndarray, n: int, seed: Seed) -> np.ndarray:
    """``n`` of ``rows``, each set of them as likely as any other, in the order of the file."""
    if not isinstance(n, Integral) or not 1 <= n <= rows.size:
        raise LovaszError(
            f"n={n!r}; pass a whole number from 1 to {rows.size:,}, the images of these digits"
        )
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise LovaszError(f"seed={seed!r}; pass a whole number of at least 0") from None
    return np.sort(rng.choice(rows, size=n, replace=False))
