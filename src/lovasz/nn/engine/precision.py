"""The types of the numbers that a network is trained in.

In mixed precision, K, X and what they are multiplied with are rounded to bfloat16 in a training
step (8 bits of mantissa and the exponents of single precision, so gradients need no scaling), and
every product is summed in single precision. The weights, everything between the products, Adam's
state, the losses, the validation and the returned logits are single precision: the small steps of
Adam would be lost in 8 bits, and epochs are chosen by the same numbers as otherwise. It pays on a
GPU if an epoch mostly waits for reading K and X or for a dense product.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch

from lovasz.nn.engine.settings import check_precision


class Precision(NamedTuple):
    """The types of the numbers of a training."""

    products: torch.dtype
    """Type of the factors of the products of a training step."""
    weights: torch.dtype
    """Type of everything else."""


PRECISIONS = {
    "single": Precision(torch.float32, torch.float32),
    "mixed": Precision(torch.bfloat16, torch.float32),
    "double": Precision(torch.float64, torch.float64),
}
"""The precisions by name."""


def pick_precision(name: str) -> Precision:
    """Return a precision by its name.

    >>> pick_precision("mixed").products
    torch.bfloat16
    """
    check_precision(name)
    return PRECISIONS[name]


@contextmanager
def summed_in_single() -> Iterator[None]:
    """Forbid torch to sum products of bfloat16 in bfloat16 on a GPU, which it does by default."""
    flags = torch.backends.cuda.matmul
    before = flags.allow_bf16_reduced_precision_reduction
    flags.allow_bf16_reduced_precision_reduction = False
    try:
        yield
    finally:
        flags.allow_bf16_reduced_precision_reduction = before
