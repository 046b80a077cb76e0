"""Cells of CSV files that a spreadsheet shows as text and never runs as a formula."""

from __future__ import annotations

import re

FORMULA = "=+-@\t\r"
"""The characters that make a spreadsheet take the cell that they begin for a formula."""
GUARD = "'"
"""The character before a cell that makes a spreadsheet take it for text."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def guard_cell(text: str) -> str:
    """Return ``text`` so that a spreadsheet shows it and does not run it.

    >>> guard_cell("=HYPERLINK(1)"), guard_cell("-3.5"), guard_cell("plain")
    ("'=HYPERLINK(1)", '-3.5', 'plain')
    """
    if text[:1] and text[0] in FORMULA + GUARD and not _NUMBER.fullmatch(text):
        return GUARD + text
    return text


def unguard_cell(text: str) -> str:
    """Inverse of :func:`guard_cell`; other text stays as it is.

    >>> unguard_cell("'=HYPERLINK(1)"), unguard_cell("'tis"), unguard_cell(guard_cell("''"))
    ('=HYPERLINK(1)', "'tis", "''")
    """
    guarded = text[:1] == GUARD and len(text) > 1 and text[1] in FORMULA + GUARD
    return text[1:] if guarded else text
