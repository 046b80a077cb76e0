"""One-line messages for problems that the user can solve."""

from __future__ import annotations

import sys

from lovasz.base.errors import LovaszError
from lovasz.base.text import printable

FORESEEN = (LovaszError, OSError, UnicodeError, MemoryError, RuntimeError)
"""The exceptions for which :func:`explain` may have a message."""


def explain(problem: Exception) -> str:
    """Say what is wrong and what to do; raise the problem again if it is a bug in lovasz."""
    if isinstance(problem, LovaszError):
        return str(problem)
    if isinstance(problem, OSError | UnicodeError):
        return f"{type(problem).__name__}: {problem}; check disk, permissions and encoding"
    if isinstance(problem, MemoryError) or "memory" in str(problem):
        return "out of memory; use a smaller graph, fewer hidden units or a sparse kernel"
    raise problem


def complain(message: str) -> None:
    """Print a message as one line on stderr."""
    print(f"lovasz: {printable(' '.join(message.split()))}", file=sys.stderr)


def remark(note: str) -> None:
    """Print a note on stderr."""
    print(f"note: {printable(note)}", file=sys.stderr)
