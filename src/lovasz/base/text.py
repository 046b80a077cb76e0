"""Short text for messages: numbers with their nouns, and text cut to one line."""

from __future__ import annotations

from collections.abc import Sequence


def pluralize(number: int, noun: str, many: str | None = None) -> str:
    """Return ``number`` with ``noun``, which in the plural is ``many``, or ends in an s.

    >>> pluralize(1, "edge"), pluralize(2000, "edge"), pluralize(0, "clique", "cliques")
    ('1 edge', '2,000 edges', '0 cliques')
    """
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def join_words(words: Sequence[str]) -> str:
    """Return "a, b and c".

    >>> join_words(["torch", "jinja2", "matplotlib"])
    'torch, jinja2 and matplotlib'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def truncate(text: str, length: int = 60) -> str:
    """Return ``text``, cut to ``length`` characters; an ellipsis stands for what was cut off.

    >>> truncate("Kneser graph", 7)
    'Kneser…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def short_repr(value: object) -> str:
    """Return ``repr(value)`` on one line, cut to 60 characters, for a message that names a value.

    >>> short_repr("ann"), len(short_repr("ann" * 1000))
    ("'ann'", 60)
    """
    return truncate(" ".join(repr(value).split()))


def printable(text: str) -> str:
    """Return ``text`` with escapes for the characters that a terminal would act upon.

    Line breaks and tabs stay. Bidirectional controls, which reorder what is on the screen, are
    escaped, too.

    >>> printable("red: \\x1b[31m, näïve: 3 ≤ ϑ")
    'red: \\\\x1b[31m, näïve: 3 ≤ ϑ'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def one_line(error: BaseException) -> str:
    """Return the message of ``error`` without line breaks, truncated if it is long.

    >>> one_line(ValueError("first line\\nsecond line")), one_line(KeyError())
    ('first line second line', 'KeyError')
    """
    return truncate(" ".join(str(error).split()) or type(error).__name__, 160)
