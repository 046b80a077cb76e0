"""Table "Multi class classification in MNIST dataset", with the readings of ``uci_mnist``."""

from __future__ import annotations

from functools import partial
from typing import Any

from lovasz.pages.reproduction.section import Section
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results
from lovasz.reproduce.items.uci_mnist import HEADLINE, measure_table, table_cells
from lovasz.reproduce.tables.comparison import ComparedTable, comparison_section
from lovasz.reproduce.tables.numbers import flatten, headline

IMAGES = {
    "mnist-500-127": (500, (1, 2, 7)),
    "mnist-2000-127": (2000, (1, 2, 7)),
    "mnist-2000-all": (2000, tuple(range(10))),
}
PUBLISHED = {
    # gcn gpnn lcn
    "mnist-500-127": (96.1, 93.8, 97.5),
    "mnist-2000-127": (97.2, 94.4, 97.4),
    "mnist-2000-all": (84.4, 56.9, 85.1),
}
COLUMNS = ("gcn", "gpnn", "lcn")
METHODS = ("gcn", "gcn-raw", "gpnn", "lcn", "lcn-ls")


def cells(quick: bool) -> list[Cell]:
    """One cell per row, method and graph."""
    rows = ("mnist-500-127",) if quick else tuple(PUBLISHED)
    return table_cells("mnist-multiclass", rows, METHODS, quick=quick)


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Scores of one method on one graph of a row, in every reading."""
    return measure_table(cell, context, IMAGES)


def section(results: Results) -> Section:
    """The tables and what to say about them."""
    table = ComparedTable(results, PUBLISHED, COLUMNS, METHODS, HEADLINE)
    protocol = (
        "The protocol is that of the binary tables above, with the digits 1, 2 and 7, or all ten.",
    )
    return comparison_section(table, ITEM.title, protocol)


ITEM = Item(
    "mnist-multiclass",
    "MNIST, three and ten classes",
    cells,
    measure,
    section,
    flatten(PUBLISHED, COLUMNS),
    partial(headline, reading=HEADLINE),
)
