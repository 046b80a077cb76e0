"""The checker of saved proofs of bounds on ϑ(G, w). It shares no code with the solvers.

The facts that it rests on are in :mod:`lovasz.verification`; the arrays p of a proof, whose forms
were checked before, in :mod:`.proof_file`. Sums and small matrices are exact, by integers and
fractions. A large matrix S, scaled by powers of two to a diagonal near 1, is ⪰ 0 if the Cholesky
factorisation of S − εI runs to completion with ε > γ_{n+2}/(1 − γ_{n+2}) tr S (Rump, BIT 2006).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy import ndarray as Array
from scipy import sparse
from scipy.linalg.lapack import dpotrf

from lovasz.base.errors import demand
from lovasz.base.memory import refuse_if_too_large
from lovasz.base.surds import Surd, bound_exact, simplify_surd

Exact = Fraction | Surd
Proof = dict[str, Array]
CLIQUE, CORE, REGULAR, SUM, JOIN = range(5)  # the kinds of elements of the tree
LOVASZ, SCHRIJVER, SZEGEDY = range(3)  # the variants
UNIT, TINY = 2.0**-53, 1e-290  # the rounding of doubles near 1, and more than all underflow
EXACT_UP_TO = 60  # number of rows up to which matrices are exact
MOST_BITS = 300  # of the integers in exact matrices; with many more they would take minutes


def groups(labels: Array, count: int) -> list[Array]:
    """Return the ascending places of each label from 0 to count − 1."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels, minlength=count)))[:count]


def upper_value(w: Array, i: Array, j: Array, p: Proof, surds: bool) -> Exact:
    """Return the proven upper bound; ``surds`` if it may be irrational."""
    n, r, first, second, leaf = len(w), p["representative"], p["first"], p["second"], p["leaf"]
    demand((r[r] == r).all() and (w <= w[r]).all(), "a representative is not kept or weighs less")
    low, high, inside = np.minimum(r[i], r[j]), np.maximum(r[i], r[j]), (r[i] == i) & (r[j] == j)
    s, keys, key = np.bincount(r, minlength=n), i * n + j, first * n + second
    pairs = (s * (s - 1) // 2).sum() + (s[i] * s[j])[inside].sum()
    together = (low == high) | np.isin(low * n + high, keys)
    demand(together.sum() == pairs, "non-adjacent nodes have adjacent or equal representatives")
    stray = (leaf[first] != leaf[second]) | (r[first] != first) | (r[second] != second)
    stray |= ~np.isin(key, keys) & ((p["header"][3] != SCHRIJVER) | (p["value"] > 0))
    stray |= (p["header"][3] == SZEGEDY) & (p["value"] < 0)
    stray |= (first >= second) | (np.diff(key, prepend=-1) <= 0)
    demand(not stray.any(), "an entry is out of order, on no edge of a core, or of a wrong sign")
    return tree_value(w, i[inside], j[inside], np.flatnonzero(r == np.arange(n)), p, surds)


def tree_value(w: Array, i: Array, j: Array, kept: Array, p: Proof, surds: bool) -> Exact:
    """Return the bound of the last element of the tree, after that of all others."""
    kind, parent, leaf, bound, count = p["kind"], p["parent"], p["leaf"], p["bound"], len(p["kind"])
    later = (parent > np.arange(count)).all() and (parent[:-1] < count).all()
    demand(later and (kind[parent[:-1]] >= SUM).all(), "its parts do not form a tree")
    demand((kind[leaf[kept]] < SUM).all() and (bound >= 0).all(), "a leaf or a bound is wrong")
    near, far = leaf[i], leaf[j]
    while (near != far).any():  # climb to the element of the tree that joins the two ends
        near, far = np.minimum(near, far), np.maximum(near, far)
        near = np.where(near < far, parent[near], near)
    members, edges, below = groups(leaf[kept], count), groups(near, count), groups(parent, count)
    entries, place, sizes = groups(leaf[p["first"]], count), np.zeros(len(w), int), [0] * count
    values: list[Exact] = [Fraction(0)] * count
    for x in range(count):
        nodes, e, f, smaller = kept[members[x]], edges[x], entries[x], [sizes[k] for k in below[x]]
        place[nodes], sizes[x] = np.arange(len(nodes)), len(nodes) + sum(smaller)
        if kind[x] == CLIQUE:
            demand(2 * len(e) == sizes[x] * (sizes[x] - 1), "a clique lacks an edge")
            values[x] = Fraction(w[nodes].max(initial=0))
        elif kind[x] == CORE:
            y = place[p["first"][f]], place[p["second"][f]], p["value"][f]
            demand(proves_upper(bound[x], w[nodes], *y), f"{bound[x]} for a core is not proven")
            values[x] = Fraction(bound[x])
        elif kind[x] == REGULAR:
            values[x] = regular_value(w[nodes], place[i[e]], place[j[e]], surds, 1)
        elif kind[x] == SUM:
            values[x] = sum((values[k] for k in below[x]), Fraction(0))
        else:
            values[x] = max((values[k] for k in below[x]), default=Fraction(0))
            demand(2 * len(e) == sizes[x] ** 2 - sum(k * k for k in smaller), "no join")
    return values[-1]


def proves_upper(t: float, w: Array, i: Array, j: Array, y: Array) -> bool:
    """Whether Diag(t/w) + Y ⪰ J is proven for Y with these entries."""
    n, one = len(w), np.ones((len(w), 1))
    diagonal = np.where(w == 1, t, np.nextafter(t / w, 0))
    Y = sparse.coo_array((y, (i, j)), shape=(n, n))
    M = Y + Y.T + sparse.diags_array(diagonal)
    return is_psd(sparse.csr_array(sparse.block_array([[M, one], [one.T, one[:1]]])))


def is_psd(S: sparse.csr_array) -> bool:
    """Whether a symmetric matrix is proven positive semidefinite."""
    n, half = S.shape[0], np.frexp(S.diagonal())[1] // 2
    whole = integers(S.toarray(), np.add.outer(half, half)) if n <= EXACT_UP_TO else None
    if whole is not None and np.abs(whole).max().bit_length() <= MOST_BITS:
        return exactly_psd(whole)
    D = sparse.diags_array(np.ldexp(1.0, -half))
    S, g = sparse.csr_array(D @ S @ D), (n + 4) * UNIT / (1 - (n + 4) * UNIT)
    shift, rng = 1.01 * g / (1 - g) * S.diagonal().sum(), np.random.default_rng(0)
    S = sparse.csr_array(S - shift * sparse.eye_array(n))
    while (n := S.shape[0]) > 300 and S.nnz < n * n / 20:
        diagonal, degree = S.diagonal(), np.diff(S.indptr)
        if not (diagonal > 0).all():
            return False
        place = np.argsort(np.lexsort((rng.random(n), degree)))  # few entries come first
        others = np.where(S.indices == np.repeat(np.arange(n), degree), n, place[S.indices])
        out = place < np.minimum.reduceat(others, S.indptr[:-1])  # no entry is between these rows
        R = sparse.csr_array(sparse.diags_array(1 / np.sqrt(diagonal[out])) @ S[out][:, ~out])
        half = sparse.tril(S[~out][:, ~out] - R.T @ R, format="csr")
        S = sparse.csr_array(half + sparse.tril(half, k=-1).T)
    refuse_if_too_large("its factorisation", n * n, "use a larger machine", bytes_per_entry=12)
    factor, info = dpotrf(S.toarray(order="F"), lower=1, overwrite_a=1, clean=0)
    return bool(info == 0 and (np.diag(factor) > 0).all() and np.isfinite(np.diag(factor)).all())


def exactly_psd(S: Array) -> bool:
    """Whether a symmetric matrix of integers is positive semidefinite (Bareiss' elimination)."""
    before = 1
    for k in range(len(S)):
        pivot, column, rest = S[k, k], S[k + 1 :, k], S[k + 1 :, k + 1 :]
        if pivot < 0 or (pivot == 0 and column.any()):
            return False
        if pivot > 0:
            rest[:], before = (pivot * rest - np.outer(column, column)) // before, pivot
    return True


def integers(array: Array, less: Array | int = 0) -> Array:
    """Return doubles over 2 to the power ``less``, times a power of two, as Python's integers."""
    mantissa, exponent = np.frexp(array)
    exponent = exponent - less
    least = exponent[mantissa != 0].min(initial=2000)
    shift = np.maximum(exponent - least, 0).astype(object)
    return np.asarray((mantissa * 2.0**53).astype(np.int64).astype(object) << shift, dtype=object)


def regular_value(w: Array, i: Array, j: Array, surds: bool, side: int) -> Exact:
    """Return ϑ of a strongly regular graph without weights, or the double on one side of it."""
    n, d, a, b = len(w), 2 * len(i) // max(len(w), 1), 0, 0
    if (w == 1).all() and 1 <= d <= n - 2 and n - 1 <= d * d and n <= 20_000:  # as b > 0
        refuse_if_too_large("a regular part", n * n, "use a larger machine", bytes_per_entry=40)
        A = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n)).toarray()
        square = (A + A.T) @ (A + A.T)  # exact, because all are integers
        a = int(square[i[0], j[0]])
        b = d * (d - a - 1) // (n - d - 1)
        b = b if (square == b + (d - b) * np.eye(n) + (a - b) * (A + A.T)).all() else 0
    demand(b > 0, "a part is not strongly regular")
    e, half = a - b, Fraction(1, 2 * b)
    value = simplify_surd(half * (-d * e - 2 * (d - b)), half * d, e * e + 4 * (d - b))
    return value if surds else Fraction(bound_exact(value)[side])


def lower_value(w: Array, i: Array, j: Array, p: Proof, surds: bool) -> Exact:
    """Return the proven lower bound: the sum over parts without an edge between them."""
    part, rank, vectors, place = p["part"], p["rank"].tolist(), p["vectors"], np.zeros(len(w), int)
    used = (part[i] >= 0) & (part[j] >= 0)
    i, j = i[used], j[used]
    demand((part[i] == part[j]).all() and (part[i] > 0).all(), "parts of the lower bound touch")
    alone, *members = groups(part + 1, len(rank) + 2)[1:]
    total: Exact = sum(map(Fraction, w[alone].tolist()), Fraction(0))
    for r, nodes, e in zip(rank, members, groups(part[i] - 1, len(rank)), strict=True):
        place[nodes], size = np.arange(len(nodes)), r * len(nodes)
        local, V, vectors = (w[nodes], place[i[e]], place[j[e]]), vectors[:size], vectors[size:]
        found = core_value(V.reshape(len(nodes), r), *local, p["header"][3]) if r else None
        total += regular_value(*local, surds, 0) if found is None else found
    demand(len(vectors) == 0, "'vectors' has a wrong length")
    return total


def core_value(V: Array, w: Array, i: Array, j: Array, variant: int) -> Exact:
    """Return a proven lower bound on ϑ of a core, from its vectors V."""
    (n, r), exact = V.shape, len(V) <= EXACT_UP_TO
    X = integers(V) if exact else np.ldexp(V, -np.frexp(np.abs(V).max())[1])
    a, b = np.triu_indices(n, 1) if variant == SCHRIJVER else (i, j)
    linked, i, j = np.isin(a * n + b, i * n + j), a, b
    pieces = 1 + len(i) * r // 10**7
    ends = zip(np.array_split(i, pieces), np.array_split(j, pieces), strict=True)
    few = [(X[a] * X[b]).sum(axis=1) for a, b in ends] if 8 * len(i) < n * n else []
    R = np.concatenate(few) if few else (X @ X.T)[i, j]
    square, g, u = (X * X).sum(axis=1), 0 if exact else (r + 8) * UNIT, 0 if exact else 16 * UNIT
    error = 0 * R if exact else g * np.sqrt(square[i]) * np.sqrt(square[j]) + TINY
    R = np.where(linked, np.maximum(R, 0) if variant == SZEGEDY else R, np.minimum(R, 0))
    excess, total, margin = 0 * square, sum if exact else math.fsum, 0 if exact else 4 * n * UNIT
    np.add.at(excess, np.concatenate([i, j]), np.tile((abs(R) + error) * (1 + margin), 2))
    sums = [R, abs(R), error, excess, [total(column) ** 2 for column in X.T.tolist()]]
    lost, gone, slack, added, columns = (Fraction(total(list(x))) for x in sums)
    above = columns + added - 2 * lost - 2 * slack
    above -= Fraction(u) * (columns + added + 2 * gone + 2 * slack + 1)
    shares = zip((square + excess).tolist(), w.tolist(), strict=True)
    below = total([Fraction(s) / Fraction(v) if exact else s / v + TINY for s, v in shares])
    below = Fraction(below) * (1 + 4 * Fraction(g) + Fraction(u))
    return max(Fraction(0), above / below) if below else Fraction(0)
