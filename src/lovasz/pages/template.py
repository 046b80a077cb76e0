"""What the templates of all pages have in common."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from lovasz.base.text import pluralize
from lovasz.pages.style import chip, clean, clip, color, columns


def environment() -> Environment:
    """Templates by their path in the package; text is cleaned and escaped, markup is not."""
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
    found.globals |= {"chip": chip, "color": color, "plural": pluralize}
    return found
