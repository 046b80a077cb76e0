"""Packages that only some functions need, and the extras of ``lovasz`` that install them.

``pip install lovasz`` brings what ϑ, colourings and kernels need. Everything else is imported
where it is used, inside ``with needed_for("what it is for"):``, or is asked for beforehand with
:func:`require`. Either way a missing package becomes one line that names the extra.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from lovasz.base.errors import LovaszError
from lovasz.base.text import join_words

EXTRA_OF = {
    "jinja2": "pages",
    "markupsafe": "pages",
    "matplotlib": "pages",
    "joblib": "jobs",
    "sklearn": "learn",
    "torch": "learn",
    "torch_geometric": "pyg",
    "igraph": "igraph",
    "pandas": "pandas",
    "dask": "dask",
    "distributed": "dask",
    "starlette": "app",
    "uvicorn": "app",
    "scs": "peers",
}
"""The extra that installs each optional package, by the name under which it is imported."""
INCLUDES = {
    "learn": {"jobs", "pages"},
    "pyg": {"learn", "jobs", "pages"},
    "dask": {"learn", "jobs", "pages"},
    "app": {"learn", "jobs", "pages"},
}
"""The extras that an extra includes."""
DISTRIBUTIONS = {"sklearn": "scikit-learn", "torch_geometric": "torch-geometric"}
"""The packages that have another name at the package index than in an import."""


class MissingPackage(ImportError, LovaszError):
    """A package of an extra is not installed; the message names the extra."""


def is_installed(module: str) -> bool:
    """Whether a package can be imported; it is not imported for that."""
    if module in sys.modules:
        return sys.modules[module] is not None
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def require(*modules: str, what: str) -> None:
    """Raise :class:`MissingPackage` unless all these optional packages are installed.

    >>> require("json", what="an example")
    """
    if missing := [module for module in modules if not is_installed(module)]:
        raise _complaint(missing, what)


@contextmanager
def needed_for(what: str) -> Iterator[None]:
    """Let a failed import of an optional package inside this block name the extra.

    >>> with needed_for("an example"):
    ...     import json
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        module = (problem.name or "").partition(".")[0]
        if module not in EXTRA_OF:
            raise
        raise _complaint([module], what) from None


def install_command(extras: Iterable[str]) -> str:
    """The command that installs these extras.

    >>> install_command(["pages", "learn", "pandas"])
    'pip install "lovasz[learn,pandas]"'
    """
    wanted = set(extras)
    for extra in list(wanted):
        wanted -= INCLUDES.get(extra, set())
    return f'pip install "lovasz[{",".join(sorted(wanted))}]"'


def distribution(module: str) -> str:
    """The name of a package at the package index."""
    return DISTRIBUTIONS.get(module, module)


def _complaint(missing: list[str], what: str) -> MissingPackage:
    names = join_words([distribution(module) for module in missing])
    remedy = install_command(EXTRA_OF[module] for module in missing)
    return MissingPackage(f"{what} needs {names}; {remedy}", name=missing[0])
