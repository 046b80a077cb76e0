"""``lovasz data``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lovasz.cli.options import Json


def data_list(json_: Json = False) -> None:
    """The data sets lovasz can load, their sizes and licences, and where their files are."""
    from lovasz.datasets import listing

    rows = [row._asdict() for row in listing()]
    if json_:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        del row["about"], row["citation"]  # too long for a terminal
    from rich.console import Console
    from rich.table import Table

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
    print("what they are and whom to cite: lovasz data list --json")


def data_fetch(name: Annotated[str, typer.Argument(help="As in `lovasz data list`.")]) -> None:
    """Download a data set into the cache and check its sha256."""
    from lovasz.datasets import fetch

    for path in fetch(name):
        print(path)
