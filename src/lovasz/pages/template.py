"""The Jinja environment of all pages."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from lovasz.graphs.graph import counted
from lovasz.pages.style import chip, class_color, clean, clip, columns


def environment() -> Environment:
    """Return an environment that finds templates by their path in the package.

    Text is cleaned and escaped; markup is left as it is.
    """
    found = Environment(
        loader=PackageLoader("lovasz", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: (
            clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    found.filters["thousands"] = lambda number: f"{number:,}"
    found.filters["one"] = lambda number: f"{number:.1f}"
    found.filters |= {"clip": clip, "columns": columns}
    found.globals |= {"chip": chip, "color": class_color, "plural": counted}
    return found
