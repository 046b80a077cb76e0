"""The command ``lovasz``: data on stdout, progress on stderr, one line for an error."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

import lovasz
from lovasz.base.command import become_command
from lovasz.cli.failure import FORESEEN, UsageError, complain, explain, explain_call
from lovasz.cli.lazy import STYLE, LazyCommands
from lovasz.cli.signals import SIGNALS, Interrupted, interrupt

app = typer.Typer(
    cls=LazyCommands,
    help="Learning on graphs with Lovász orthonormal embeddings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    **STYLE | {"add_completion": True},
)


def main() -> None:
    """Run the command and exit; a problem that the user can solve is one line.

    The exit code is 0, 1 if something failed, or 2 for a wrong call.
    """
    # Threads of torch that spin while they wait make a busy machine tens of times slower than
    # threads that sleep. The variable is read when torch is loaded, so it must be set before.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    become_command()
    before = {number: signal.signal(number, interrupt) for number in SIGNALS}
    try:
        sys.exit(app(standalone_mode=False))
    except UsageError as problem:
        if message := explain_call(problem):
            complain(message)
        sys.exit(2)
    except Interrupted:  # files are written whole or not at all
        _fail("interrupted; nothing was written")
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        sys.exit(1)
    except FORESEEN as problem:
        _fail(explain(problem))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fail(message: str) -> None:
    complain(message)
    sys.exit(1)


@app.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Learning on graphs with Lovász orthonormal embeddings."""
    if version:
        print(f"lovasz {lovasz.__version__}")
        raise typer.Exit
