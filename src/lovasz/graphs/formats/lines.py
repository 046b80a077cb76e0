"""Lines of fields, as CSV, TSV and whitespace-separated tables have them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lovasz.base.errors import LovaszError
from lovasz.base.text import truncate
from lovasz.graphs.formats.columns import is_header

COMMENT = ("#", "%")
"""The characters that begin a comment."""

LINES_PER_UPDATE = 1 << 16
"""Number of lines that are read between two updates of the progress bar."""

_DELIMITERS = ("\t", ";", ",")
"""The delimiters besides whitespace; the first one wins a tie."""

_NEEDS_QUOTES = re.compile(r'[\s,;"#%]')
"""Matches a character with which a name must be quoted."""

_SAMPLE = 20_000
"""Number of characters from which the delimiter is guessed."""


def records(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of every line but blank lines and comments.

    Space around a field is stripped unless it is quoted. A quoted field may hold the delimiter,
    doubled quotes and line breaks.

    >>> list(records('ann,bob\\n# comment\\n"Li, Bo",cem'))
    [(1, ['ann', 'bob']), (3, ['Li, Bo', 'cem'])]
    """
    delimiter = sniff(text)
    lines = enumerate(_lines(text), 1)
    for number, line in lines:
        start = line.lstrip()
        if not start or start[0] in COMMENT:
            continue
        if '"' in line:
            yield number, _quoted(number, line, lines, delimiter)
        elif delimiter is None:
            yield number, start.split()
        else:
            yield number, [field.strip() for field in line.split(delimiter)]


def sniff(text: str) -> str | None:
    """Return the delimiter that most of the first lines have outside quotes; None is whitespace."""
    sample = []
    for line in _lines(text[:_SAMPLE]):
        if line.strip() and not line.lstrip().startswith(COMMENT):
            sample.append(re.sub(r'"[^"]*"', "", line))
        if len(sample) == 1 and is_header(re.split(r"[\t;, ]+", sample[0].strip())):
            break  # a header suffices, and line breaks in quotes may cut later lines
    if len(sample) > 1 and len(text) > _SAMPLE:
        sample.pop()  # the sample may end in the middle of it
    having = {d: sum(d in line for line in sample) for d in _DELIMITERS}
    best = max(_DELIMITERS, key=having.__getitem__)
    return best if 2 * having[best] >= len(sample) else None


def integers_if_all(names: Iterable[str]) -> dict[str, str] | dict[str, int]:
    """Return a dict from each name to an integer if all names are plain integers, else to itself.

    "007" is not plain, because 7 would be another name.

    >>> integers_if_all(["1", "2"]), integers_if_all(["007", "2"])
    ({'1': 1, '2': 2}, {'007': '007', '2': '2'})
    """
    unique = dict.fromkeys(names)
    try:
        integers = {name: int(name) for name in unique}
    except ValueError:
        return {name: name for name in unique}
    plain = all(str(integer) == name for name, integer in integers.items())
    return integers if plain else {name: name for name in unique}


def looks_numeric(text: str) -> bool:
    """Whether ``float`` can read ``text``."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def quote(name: str) -> str:
    """Return ``name`` as a field that :func:`records` reads back, whatever the delimiter."""
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


def bad_line(number: int, fields: list[str], what: str) -> LovaszError:
    """Return the error for a line that cannot be used, which quotes the line."""
    return LovaszError(f"line {number}: {truncate(','.join(fields))!r} {what}")


@contextmanager
def at_line(number: int) -> Iterator[None]:
    """Prefix the message of a :class:`LovaszError` with the number of the line."""
    try:
        yield
    except LovaszError as error:
        raise LovaszError(f"line {number}: {error}") from error


def _lines(text: str) -> list[str]:
    # Unlike splitlines(), this does not split at a form feed or U+2028 in a name.
    return text.split("\n" if "\n" in text else "\r")


def _quoted(
    number: int, line: str, following: Iterator[tuple[int, str]], delimiter: str | None
) -> list[str]:
    """Return the fields of a line with quotes, which may continue on the lines after it.

    Every character is looked at once, however many quotes and lines there are.
    """
    space = re.compile(r"\s*" if delimiter is None else rf"[^\S{delimiter}]*")
    plain = re.compile(r"\S*" if delimiter is None else rf"[^{delimiter}]*")
    fields: list[str] = []
    text, at = line, 0
    while True:
        at = _after(space, text, at)
        if text[at : at + 1] == '"':
            field, text, at = _quoted_field(text, at + 1, following)
        else:
            start, at = at, _after(plain, text, at)
            field = text[start:at].rstrip()
        fields.append(field)
        end = _after(space, text, at) if at >= 0 else 0
        if at >= 0 and end == len(text):
            return fields
        if at < 0 or not (end > at if delimiter is None else text[end] == delimiter):
            raise LovaszError(
                f"line {number}: {truncate(line.strip())!r} has a quote that does not close; "
                'write a quote inside a name as ""'
            )
        at = end + (delimiter is not None)


def _quoted_field(text: str, at: int, following: Iterator[tuple[int, str]]) -> tuple[str, str, int]:
    """Return the field whose opening quote ends at ``at``, its last line, and the place after it.

    The place is -1 if the quote does not close.
    """
    parts: list[str] = []
    while True:
        end = text.find('"', at)
        if end < 0:
            parts.append(text[at:] + "\n")
            more = next(following, None)
            if more is None:
                return "", text, -1
            text, at = more[1], 0
        elif text.startswith('""', end):
            parts.append(text[at : end + 1])
            at = end + 2
        else:
            return "".join([*parts, text[at:end]]), text, end + 1


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Return the place after what ``pattern``, which matches anywhere, matches at ``at``."""
    found = pattern.match(text, at)
    return at if found is None else found.end()
