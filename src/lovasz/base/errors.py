"""The exception of the library."""


class LovaszError(ValueError):
    """Input that cannot be used.

    The message is one line that quotes the offending value, says where it stands, and names a
    remedy.
    """
