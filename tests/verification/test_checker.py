"""The checker on its own: it proves nothing that is false, whatever it is given."""

from __future__ import annotations

import time
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.families import gnp
from lovasz.number.proofs.handover import proof_arrays
from lovasz.verification import checker
from lovasz.verification.checker import (
    EXACT_UP_TO,
    LOVASZ,
    SCHRIJVER,
    SZEGEDY,
    core_value,
    exactly_psd,
    integers,
    is_psd,
    proves_upper,
    regular_value,
)
from lovasz.verification.proof_file import _checked, digest


def edges(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    i, j = graph.edges()
    return i.astype(np.int64), j.astype(np.int64)


def test_integers_are_the_doubles_times_a_power_of_two() -> None:
    given = np.array([0.0, 1.0, -0.75, 2.0**-300, 1e10, 5e-324])
    found = integers(given)
    unit = Fraction(5e-324) / found[5]
    assert [Fraction(x) for x in given.tolist()] == [x * unit for x in found]


def test_exact_semidefiniteness_decides_at_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    V = rng.integers(-5, 6, (12, 7))
    S = V @ V.T  # singular
    assert exactly_psd(S.astype(object))
    for k in range(12):
        lower = S.astype(object) * 2**60
        lower[k, k] -= 1
        assert not exactly_psd(lower)
    assert not exactly_psd(np.array([[0, 1], [1, 5]], dtype=object))


@pytest.mark.parametrize("n", [EXACT_UP_TO + 1, 400])
@pytest.mark.parametrize("filled", [0.02, 1.0])
def test_matrices_that_are_barely_semidefinite_are_not_proven(n, filled) -> None:
    rng = np.random.default_rng(n)
    B = sparse.random_array((n, n), density=filled, rng=rng, format="csr")
    S = sparse.csr_array(B @ B.T + sparse.eye_array(n) * 0.1)
    least = float(np.linalg.eigvalsh(S.toarray())[0])
    assert is_psd(S)
    scale = sparse.diags_array(2.0 ** rng.integers(-200, 200, n))
    assert is_psd(sparse.csr_array(scale @ S @ scale))
    for beyond in (1e-9, 1e-3):
        assert not is_psd(
            sparse.csr_array(S - sparse.eye_array(n) * (least * (1 + beyond) + 1e-12))
        )


def test_a_negative_row_without_neighbours_is_noticed() -> None:
    n = 500
    S = sparse.eye_array(n, format="lil")
    S[7, 7] = -1.0
    assert not is_psd(sparse.csr_array(S))


def test_the_rounding_of_a_large_matrix_is_allowed_for() -> None:
    # J + εI is semidefinite, and no factorisation in doubles can know it for ε far below n u.
    n = EXACT_UP_TO + 40
    J = np.ones((n, n))
    assert not is_psd(sparse.csr_array(J))
    assert not is_psd(sparse.csr_array(J + 1e-16 * n * np.eye(n)))
    assert is_psd(sparse.csr_array(J + 1e-11 * n * np.eye(n)))


@pytest.mark.parametrize("variant", [LOVASZ, SCHRIJVER, SZEGEDY])
@pytest.mark.parametrize("n", [12, EXACT_UP_TO + 4])
def test_no_vectors_prove_more_than_the_truth(n, variant) -> None:
    graph, rng = gnp(n, 0.4, seed=n), np.random.default_rng(n)
    name = ("lovasz", "schrijver", "szegedy")[variant]
    weights = rng.uniform(0.5, 2, n)
    i, j = edges(graph)
    for w in (np.ones(n), weights):
        truth = lovasz.theta(graph, weights=w, variant=name)
        best = Fraction(0)
        for r in (1, 3, n):
            V = rng.standard_normal((n, r)) * 10.0 ** rng.integers(-3, 3)
            best = max(best, core_value(V, w, i, j, variant))
            best = max(best, core_value(1e-300 * np.abs(V), w, i, j, variant))
        assert best <= truth.upper
        independent = np.zeros((n, 1))
        independent[0] = w[0]
        assert core_value(independent, w, i, j, variant) == pytest.approx(w[0])


@pytest.mark.parametrize("variant", [LOVASZ, SCHRIJVER, SZEGEDY])
def test_doubles_and_integers_prove_what_the_repaired_matrix_does(variant) -> None:
    graph, rng = gnp(9, 0.4, seed=2), np.random.default_rng(3)
    V = rng.integers(-3, 9, (9, 4))
    P, A = V @ V.T, graph.adjacency.toarray() != 0
    gone = np.where(A, np.maximum(P, 0) if variant == SZEGEDY else P, 0)
    if variant == SCHRIJVER:
        gone = np.where(A, P, np.minimum(P, 0))
    np.fill_diagonal(gone, 0)
    P = P - gone + np.diag(np.abs(gone).sum(axis=1))
    value = core_value(V * 0.125, np.full(9, 2.0), *edges(graph), variant)
    assert value == Fraction(2 * int(P.sum()), int(np.trace(P)))


@pytest.mark.parametrize("variant", [LOVASZ, SCHRIJVER, SZEGEDY])
def test_doubles_prove_no_more_than_integers_do(variant, monkeypatch) -> None:
    # Orthogonal rows on the edges leave nothing but rounding, which may be on either side.
    graph, rng = gnp(EXACT_UP_TO + 4, 0.2, seed=1), np.random.default_rng(variant)
    i, j = edges(graph)
    for case in range(12):
        V = np.zeros((graph.n, 9))
        chosen = rng.permutation(graph.n)[: 12 + case]
        V[chosen] = rng.uniform(0.5, 1, (len(chosen), 9)) * 0.1
        w = np.ones(graph.n) if case % 2 else rng.uniform(1, 2, graph.n)
        doubles = core_value(V, w, i, j, variant)
        with monkeypatch.context() as patch:
            patch.setattr(checker, "EXACT_UP_TO", 100)
            exact = core_value(V, w, i, j, variant)
        assert exact * (1 - Fraction(1, 10**9)) <= doubles <= exact


def test_small_cores_are_exact() -> None:
    pentagon = np.arange(5), np.array([1, 2, 3, 4, 0])
    i, j = np.minimum(*pentagon), np.maximum(*pentagon)
    assert proves_upper(2.2360679774997902, np.ones(5), i, j, np.full(5, 1.3819660112501053))
    assert not proves_upper(2.2360679774997894, np.ones(5), i, j, np.full(5, 1.3819660112501053))
    petersen = as_graph(nx.petersen_graph())
    assert proves_upper(4.0, np.ones(10), *edges(petersen), np.full(15, 2.0))
    assert not proves_upper(np.nextafter(4.0, 0), np.ones(10), *edges(petersen), np.full(15, 2.0))


def test_strongly_regular_graphs_and_others() -> None:
    for graph, value in ((nx.petersen_graph(), 4), (nx.paley_graph(9).to_undirected(), 3)):
        network = as_graph(graph)
        assert regular_value(np.ones(network.n), *edges(network), True, 0) == value
    for graph in (
        nx.cycle_graph(6),
        nx.circular_ladder_graph(3),
        nx.complete_graph(4),
        nx.empty_graph(3),
    ):
        network = as_graph(graph)
        with pytest.raises(LovaszError, match="not strongly regular"):
            regular_value(np.ones(network.n), *edges(network), True, 0)
    with pytest.raises(LovaszError, match="not strongly regular"):
        regular_value(np.full(10, 2.0), *edges(as_graph(nx.petersen_graph())), True, 0)


GRAPHS = [
    nx.disjoint_union_all([nx.gnp_random_graph(14, 0.3, seed=3), nx.cycle_graph(5)]),
    nx.complement(nx.disjoint_union(nx.cycle_graph(7), nx.cycle_graph(5))),
    nx.connected_caveman_graph(3, 4),
]
UNTOUCHED = {"header", "graph", "digest", "claim", "exact", "weights", "nodes"}
"""Arrays that say what is claimed, about which graph."""


def mutate(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    """Change a few numbers, in place."""
    for _ in range(rng.integers(1, 5)):
        name = rng.choice([key for key in arrays if key not in UNTOUCHED and arrays[key].size])
        array, place = arrays[name], rng.integers(arrays[name].size)
        if array.dtype.kind == "i":
            array[place] = rng.choice([0, array[place] + 1, rng.choice(array), array.max() + 1])
            if rng.random() < 0.3:
                array[array == rng.choice(array)] = rng.choice(array)
        else:
            array[place] = rng.choice(
                [0, -array[place], array[place] + rng.normal(), 1e300, 5e-324]
            )
            if rng.random() < 0.3:
                array *= rng.choice([0.0, 0.5, -1.0, 1e-320])


@pytest.mark.parametrize("number", range(len(GRAPHS)))
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid", "ignore:divide")
def test_no_mutation_proves_a_false_claim(number) -> None:
    graph, rng = as_graph(GRAPHS[number]), np.random.default_rng(number)
    for options in ({}, {"variant": "schrijver"}, {"weights": np.linspace(1, 2, graph.n)}):
        result = lovasz.theta(graph, **options)
        original = proof_arrays(result.material)
        for case in range(60):
            arrays = {name: array.copy() for name, array in original.items() if name != "digest"}
            false = [result.upper * 1.001, np.inf], [0, result.lower * 0.999]
            arrays["claim"] = np.nan_to_num(np.array(false[case % 2]), posinf=1e9)
            arrays["exact"] = arrays["exact"][:0]
            mutate(arrays, rng)
            arrays["digest"] = digest(arrays)
            with pytest.raises((LovaszError, ValueError)):  # a file turns the latter into one line
                _checked(graph, arrays, "proof")


def test_exact_integers_are_those_of_the_scaled_matrix() -> None:
    rng = np.random.default_rng(1)
    V = rng.integers(-5, 6, (12, 7)).astype(float)
    scale = np.ldexp(1.0, rng.integers(-150, 150, 12))
    S = scale[:, None] * (V @ V.T) * scale  # singular, and its entries are 600 binary orders apart
    assert is_psd(sparse.csr_array(S))
    S[3, 3] = np.nextafter(S[3, 3], 0)
    assert not is_psd(sparse.csr_array(S))


def test_numbers_of_very_different_size_cost_no_minutes() -> None:
    n = EXACT_UP_TO
    rng = np.random.default_rng(0)
    upper = np.triu(np.ldexp(rng.random((n, n)), rng.integers(-1000, -10, (n, n))), 1)
    begun = time.process_time()
    assert is_psd(sparse.csr_array(upper + upper.T + np.eye(n)))
    assert not is_psd(sparse.csr_array(upper + upper.T + np.diag([1.0] * (n - 1) + [1e-300])))
    assert time.process_time() - begun < 20
