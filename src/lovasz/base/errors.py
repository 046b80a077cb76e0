"""The one error of the library."""


class LovaszError(ValueError):
    """Input that cannot be used. The message is one line: the value, the place, the remedy."""
