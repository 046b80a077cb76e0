"""SPORE: the kernel of 𝒦(G) that suits the labels, by a spectral norm regularised SVM.

Shivanna, Chatterjee, Sankaran, Bhattacharyya and Bach, *Spectral norm regularization of
orthonormal representations for graph transduction*, NIPS 2015. With labels ±1 on S, |S| = m:

    min over K ∈ 𝒦(G) of  F(K) = ω_C(K_S, y) + β λ_max(K),
    ω_C(K, y) = max over 0 ≤ α ≤ C of Σα − ½ αᵀ Y K Y α.

The method of minimisation differs from the paper's. The paper takes subgradient steps and
projects onto 𝒦(G) by FISTA, with several eigendecompositions per step. Here it is Davis and Yin's
three-operator splitting with step γ, which takes one eigendecomposition per iteration:

1. X = argmin of β λ_max(X) + ‖X − W‖²/2γ over X ⪰ 0, which clips the eigenvalues of W to [0, τ];
2. α is computed from X_S; the gradient of ω there is −½ (Yα)(Yα)ᵀ;
3. Z = 2X − W + ½ γ (Yα)(Yα)ᵀ, with ones on the diagonal and zeros off the graph;
4. W ← W + Z − X, with Anderson acceleration.

ω_C is not smooth, so γ is reduced to γ₀/2, γ₀/3, … whenever five iterations gain little. The best
Z, mixed with I until it is positive semidefinite, is kept, so F never rises above its start. If
the best K_S is singular (large C, small β), ω_C has no derivative there; expect F to be within a
few per cent of its minimum then, and otherwise within 0.1 %.

**F alone does not determine what is learned.** K_S ⊕ I has the same ω_C as K and no larger λ_max,
so some minimiser says nothing about any unlabelled node. What a minimiser says there depends on
the start and on how soon the iteration stops. ``anchor`` makes that choice explicit: the objective
is F(K) + ½ · anchor · ‖K − K_start‖²_F, whose minimiser is unique. ``anchor=0`` is the paper's
problem. Near its minimum the machine was less accurate than on its start K_LS on planted
partitions and the heart graph, and more accurate on the sonar graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.checks import is_number
from lovasz.base.device import pick_device
from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.baselines.svm_dual import solve_box, value
from lovasz.classify.estimator import NodeClassifier, not_fitted
from lovasz.classify.problem import Kernels
from lovasz.graphs import Graph, as_graph
from lovasz.kernels.optimal import make_psd

THEORY = "theory"
"""The value of C and β that stands for the paper's formulas."""
CHECK = 5
"""Number of iterations between evaluations of F; an evaluation costs a third of an iteration."""
STALLS = 3
"""Number of evaluations in a row without progress after which the search ends."""
SINGLE_ABOVE = 1e-4
"""From this ``tol`` on, eigendecompositions in single precision are accurate enough."""
SINGLE_FROM = 200
"""Single precision is used from this number of nodes on; it takes half the time."""
FIRST_STEP = 0.3
"""The first step γ in units of ‖K‖ / (½‖α‖² + β)."""


class SPOREClassifier(NodeClassifier):
    """An SVM without bias on the kernel of 𝒦(G) that suits the labels (SPORE).

    f(i) = Σ_j K_ij α_j y_j. Each of several classes is separated from the rest with its own K.

    Parameters
    ----------
    C, beta : numbers, or "theory" for C = (ϑ(G) / (m √ϑ(Ḡ)))^½ and β = ϑ(G) / ϑ(Ḡ), with ϑ to
        1 % or as well as it is known after ``theta_seconds``.
    affinity, affinity_options : as in :class:`lovasz.LCNClassifier`.
    start : the kernel in 𝒦(G) to start from, by name or as a matrix.
    anchor : weight of the distance from the start; 0 is the paper's problem, whose solution is
        not unique.
    iterations : largest number of eigendecompositions per class.
    tol : if five iterations lower the value by less than this share, the step is shortened; three
        such rounds in a row end the search once X and Z agree.
    theta_seconds : time limit for each of the two ϑ that "theory" needs.
    device : "auto", "cpu", "cuda".

    After ``fit`` there are ``classes_``, ``transduction_``, ``decision_`` (n, classes), ``C_``,
    ``beta_``, ``kernel_`` (a csr_array in 𝒦(G)) and ``objective_`` (F of the best kernel so far,
    at the start and every five iterations). If there are more than two classes, the last two are
    lists with one entry per class.

    >>> path = [(0, 1), (1, 2), (2, 3)]
    >>> clf = SPOREClassifier(beta=0.1).fit(path, [0, -1, -1, 1])
    >>> clf.predict().tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        C: float | str = 1.0,
        beta: float | str = THEORY,
        affinity: str = "precomputed",
        *,
        affinity_options: dict[str, Any] | None = None,
        start: Any = "ls",
        anchor: float = 1.0,
        iterations: int = 100,
        tol: float = 1e-3,
        theta_seconds: float = 20.0,
        device: str = "auto",
    ) -> None:
        self.C = C
        self.beta = beta
        self.affinity = affinity
        self.affinity_options = affinity_options
        self.start = start
        self.anchor = anchor
        self.iterations = iterations
        self.tol = tol
        self.theta_seconds = theta_seconds
        self.device = device

    def fit(self, graph: Any, y: Any) -> SPOREClassifier:
        """Learn from the labelled nodes and label all nodes.

        ``graph`` and ``y`` are those of :class:`lovasz.LCNClassifier`.
        """
        _check(self.C, self.beta, self.anchor, self.iterations, self.tol)
        problem = self._read(graph, y)
        self._remember(problem)
        network, codes = problem.graph, problem.codes
        labelled = np.flatnonzero(codes >= 0)
        self.C_, self.beta_ = theory(
            network,
            len(labelled),
            C=self.C,
            beta=self.beta,
            seconds=self.theta_seconds,
            device=self.device,
        )
        kernels, histories, scores = [], [], []
        for positive in range(len(self.classes_)) if len(self.classes_) > 2 else (1,):
            signs = np.where(codes[labelled] == positive, 1.0, -1.0)
            K, alpha, history = spore(
                network,
                signs,
                labelled,
                C=self.C_,
                beta=self.beta_,
                start=self.start,
                anchor=self.anchor,
                iterations=self.iterations,
                tol=self.tol,
                device=self.device,
            )
            kernels.append(K)
            histories.append(history)
            scores.append(K[:, labelled] @ (alpha * signs))
        several = len(scores) > 1
        self.kernel_ = kernels if several else kernels[0]
        self.objective_ = histories if several else histories[0]
        self.decision_ = np.stack(scores if several else [-scores[0], scores[0]], axis=1)
        self.transduction_ = self.classes_[self.decision_.argmax(1)]
        return self

    def predict(self, X: Any = None) -> np.ndarray:
        """Return the class of every node."""
        if getattr(self, "transduction_", None) is None:
            raise not_fitted(self)
        return self._answer(self.transduction_, X)


def theory(
    graph: Graph,
    m: int,
    *,
    C: Any = THEORY,
    beta: Any = THEORY,
    seconds: float = 20.0,
    device: str = "auto",
) -> tuple[float, float]:
    """Return (C, β), with "theory" replaced by the paper's values for m labels.

    ϑ is computed to 1 %, or as well as ``seconds`` for each of G and Ḡ allow.

    >>> pentagon = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    >>> C, beta = theory(as_graph(pentagon), 2)  # ϑ = √5 for the graph and its complement
    >>> round(C, 4), round(beta, 4)
    (0.8647, 1.0)
    """
    from lovasz.number import theta
    from lovasz.number.solvers.contract import never

    if C != THEORY and beta != THEORY:
        return float(C), float(beta)
    own, other = (
        theta(
            graph, tol=1e-2, time_limit=seconds, complement=turned, device=device, stop=never
        ).value
        for turned in (False, True)
    )
    return (
        float((own / (m * other**0.5)) ** 0.5 if C == THEORY else C),
        float(own / other if beta == THEORY else beta),
    )


def spore(
    graph: Any,
    signs: Any,
    labelled: Any,
    *,
    C: float | str = 1.0,
    beta: float | str = THEORY,
    start: Any = "ls",
    anchor: float = 1.0,
    iterations: int = 100,
    tol: float = 1e-3,
    device: str = "auto",
) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Return K ∈ 𝒦(G), its α, and F of the best K at each evaluation.

    ``signs`` are the ±1 labels of the ``labelled`` rows. K ⪰ 0 is proven, rounding included.
    The options are those of :class:`SPOREClassifier`. For many (C, β) on one graph, give numbers,
    because "theory" computes ϑ every time.

    >>> K, alpha, history = spore([(0, 1), (1, 2)], [1, 1, -1], [0, 1, 2], beta=0.1, anchor=0)
    >>> bool(history[-1] < history[0]), bool(K[0, 1] > 0 > K[1, 2]), float(K[0, 2])
    (True, True, 0.0)
    """
    _check(C, beta, anchor, iterations, tol)
    network = as_graph(graph)
    rows, signs = _labels(network, signs, labelled)
    C, beta = theory(network, len(rows), C=C, beta=beta, device=device)
    refuse_if_too_large("SPORE", 4 * network.n**2, "use KernelClassifier('ls')")
    first, coarse = _start(network, start), tol >= SINGLE_ABOVE and network.n >= SINGLE_FROM
    search = _Splitting(network, rows, signs, C, beta, first, anchor, device, coarse)
    search.look(search.start)
    history, stalls = [search.objective], 0
    for iteration in range(1, iterations + 1):
        search.step()
        if iteration % CHECK and iteration != iterations:
            continue
        before = search.least
        search.look(search.Z)
        history.append(search.objective)
        stalls = 0 if search.least < before - tol * abs(before) else stalls + 1
        if stalls >= STALLS and search.residual() < 10 * tol:
            break
        if stalls:
            search.shorten()
    K = make_psd(search.best.cpu().numpy(), network)
    return sparse.csr_array(K), search.machine(search.best).cpu().numpy(), np.array(history)


class _Splitting:
    """The state of the splitting: W, the step γ, and the best kernel so far."""

    def __init__(
        self,
        graph: Graph,
        rows: np.ndarray,
        signs: np.ndarray,
        C: float,
        beta: float,
        start: np.ndarray,
        anchor: float,
        device: str,
        coarse: bool,
    ) -> None:
        import torch

        from lovasz.linalg.anderson import Anderson

        self.torch, self.C, self.beta, self.anchor = torch, C, beta, anchor
        self.coarse = coarse
        placed: dict[str, Any] = {"device": pick_device(device), "dtype": torch.float64}
        self.free = torch.as_tensor(graph.adjacency.toarray() != 0, device=placed["device"])
        self.identity = torch.eye(graph.n, **placed)
        self.rows = torch.as_tensor(rows, device=placed["device"])
        self.signs = torch.as_tensor(signs, **placed)
        self.start = self.W = self.Z = torch.as_tensor(start, **placed)
        self.alpha = torch.full((len(rows),), min(C, 1.0) / 2, **placed)
        self.alpha = self.machine(self.start)
        force = float(self.alpha @ self.alpha) / 2 + beta
        self.gamma = FIRST_STEP * float(self.start.norm()) / force
        self.accelerate, self.shortened = Anderson(memory=5), 0
        self.least, self.objective, self.best = np.inf, np.inf, self.start

    def _dual(self, K: Any) -> Any:
        """Return Y K_S Y."""
        return K[self.rows][:, self.rows] * self.torch.outer(self.signs, self.signs)

    def machine(self, K: Any) -> Any:
        """Return α of the machine on K."""
        return solve_box(self._dual(K), self.C, self.alpha)

    def step(self) -> None:
        """Run one iteration, steps 1 to 4 of the module."""
        self.X = self._clip(self.W)
        self.alpha = self.machine(self.X)
        pull = self.alpha * self.signs
        Z = 2 * self.X - self.W
        Z[self.rows[:, None], self.rows] += self.gamma / 2 * self.torch.outer(pull, pull)
        weight = self.gamma * self.anchor
        if weight:
            Z = (Z + weight * self.start) / (1 + weight)
        self.Z = self.torch.where(self.free, Z, self.identity)
        self.W = self.accelerate(self.W, self.W + self.Z - self.X)

    def residual(self) -> float:
        """Return the distance ‖Z − X‖/√n of X, which is ⪰ 0, from Z, which fits the graph."""
        return float(float((self.Z - self.X).norm()) / len(self.Z) ** 0.5)

    def _clip(self, W: Any) -> Any:
        """Apply the proximal map of γβ λ_max over X ⪰ 0; the ceiling τ solves Σ(λ − τ)₊ = γβ."""
        from lovasz.number.solvers.projection import simplex_threshold

        values, Q = self.torch.linalg.eigh(W.float() if self.coarse else W)
        values, Q = values.double(), Q.double()
        ceiling, share = np.inf, self.gamma * self.beta
        if share > 0:
            ceiling = max(0.0, share * simplex_threshold(values.cpu().numpy() / share))
        return (Q * values.clamp(0, ceiling)) @ Q.T

    def look(self, K: Any) -> None:
        """Mix K with I until K ⪰ 0; keep it if F plus the anchor is the least so far."""
        values = self.torch.linalg.eigvalsh(K)
        short = max(0.0, -float(values[0]))
        mixed = self.torch.where(self.free, K / (1 + short), self.identity)
        objective = value(self._dual(mixed), self.machine(mixed))
        objective += self.beta * (float(values[-1]) + short) / (1 + short)
        total = objective + self.anchor / 2 * float((mixed - self.start).norm()) ** 2
        if total < self.least:
            self.least, self.objective, self.best = total, objective, mixed

    def shorten(self) -> None:
        """Reduce γ to the next of γ₀, γ₀/2, γ₀/3, …, whose sum is unbounded.

        W − X is γ times a subgradient, which stays the same.
        """
        self.shortened += 1
        ratio = self.shortened / (self.shortened + 1)
        X = self._clip(self.W)
        self.W = X + ratio * (self.W - X)
        self.gamma *= ratio
        self.accelerate.clear()


def _check(C: Any, beta: Any, anchor: Any, iterations: Any, tol: Any) -> None:
    if C != THEORY and not (is_number(C) and C > 0):
        raise LovaszError(f"C={C!r} must be a number > 0 or 'theory'")
    if beta != THEORY and not (is_number(beta) and beta >= 0):
        raise LovaszError(f"beta={beta!r} must be a number ≥ 0 or 'theory'")
    if not (is_number(anchor) and anchor >= 0):
        raise LovaszError(f"anchor={anchor!r} must be a number ≥ 0")
    if not (isinstance(iterations, int | np.integer) and iterations >= 0):
        raise LovaszError(f"iterations={iterations!r} must be a whole number ≥ 0")
    if not (is_number(tol) and tol >= 0):
        raise LovaszError(f"tol={tol!r} must be a number ≥ 0")


def _labels(graph: Graph, signs: Any, labelled: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and their signs after checking them."""
    rows, signs = np.asarray(labelled), np.asarray(signs, dtype=np.float64)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu":
        raise LovaszError("labelled must be a list of at least one row of the graph")
    if signs.shape != rows.shape or not np.isin(signs, (-1.0, 1.0)).all():
        raise LovaszError(f"signs must have 1 or -1 for each of the {len(rows)} labelled rows")
    if rows.min() < 0 or rows.max() >= graph.n or len(np.unique(rows)) < len(rows):
        raise LovaszError(
            f"labelled rows must differ and lie in 0 … {graph.n - 1}; "
            f"they lie in {rows.min()} … {rows.max()}"
        )
    return rows.astype(np.int64), signs


def _start(graph: Graph, start: Any) -> np.ndarray:
    """Return the first kernel as a dense matrix; refuse it unless it has the pattern of 𝒦(G)."""
    _, K = Kernels(graph).resolve(start)
    K = K.toarray() if sparse.issparse(K) else K
    allowed = graph.adjacency.toarray() != 0
    wrong = np.abs(np.where(allowed, 0.0, K - np.eye(graph.n))).max()
    if wrong > 1e-8 or np.abs(K - K.T).max() > 1e-8:
        raise LovaszError(
            f"start is not in 𝒦(G): an entry is off by {wrong:.3g}; give a symmetric kernel with "
            "ones on the diagonal and zeros off the graph, such as 'ls' or 'lovasz'"
        )
    return np.where(allowed, (K + K.T) / 2, np.eye(graph.n))
