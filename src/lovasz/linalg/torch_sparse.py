"""Sparse matrices of torch; import it only where torch is needed."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import Tensor


def csr(indptr: Tensor, indices: Tensor, values: Tensor, shape: Any) -> Tensor:
    """Return a torch CSR tensor of parts that are known to be valid and are not checked again."""
    return torch.sparse_csr_tensor(indptr, indices, values, size=shape, check_invariants=False)


# torch warns once per process that its CSR layout is in beta. Provoke and ignore the warning here;
# the parts of the layout that are used here are tested.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    csr(torch.tensor([0, 0]), torch.tensor([], dtype=torch.int64), torch.tensor([]), (1, 1))
