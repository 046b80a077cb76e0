"""The API reference: one page per public module, written from what the modules list as public.

A public name is one in the ``__all__`` of a module in ``MODULES``, or, in a module without
``__all__``, one that is defined there. ``python docs/_ext/api_pages.py`` counts the public names
and those without an example, which must be none.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

MODULES = {
    "lovasz.graphs": "Graphs",
    "lovasz.graphs.families": "Random graphs",
    "lovasz.graphs.similarity": "Graphs from features",
    "lovasz.graphs.symmetric_families": "Symmetric graphs",
    "lovasz.graphs.symmetric_graph": "The type of symmetric graphs",
    "lovasz.number": "The Lovász number",
    "lovasz.number.batch": "Many graphs",
    "lovasz.verification": "Proofs to check",
    "lovasz.base.surds": "Exact values",
    "lovasz.kernels": "Kernels",
    "lovasz.kernels.embedding": "Embeddings",
    "lovasz.colors": "Colourings and sets",
    "lovasz.clustering": "Communities",
    "lovasz.clustering.estimators": "Estimators for scikit-learn",
    "lovasz.hypergraphs": "Hypergraphs",
    "lovasz.classify": "Classifiers",
    "lovasz.classify.suggest": "What to label",
    "lovasz.nn": "Networks",
    "lovasz.nn.large.decoupled": "Features larger than memory",
    "lovasz.nn.large.distributed": "Many processes",
    "lovasz.baselines": "Methods to compare with",
    "lovasz.datasets": "Data sets",
    "lovasz.base.errors": "Errors",
    "lovasz": "More names",
}
"""Public modules and the titles of their pages."""
ONLY = {
    "lovasz.kernels.embedding": ["Embedding", "embedding"],
    "lovasz.clustering.estimators": ["LovaszClustering", "LovaszEmbedding"],
    "lovasz.classify.suggest": ["suggest"],
    "lovasz.base.errors": ["LovaszError"],
    "lovasz.base.surds": ["Surd"],
    "lovasz.number.batch": ["theta_many"],
    "lovasz.graphs.symmetric_graph": ["SymmetricGraph"],
}
"""Modules with more names than the public ones."""
DEFINED = {"lovasz.datasets.registry": "lovasz.datasets.catalogue.registry"}
"""Constants that another module defines, which has their description."""
FOREIGN = {"builtins", "collections", "sklearn", "torch", "torch_geometric"}
"""Packages whose methods our classes inherit, which have pages of their own elsewhere."""
HEAD = """# API

Every public name, with an example. Names that are not listed here may change without notice.

"""


def public_names(module: str) -> list[str]:
    """The public names of a module."""
    if module in ONLY:
        return ONLY[module]
    home = import_module(module)
    if hasattr(home, "__all__"):
        return list(home.__all__)
    own = [name for name, value in vars(home).items() if is_defined_in(value, module)]
    return [name for name in own if not name.startswith("_")]


def is_defined_in(value: object, module: str) -> bool:
    """Whether a module defines a class or function itself."""
    return callable(value) and getattr(value, "__module__", None) == module


def full_names() -> dict[str, list[str]]:
    """The public names by module, each once and by the shortest path that leads to it."""
    import lovasz

    seen: set[str] = set()
    found: dict[str, list[str]] = {}
    for module in MODULES:  # the last one has what no other has
        names = [name for name in public_names(module) if name not in seen]
        seen.update(names)
        found[module] = [
            f"lovasz.{name}" if name in lovasz.__all__ else f"{module}.{name}"
            for name in names
            if name != "__version__"
        ]
    return {module: names for module, names in found.items() if names}


def find(name: str) -> Any:
    """The object with a full name."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def has_example(name: str) -> bool:
    """Whether the docstring of a class or function, or the page of its module, has an example.

    A constant has no docstring, so its module's counts.
    """
    value = find(name)
    if not callable(value):
        value = import_module(name.rpartition(".")[0])
    return ">>> " in (inspect.getdoc(value) or "")


def directive(name: str) -> str:
    """How Sphinx documents one name."""
    value = find(name)
    if inspect.isclass(value):
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members:\n"
    if callable(value):
        return f".. autofunction:: {name}\n"
    return f".. autodata:: {DEFINED.get(name, name)}\n   :no-value:\n"


def write_pages(folder: Path) -> None:
    """Write the pages, but leave files alone that would stay the same."""
    names = full_names()
    pages = {"index": HEAD + table(names) + toctree(names)}
    for module in names:
        title = MODULES[module]
        body = "\n".join(directive(name) for name in names[module])
        about = f".. automodule:: {module}\n   :no-members:\n   :no-index:\n\n"
        pages[page_of(module)] = f"# {title}\n\n```{{eval-rst}}\n{about}{body}\n```\n"
    folder.mkdir(exist_ok=True)
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def table(names: dict[str, list[str]]) -> str:
    """All names in one table, by page."""
    lines = ["| page | names |\n", "|---|---|\n"]
    for module in names:
        title = MODULES[module]
        listed = ", ".join(f"{{py:obj}}`{DEFINED.get(name, name)}`" for name in names[module])
        lines.append(f"| [{title}]({page_of(module)}.md) | {listed} |\n")
    return "".join(lines)


def toctree(names: dict[str, list[str]]) -> str:
    """The list of pages for the sidebar."""
    pages = "\n".join(page_of(module) for module in names)
    return f"\n```{{toctree}}\n:hidden:\n{pages}\n```\n"


def page_of(module: str) -> str:
    """The file name of a module's page."""
    return module.removeprefix("lovasz.").replace(".", "-")


def skip_inherited(
    app: Any, what: str, name: str, value: object, skip: bool, options: object
) -> bool | None:
    """Leave out what a class has from other libraries; None leaves the choice to Sphinx."""
    owner = getattr(value, "__objclass__", None) or getattr(value, "fget", None) or value
    home = str(getattr(owner, "__module__", None)).partition(".")[0]
    return True if home in FOREIGN else None


def tidy_docstring(
    app: Any, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Make reStructuredText of what our docstrings write more simply.

    |e| would be a substitution, so bars outside of code become ∣. A section that is underlined,
    such as "Parameters", becomes a list of its entries.
    """
    lines[:] = list_parameters(lines)
    for row, line in enumerate(lines):
        if "|" in line and not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(``.*?``)", line)
            lines[row] = "".join(p if p.startswith("``") else p.replace("|", "∣") for p in parts)


def list_parameters(lines: list[str]) -> list[str]:
    """Replace each underlined section by a heading in bold and one item per entry."""
    found: list[str] = []
    inside = False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and re.fullmatch("-+", below):
            inside = True
            found += [f"**{line}**", ""]
        elif inside and (entry := re.match(r"(\S.*?) : (.*)", line)):
            names = ", ".join(f"``{name}``" for name in entry[1].split(", "))
            found.append(f"- {names}: {entry[2]}")
        elif inside and line.startswith("    "):
            found.append(f"  {line.strip()}")
        elif not (inside and set(line) == {"-"}):
            inside = inside and line.strip() != ""
            found.append(line)
    return found


def setup(app: Any) -> dict[str, Any]:
    """Write the pages before Sphinx looks for its sources."""
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / "api"))
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("autodoc-process-docstring", tidy_docstring)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    every = [name for names in full_names().values() for name in names]
    bare = [name for name in every if not has_example(name)]
    print(f"{len(every)} public names, {len(bare)} without an example")
    print(*bare, sep="\n")
