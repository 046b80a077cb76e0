"""The classical baseline: a support vector machine without bias on any graph kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for
from lovasz.classify.estimator import NodeClassifier, not_fitted


@dataclass(frozen=True)
class KernelFactor:
    """The eigendecomposition of K among some nodes, which machines of any labels and C share."""

    columns: np.ndarray
    """(n, nodes) columns of K."""
    vectors: np.ndarray
    """Eigenvectors V of K among the nodes."""
    root: np.ndarray
    """Square roots of the eigenvalues: K among the nodes is V diag(root²) Vᵀ."""

    @classmethod
    def of(cls, K: Any, nodes: np.ndarray) -> KernelFactor:
        """Decompose K among ``nodes``, which are in ascending order."""
        rows = K[nodes]
        columns = (rows.toarray() if hasattr(rows, "toarray") else rows).T  # K is symmetric
        values, vectors = np.linalg.eigh(columns[nodes])
        if values[0] < -1e-8 * max(1.0, values[-1]):
            raise LovaszError(
                f"the kernel has the eigenvalue {values[0]:.3g} among the labelled "
                "nodes; an SVM needs a positive semidefinite kernel such as 'ls' or 'laplacian'"
            )
        return cls(columns, vectors, np.sqrt(np.maximum(values, 0)))

    def decide(self, codes: np.ndarray, C: float) -> np.ndarray:
        """Return the (n, classes) scores of the machine that learns these classes of the nodes."""
        with needed_for("a support vector machine"):
            from sklearn.svm import LinearSVC

        # liblinear solves the linear machine without bias. On the rows of a factor F with
        # K = F Fᵀ among the labelled nodes, that is the kernel machine, with K_l β = F w.
        machine = LinearSVC(
            C=C, loss="hinge", fit_intercept=False, tol=1e-6, max_iter=100_000, random_state=0
        )
        machine.fit(self.vectors * self.root, codes)
        root = self.root
        inverse = np.divide(1, root, out=np.zeros_like(root), where=root > 1e-10 * root[-1])
        scores = self.columns @ (self.vectors @ (inverse[:, None] * machine.coef_.T))
        return scores if scores.shape[1] > 1 else np.hstack([-scores, scores])


class KernelClassifier(NodeClassifier):
    """Bias-free SVM on a graph kernel, one class against the rest.

    max Σα − ½ Σ_ij α_i α_j y_i y_j K_ij over 0 ≤ α ≤ C; f(i) = Σ_j K_ij α_j y_j. The papers
    on SPORE and LCN compare with it (Un-Lap, N-Lap, KS). Only K among the labelled nodes is
    factored, so a sparse kernel stays sparse. ``kernel`` must be positive semidefinite.

    >>> clf = KernelClassifier("laplacian").fit([(0, 1), (1, 2), (2, 3)], [0, -1, -1, 1])
    >>> clf.predict().tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        kernel: Any = "ls",
        affinity: str = "precomputed",
        *,
        kernel_options: dict[str, Any] | None = None,
        affinity_options: dict[str, Any] | None = None,
        C: float = 1.0,
    ) -> None:
        self.kernel = kernel
        self.affinity = affinity
        self.kernel_options = kernel_options
        self.affinity_options = affinity_options
        self.C = C

    def fit(self, graph: Any, y: Any) -> KernelClassifier:
        """Learn from the labelled nodes and label all; see :meth:`lovasz.LCNClassifier.fit`."""
        if not self.C > 0:
            raise LovaszError(f"C={self.C!r} must be > 0")
        if isinstance(self.kernel, str) and self.kernel == "auto":
            raise LovaszError("KernelClassifier needs one kernel, not 'auto'; name it")
        problem = self._read(graph, y)
        self._remember(problem)
        _, self.kernel_ = problem.kernels.resolve(self.kernel, self.kernel_options)
        labelled = np.flatnonzero(problem.codes >= 0)
        machine = KernelFactor.of(self.kernel_, labelled)
        self.decision_ = machine.decide(problem.codes[labelled], self.C)
        self.transduction_ = self.classes_[self.decision_.argmax(1)]
        return self

    def predict(self, X: Any = None) -> np.ndarray:
        """Return the class of every node."""
        if getattr(self, "transduction_", None) is None:
            raise not_fitted(self)
        return self._answer(self.transduction_, X)
