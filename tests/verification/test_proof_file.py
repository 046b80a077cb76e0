"""Saved proofs: what is accepted, and what is refused in one line."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import gnp
from lovasz.verification import check_proof, verify
from lovasz.verification.checker import EXACT_UP_TO, REGULAR, SUM
from lovasz.verification.proof_file import FIELDS, digest


def named_graph() -> nx.Graph:
    """A core of 30 nodes, a pentagon, and a tree that reduces, with names."""
    core = gnp(30, 0.3, seed=3).to_networkx()
    whole = nx.disjoint_union_all([core, nx.cycle_graph(5), nx.path_graph(6)])
    return nx.relabel_nodes(whole, {node: f"n{node}" for node in whole})


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> tuple[nx.Graph, Path, lovasz.number.Theta]:
    graph, path = named_graph(), tmp_path_factory.mktemp("proofs") / "proof.npz"
    result = lovasz.theta(graph)
    result.save(path)
    return graph, path, result


def write(path: Path, arrays: dict[str, np.ndarray], *, sealed: bool) -> Path:
    """Write arrays as a proof, with the digest that belongs to them if ``sealed``."""
    if sealed:
        others = {name: array for name, array in arrays.items() if name != "digest"}
        arrays = {**others, "digest": digest(others)}
    np.savez(path, **arrays)
    return path


def loaded(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return dict(file)


def test_a_proof_proves_the_interval_of_the_result(saved) -> None:
    graph, path, result = saved
    claim = check_proof(graph, path)
    assert claim.lower <= result.lower <= result.upper <= claim.upper
    assert claim.upper - claim.lower <= 1.01 * (result.upper - result.lower) + 1e-11 * result.upper
    assert verify(graph, path) is True


def test_nodes_are_matched_by_name(saved) -> None:
    graph, path, _ = saved
    shuffled = nx.Graph()
    shuffled.add_nodes_from(sorted(graph, reverse=True))
    shuffled.add_edges_from(graph.edges)
    assert verify(shuffled, path)
    renamed = nx.relabel_nodes(graph, {"n0": "other"})
    with pytest.raises(LovaszError, match="other names"):
        verify(renamed, path)
    swapped = nx.relabel_nodes(graph, {"n0": "n40", "n40": "n0"})
    with pytest.raises(LovaszError, match="another graph"):
        verify(swapped, path)


def test_another_edge_is_another_graph(saved) -> None:
    graph, path, _ = saved
    fewer = graph.copy()
    fewer.remove_edge(*next(iter(graph.edges)))
    with pytest.raises(LovaszError, match=r"refused: it is of another graph$"):
        verify(fewer, path)


@pytest.mark.parametrize("name", FIELDS)
def test_every_changed_number_is_refused(saved, tmp_path, name) -> None:
    graph, path, _ = saved
    arrays = loaded(path)
    array = arrays[name].copy()
    if array.size == 0:
        array = np.zeros(1, dtype=array.dtype)
    elif array.dtype.kind == "f":
        array[len(array) // 2] = np.nextafter(array[len(array) // 2], np.inf)
    else:
        array[len(array) // 2] ^= 1
    with pytest.raises(LovaszError, match="is refused: it was changed after it was saved"):
        verify(graph, write(tmp_path / "p.npz", arrays | {name: array}, sealed=False))


CHANGES = {
    "lower claim": ("claim", lambda a: a * [1 + 1e-6, 1], "lower bound"),
    "upper claim": ("claim", lambda a: a * [1, 1 - 1e-6], "upper bound"),
    "bound of the core": ("bound", lambda a: a * (1 - 1e-5), "for a core is not proven"),
    "negative bound": ("bound", lambda a: a - 100, "a bound is wrong"),
    "an entry": ("value", lambda a: np.r_[1e3, a[1:]], "for a core is not proven"),
    "a vector": ("vectors", lambda a: np.r_[1e3, a[1:]], "lower bound"),
    "a vector too many": ("vectors", lambda a: np.r_[a, 1.0], "wrong length"),
    "a vector too few": ("vectors", lambda a: a[:-1], "proof"),
    "a part": ("part", lambda a: np.where(a < 0, 0, a), "touch"),
    "nodes alone": ("part", lambda a: 0 * a, "touch"),
    "a representative": ("representative", lambda a: 0 * a + 30, "representatives"),
    "a leaf": ("leaf", lambda a: np.roll(a, 1), "clique|core|regular"),
    "a kind": ("kind", lambda a: np.where(a == 3, 4, a), "no join"),
    "a clique": ("kind", lambda a: np.where(a == 1, 0, a), "a clique lacks an edge"),
    "a regular part": ("kind", lambda a: np.where(a == 1, 2, a), "not strongly regular"),
    "a parent": ("parent", lambda a: np.r_[a[:-1] * 0 + 1, a[-1:]], "tree"),
    "the end of the tree": ("parent", lambda a: np.r_[a[:-1], 1], "tree"),
    "an index": ("first", lambda a: a - 1, "out of range"),
    "an order": ("second", lambda a: a[::-1].copy(), "an entry is"),
    "a rank": ("rank", lambda a: a + 1, "proof"),
    "a variant": ("header", lambda a: np.add(a, [0, 0, 0, 9, 0]), "header"),
    "a version": ("header", lambda a: np.add(a, [1, 0, 0, 0, 0]), "version"),
    "a complement": ("header", lambda a: np.add(a, [0, 0, 0, 0, 1]), ""),
    "weights": ("weights", lambda a: np.full(41, 2.0), "other weights"),
    "a weight": ("weights", lambda a: np.ones(3), "one positive weight"),
    "an exact value": ("exact", lambda a: np.array(list("11115")), "ϑ = 1.sqrt.5. is not proven"),
    "no exact value": ("exact", lambda a: np.array(list("1x125")), "no number"),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_false_proof_with_a_right_digest_is_refused(saved, tmp_path, change) -> None:
    graph, path, _ = saved
    name, alter, why = CHANGES[change]
    arrays = loaded(path)
    altered = arrays | {name: alter(arrays[name]).astype(arrays[name].dtype)}
    with pytest.raises(LovaszError, match=rf"^[^\n]*is refused: [^\n]*({why})"):
        verify(graph, write(tmp_path / "p.npz", altered, sealed=True))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(saved, tmp_path, bad) -> None:
    graph, path, _ = saved
    arrays = loaded(path)
    for name in (name for name, kind in FIELDS.items() if kind == "f" and len(arrays[name])):
        altered = arrays | {name: np.r_[bad, arrays[name][1:]]}
        with pytest.raises(LovaszError, match="NaN or ∞"):
            verify(graph, write(tmp_path / "p.npz", altered, sealed=True))


def test_wrong_types_and_missing_arrays_are_refused(saved, tmp_path) -> None:
    graph, path, _ = saved
    arrays = loaded(path)
    for name in FIELDS:
        less = {other: array for other, array in arrays.items() if other != name}
        with pytest.raises(LovaszError, match="refused"):
            verify(graph, write(tmp_path / "p.npz", less, sealed=name != "digest"))
        for odd in (arrays[name][None], arrays[name].astype("S40"), arrays[name].astype("c16")):
            with pytest.raises(LovaszError, match="refused: its array"):
                verify(graph, write(tmp_path / "p.npz", arrays | {name: odd}, sealed=False))


def test_pickles_bombs_and_rubbish_are_refused(saved, tmp_path) -> None:
    graph, path, _ = saved
    np.savez(tmp_path / "pickle.npz", claim=np.array([verify, 1], dtype=object))
    bomb = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        bomb, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w") as archive:
        archive.writestr("claim.npy", bomb.getvalue())
    (tmp_path / "cut.npz").write_bytes(path.read_bytes()[:-100])
    (tmp_path / "text.npz").write_text("no proof")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    for name in ("pickle", "bomb", "cut", "text", "other"):
        with pytest.raises(LovaszError, match=r"^[^\n]*is refused: [^\n]*$"):
            verify(graph, tmp_path / f"{name}.npz")


def test_weights_are_part_of_what_is_proven(tmp_path) -> None:
    graph = nx.cycle_graph(7)
    weights = {node: 1.0 + node / 4 for node in graph}
    lovasz.theta(graph, weights=weights).save(tmp_path / "p.npz")
    assert verify(graph, tmp_path / "p.npz", weights=weights)
    assert verify(graph, tmp_path / "p.npz", weights=list(weights.values()))
    assert check_proof(graph, tmp_path / "p.npz", weights="proof").weighted
    for others in (None, weights | {3: 9.0}, [1.0, 2.0]):
        with pytest.raises(LovaszError, match="other weights"):
            verify(graph, tmp_path / "p.npz", weights=others)


def test_a_proof_of_one_variant_says_so(tmp_path) -> None:
    graph = gnp(EXACT_UP_TO + 3, 0.4, seed=1)
    found = {}
    for variant in ("lovasz", "schrijver", "szegedy"):
        lovasz.theta(graph, variant=variant).save(tmp_path / "p.npz")
        found[variant] = check_proof(graph, tmp_path / "p.npz")
        assert found[variant].variant == variant
    assert found["schrijver"].upper < found["lovasz"].lower
    assert found["lovasz"].upper < found["szegedy"].lower
    lovasz.theta(graph, complement=True).save(tmp_path / "p.npz")
    assert check_proof(graph, tmp_path / "p.npz").complement


def test_exact_values_are_proven_again(tmp_path) -> None:
    pentagons = nx.disjoint_union_all([nx.cycle_graph(5), nx.cycle_graph(5), nx.star_graph(3)])
    result = lovasz.theta(pentagons)
    result.save(tmp_path / "p.npz")
    claim = check_proof(pentagons, tmp_path / "p.npz")
    assert str(claim.exact) == result.exact == "3+2*sqrt(5)"
    lovasz.theta(nx.petersen_graph()).save(tmp_path / "p.npz")
    assert check_proof(nx.petersen_graph(), tmp_path / "p.npz").exact == Fraction(4)


@pytest.mark.parametrize("word", ["prof", "weights.csv", ""])
def test_a_word_that_is_not_proof_does_not_switch_the_weights_off(tmp_path, word) -> None:
    path, file = [(0, 1), (1, 2), (2, 3)], tmp_path / "proof.npz"
    lovasz.theta(path, weights=[3.0, 1.0, 1.0, 1.0]).save(file)
    assert verify(path, file, weights="proof")
    with pytest.raises(LovaszError, match="one number per node, or 'proof'"):
        verify(path, file, weights=word)


@pytest.mark.parametrize("heavy", [2**53 + 1, np.int64(2**53 + 1), Fraction(2**54 + 1, 2)])
def test_weights_that_only_round_to_those_of_the_proof_are_others(tmp_path, heavy) -> None:
    path, file = [(0, 1), (1, 2), (2, 3)], tmp_path / "proof.npz"
    lovasz.theta(path, weights=[2.0**53, 1.0, 1.0, 1.0]).save(file)
    assert verify(path, file, weights=[2**53, 1, 1, 1])
    with pytest.raises(LovaszError, match="other weights"):
        verify(path, file, weights=[heavy, 1, 1, 1])


def test_a_tree_of_far_more_elements_than_nodes_is_refused_unread(tmp_path) -> None:
    path, file = [(0, 1), (1, 2), (2, 3)], tmp_path / "proof.npz"
    lovasz.theta(path).save(file)
    arrays = loaded(file)
    count, more = len(arrays["kind"]), 10_000  # a chain of sums of one part each
    arrays["kind"] = np.concatenate([arrays["kind"], np.full(more, SUM)])
    arrays["bound"] = np.concatenate([arrays["bound"], np.zeros(more)])
    chain = np.arange(count + 1, count + more + 1)
    arrays["parent"] = np.concatenate([arrays["parent"], chain])
    with pytest.raises(LovaszError, match="more parts than the graph"):
        check_proof(path, write(file, arrays, sealed=True))


def test_a_part_with_too_few_edges_to_be_strongly_regular_costs_no_memory(tmp_path) -> None:
    n = 19_000  # its dense matrices would have ten gigabytes
    matching = [(k, k + 1) for k in range(0, n, 2)]
    lovasz.theta(matching).save(tmp_path / "proof.npz")
    arrays = loaded(tmp_path / "proof.npz")
    arrays |= {"kind": np.array([REGULAR]), "parent": np.array([1]), "bound": np.zeros(1)}
    arrays["leaf"] = np.zeros(n, dtype=np.int64)
    arrays["representative"] = np.arange(n)
    file = write(tmp_path / "forged.npz", arrays, sealed=True)
    tracemalloc.start()
    try:
        with pytest.raises(LovaszError, match="not strongly regular"):
            check_proof(matching, file)
        assert tracemalloc.get_traced_memory()[1] < 2**28
    finally:
        tracemalloc.stop()


def test_a_series_of_weights_is_compared_by_its_index(tmp_path) -> None:
    pd = pytest.importorskip("pandas")
    path, file = [("a", "b"), ("b", "c")], tmp_path / "proof.npz"
    lovasz.theta(path, weights={"a": 1, "b": 9, "c": 2}).save(file)
    assert verify(path, file, weights=pd.Series({"b": 9, "c": 2, "a": 1}))
    with pytest.raises(LovaszError, match="other weights"):
        verify(path, file, weights=pd.Series({"b": 1, "c": 2, "a": 9}))
