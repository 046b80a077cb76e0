"""Public graphs and tables with labels, checked against their checksums.

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
from lovasz.datasets.entry import Entry
from lovasz.datasets.karate import read_karate
from lovasz.datasets.libsvm import read_libsvm
from lovasz.datasets.mnist import read_mnist
from lovasz.datasets.npz import read_hypergraph, read_masked, read_upper
from lovasz.datasets.planetoid import read_planetoid

__all__ = ["Dataset", "fetch", "listing", "load", "registry"]

_READERS: Mapping[str, Callable[..., Dataset]] = {
    "hypergraph": read_hypergraph,
    "karate": read_karate,
    "libsvm": read_libsvm,
    "masked": read_masked,
    "mnist": read_mnist,
    "planetoid": read_planetoid,
    "upper": read_upper,
}


def load(name: str, **options: Any) -> Dataset:
    """The dataset ``name`` of :data:`registry`; its files are downloaded when they are not here.

    Files come from the folder LOVASZ_DATA, else from the cache (LOVASZ_CACHE, or the platform's
    cache folder), else from their public address. The tables of UCI and images of MNIST come with
    the graph of the LCN paper, which joins similar rows; hypergraphs with that of their cliques.

    One dataset takes options: ``load("mnist", n=2000, classes=(1, 7), seed=0)`` draws 2,000 images
    of the digits 1 and 7 and joins them. Without ``n`` it has all 60,000 images and no graph.

    >>> load("karate").y.sum()
    np.int64(17)
    """
    entry = _find(name)
    reader = _READERS[entry.format]
    known = reader.__kwdefaults__ or {}
    for option in options.keys() - known.keys():
        raise LovaszError(
            f"{entry.name} has no option {option!r}; it takes {', '.join(known) or 'none'}"
        )
    contents = {file.path: read_verified(file) for file in entry.files}
    return reader(entry, contents, **options)


def fetch(name: str) -> list[Path]:
    """Download what is missing of ``name``; the paths of its files, all with the right checksum."""
    return [verified(file)[0] for file in _find(name).files]


class Row(NamedTuple):
    """A line of :func:`listing`."""

    name: str
    about: str
    n: int
    m: int | None
    features: int
    classes: int
    licence: str
    citation: str
    where: str


def listing() -> list[Row]:
    """Every dataset, and where its files are.

    >>> next(row.where for row in listing() if row.name == "karate")
    'ships with lovasz'
    """
    return [
        Row(e.name, e.about, e.n, e.m, e.features, len(e.classes), e.licence, e.citation, _where(e))
        for e in registry.values()
    ]


def _where(entry: Entry) -> str:
    if not entry.files:
        return "ships with lovasz"
    paths = [locate(file) for file in entry.files]
    if None in paths:
        return "not downloaded" if all(file.url for file in entry.files) else "needs LOVASZ_DATA"
    folder = data_folder()
    if folder is not None and paths == [folder / file.path for file in entry.files]:
        return "found in LOVASZ_DATA"
    return "cached"


def _find(name: str) -> Entry:
    if name.lower() in registry:
        return registry[name.lower()]
    near = get_close_matches(name.lower(), registry, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(registry)}"
    raise LovaszError(f"no dataset is called {name!r}; {hint}")
