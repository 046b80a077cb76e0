"""Lines of fields: what CSV, TSV and whitespace-separated tables have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from lovasz.base.errors import LovaszError
from lovasz.graphs.formats.columns import is_header
from lovasz.graphs.source import shorten

COMMENT = ("#", "%")
_DELIMITERS = ("\t", ";", ",")
_NEEDS_QUOTES = re.compile(r'[\s,;"#%]')


def records(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every line; blank lines and comments are skipped.

    Space around a field goes unless it is quoted. A quoted field may hold the delimiter,
    doubled quotes and line breaks.
    """
    delimiter = sniff(text)
    split_quoted = _quoted_splitter(delimiter)
    lines = enumerate(_lines(text), 1)
    for number, line in lines:
        start = line.lstrip()
        if not start or start[0] in COMMENT:
            continue
        if '"' in line:
            yield number, _quoted(number, line, lines, split_quoted)
        elif delimiter is None:
            yield number, start.split()
        else:
            yield number, [field.strip() for field in line.split(delimiter)]


def sniff(text: str) -> str | None:
    """Delimiter that most of the first lines have outside quotes; None is whitespace."""
    sample = []
    for line in _lines(text[:20_000]):
        if line.strip() and not line.lstrip().startswith(COMMENT):
            sample.append(re.sub(r'"(?:[^"]|"")*"', "", line))
        if len(sample) == 1 and is_header(re.split(r"[\t;, ]+", sample[0].strip())):
            break  # a header says it all; data lines may be cut by a line break in quotes
    if len(sample) > 1 and len(text) > 20_000:
        sample.pop()  # it may be cut in two
    having = {d: sum(d in line for line in sample) for d in _DELIMITERS}
    best = max(_DELIMITERS, key=having.__getitem__)  # the first of those that tie
    return best if 2 * having[best] >= len(sample) else None


def integers_if_all(names: Iterable[str]) -> dict[str, str] | dict[str, int]:
    """Each different name and what to call it: an int if all names are ints written plainly.

    "007" is not: it is a name, and 7 would be another.
    """
    unique = dict.fromkeys(names)
    try:
        integers = {name: int(name) for name in unique}
    except ValueError:
        return {name: name for name in unique}
    plain = all(str(integer) == name for name, integer in integers.items())
    return integers if plain else {name: name for name in unique}


def is_number(text: str) -> bool:
    """Whether ``text`` is a number, in any of the ways that numbers are written."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def quote(name: str) -> str:
    """``name`` as a field that :func:`records` reads back, whatever the delimiter."""
    return '"' + name.replace('"', '""') + '"' if _NEEDS_QUOTES.search(name) else name


def bad_line(number: int, fields: list[str], what: str) -> LovaszError:
    """The error for a line that cannot be used, quoting it."""
    return LovaszError(f"line {number}: {shorten(','.join(fields))!r} {what}")


@contextmanager
def at_line(number: int) -> Iterator[None]:
    """Put the number of the line before what is wrong with it."""
    try:
        yield
    except LovaszError as error:
        raise LovaszError(f"line {number}: {error}") from error


def _lines(text: str) -> list[str]:
    # Not splitlines(): a form feed or U+2028 in a name is no end of line.
    return text.split("\n" if "\n" in text else "\r")


def _quoted_splitter(delimiter: str | None) -> Callable[[str], list[str] | None]:
    """Function that splits a line into fields; None where the quotes do not match."""
    d = delimiter
    field = re.compile(
        r'(?:"((?:[^"]|"")*)"|([^"\s]\S*))(\s+|\Z)'
        if d is None
        else rf'[^\S{d}]*(?:"((?:[^"]|"")*)"|([^"\s{d}][^{d}]*?|))[^\S{d}]*({d}|\Z)'
    )

    def split(line: str) -> list[str] | None:
        line = line.strip() if delimiter is None else line
        fields: list[str] = []
        at = 0
        while (found := field.match(line, at)) is not None:
            fields.append(found[2] if found[1] is None else found[1].replace('""', '"'))
            if not found[3]:
                return fields
            at = found.end()
        return None

    return split


def _quoted(
    number: int,
    line: str,
    following: Iterator[tuple[int, str]],
    split: Callable[[str], list[str] | None],
) -> list[str]:
    """Fields of a line with quotes, with the lines after it if a quoted field goes on there."""
    whole = line
    while (fields := split(whole)) is None and whole.count('"') % 2:
        for _, more in following:
            whole += "\n" + more
            if '"' in more:
                break
        else:
            break
    if fields is None:
        raise LovaszError(
            f"line {number}: {shorten(line.strip())!r} has a quote that does not close; "
            'write a quote inside a name as ""'
        )
    return fields
