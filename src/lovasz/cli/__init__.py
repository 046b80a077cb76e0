"""The command ``lovasz``: data on stdout, progress on stderr, one line for an error."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

import lovasz
from lovasz.cli.color import color
from lovasz.cli.communities import communities
from lovasz.cli.data import data_fetch, data_list
from lovasz.cli.failure import FORESEEN, complain, explain
from lovasz.cli.kernel import kernel
from lovasz.cli.learn import classify, demo
from lovasz.cli.number import embed, theta
from lovasz.cli.reproduce import reproduce
from lovasz.cli.signals import SIGNALS, Interrupted, interrupt
from lovasz.cli.train import train

app = typer.Typer(
    help="Learning on graphs with Lovász orthonormal embeddings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo, classify, train, theta, embed, kernel, color, communities, reproduce,
):  # fmt: skip
    app.command()(command)
data_app = typer.Typer(help="Data sets: list them, fetch them.", no_args_is_help=True)
data_app.command("list")(data_list)
data_app.command("fetch")(data_fetch)
app.add_typer(data_app, name="data")


def main() -> None:
    """Run the command; turn what the user can mend into one line and exit code 1."""
    # Threads of torch that spin while they wait make a busy machine tens of times slower than
    # threads that sleep; read when torch is loaded, so it must be said before.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    before = {number: signal.signal(number, interrupt) for number in SIGNALS}
    try:
        app()
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
