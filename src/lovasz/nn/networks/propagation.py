"""Networks that propagate with a polynomial of a kernel, p(K), fixed or learned.

The spectrum of K in 𝒦(G) lies in [0, λ_max]. That of S = K / λ_max lies in [0, 1], and that of
S = 2 K / λ_max − I in [−1, 1], the domain of Chebyshev's polynomials. p(S) is never formed: p(S) H
takes as many sparse products as p has degrees, so K stays sparse.

Where p stands decides what is learned; every layer without p is that of a plain multilayer
perceptron:

- ``both``: p(S) ReLU(p(S) X W⁰) W¹, the LCN with p(K) instead of K;
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

from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.linalg.eigenvalues import largest_eigenvalue_bound
from lovasz.linalg.low_rank import LowRank
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.initial_weights import initial_weights, zero_biases
from lovasz.nn.engine.inputs import Inputs, as_inputs, operator_beside
from lovasz.nn.engine.loop import train_network
from lovasz.nn.engine.network import Network, Phases, Place, Placed, Split, Supervision
from lovasz.nn.engine.operators import Operator
from lovasz.nn.engine.polynomial import polynomial
from lovasz.nn.engine.readout import Readout, readouts, times
from lovasz.nn.engine.settings import Decays, Settings, on_first_matrix
from lovasz.nn.engine.training import Training

Where = Literal["both", "first", "last"]
"""The layers that have p."""
Scale = Literal["none", "unit", "symmetric"]
"""How S is made from K."""


@dataclass(frozen=True)
class Propagation:
    """A polynomial p(S) = Σ_k c_k B_k(S), and where it stands in the network.

    >>> Propagation((0.5, 0.25, 0.25), where="both").hops
    2
    """

    coefficients: tuple[float, ...]
    """The coefficients c_0, c_1, …"""
    where: Where = "last"
    """The layers that have p; see the module."""
    scale: Scale = "unit"
    """S is K if this is "none", K / λ_max if "unit", and 2 K / λ_max − I if "symmetric"."""
    chebyshev: bool = False
    """Whether B_k is Chebyshev's polynomial T_k instead of the power S^k."""
    learned: bool = False
    """Whether the coefficients are trained, starting from the given ones. They may become
    negative, so classes can be learned from neighbours that differ as well as from neighbours that
    agree (Chien et al., GPRGNN, 2021)."""

    @property
    def hops(self) -> int:
        """Return the degree of p."""
        return len(self.coefficients) - 1


def pagerank(restart: float, hops: int) -> tuple[float, ...]:
    """Return the coefficients of α Σ_{k<L} (1−α)^k S^k + (1−α)^L S^L, which sum to 1.

    These are L steps of personalised PageRank with restart probability α.

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
"""The propagations by name, in addition to "hop", the LCN of the paper. "appnp" and "gprgnn" are
for GCN's Â, whose λ_max is 1. "learned" starts as (I + S) / 2 = K / λ_max."""


@dataclass(frozen=True)
class Consistency:
    """A penalty on draws of dropout that disagree on a node, labelled or not (GRAND).

    L = mean over draws of the cross-entropy + w · mean over nodes and draws of ‖P_s − P̂‖²,
    where P̂ ∝ (mean over draws of P_s)^{1/T} is not differentiated.

    >>> Consistency(weight=0.5).draws
    2
    """

    weight: float = 1.0
    """The weight w of the penalty."""
    temperature: float = 0.5
    """The temperature T that sharpens the mean prediction."""
    draws: int = 2
    """Number of draws of dropout per step."""

    def losses(
        self, phase: Readout[PolynomialLayers], weights: list[Tensor], drop: Dropout
    ) -> Tensor:
        """Return the (B,) losses."""
        drawn = phase.layers.draw_logits(weights, drop, self.draws)
        rows, targets = phase.rows, phase.targets
        loss = torch.stack(
            [targets.losses(Z if rows is None else Z.index_select(0, rows)) for Z in drawn]
        ).mean(0)
        # The classes come first, because torch is ten times slower on many short rows.
        said = torch.stack([Z.permute(2, 0, 1).contiguous().softmax(0) for Z in drawn])
        sharp = said.detach().mean(0).pow(1 / self.temperature)
        sharp = sharp / sharp.sum(0)
        return loss + self.weight * (said - sharp).square().sum(1).mean((0, 1))


def train_propagated(
    K: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    propagation: Propagation | str = "ppr last",
    consistency: Consistency | None = None,
    features: Any = None,
    classes: int | None = None,
    settings: Settings = Settings(),
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    callback: Callback | None = None,
    start: Sequence[Tensor] | None = None,
) -> Training:
    """Train a network with p(K) for each of ``splits``, otherwise as :func:`lovasz.nn.train`.

    L2 is on the first weight matrix only, as is usual for networks of this kind. ``weights`` of
    the result are those of the layers, followed by (p's degree + 1, B, 1) learned coefficients if
    ``propagation`` has any.

    >>> import lovasz
    >>> K = lovasz.kernel([(0, 1), (1, 2), (2, 3)], "gcn")
    >>> y, split = np.array([0, 0, 1, 1]), (np.array([0, 3]), np.array([1]))
    >>> few = Settings(epochs=5)
    >>> train_propagated(K, y, [split], propagation="appnp", settings=few).logits.shape
    (1, 4, 2)
    """
    task = Supervision.of(y, splits, classes)
    p = find_propagation(propagation)
    network = PolynomialNetwork(
        build=partial(PolynomialLayers.of, K, p, features, settings.layers, bias=settings.bias),
        width=len(y) if features is None else features.shape[1],
        task=task,
        hidden=settings.hidden,
        layers=settings.layers,
        propagation=p,
        consistency=consistency,
        bias=settings.bias,
    )
    return train_network(
        network,
        task,
        settings=settings,
        seeds=seeds,
        device=device,
        callback=callback,
        start=start,
    )


def find_propagation(propagation: Propagation | str) -> Propagation:
    """Return a propagation by its name in ``PROPAGATIONS``, or the propagation itself."""
    if isinstance(propagation, Propagation):
        return propagation
    if propagation not in PROPAGATIONS:
        raise LovaszError(
            f"unknown propagation {propagation!r}; known: {', '.join(PROPAGATIONS)}, or a "
            "lovasz.nn.networks.propagation.Propagation"
        )
    return PROPAGATIONS[propagation]


@dataclass(frozen=True, kw_only=True)
class PolynomialNetwork(Network[Readout["PolynomialLayers"]]):
    """A perceptron with p(S) in some of its layers."""

    build: Callable[[Placed], PolynomialLayers]
    """Makes the layers on a device."""
    width: int
    """Number of features."""
    task: Supervision
    """The classes and the splits."""
    hidden: int
    """Number of hidden units."""
    layers: int
    """Number of weight matrices."""
    propagation: Propagation
    """The polynomial p."""
    consistency: Consistency | None = None
    """The penalty on draws of dropout that disagree, if any."""
    bias: bool = False
    """Whether every layer adds a vector; these come between the matrices and the coefficients."""

    def initial_weights(self, seeds: Sequence[int], placed: Placed) -> list[Tensor]:
        """Glorot matrices, then zero vectors if there are biases, then coefficients to learn."""
        widths = [self.width, *[self.hidden] * (self.layers - 1), self.task.classes]
        weights = initial_weights(widths, seeds, **placed)
        weights += zero_biases(widths[1:], len(seeds), **placed) if self.bias else []
        if self.propagation.learned:
            start = torch.tensor(self.propagation.coefficients, **placed)[:, None, None]
            weights.append(start.repeat(1, len(seeds), 1).requires_grad_())
        return weights

    def phases(self, place: Place) -> Phases[Readout[PolynomialLayers]]:
        """All phases share the layers, except where precision is mixed."""
        return readouts(self.task, place, self.build)

    def forward(
        self, phase: Readout[PolynomialLayers], weights: list[Tensor], drop: Dropout | None
    ) -> Tensor:
        """Return the logits of the nodes of a phase."""
        return phase.read(weights, drop)

    def losses(
        self,
        phases: Phases[Readout[PolynomialLayers]],
        weights: list[Tensor],
        drop: Dropout,
    ) -> Tensor:
        """Return the losses of :class:`Consistency` if there is one and anything is dropped."""
        if self.consistency and drop:
            return self.consistency.losses(phases.train, weights, drop)
        return super().losses(phases, weights, drop)

    def decays(self, weight_decay: Decays) -> list[Sequence[float]]:
        """Put L2 on the first weight matrix only."""
        return on_first_matrix(
            weight_decay, self.layers * (1 + self.bias) + self.propagation.learned
        )


@dataclass(frozen=True)
class PolynomialLayers:
    """The layers of the network on a device; the weights of all runs come with each call."""

    n: int
    """Number of nodes."""
    inputs: Inputs
    """The features."""
    operator: Operator
    """The matrix S."""
    propagation: Propagation
    """The polynomial p."""
    coefficients: Tensor
    """The coefficients of p where they are not learned, one row per degree."""
    layers: int
    """Number of weight matrices; further weights are biases, then learned coefficients."""
    bias: bool
    """Whether every layer adds a vector."""

    @classmethod
    def of(
        cls,
        K: Any,
        propagation: Propagation,
        features: Any,
        layers: int,
        placed: Placed,
        *,
        bias: bool = False,
    ) -> PolynomialLayers:
        """Scale K and move everything to the device."""
        n = K.shape[0]
        inputs = as_inputs(features, np.arange(n), n, **placed)
        return cls(
            n=n,
            inputs=inputs,
            operator=operator_beside(inputs, scale_kernel(K, propagation.scale), **placed),
            propagation=propagation,
            coefficients=torch.tensor(
                propagation.coefficients, device=placed["device"], dtype=torch.float64
            )[:, None],
            layers=layers,
            bias=bias,
        )

    def logits(
        self, weights: list[Tensor], drop: Dropout | None = None, rows: Tensor | None = None
    ) -> Tensor:
        """Return the logits (rows, B, classes) of all runs; ``rows=None`` means all nodes."""
        H = self.finish(self.predict(weights, drop), weights)
        return H if rows is None else H.index_select(0, rows)

    def draw_logits(self, weights: list[Tensor], drop: Dropout, draws: int) -> Sequence[Tensor]:
        """Return the logits of all nodes for several draws of dropout.

        p stands in one product for all draws where it comes last.
        """
        drawn = [self.predict(weights, drop) for _ in range(draws)]
        return self.finish(torch.cat(drawn, 1), weights).chunk(draws, 1)

    def predict(self, weights: list[Tensor], drop: Dropout | None) -> Tensor:
        """Return (n, B, classes): everything but the polynomial after the last layer."""
        matrices, biases = weights[: self.layers], weights[self.layers :] if self.bias else []
        runs, where = matrices[0].shape[1], self.propagation.where
        H: Tensor = self.inputs.project(matrices[0], drop).unflatten(1, (runs, -1))
        for number, W in enumerate(matrices):
            if number:
                H = H.relu()
                H = H * drop.factors(self.n, H.shape[2]) if drop else H
                H = times(H, W)
            H = H + biases[number] if biases else H
            inner = where == "both" and number < self.layers - 1
            if inner or (where == "first" and number == 0):
                H = self.apply_polynomial(H, weights)
        return H

    def finish(self, H: Tensor, weights: list[Tensor]) -> Tensor:
        """Return what :meth:`predict` found, after the polynomial of the last layer if any."""
        return H if self.propagation.where == "first" else self.apply_polynomial(H, weights)

    def apply_polynomial(self, H: Tensor, weights: list[Tensor]) -> Tensor:
        """Return p(S) H for H of shape (n, B, width), or of several times B."""
        p, width = self.propagation, H.shape[2]
        if p.learned:  # one row per degree, one value per column of H
            learned = weights[-1]
            draws = H.shape[1] // learned.shape[1]
            c = learned.repeat(1, draws, 1).expand(-1, -1, width).flatten(1)
        else:
            c = self.coefficients.to(H.dtype)
        image: Tensor = polynomial(H.flatten(1), c, self.operator, p.chebyshev)
        shaped: Tensor = image.unflatten(1, H.shape[1:])
        return shaped


def scale_kernel(K: Any, scale: Scale) -> Any:
    """Return the matrix S: K, K / λ_max, or 2 K / λ_max − I."""
    if scale == "none":
        return K
    if isinstance(K, LowRank):
        raise LovaszError("p(K) needs a sparse or dense matrix, not a low-rank kernel")
    bound = largest_eigenvalue_bound(K)
    top = bound if bound > 0 else 1.0  # a zero matrix stays zero
    if scale == "unit":
        return K / top
    n = K.shape[0]
    identity = sparse.eye_array(n, format="csr") if sparse.issparse(K) else np.eye(n)
    shifted = 2 / top * K - identity
    return shifted.tocsr() if sparse.issparse(K) else shifted
