"""The meaning of the columns of an edge table, by their names, for files and DataFrames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lovasz.base.errors import LovaszError

_PAIRS = {
    "source": "target", "source_id": "target_id", "src": "dst", "from": "to", "from_id": "to_id",
    "fromnodeid": "tonodeid", "u": "v", "node1": "node2", "node_1": "node_2", "id1": "id2",
    "id_1": "id_2", "start": "end", "head": "tail",
}  # fmt: skip
"""Names of the two ends of an edge that belong together, in lower case."""

_ENDS = {*_PAIRS, *_PAIRS.values()}
"""All names of an end of an edge."""

_WEIGHT = ("weight", "weights", "w")
"""Names of the weight of an edge."""

_KIND = "type"
"""Name of the column in which Gephi writes "Directed" or "Undirected"."""


@dataclass(frozen=True)
class Columns:
    """Which column of an edge table holds what."""

    count: int
    """Number of columns."""
    source: int = 0
    """Column of the first end of the edge."""
    target: int = 1
    """Column of the second end of the edge."""
    weight: int | None = None
    """Column of the weight, or None if there is none."""
    kind: int | None = None
    """Column in which Gephi writes "Directed" or "Undirected", or None if there is none."""
    unused: tuple[str, ...] = ()
    """Names of the columns that are not read."""


def is_header(fields: Sequence[str]) -> bool:
    """Whether the first two fields are names for the ends of an edge.

    >>> is_header(["Source", "Target"]), is_header(["ann", "bob"])
    (True, False)
    """
    ends = {field.lower() for field in fields[:2]}
    return len(ends) == 2 and ends <= _ENDS


def named_columns(names: Sequence[str]) -> Columns:
    """Return what each of two or more named columns holds.

    The ends are the first two columns if both are named like an end, otherwise the first pair of
    names that belong together (such as ``src`` and ``dst``), otherwise the first two columns that
    are neither weight nor kind.

    >>> named_columns(["id", "src", "dst", "weight"])
    Columns(count=4, source=1, target=2, weight=3, kind=None, unused=('id',))
    """
    words = [name.lower() for name in names]
    source, target = _ends(words)
    others = [at for at in range(len(words)) if at not in (source, target)]
    weight = next((at for at in others if words[at] in _WEIGHT), None)
    kind = next((at for at in others if words[at] == _KIND), None)
    for at in (source, target, weight):
        if at is not None and words.count(words[at]) > 1:
            raise LovaszError(
                f"several columns are named {names[at]!r}; give each a name of its own"
            )
    unused = tuple(names[at] for at in others if at not in (weight, kind))
    return Columns(len(names), source, target, weight, kind, unused)


def _ends(words: list[str]) -> tuple[int, int]:
    if is_header(words):
        return 0, 1
    for first, second in _PAIRS.items():
        if first in words and second in words:
            return words.index(first), words.index(second)
    free = [at for at, word in enumerate(words) if word not in (*_WEIGHT, _KIND)]
    return (free[0], free[1]) if len(free) > 1 else (0, 1)
