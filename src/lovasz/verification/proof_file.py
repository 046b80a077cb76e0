"""Files of proofs: their arrays, the graph they belong to, and what refuses damaged ones."""

from __future__ import annotations

import hashlib
import os
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from lovasz.base.errors import LovaszError, demand
from lovasz.base.surds import Surd, simplify_surd
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.formats.archives import read_archive, stored_names
from lovasz.graphs.formats.content import written_names
from lovasz.graphs.labels import align_to_nodes
from lovasz.graphs.operations import complement_of
from lovasz.graphs.source import parsing, read_source
from lovasz.verification.checker import JOIN, SZEGEDY, lower_value, upper_value

VERSION = 1
"""The version of the format."""
VARIANTS = ("lovasz", "schrijver", "szegedy")
"""The variants in the order of their numbers."""
LONGEST = 60
"""Largest number of digits of the numbers in an exact value."""
MOST_ELEMENTS = 4
"""Largest number of elements of the tree per node; leaves, covers and splits are one each."""
FIELDS = {
    "header": "i",
    "claim": "f",
    "exact": "U",
    "weights": "f",
    "representative": "i",
    "leaf": "i",
    "parent": "i",
    "kind": "i",
    "bound": "f",
    "first": "i",
    "second": "i",
    "value": "f",
    "part": "i",
    "rank": "i",
    "vectors": "f",
    "graph": "u",
    "digest": "u",
}
"""The arrays of a proof and the kinds of their types.

- ``header``: version, number of nodes and of edges, number of the variant, and 1 if the proof is
  one of the complement, else 0; ``claim``: the lower and the upper bound.
- ``exact``: empty, or what ϑ is claimed to be: the numerator and denominator of a, those of b, and
  d, where ϑ = a + b√d; ``weights``: those of the nodes, empty if all are 1.
- ``representative``: that of each node; nodes that represent themselves are kept.
- The kept nodes are split by a tree: ``leaf`` is the element of the tree in which a node is;
  ``parent`` that of each element, which comes later, and for the last the number of elements;
  ``kind`` is CLIQUE, CORE, REGULAR, SUM or JOIN; ``bound`` is t for a CORE and 0 else.
- ``first``, ``second``, ``value``: the entries of Y in order, first < second, in all cores.
- The lower bound: ``part`` of each node is −1 if it is not used, 0 if it is alone, and k if it is
  in the k-th core; ``rank`` is the number of columns of V for each core, 0 if it is strongly
  regular; ``vectors`` has V of one core after the other, row by row.
- ``graph``: SHA-256 of the edges; ``digest``: SHA-256 of all other arrays.
- ``nodes``: names of the nodes, if they have any.
"""


class Claim(NamedTuple):
    """What a file proves: lower ≤ ϑ ≤ upper, and ϑ itself if ``exact`` is not None.

    >>> import lovasz, tempfile
    >>> triangle, file = [(0, 1), (1, 2), (2, 0)], tempfile.mkdtemp() + "/triangle.npz"
    >>> lovasz.theta(triangle).save(file)
    >>> claim = check_proof(triangle, file)
    >>> claim.lower <= 1 <= claim.upper
    True
    """

    lower: float
    upper: float
    exact: Fraction | Surd | None
    variant: str
    """The number that is bounded: "lovasz", "schrijver" or "szegedy"."""
    complement: bool
    """Whether it is that of the complement."""
    weighted: bool
    """Whether the nodes have weights other than 1."""


def verify(graph: Any, proof: str | os.PathLike[str], *, weights: Any = None) -> bool:
    """Return True if a saved proof holds for ``graph``, or raise an error that says what fails.

    ``graph`` is anything :func:`lovasz.as_graph` takes. If its nodes have names, they may come in
    another order than when the proof was saved. ``weights`` are those that ``theta`` was given, an
    array or a dict, or "proof" to take the word of the proof for them.

    >>> import lovasz, tempfile
    >>> pentagon = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    >>> file = tempfile.mkdtemp() + "/pentagon.npz"
    >>> lovasz.theta(pentagon).save(file)
    >>> verify(pentagon, file)
    True
    """
    check_proof(graph, proof, weights=weights)
    return True


def check_proof(graph: Any, proof: str | os.PathLike[str], *, weights: Any = None) -> Claim:
    """Return what a saved proof proves about ``graph``, or raise an error that says what fails.

    >>> import lovasz, tempfile
    >>> path, file = [(0, 1), (1, 2), (2, 3)], tempfile.mkdtemp() + "/path.npz"
    >>> lovasz.theta(path).save(file)
    >>> check_proof(path, file).upper
    2.0
    """
    graph = as_graph(graph, weights="drop")
    if isinstance(weights, str) and weights != "proof":
        raise LovaszError(f"weights is {weights!r}; give one number per node, or 'proof'")
    if isinstance(weights, dict):
        weights = [weights.get(node, -1) for node in graph.nodes]
    weights = align_to_nodes(weights, graph.nodes)
    source = read_source(proof)
    try:
        with parsing("proof"), np.errstate(all="ignore"):
            return _checked(graph, read_archive(source.data), weights)
    except LovaszError as reason:
        raise LovaszError(f"{source.name} is refused: {reason}") from None


def digest(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return the SHA-256 of arrays with their names, types and shapes."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        total.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape} ".encode())
        total.update(arrays[name].tobytes())
    return np.frombuffer(total.digest(), np.uint8)


def graph_digest(n: int, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Return the SHA-256 of a graph with the edges i < j, in order."""
    return digest({"n": np.array([n]), "i": i.astype(np.int64), "j": j.astype(np.int64)})


def _checked(graph: Graph, arrays: dict[str, np.ndarray], weights: Any) -> Claim:
    """Compare the proof with the graph, and let the checker decide."""
    _check_form(arrays)
    version, n, m, variant, complement = arrays["header"].tolist()
    demand(version == VERSION, f"version {version} is not known; use a newer lovasz")
    rows = _rows_of_proof(graph, arrays)
    i, j = _renumbered(graph, rows)
    same = (graph.n, len(i)) == (n, m) and np.array_equal(graph_digest(n, i, j), arrays["graph"])
    demand(same, "it is of another graph")
    if complement:
        other = complement_of(Graph.from_edges(i, j, n=n))
        i, j = (end.astype(np.int64) for end in other.edges())
    weighted = arrays["weights"].size > 0
    w = arrays["weights"] if weighted else np.ones(n)
    demand(len(w) == n > 0 and (w > 0).all(), "it has not one positive weight per node")
    if not isinstance(weights, str):
        demand(_same_weights(w[rows], weights), "it is of other weights")
    _check_ranges(arrays)
    exact = _exact_value(arrays["exact"].tolist())
    low, high = arrays["claim"].tolist()
    upper = upper_value(w, i, j, arrays, exact is not None)
    lower = lower_value(w, i, j, arrays, exact is not None)
    demand(lower >= Fraction(low), f"the lower bound {low!r} is not proven")
    demand(upper <= Fraction(high), f"the upper bound {high!r} is not proven")
    demand(exact is None or lower == exact == upper, f"ϑ = {exact} is not proven")
    return Claim(low, high, exact, VARIANTS[variant], bool(complement), weighted)


def _same_weights(w: np.ndarray, given: Any) -> bool:
    """Whether the weights are the given ones, of which None means that all are 1."""
    # Python compares doubles with integers and fractions exactly, while NumPy rounds those first.
    given = [1] * len(w) if given is None else given
    return bool(w.tolist() == [x.item() if hasattr(x, "item") else x for x in given])


def _check_form(arrays: dict[str, np.ndarray]) -> None:
    """Raise unless all arrays are there, of the right types, finite, and as they were saved."""
    for name, kind in FIELDS.items():
        demand(name in arrays, f"it is no proof of ϑ: it has no array {name!r}")
        array, wide = arrays[name], {"u": 1, "U": arrays[name].itemsize}.get(kind, 8)
        fits = array.dtype.kind == kind and array.itemsize == wide and array.ndim == 1
        demand(fits, f"its array {name!r} holds {array.dtype} of shape {array.shape}")
        demand(kind != "f" or np.isfinite(array).all(), f"its array {name!r} holds NaN or ∞")
    for name, size in (("header", 5), ("claim", 2), ("graph", 32), ("digest", 32)):
        demand(len(arrays[name]) == size, f"its array {name!r} has {len(arrays[name])} entries")
    others = {name: arrays[name] for name in arrays if name != "digest"}
    demand(np.array_equal(digest(others), arrays["digest"]), "it was changed after it was saved")


def _check_ranges(arrays: dict[str, np.ndarray]) -> None:
    """Raise unless arrays have the right lengths and indices are in their ranges."""
    n, count, cores = int(arrays["header"][1]), len(arrays["kind"]), len(arrays["rank"])
    entries = len(arrays["value"])
    ranges = {
        "representative": (n, 0, n - 1),
        "leaf": (n, 0, count - 1),
        "parent": (count, 1, count),
        "kind": (count, 0, JOIN),
        "first": (entries, 0, n - 1),
        "second": (entries, 0, n - 1),
        "part": (n, -1, cores),
        "rank": (cores, 0, len(arrays["vectors"])),  # low-rank sweeps may have more than n
    }
    for name, (size, least, most) in ranges.items():
        array = arrays[name]
        fits = len(array) == size and ((array >= least) & (array <= most)).all()
        demand(fits, f"its array {name!r} has a wrong length or an index that is out of range")
    demand(count <= MOST_ELEMENTS * n and cores <= n, "its tree has more parts than the graph")
    variant, complement = arrays["header"][3:].tolist()
    demand(0 <= variant <= SZEGEDY and complement in (0, 1), "its header is wrong")
    demand(len(arrays["bound"]) == count > 0, "its tree has no bounds")


def _rows_of_proof(graph: Graph, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """The row of each node in the proof, which may know the nodes by their names."""
    names = stored_names(arrays)
    if names is None or isinstance(graph.nodes, range):
        return np.arange(graph.n)
    place = {name: row for row, name in enumerate(names)}
    rows = np.array([place.get(name, -1) for name in written_names(graph)], dtype=np.int64)
    demand(len(rows) == len(place) and (rows >= 0).all(), "the nodes of the graph have other names")
    return rows


def _renumbered(graph: Graph, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The edges i < j between the rows of the proof, in order."""
    i, j = (rows[end] for end in graph.edges())
    i, j = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((j, i))
    return i[order], j[order]


def _exact_value(texts: list[str]) -> Fraction | Surd | None:
    """The number that ϑ is claimed to be, if any."""
    if not texts:
        return None
    plain = all(text.removeprefix("-").isdecimal() and len(text) <= LONGEST for text in texts)
    demand(len(texts) == 5 and plain, "its exact value is no number")
    a, b, c, d, radicand = map(int, texts)
    demand(b > 0 and d > 0, "its exact value is no number")
    return simplify_surd(Fraction(a, b), Fraction(c, d), radicand)
