"""What is known of a dataset before it is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """A data file. ``path`` is its place below LOVASZ_DATA or the cache folder."""

    path: str
    bytes: int
    sha256: str
    url: str | None
    """Public address of exactly these bytes; None where there is none."""


@dataclass(frozen=True)
class Entry:
    """A dataset: what it is, whom to cite, and its files (none: it ships with lovasz)."""

    name: str
    about: str
    n: int
    m: int | None
    """None where only a part of the nodes gets a graph."""
    features: int
    classes: tuple[str, ...]
    licence: str
    citation: str
    format: str
    files: tuple[File, ...] = ()
    hyperedges: int | None = None
    """How many, where the source is a hypergraph; ``m`` counts the edges of their cliques."""
