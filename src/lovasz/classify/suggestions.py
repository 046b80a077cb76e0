"""Nodes that are worth a label, each with a reason."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from lovasz.base.frames import make_frame


@dataclass(frozen=True)
class Suggestion:
    """One node that is worth a label, which unpacks as ``node, reason``."""

    node: Hashable
    """The name of the node."""
    reason: str
    """Why it is suggested, in words for the person who labels it."""
    score: float
    """Share of what was uncertain before the batch that the label is expected to settle."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.node, self.reason))


class Suggestions(Sequence[Suggestion]):
    """Suggestions in the order in which to label them.

    >>> found = Suggestions([Suggestion("ann", "it stands for 3 nodes", 0.5)])
    >>> found.nodes, len(found), found[0].reason
    (['ann'], 1, 'it stands for 3 nodes')
    >>> for node, reason in found:
    ...     print(node, reason)
    ann it stands for 3 nodes
    """

    def __init__(self, items: Sequence[Suggestion]) -> None:
        self._items = tuple(items)

    @property
    def nodes(self) -> list[Hashable]:
        """The names of the suggested nodes, the most useful first."""
        return [item.node for item in self._items]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the columns node, reason and score."""
        columns = ("node", "reason", "score")
        return make_frame({name: [getattr(item, name) for item in self] for name in columns})

    @overload
    def __getitem__(self, at: int) -> Suggestion: ...
    @overload
    def __getitem__(self, at: slice) -> Suggestions: ...
    def __getitem__(self, at: int | slice) -> Suggestion | Suggestions:
        return Suggestions(self._items[at]) if isinstance(at, slice) else self._items[at]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Suggestions) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        shown = ", ".join(repr(item.node) for item in self._items[:3])
        return f"Suggestions({len(self)} nodes: {shown}{', …' if len(self) > 3 else ''})"
