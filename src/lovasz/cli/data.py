"""``lovasz data``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lovasz.cli.completion import complete_dataset
from lovasz.cli.failure import wrong_call
from lovasz.cli.lazy import STYLE
from lovasz.cli.options import Json

data = typer.Typer(help="Data sets: list them, fetch them.", no_args_is_help=True, **STYLE)


@data.command("list")
def list_data(json_: Json = False) -> None:
    """List the data sets lovasz can load, their sizes, and where their files are.

    --json also has their licences, what they are, and whom to cite.

    Example: `lovasz data list --json`
    """
    from rich.console import Console
    from rich.table import Table

    from lovasz.datasets import listing

    rows = [row._asdict() for row in listing()]
    if json_:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        del row["about"], row["citation"], row["licence"]  # too long for a terminal
    table = Table(box=None, pad_edge=False)
    for column in rows[0]:
        numeric = isinstance(rows[0][column], int)
        whole = column == "name"  # so that it can be copied
        table.add_column(
            column, justify="right" if numeric else "left", overflow="fold", no_wrap=whole
        )
    for row in rows:
        table.add_row(*(f"{v:,}" if isinstance(v, int) else str(v or "-") for v in row.values()))
    Console().print(table)
    print("`lovasz data list --json` describes each data set: its licence, and whom to cite")


@data.command("fetch")
def fetch_data(
    name: Annotated[
        str,
        typer.Argument(help="Its name in the list of data sets.", autocompletion=complete_dataset),
    ],
) -> None:
    """Download a data set into the cache and check its sha256.

    Example: `lovasz data fetch cora`
    """
    from lovasz.datasets import fetch, find_entry

    with wrong_call():
        find_entry(name)
    for path in fetch(name):
        print(path)
