"""Every table and figure of the LCN paper (AISTATS 2019), rerun.

One file an item. ``lovasz reproduce`` measures its cells (:mod:`lovasz.reproduce.engine.run`),
keeps each as a JSON file and writes the page (:mod:`lovasz.reproduce.engine.page`).
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
)
"""In the order of the paper; then what goes beyond it."""
MODULES: dict[str, str] = {}
"""Where a module is not called as its item."""


def find(name: str) -> Item:
    """The item called ``name``.

    >>> find("caveman").title
    'Caveman graphs'
    """
    if name not in ITEMS:
        near = get_close_matches(name, ITEMS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: all, {', '.join(ITEMS)}"
        raise LovaszError(f"the paper has no item {name!r}; {hint}")
    module = MODULES.get(name, name.replace("-", "_"))
    return import_module(f"lovasz.reproduce.items.{module}").ITEM
