"""Ctrl-C, and polite requests to end."""

from __future__ import annotations

import signal
from typing import Any

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Interrupted(Exception):
    """Ctrl-C, or a polite request to end."""


def interrupt(number: int, _: Any) -> None:
    """Raise :class:`Interrupted`, once."""
    # Not KeyboardInterrupt: typer turns that into exit code 130, and Python, when it passed
    # through certain C code, into death by signal after all is said and done.
    signal.signal(number, signal.SIG_DFL)  # a second Ctrl-C does not ask
    raise Interrupted
