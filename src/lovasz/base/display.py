"""How notebooks show the objects of the library.

Pictures are drawn by ``lovasz.pages``, while the objects live in layers below it, which must not
import it. So an object asks this module for its HTML, and ``lovasz/__init__.py``, which is above
all layers and runs before any of them, says who draws. Nothing is imported before a notebook asks.
"""

from __future__ import annotations

from collections.abc import Callable

_drawing: list[Callable[[object], str | None]] = []
"""The function that draws, once one was named."""


def draw_with(draw: Callable[[object], str | None]) -> None:
    """Let ``draw`` make the HTML of all objects."""
    _drawing[:] = [draw]


def as_html(shown: object) -> str | None:
    """Return what a notebook shows for an object, or None if nothing can draw it."""
    return _drawing[0](shown) if _drawing else None
