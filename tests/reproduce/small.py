"""An item without mathematics, which worker processes import in no time."""

import os
import signal

from lovasz.pages.reproduction.section import Entry, Section, Table
from lovasz.reproduce.engine.cells import Cell, Item


def square(cell, context):
    """The row "bad" fails, "set" is no JSON."""
    if cell.row == "bad":
        raise ValueError("no such\nthing")
    if cell.row == "set":
        return {"value": {3}}
    return {"value": len(cell.row) ** 2, "device": context.device}


def process(cell, context):
    """Where it is measured."""
    return {"pid": os.getpid()}


def blocked(cell, context):
    """The signals that the process does not see."""
    return {"signals": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, [])))}


def small_item(rows=("a", "bb", "ccc"), measure=square, data=(), name="small"):
    """Squares of the lengths of rows."""
    cells = [
        Cell(name, row, method, cost=len(row), data=data)
        for row in rows
        for method in ("gcn", "lcn")
    ]

    def section(results):
        table = Table(
            "Squares",
            ["row", "value"],
            [[row, Entry(str(r["value"]), "ours")] for (row, _), r in results.items()],
        )
        return Section("Small | things", ["Counted *by hand*."], ["All is <well>."], [table])

    return Item(
        name, "Small | things", lambda quick: cells[:2] if quick else cells, measure, section
    )
