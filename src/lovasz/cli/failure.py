"""What the user can mend, in one line."""

from __future__ import annotations

import sys

from lovasz.base.errors import LovaszError

FORESEEN = (LovaszError, OSError, UnicodeError, MemoryError, RuntimeError)
"""What :func:`explain` may have a line for."""


def explain(problem: Exception) -> str:
    """What is wrong and what to do; raises again what is a fault of ours."""
    if isinstance(problem, LovaszError):
        return str(problem)
    if isinstance(problem, OSError | UnicodeError):
        return f"{type(problem).__name__}: {problem}; check disk, permissions and encoding"
    if isinstance(problem, MemoryError) or "memory" in str(problem):
        return "out of memory; use a smaller graph, fewer hidden units or a sparse kernel"
    raise problem


def complain(message: str) -> None:
    """A line on stderr."""
    print(f"lovasz: {' '.join(message.split())}", file=sys.stderr)
