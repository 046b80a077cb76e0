"""In which numbers a network is trained.

Mixed precision: in a training step K, X and what they are multiplied with are rounded to bfloat16
(8 bits of mantissa, the exponents of single precision, so gradients need no scaling), and every
product is summed in single precision. Weights, what is between the products, Adam's state,
losses, validation and the logits returned are single precision: the small steps of Adam would be
lost in 8 bits, and epochs are chosen by the same numbers as ever. It pays on a GPU, where reading
K and X or a dense product is what an epoch waits for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch

from lovasz.base.errors import LovaszError


class Precision(NamedTuple):
    """The types of the products of a training step, and of all else."""

    products: torch.dtype
    weights: torch.dtype


PRECISIONS = {
    "single": Precision(torch.float32, torch.float32),
    "mixed": Precision(torch.bfloat16, torch.float32),
    "double": Precision(torch.float64, torch.float64),
}


def pick_precision(name: str) -> Precision:
    """By its name.

    >>> pick_precision("mixed").products
    torch.bfloat16
    """
    if name not in PRECISIONS:
        raise LovaszError(f"precision {name!r} is unknown; choose of {', '.join(PRECISIONS)}")
    return PRECISIONS[name]


@contextmanager
def summed_in_single() -> Iterator[None]:
    """Products of bfloat16 on a GPU are meanwhile not summed in bfloat16, which torch allows."""
    flags = torch.backends.cuda.matmul
    before = flags.allow_bf16_reduced_precision_reduction
    flags.allow_bf16_reduced_precision_reduction = False
    try:
        yield
    finally:
        flags.allow_bf16_reduced_precision_reduction = before
