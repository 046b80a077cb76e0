"""Public graphs and tables with labels, whose files are checked against their checksums.

>>> from lovasz.datasets import load
>>> load("karate")
Dataset(karate: Graph(n=34, m=78), no features, 2 classes)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from lovasz.base.errors import LovaszError
from lovasz.datasets.catalogue import registry
from lovasz.datasets.dataset import Dataset
from lovasz.datasets.download import data_folder, locate, read_verified, verified
from lovasz.datasets.entry import DatasetEntry
from lovasz.datasets.karate import read_karate
from lovasz.datasets.libsvm import read_libsvm
from lovasz.datasets.mnist import read_mnist
from lovasz.datasets.npz import read_hyperedges, read_masked, read_upper
from lovasz.datasets.planetoid import read_planetoid

__all__ = ["Dataset", "fetch", "listing", "load", "registry"]

# The reader of each format of the catalogue.
_READERS: Mapping[str, Callable[..., Dataset]] = {
    "hypergraph": read_hyperedges,
    "karate": read_karate,
    "libsvm": read_libsvm,
    "masked": read_masked,
    "mnist": read_mnist,
    "planetoid": read_planetoid,
    "upper": read_upper,
}


def load(name: str, **options: Any) -> Dataset:
    """Return the dataset ``name`` of :data:`registry`, after downloading its files if necessary.

    Files are taken from the folder LOVASZ_DATA, then from the cache (LOVASZ_CACHE, or the cache
    folder of the platform), and then from their public address. The tables of UCI and the images
    of MNIST have the graph of the LCN paper, which joins similar rows. The graph of a hypergraph
    is its 2-section.

    Only MNIST takes options: ``load("mnist", n=2000, classes=(1, 7), seed=0)`` draws 2,000 images
    of the digits 1 and 7 and joins similar ones. Without ``n`` it has all 60,000 images and no
    graph.

    >>> load("karate").y.sum()
    np.int64(17)
    """
    entry = find_entry(name)
    reader = _READERS[entry.format]
    known = reader.__kwdefaults__ or {}
    for option in options.keys() - known.keys():
        raise LovaszError(
            f"{entry.name} has no option {option!r}; it takes {', '.join(known) or 'none'}"
        )
    contents = {file.path: read_verified(file) for file in entry.files}
    return reader(entry, contents, **options)


def fetch(name: str) -> list[Path]:
    """Download the missing files of ``name`` and return the paths of all its files, verified.

    >>> fetch("karate")  # it ships with lovasz and needs no file
    []
    """
    return [verified(file)[0] for file in find_entry(name).files]


class Row(NamedTuple):
    """One dataset in :func:`listing`."""

    name: str
    about: str
    n: int
    """Number of nodes."""
    m: int | None
    """Number of edges, or None if only a part of the nodes gets a graph."""
    features: int
    classes: int
    licence: str
    citation: str
    where: str
    """Where the files are, in words, such as "cached"."""


def listing() -> list[Row]:
    """Return every dataset and where its files are.

    >>> next(row.where for row in listing() if row.name == "karate")
    'ships with lovasz'
    """
    return [
        Row(e.name, e.about, e.n, e.m, e.features, len(e.classes), e.licence, e.citation, _where(e))
        for e in registry.values()
    ]


def _where(entry: DatasetEntry) -> str:
    if not entry.files:
        return "ships with lovasz"
    paths = [locate(file) for file in entry.files]
    if None in paths:
        return "not downloaded" if all(file.url for file in entry.files) else "needs LOVASZ_DATA"
    folder = data_folder()
    if folder is not None and paths == [folder / file.path for file in entry.files]:
        return "found in LOVASZ_DATA"
    return "cached"


def find_entry(name: str) -> DatasetEntry:
    """Return the entry of the data set ``name`` in the catalogue."""
    if name.lower() in registry:
        return registry[name.lower()]
    near = get_close_matches(name.lower(), registry, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(registry)}"
    raise LovaszError(f"no dataset is called {name!r}; {hint}")
