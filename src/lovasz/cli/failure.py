"""One-line messages for problems that the user can solve."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from lovasz.base.errors import LovaszError
from lovasz.base.text import printable

FORESEEN = (LovaszError, OSError, UnicodeError, MemoryError, RuntimeError)
"""The exceptions for which :func:`explain` may have a message."""

UsageError: Any = typer.BadParameter.__base__
"""What typer raises for every wrong call; it comes from click, which some releases bring along."""


def explain(problem: Exception) -> str:
    """Say what is wrong and what to do; raise the problem again if it is a bug in lovasz."""
    if isinstance(problem, LovaszError):
        return str(problem)
    if isinstance(problem, OSError | UnicodeError):
        return f"{type(problem).__name__}: {problem}; check disk, permissions and encoding"
    if isinstance(problem, MemoryError) or "memory" in str(problem):
        return "out of memory; use a smaller graph, fewer hidden units or a sparse kernel"
    raise problem


def explain_call(problem: Any) -> str:
    """Say what is wrong with a call, and which help shows how it is made."""
    if type(problem).__name__ == "NoArgsIsHelpError":  # the help, which has been printed
        return ""
    message = problem.format_message().rstrip().removeprefix("Invalid value: ")
    path = "lovasz" if problem.ctx is None else problem.ctx.command_path
    return f"{message}{'' if message.endswith(('.', '?')) else '.'} See `{path} --help`"


@contextmanager
def wrong_call() -> Iterator[None]:
    """Turn a :class:`LovaszError` about an option into a wrong call, which ends with code 2."""
    try:
        yield
    except LovaszError as problem:
        raise typer.BadParameter(str(problem)) from None


def refused_by(check: Callable[[Any], object]) -> Callable[..., Any]:
    """Return a callback for an option whose wrong values make ``check`` raise."""

    def settle(context: typer.Context, value: Any) -> Any:
        if not context.resilient_parsing:  # the shell completes what is not yet a call
            with wrong_call():
                check(value)
        return value

    return settle


def complain(message: str) -> None:
    """Print a message as one line on stderr."""
    print(f"lovasz: {printable(' '.join(message.split()))}", file=sys.stderr)


def remark(note: str) -> None:
    """Print a note on stderr."""
    print(f"note: {printable(note)}", file=sys.stderr)
