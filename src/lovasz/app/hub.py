"""Server-sent events: what every open window is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

HEARTBEAT = 15.0
"""Seconds after which an idle stream gets a comment, so that a dead connection is noticed."""
MOST_BEHIND = 100
"""Number of messages that may wait for a window; one that is further behind is dropped."""


class Hub:
    """The open windows. It is used in the event loop only."""

    def __init__(self) -> None:
        self._windows: dict[asyncio.Queue[str | None], str] = {}
        self._closed = False

    @property
    def present(self) -> set[str]:
        """The windows that are open."""
        return set(self._windows.values())

    def publish(self, event: str, content: Any) -> None:
        """Tell all windows."""
        text = f"event: {event}\ndata: {json.dumps(content)}\n\n"
        for queue in list(self._windows):
            if queue.qsize() < MOST_BEHIND:
                queue.put_nowait(text)
            else:  # the window will connect again and get the whole state
                queue.put_nowait(None)

    async def stream(self, client: str, first: Any) -> AsyncIterator[str]:
        """Yield the state, and then everything that is published until the window closes."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._windows[queue] = client
        try:
            yield f"event: state\ndata: {json.dumps(first)}\n\n"
            while not self._closed:
                try:
                    text = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            self._windows.pop(queue, None)

    def close(self) -> None:
        """End all streams."""
        self._closed = True
        for queue in self._windows:
            queue.put_nowait(None)
