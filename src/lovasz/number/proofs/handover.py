"""Makes a saved proof of the evidence that a computation kept.

The tree of the evidence is flattened: representatives of nested reductions follow each other to one
map of the nodes, and the lower bound goes down the best part of each join, so that it is a sum over
parts without edges between them. A core's bounds are then proven by the checker itself, and are
loosened by a few roundings where it asks for that.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import scipy.linalg

from lovasz.base.errors import LovaszError
from lovasz.base.rounding import UNIT
from lovasz.base.surds import Surd, bound_exact
from lovasz.graphs import Graph
from lovasz.graphs.formats.arrays import name_array
from lovasz.graphs.operations import complement_of, induced
from lovasz.graphs.source import write_content
from lovasz.number.proofs import certify, certify_sparse
from lovasz.number.proofs.evidence import (
    CoreEvidence,
    Evidence,
    IsolatedEvidence,
    LiftedEvidence,
    ProofMaterial,
    RegularEvidence,
    SplitEvidence,
)
from lovasz.number.solvers.low_rank_compiled import edge_products
from lovasz.number.variants import Variant
from lovasz.verification.checker import (
    CLIQUE,
    CORE,
    EXACT_UP_TO,
    JOIN,
    REGULAR,
    SUM,
    core_value,
    lower_value,
    proves_upper,
    upper_value,
)
from lovasz.verification.proof_file import VARIANTS, VERSION, digest, graph_digest

LOOSER = 40
"""Largest number of times that the upper bound of a core is loosened, four times as far each."""
CUTS = (1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-13)
"""Shares of the largest diagonal entry at which a factorisation of X may end."""
WASTE = 0.01
"""Share of the gap that the lower bound may lose for a smaller file."""
LEAST_WASTE = 1e-12
"""Relative loss of the lower bound that is always allowed."""


def save_proof(material: ProofMaterial, path: str | os.PathLike[str]) -> None:
    """Write the proof to an npz file that :func:`lovasz.verify` accepts."""
    out = io.BytesIO()
    np.savez_compressed(out, **proof_arrays(material))  # type: ignore[arg-type]
    write_content(path, out.getvalue())


def proof_arrays(material: ProofMaterial) -> dict[str, np.ndarray]:
    """The arrays of the proof; they are described in :mod:`lovasz.verification.proof_file`."""
    graph = material.graph
    solved = complement_of(graph) if material.complement else graph
    build = Builder(solved, material)
    root = build.add(np.arange(graph.n), material.evidence, lower=True)
    i, j = (end.astype(np.int64) for end in graph.edges())
    plain = bool((material.weights == 1).all())
    variant = VARIANTS.index(material.variant)
    arrays = {
        "header": np.array([VERSION, graph.n, graph.m, variant, material.complement], np.int64),
        "weights": np.zeros(0) if plain else material.weights,
        "graph": graph_digest(graph.n, i, j),
        "exact": _exact_texts(material.exact),
        **build.arrays(root),
    }
    if not isinstance(graph.nodes, range):
        arrays["nodes"] = name_array(graph)
    i, j = (end.astype(np.int64) for end in solved.edges())
    surds = material.exact is not None
    lower = lower_value(material.weights, i, j, arrays, surds)
    upper = upper_value(material.weights, i, j, arrays, surds)
    if surds and lower != upper:  # known, but not by what the checker knows
        arrays["exact"] = _exact_texts(None)
    low, high = bound_exact(lower)[0], bound_exact(upper)[1]
    arrays["claim"] = np.array([min(low, material.lower), max(high, material.upper)])
    arrays["digest"] = digest(arrays)
    return arrays


def _exact_texts(value: Fraction | Surd | None) -> np.ndarray:
    """The numbers of an exact value as text, which has no largest integer."""
    if value is None:
        return np.zeros(0, dtype="U1")
    if isinstance(value, Surd):
        a, b, d = value.rational, value.coefficient, value.radicand
    else:
        a, b, d = value, Fraction(0), 0
    return np.array([str(x) for x in (a.numerator, a.denominator, b.numerator, b.denominator, d)])


@dataclass
class Builder:
    """Collects the arrays of a proof part by part."""

    graph: Graph
    material: ProofMaterial
    kind: list[int] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)
    parent: dict[int, int] = field(default_factory=dict)
    entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    vectors: list[np.ndarray | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = self.graph.n
        self.representative, self.leaf, self.part = np.arange(n), np.zeros(n, int), np.full(n, -1)

    def arrays(self, root: int) -> dict[str, np.ndarray]:
        """The arrays of everything that was added; ``root`` is the last element of the tree."""
        r = self.representative
        while not np.array_equal(r[r], r):
            r = r[r]
        count = len(self.kind)
        parent = [self.parent.get(x, count) for x in range(count)]
        none = np.zeros(0)
        columns = zip((none, none, none), *self.entries, strict=True)
        first, second, value = (np.concatenate(column) for column in columns)
        order = np.lexsort((second, first))
        return {
            "representative": r.astype(np.int64),
            "leaf": self.leaf[r].astype(np.int64),
            "parent": np.array(parent, np.int64),
            "kind": np.array(self.kind, np.int64),
            "bound": np.array(self.bound),
            "first": first[order].astype(np.int64),
            "second": second[order].astype(np.int64),
            "value": value[order],
            "part": self.part.astype(np.int64),
            "rank": np.array([0 if V is None else V.shape[1] for V in self.vectors], np.int64),
            "vectors": np.concatenate([none, *(V.ravel() for V in self.vectors if V is not None)]),
        }

    def element(self, kind: int, children: list[int], bound: float = 0.0) -> int:
        """Add an element to the tree and return its number."""
        number = len(self.kind)
        self.kind.append(kind)
        self.bound.append(bound)
        for child in children:
            self.parent[child] = number
        return number

    def add(self, nodes: np.ndarray, evidence: Evidence, *, lower: bool) -> int:
        """Add the part on ``nodes``, with its lower bound if that is wanted."""
        if isinstance(evidence, LiftedEvidence):
            self.representative[nodes] = nodes[evidence.representative]
            return self.add(nodes[evidence.kept], evidence.evidence, lower=lower)
        if isinstance(evidence, SplitEvidence):
            children = [
                self.add(nodes[part], own, lower=lower and evidence.best in (None, number))
                for number, (part, own) in enumerate(
                    zip(evidence.parts, evidence.evidence, strict=True)
                )
            ]
            return self.element(SUM if evidence.best is None else JOIN, children)
        if isinstance(evidence, IsolatedEvidence):
            if lower:
                self.part[nodes] = 0
            return self.add_cover(nodes, np.arange(evidence.n))
        if isinstance(evidence, RegularEvidence):
            if lower:
                self.add_vectors(nodes, None)
            self.leaf[nodes] = self.element(REGULAR, [])
            return int(self.leaf[nodes[0]])
        return self.add_core(nodes, evidence, lower=lower)

    def add_cover(self, nodes: np.ndarray, clique: np.ndarray) -> int:
        """Add the cliques of a cover."""
        count = int(clique.max()) + 1
        children = [self.element(CLIQUE, []) for _ in range(count)]
        self.leaf[nodes] = np.array(children)[clique]
        return self.element(SUM, children)

    def add_vectors(self, nodes: np.ndarray, V: np.ndarray | None) -> None:
        """Add a core to the lower bound; its vectors are None if it is strongly regular."""
        self.vectors.append(V)
        self.part[nodes] = len(self.vectors)

    def add_core(self, nodes: np.ndarray, evidence: CoreEvidence, *, lower: bool) -> int:
        """Add a core, and prove its bounds as the checker will."""
        if lower and evidence.independent is not None:
            self.part[nodes[evidence.independent]] = 0
        elif lower:
            core, w = induced(self.graph, nodes), self.material.weights[nodes]
            allowed = max(WASTE * (1 - self.material.lower / self.material.upper), LEAST_WASTE)
            variant = Variant(self.material.variant)
            self.add_vectors(nodes, primal_vectors(core, w, evidence, variant, allowed))
        if evidence.cover is not None:
            return self.add_cover(nodes, evidence.cover)
        t, (i, j, value) = dual_entries(evidence, self.material.weights[nodes])
        self.entries.append((nodes[i], nodes[j], value))
        self.leaf[nodes] = number = self.element(CORE, [], t)
        return number


def dual_entries(
    evidence: CoreEvidence, w: np.ndarray
) -> tuple[float, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """t and the entries of Y = t K / √w√wᵀ off the diagonal, for which the checker accepts t."""
    K = (evidence.kernel if evidence.dual is None else evidence.dual).tocoo()
    above = (K.row < K.col) & (K.data != 0)
    i, j, c = K.row[above].astype(np.int64), K.col[above].astype(np.int64), np.sqrt(w)
    # A factorisation is trusted up to about n²u; small matrices are exact, and t is rounded.
    t, step = evidence.upper, UNIT * max(2, (len(w) - EXACT_UP_TO) * len(w))
    for _ in range(LOOSER):
        value = K.data[above] * (t / c[i]) / c[j] if evidence.dual is None else K.data[above]
        with np.errstate(all="ignore"):
            proven = np.isfinite(value).all() and proves_upper(t, w, i, j, value)
        if proven:
            return t, (i, j, value)
        t, step = evidence.upper * (1 + step), 4 * step
    raise LovaszError("the kernel does not prove its bound to the checker; this is a bug of lovasz")


def primal_vectors(
    core: Graph, w: np.ndarray, evidence: CoreEvidence, variant: Variant, allowed: float
) -> np.ndarray:
    """The shortest vectors whose bound is, relatively, within ``allowed`` of the best one found."""
    i, j = (end.astype(np.int64) for end in core.edges())
    number, c = VARIANTS.index(variant.value), np.sqrt(w)
    if evidence.factor is not None:
        choices = scaled_factors(core, c, evidence.factor, variant)
    elif evidence.matrix is not None:
        choices = matrix_factors(core, c, evidence.matrix, variant)
    else:
        raise LovaszError("nothing proves the lower bound of a core; this is a bug of lovasz")
    best = max(choices, key=lambda V: core_value(V, w, i, j, number))
    enough = core_value(best, w, i, j, number) * (1 - Fraction(allowed))
    size = np.sqrt(np.einsum("ij,ij->j", best, best))
    for cut in CUTS if evidence.factor is None else ():
        shorter = best[:, : max(1, int((size > cut * size.max()).sum()))]
        if core_value(shorter, w, i, j, number) >= enough:
            return shorter
    return best


def matrix_factors(core: Graph, c: np.ndarray, X: np.ndarray, variant: Variant) -> list[np.ndarray]:
    """V with V Vᵀ = C X C up to rounding, C = Diag(c), with columns of falling length.

    X is made feasible first. Pivoting puts the largest entries of the diagonal first.
    """
    feasible = certify.feasible_matrix(core, c, X, variant)
    if feasible is None:
        raise LovaszError("X does not prove the lower bound again; this is a bug of lovasz")
    P = feasible * np.outer(c, c)
    factor, order, rank, _ = scipy.linalg.lapack.dpstrf(P, lower=1)
    V = np.zeros((core.n, rank))
    V[order - 1] = np.tril(factor)[:, :rank]
    return [V]


def scaled_factors(core: Graph, c: np.ndarray, V: np.ndarray, variant: Variant) -> list[np.ndarray]:
    """C V and Q C V, Q the best diagonal matrix, as in :mod:`.certify_sparse`."""
    i, j = core.edges()
    V = V / np.abs(V).max()
    R = edge_products(V, V, i, j)
    lost = np.maximum(R, 0) if variant is Variant.SZEGEDY else np.abs(R)
    excess = np.bincount(i, lost, core.n) + np.bincount(j, lost, core.n)
    diagonal = np.einsum("ij,ij->i", V, V) + excess
    q = certify_sparse.best_scaling(V, c, diagonal)
    return [V * c[:, None], V * (c * q)[:, None]]
