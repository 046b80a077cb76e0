"""Networks that propagate with a polynomial of a kernel, p(K), fixed or learned.

The spectrum of K in 𝒦(G) is known, [0, λ_max]. With S = K / λ_max it is [0, 1], and with
S = 2 K / λ_max − I it is [−1, 1], where Chebyshev's polynomials are at home. p is never formed:
p(S) H is as many sparse products as p has degrees, so K stays sparse.

Where p stands decides what is learned; every layer but the named ones is that of a plain
multilayer perceptron:

- ``both``: p(S) ReLU(p(S) X W⁰) W¹, the LCN with p(K) in the place of K;
- ``last``: p(S) ReLU(X W⁰) W¹, predict, then propagate (Gasteiger et al., APPNP, 2019);
- ``first``: ReLU(p(S) X W⁰) W¹, propagate, then predict (Feng et al., GRAND, 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.base.device import pick_device
from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.linalg.eigenvalues import largest_eigenvalue_bound
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.inputs import Inputs, as_inputs
from lovasz.nn.engine.loop import Split, Training, fit, initial_weights, stream_seed
from lovasz.nn.engine.operators import LowRank, Operator, as_operator
from lovasz.nn.engine.precision import forward_in, pick_precision
from lovasz.nn.engine.readout import Readout, readouts, times

Where = Literal["both", "first", "last"]
Scale = Literal["none", "unit", "symmetric"]


@dataclass(frozen=True)
class Propagation:
    """p(S) = Σ_k c_k B_k(S), B_k = S^k, or T_k(S) with ``chebyshev``; and where it stands.

    ``learned``: c starts here and is trained, a sign included, so that a graph whose neighbours
    differ can be told apart as well as one whose neighbours agree (Chien et al., GPRGNN, 2021).
    """

    coefficients: tuple[float, ...]
    where: Where = "last"
    scale: Scale = "unit"
    chebyshev: bool = False
    learned: bool = False

    @property
    def hops(self) -> int:
        """The degree of p."""
        return len(self.coefficients) - 1


def pagerank(restart: float, hops: int) -> tuple[float, ...]:
    """α Σ_{k<L} (1−α)^k S^k + (1−α)^L S^L: L steps of personalised PageRank, which sum to 1.

    >>> pagerank(0.5, 2)
    (0.5, 0.25, 0.25)
    """
    if not 0 < restart <= 1 or hops < 1:
        raise LovaszError(f"restart={restart} must be in (0, 1] and hops={hops} at least 1")
    return (*(restart * (1 - restart) ** k for k in range(hops)), (1 - restart) ** hops)


PROPAGATIONS: dict[str, Propagation] = {
    "square": Propagation((0.0, 0.0, 1.0), where="both"),
    "ppr both": Propagation(pagerank(0.2, 5), where="both"),
    "ppr first": Propagation(pagerank(0.05, 10), where="first"),
    "ppr last": Propagation(pagerank(0.05, 10)),
    "appnp": Propagation(pagerank(0.1, 10), scale="none"),
    "gprgnn": Propagation(pagerank(0.1, 10), scale="none", learned=True),
    "learned ppr": Propagation(pagerank(0.05, 10), learned=True),
    "learned": Propagation(
        (0.5, 0.5, *(0.0,) * 5), scale="symmetric", chebyshev=True, learned=True
    ),
}
"""Beside "hop", the LCN of the paper. "appnp" and "gprgnn" are for GCN's Â, whose λ_max is 1.
"learned" starts as K / λ_max."""


@dataclass(frozen=True)
class Consistency:
    """Two draws of dropout should say the same of every node, labelled or not (GRAND).

    L = mean over draws of the cross-entropy + w · mean over nodes and draws of ‖P_s − P̂‖²,
    where P̂ ∝ (mean over draws of P_s)^{1/T} is taken as given.
    """

    weight: float = 1.0
    temperature: float = 0.5
    draws: int = 2

    def __call__(self, forward: Any, phases: Any, weights: list[Tensor], drop: Dropout) -> Tensor:
        """(B,) losses."""
        drawn = [forward(phases.everything, weights, drop) for _ in range(self.draws)]
        rows, targets = phases.train.rows, phases.train.targets
        loss = torch.stack(
            [targets.losses(Z if rows is None else Z.index_select(0, rows)) for Z in drawn]
        ).mean(0)
        said = torch.stack([Z.softmax(-1) for Z in drawn])
        sharp = said.detach().mean(0).pow(1 / self.temperature)
        sharp = sharp / sharp.sum(-1, keepdim=True)
        return loss + self.weight * (said - sharp).square().sum(-1).mean((0, 1))


def train_propagated(
    K: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    propagation: Propagation | str = "ppr last",
    features: Any = None,
    classes: int | None = None,
    hidden: int = 16,
    layers: int = 2,
    dropout: float = 0.5,
    lr: float = 0.01,
    weight_decay: float = 5e-4,
    epochs: int = 200,
    patience: int | None = None,
    consistency: Consistency | None = None,
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    precision: str = "single",
    capture: bool = True,
    callback: Callback | None = None,
) -> Training:
    """Train a network with p(K) for each of ``splits``; arguments as :func:`lovasz.nn.engine.loop`.

    L2 is on the first weight matrix only, as everywhere where networks of this kind are tuned.
    ``weights`` of the result are those of the layers, then (p's degree + 1, B, 1) learned
    coefficients where there are any.
    """
    chosen = _find(propagation)
    seeds = range(len(splits)) if seeds is None else seeds
    if len(seeds) != len(splits):
        raise LovaszError(f"{len(seeds)} seeds for {len(splits)} splits; give one a split")
    n, classes = K.shape[0], int(y.max()) + 1 if classes is None else classes
    numbers = pick_precision(precision)
    placed: dict[str, Any] = {"device": pick_device(device), "dtype": numbers.weights}
    width = n if features is None else features.shape[1]
    weights = initial_weights([width, *[hidden] * (layers - 1), classes], seeds, **placed)
    decays = [weight_decay, *[0.0] * (layers - 1)]
    if chosen.learned:
        start = torch.tensor(chosen.coefficients, **placed)[:, None, None]
        weights.append(start.repeat(1, len(seeds), 1).requires_grad_())
        decays.append(0.0)
    drop = Dropout(dropout, [stream_seed(seed, 1) for seed in seeds], placed["device"])
    return fit(
        forward_in(numbers, partial(Network.of, K, chosen, features, layers), placed),
        readouts(y, splits, n, placed), weights, drop, lr=lr, weight_decay=decays, epochs=epochs,
        patience=patience, objective=consistency if drop else None, capture=capture,
        callback=callback,
    )  # fmt: skip


def _find(propagation: Propagation | str) -> Propagation:
    if isinstance(propagation, Propagation):
        return propagation
    if propagation not in PROPAGATIONS:
        raise LovaszError(
            f"unknown propagation {propagation!r}; known: {', '.join(PROPAGATIONS)}, or a "
            "lovasz.nn.networks.propagation.Propagation"
        )
    return PROPAGATIONS[propagation]


@dataclass(frozen=True)
class Network:
    """A perceptron with p(S) in some of its layers; the weights of all runs come with each call."""

    n: int
    inputs: Inputs
    operator: Operator
    propagation: Propagation
    layers: int

    @classmethod
    def of(
        cls, K: Any, propagation: Propagation, features: Any, layers: int, placed: dict[str, Any]
    ) -> Network:
        """``K`` is scaled here, once."""
        n = K.shape[0]
        return cls(
            n=n,
            inputs=as_inputs(features, np.arange(n), n, **placed),
            operator=as_operator(scaled(K, propagation.scale), **placed),
            propagation=propagation,
            layers=layers,
        )

    def forward(self, use: Readout, weights: list[Tensor], dropout: Dropout | None) -> Tensor:
        """Logits (rows, B, classes) of all runs."""
        H = self.everything(weights, dropout)
        return H if use.rows is None else H.index_select(0, use.rows)

    def everything(self, weights: list[Tensor], dropout: Dropout | None = None) -> Tensor:
        """Logits (n, B, classes) of all runs."""
        matrices, learned = weights[: self.layers], weights[self.layers :]
        step = self.stepper(learned)
        runs, where = matrices[0].shape[1], self.propagation.where
        H = self.inputs.project(matrices[0], dropout).unflatten(1, (runs, -1))
        for number, W in enumerate(matrices):
            if number:
                H = H.relu()
                H = H * dropout.factors(self.n, H.shape[2]) if dropout else H
                H = times(H, W)
            if where == "both" or number == (0 if where == "first" else self.layers - 1):
                H = self._propagate(H, learned, step)
        return H

    def stepper(self, learned: list[Tensor]) -> Callable[[Tensor], Tensor]:
        """Z ↦ S Z for Z of shape (n, B, width)."""
        return lambda Z: (self.operator @ Z.flatten(1)).unflatten(1, Z.shape[1:])

    def _propagate(
        self, H: Tensor, learned: list[Tensor], step: Callable[[Tensor], Tensor]
    ) -> Tensor:
        """p(S) H, H of shape (n, B, width)."""
        p = self.propagation
        c: Any = learned[0] if p.learned else p.coefficients
        if p.hops == 0:
            return c[0] * H
        if not (p.chebyshev or p.learned):
            # Horner's rule: the gradient of a product with S needs no power of S kept.
            out = c[-1] * H
            for value in reversed(c[:-1]):
                out = step(out) + value * H if value else step(out)
            return out
        before, now = H, step(H)
        out = c[0] * before + c[1] * now
        for value in c[2:]:
            before, now = now, (2 * step(now) - before) if p.chebyshev else step(now)
            out = out + value * now
        return out


def scaled(K: Any, scale: Scale) -> Any:
    """K, K / λ_max, or 2 K / λ_max − I."""
    if scale == "none":
        return K
    if isinstance(K, LowRank):
        raise LovaszError("p(K) of a low-rank kernel is not there; give a sparse or dense matrix")
    bound = largest_eigenvalue_bound(K)
    top = bound if bound > 0 else 1.0  # a zero matrix stays zero
    if scale == "unit":
        return K / top
    n = K.shape[0]
    identity = sparse.eye_array(n, format="csr") if sparse.issparse(K) else np.eye(n)
    shifted = 2 / top * K - identity
    return shifted.tocsr() if sparse.issparse(K) else shifted
