"""The probability with which bounds of a result may fail, shared out among the tests."""

from __future__ import annotations

CHANCE = 1e-12
"""Largest probability that any of the bounds of a result fails."""


class Chances:
    """Gives every test half of what is left, whether its outcome is used or not.

    The sum is at most the whole, so the bounds of all cores and of all attempts hold together.
    """

    def __init__(self, whole: float = CHANCE) -> None:
        self.left = whole

    def take(self) -> float:
        """The probability with which the next test may fail."""
        self.left /= 2
        return self.left
