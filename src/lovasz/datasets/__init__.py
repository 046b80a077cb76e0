"""Public graphs and tables with labels, checked against their checksums.

>>> from lovasz.datasets import load
>>> load("karate")
Dataset(karate: Graph(n=34, m=78), no features, 2 classes)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from lovasz.datasets.catalogue import registry
from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import Entry
from lovasz.datasets.files import data_folder, download, locate, read_verified
from lovasz.datasets.karate import read_karate
from lovasz.datasets.libsvm import read_libsvm
from lovasz.datasets.npz import read_masked, read_upper
from lovasz.datasets.planetoid import read_planetoid
from lovasz.errors import LovaszError

__all__ = ["Dataset", "fetch", "listing", "load", "registry"]

_READERS: Mapping[str, Callable[[Entry, Mapping[str, bytes]], Dataset]] = {
    "karate": read_karate,
    "libsvm": read_libsvm,
    "masked": read_masked,
    "planetoid": read_planetoid,
    "upper": read_upper,
}


def load(name: str) -> Dataset:
    """The dataset ``name`` of :data:`registry`; its files are downloaded when they are not here.

    Files come from the folder LOVASZ_DATA, else from the cache (LOVASZ_CACHE, or the platform's
    cache folder), else from their public address.

    >>> load("karate").y.sum()
    np.int64(17)
    """
    entry = _find(name)
    contents = {file.path: read_verified(file) for file in entry.files}
    return _READERS[entry.format](entry, contents)


def fetch(name: str) -> list[Path]:
    """Download what is missing of ``name``; the paths of its files."""
    return [locate(file) or download(file) for file in _find(name).files]


class Row(NamedTuple):
    """A line of :func:`listing`."""

    name: str
    about: str
    n: int
    m: int
    features: int
    classes: int
    licence: str
    where: str


def listing() -> list[Row]:
    """Every dataset, and where its files are.

    >>> next(row.where for row in listing() if row.name == "karate")
    'ships with lovasz'
    """
    return [
        Row(e.name, e.about, e.n, e.m, e.features, len(e.classes), e.licence, _where(e))
        for e in registry.values()
    ]


def _where(entry: Entry) -> str:
    if not entry.files:
        return "ships with lovasz"
    paths = [locate(file) for file in entry.files]
    if None in paths:
        return "not downloaded"
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
