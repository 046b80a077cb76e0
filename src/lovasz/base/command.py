"""Whether this process is the command ``lovasz``."""

from __future__ import annotations

_state = {"command": False}


def become_command() -> None:
    """Say that this process is the command, and no Python program uses its objects."""
    _state["command"] = True


def is_command() -> bool:
    """Return whether this process is the command."""
    return _state["command"]
