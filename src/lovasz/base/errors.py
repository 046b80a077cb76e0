"""The exception of the library."""

from __future__ import annotations


class LovaszError(ValueError):
    """Input that cannot be used.

    The message is one line that quotes the offending value, says where it stands, and names a
    remedy.

    >>> import lovasz
    >>> try:
    ...     lovasz.kernel([(0, 1)], "gnc")
    ... except lovasz.LovaszError as problem:
    ...     print(str(problem)[:20])
    unknown kernel 'gnc'
    """


class NoSuchAttribute(LovaszError, AttributeError):
    """An attribute that this object does not have, so that ``hasattr`` and ``dir`` go on.

    >>> class Fit:
    ...     @property
    ...     def weights_(self):
    ...         raise NoSuchAttribute("nothing was trained; name a kernel")
    >>> hasattr(Fit(), "weights_")
    False
    """


def demand(holds: object, otherwise: str) -> None:
    """Raise a :class:`LovaszError` with the reason ``otherwise`` unless something holds."""
    if not holds:
        raise LovaszError(otherwise)
