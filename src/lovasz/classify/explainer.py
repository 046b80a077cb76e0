"""The candidates of a fitted classifier, ready to answer at one node with evidence removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.classify.bench import Bench, Candidate
from lovasz.classify.candidates import (
    CANDIDATES,
    BlockCandidate,
    NetworkCandidate,
    SimilarityCandidate,
    identity,
    is_auto,
)
from lovasz.classify.comparisons import (
    STEPS,
    compare,
    coordinate_counts,
    make_tables,
    spectral_vectors,
    walk_matrix,
)
from lovasz.classify.forest import ForestCandidate
from lovasz.classify.keeping import answering_parts
from lovasz.classify.local_answers import (
    LocalAnswer,
    LocalBeside,
    LocalBlocks,
    LocalHops,
    LocalRoles,
    LocalRows,
    LocalSpectral,
    LocalSurroundings,
    LocalWalks,
    Removals,
    perceptron,
)
from lovasz.classify.local_smoothing import LocalSmoothed
from lovasz.classify.problem import Problem, scale_regularly
from lovasz.classify.roles import Roles
from lovasz.classify.smoothing import (
    SMOOTHING,
    SPREADING,
    SmoothedCandidate,
    SpreadingCandidate,
    lowest,
    spread,
    walk_weights,
)
from lovasz.classify.surroundings import mean_matrix
from lovasz.linalg.low_rank import LowRank
from lovasz.linalg.scaling import normalize

if TYPE_CHECKING:
    from lovasz.classify.lcn import LCNClassifier

MOST_DENSE = 5000
"""A kernel of low rank on more nodes than this is not turned into a matrix to explain answers."""


def rows_alone(model: Callable[[Any], np.ndarray], table: Any) -> LocalRows:
    """Return a model of rows at every node; without features, a row is zero."""
    return LocalRows(model(table), model(np.zeros((1, table.shape[1])))[0])


class Explainer:
    """Answers at single nodes of a fitted classifier, with evidence removed."""

    def __init__(self, classifier: LCNClassifier, problem: Problem) -> None:
        self.classifier, self.problem = classifier, problem
        self.auto = is_auto(classifier.kernel)
        self.pattern = self.problem.graph.adjacency
        if not self.auto:
            self.pattern = self._matrix(classifier.kernel_)
        """The matrix whose entries are links."""
        self.answers: dict[str, LocalAnswer] = {}
        """The candidates with a share that can be evaluated at a node."""
        self.weights = normalize(abs(self.pattern))
        """The weights by which short walks choose pieces, if there are many."""
        blend = classifier.blend_
        for name, share in blend.shares.items():
            if share > 0 and (found := self._local(name)) is not None:
                self.answers[name] = found

    def share(self, names: list[str]) -> float:
        """Return the part of the answer of candidates ``names`` that can be explained."""
        shares = self.classifier.blend_.shares
        total = sum(shares[name] for name in names)
        return sum(shares[name] for name in names if name in self.answers) / max(total, 1e-300)

    def probabilities(self, node: int, removals: Removals, names: list[str]) -> np.ndarray:
        """Return (removals, classes) probabilities of the common answer of candidates ``names``."""
        logits = {
            name: self.answers[name].logits(node, removals)
            for name in names
            if name in self.answers
        }
        return self.classifier.blend_(logits)

    def _local(self, name: str) -> LocalAnswer | None:
        """Return the candidate, or None for one that cannot be evaluated at a node."""
        candidate: Candidate = CANDIDATES[name] if self.auto else self.classifier._candidate(name)
        if isinstance(candidate, NetworkCandidate):
            return self._network(name, candidate)
        if isinstance(candidate, SpreadingCandidate):
            seeds = candidate.seeds(self.problem, self.classifier._taught)
            return self._walks(normalize(self.problem.graph.adjacency), seeds, SPREADING)
        if isinstance(candidate, SmoothedCandidate):
            return self._smoothed(candidate)
        if isinstance(candidate, BlockCandidate):
            return self._blocks(candidate)
        if isinstance(candidate, SimilarityCandidate):
            return self._similar(candidate)
        if isinstance(candidate, ForestCandidate):
            taught = self.classifier._taught
            logits = candidate.grow(self.problem, taught, self.classifier.seed_)
            return rows_alone(logits, self.problem.features)
        return None

    def _layers(self, name: str, candidate: NetworkCandidate) -> LocalHops:
        weights = [W.astype(np.float64) for W in self.classifier.networks_[name]]
        layers = candidate.changes.get("layers", self.classifier.layers)
        learned = candidate.propagation != "hop" and self._propagation(candidate).learned
        rest = weights[layers : len(weights) - learned]
        X = candidate.read(self.problem)
        K = identity(self.problem.graph.n)
        if candidate.kernel is not None:
            K = self.problem.kernels.get(candidate.kernel, candidate.options) if self.auto else K
            K = K if self.auto else self.pattern
        return LocalHops(sparse.csr_array(K), X, weights[:layers], rest)

    def _propagation(self, candidate: NetworkCandidate) -> Any:
        from lovasz.nn.networks.propagation import PROPAGATIONS

        return PROPAGATIONS[candidate.propagation]

    def _network(self, name: str, candidate: NetworkCandidate) -> LocalAnswer | None:
        layers = self._layers(name, candidate)
        if candidate.surroundings:
            return self._beside(layers.answer_rows)
        if candidate.propagation == "hop":
            return layers
        from lovasz.nn.networks.propagation import scale_kernel

        p = self._propagation(candidate)
        if p.where != "last":
            return None
        n, runs = self.problem.graph.n, layers.matrices[0].shape[1]
        c = np.repeat(np.array(p.coefficients)[:, None], runs, axis=1)
        if p.learned:
            c = self.classifier.networks_[name][-1][:, :, 0].astype(np.float64)
        H = perceptron(layers.X, np.arange(n), layers)
        empty = np.zeros((1, layers.matrices[0].shape[0]))
        without = None if layers.X is None else perceptron(empty, np.array([0]), layers)[0]
        S = sparse.csr_array(scale_kernel(layers.K, p.scale))
        return LocalWalks(S, c, H, without, p.chebyshev)

    def _walks(self, S: sparse.csr_array, Y: np.ndarray, share: float) -> LocalWalks:
        """Return walks of S that spread (n, classes) labels or answers."""
        c = walk_weights(share)[:, None]
        return LocalWalks(S, c, Y[:, None], None, floor=lowest(spread(S, Y, share)))

    def _smoothed(self, candidate: SmoothedCandidate) -> LocalSmoothed | None:
        base = self._local(candidate.prior)
        if base is None:
            return None
        bench, taught = self._bench(candidate.prior), self.classifier._taught
        S = normalize(self.problem.graph.adjacency)
        smoothed = next(candidate.corrected(bench, S))  # all runs that answer are the same
        calibration = bench.calibrate(candidate.prior)
        return LocalSmoothed(self._walks(S, smoothed, SMOOTHING), base, calibration, taught)

    def _bench(self, prior: str | None) -> Bench:
        """Return the bench of the runs that answer, where the candidate ``prior`` is done."""
        classifier = self.classifier
        bench = Bench(
            self.problem,
            answering_parts(classifier, classifier._taught),
            classifier.training_settings(),
            classifier.seed_,
            "cpu",
            calibrations=classifier.blend_.calibrations,
        )
        if prior is None:
            return bench
        return replace(bench, done={prior: CANDIDATES[prior].fit(bench, None)})

    def _blocks(self, candidate: BlockCandidate) -> LocalBlocks:
        classifier, problem = self.classifier, self.problem
        bench = self._bench(candidate.prior)
        labelled = np.zeros(problem.graph.n, dtype=bool)
        labelled[classifier._taught] = True
        posteriors = list(candidate.posteriors(bench))
        if all(found is posteriors[0] for found in posteriors):
            posteriors = posteriors[:1]
        return LocalBlocks(problem.graph.adjacency, posteriors, labelled)

    def _similar(self, candidate: SimilarityCandidate) -> LocalAnswer:
        problem, kind = self.problem, candidate.kind
        tables = make_tables(problem, kind)
        number, model = compare(tables, self.classifier._taught, problem, linear=candidate.linear)
        if kind == "roles":
            return LocalRoles(abs(problem.graph.adjacency), Roles.of(problem.graph), model)
        if kind == "spectrum":
            vectors = spectral_vectors(problem)[:, : coordinate_counts(problem)[number]]
            return LocalSpectral(scale_regularly(problem.graph.adjacency), vectors, model)
        if kind == "surroundings" and number == len(STEPS):
            return self._beside(lambda rows: model(rows)[None])
        if kind == "surroundings":
            H = problem.principal_features[:, None]
            c = np.eye(STEPS[number] + 1)[:, -1:]
            return LocalSurroundings(
                LocalWalks(walk_matrix(problem), c, H, np.zeros(H.shape[1:])), model
            )
        return rows_alone(model, tables[number])

    def _beside(self, answer: Callable[[np.ndarray], np.ndarray]) -> LocalBeside:
        problem = self.problem
        return LocalBeside(
            abs(problem.graph.adjacency), sparse.csr_array(mean_matrix(problem.graph).T),
            problem.principal_features, problem.surroundings, answer,
        )  # fmt: skip

    @staticmethod
    def _matrix(K: Any) -> sparse.csr_array:
        if isinstance(K, LowRank):
            if K.shape[0] > MOST_DENSE:
                raise LovaszError(
                    f"explain cannot look into a low-rank kernel on {K.shape[0]:,} nodes; "
                    "use a sparse kernel such as 'ls'"
                )
            K = K.toarray()
        return sparse.csr_array(K).astype(np.float64)
