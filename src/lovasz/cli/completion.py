"""What the shell completes: names of kernels, variants, data sets and the like.

The functions get the beginning of a word and return what it may become. ``lovasz
--install-completion`` switches completion on in the shell that it is typed in.
"""

from __future__ import annotations

from collections.abc import Iterable

DEVICES = ("auto", "cpu", "cuda")
"""The devices that are completed."""


def _beginning(word: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(word)]


def complete_kernel(incomplete: str) -> list[str]:
    """The names of kernels."""
    from lovasz.kernels import KERNELS

    return _beginning(incomplete, KERNELS)


def complete_classifier_kernel(incomplete: str) -> list[str]:
    """The names of kernels, and "auto"."""
    return [*_beginning(incomplete, ["auto"]), *complete_kernel(incomplete)]


def complete_device(incomplete: str) -> list[str]:
    """The names of devices."""
    return _beginning(incomplete, DEVICES)


def complete_variant(incomplete: str) -> list[str]:
    """The variants of ϑ."""
    from lovasz.number import VARIANTS

    return _beginning(incomplete, VARIANTS)


def complete_solver(incomplete: str) -> list[str]:
    """The solvers of ϑ."""
    from lovasz.number import SOLVERS

    return _beginning(incomplete, SOLVERS)


def complete_dataset(incomplete: str) -> list[str]:
    """The data sets that have files to download."""
    from lovasz.datasets.catalogue import registry

    return _beginning(incomplete, [name for name, entry in registry.items() if entry.files])


def complete_item(incomplete: str) -> list[str]:
    """The tables and figures of ``lovasz reproduce``."""
    from lovasz.reproduce import ITEMS

    return _beginning(incomplete, ["all", *ITEMS])
