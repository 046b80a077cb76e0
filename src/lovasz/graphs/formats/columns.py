"""What the columns of a table of edges are called; files and DataFrames follow the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_PAIRS = {
    "source": "target", "source_id": "target_id", "src": "dst", "from": "to", "from_id": "to_id",
    "fromnodeid": "tonodeid", "u": "v", "node1": "node2", "node_1": "node_2", "id1": "id2",
    "id_1": "id_2", "start": "end", "head": "tail",
}  # fmt: skip
_ENDS = {*_PAIRS, *_PAIRS.values()}
_WEIGHT = ("weight", "weights", "w")
_KIND = "type"


@dataclass(frozen=True)
class Columns:
    """Which column holds what; None where no column does."""

    count: int
    source: int = 0
    target: int = 1
    weight: int | None = None
    kind: int | None = None
    """Where Gephi says whether the edge is "Directed" or "Undirected"."""
    unused: tuple[str, ...] = ()
    """Columns that have a name and that nobody reads."""


def is_header(fields: Sequence[str]) -> bool:
    """Whether the first two fields are words for the ends of an edge."""
    ends = {field.lower() for field in fields[:2]}
    return len(ends) == 2 and ends <= _ENDS


def named_columns(names: Sequence[str]) -> Columns:
    """What each of two or more named columns holds.

    The ends are the first two columns if these are called so, else two that belong together
    (``src`` and ``dst``) wherever they stand, else the first two that hold nothing else.
    """
    words = [name.lower() for name in names]
    source, target = _ends(words)
    others = [at for at in range(len(words)) if at not in (source, target)]
    weight = next((at for at in others if words[at] in _WEIGHT), None)
    kind = next((at for at in others if words[at] == _KIND), None)
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
