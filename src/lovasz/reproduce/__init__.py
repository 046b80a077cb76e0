"""Every table and figure of the LCN paper (AISTATS 2019), run again.

Each table or figure is one item, a module or package in :mod:`lovasz.reproduce.items`.
``lovasz reproduce`` measures the cells of the items (:mod:`lovasz.reproduce.engine.run`), saves
each cell as a JSON file, and writes the page (:mod:`lovasz.reproduce.engine.page`).
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from lovasz.base.errors import LovaszError
from lovasz.reproduce.engine.cells import Item

ITEMS = (
    "theta-sandwich",
    "bipartite",
    "sbm",
    "embeddings",
    "uci-mnist",
    "mnist-multiclass",
    "citation",
    "caveman",
    "hypergraph",
    "hypergraph-real",
    "kernels",
    "defaults",
)
"""Names of the items in the order of the paper; the last three go beyond the paper."""


def find(name: str) -> Item:
    """Return the item called ``name``.

    >>> find("caveman").title
    'Caveman graphs'
    """
    if name not in ITEMS:
        near = get_close_matches(name, ITEMS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: all, {', '.join(ITEMS)}"
        raise LovaszError(f"the paper has no item {name!r}; {hint}")
    item: Item = import_module(f"lovasz.reproduce.items.{name.replace('-', '_')}").ITEM
    return item
