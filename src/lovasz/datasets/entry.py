"""What the catalogue knows about a dataset before its files are read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A data file."""

    path: str
    """Path relative to LOVASZ_DATA or to the cache folder."""
    bytes: int
    """Size in bytes."""
    sha256: str
    """Checksum in hexadecimal digits."""
    url: str | None
    """Public address of exactly these bytes, or None if there is none."""


@dataclass(frozen=True)
class DatasetEntry:
    """A dataset: what it is, whom to cite, and its files."""

    name: str
    about: str
    """A description of a few words."""
    n: int
    """Number of nodes."""
    m: int | None
    """Number of edges, or None if only a part of the nodes gets a graph."""
    features: int
    """Number of features; 0 if there are none."""
    classes: tuple[str, ...]
    """Names of the classes, in the order of their codes."""
    licence: str
    citation: str
    format: str
    """Name of the reader in :mod:`lovasz.datasets`."""
    files: tuple[File, ...] = ()
    """The files to read. There are none if the dataset ships with a dependency."""
    hyperedges: int | None = None
    """Number of hyperedges, or None if the source is a graph."""
