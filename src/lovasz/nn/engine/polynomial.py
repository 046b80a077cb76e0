"""A polynomial of a matrix times a matrix, p(S) H = Σ_k c_k B_k(S) H, with its gradient.

B_k(S) is S^k or Chebyshev's T_k(S), and c_k may differ from column to column of H. With G the
gradient of the result and Q_k = B_k(Sᵀ) G, the gradients are

    ∂H = Σ_k c_k Q_k    and    ∂c_k = column sums of H ∘ Q_k,

so no power of S has to be kept: the forward pass is Horner's rule, or Clenshaw's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from lovasz.nn.engine.operators import Operator


class _Polynomial(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, H: Tensor, c: Tensor, S: Operator, chebyshev: bool) -> Tensor:
        ctx.save_for_backward(H, c)
        ctx.operator, ctx.chebyshev = S, chebyshev
        return evaluate(H, c, S, chebyshev=chebyshev)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor | None, None, None]:
        (H, c), S, G = ctx.saved_tensors, ctx.operator.T, gradient.contiguous()
        if not ctx.needs_input_grad[1]:
            return evaluate(G, c, S, chebyshev=ctx.chebyshev), None, None, None
        total, sums = torch.zeros_like(G), torch.empty_like(c)
        for k, Q in enumerate(basis(G, len(c), S, chebyshev=ctx.chebyshev)):
            total.addcmul_(Q, c[k])
            torch.sum(H * Q, 0, out=sums[k])
        return total, sums, None, None


polynomial: Callable[[Tensor, Tensor, Operator, bool], Tensor] = _Polynomial.apply
"""``polynomial(H, c, S, chebyshev)``: p(S) H for H (n, w) and c (degree + 1, w or 1)."""


def basis(G: Tensor, count: int, S: Operator, *, chebyshev: bool) -> Iterator[Tensor]:
    """Yield B_k(S) G for k = 0 … count − 1, without a gradient."""
    before, now = G, G
    for k in range(count):
        if k == 1 or (k and not chebyshev):
            now = S.product(now)
        elif k:
            before, now = now, S.add_product(before, now, beta=-1, alpha=2)
        yield now


def evaluate(H: Tensor, c: Tensor, S: Operator, *, chebyshev: bool) -> Tensor:
    """Return p(S) H by Horner's rule, or for Chebyshev's polynomials by Clenshaw's.

    There is no gradient.
    """
    H = H.contiguous()
    now, before = H * c[-1], torch.zeros_like(H) if chebyshev else H
    for k in range(len(c) - 2, -1, -1):
        if not chebyshev:
            now = S.product(now).addcmul_(H, c[k])
        else:
            step = S.add_product(before, now, beta=-1, alpha=2 if k else 1)
            now, before = step.addcmul_(H, c[k]), now
    return now
