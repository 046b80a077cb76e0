"""Evidence that a computation keeps becomes a proof of the whole graph, whatever was done to it."""

from __future__ import annotations

import pickle
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs import as_graph
from lovasz.graphs.families import gnp
from lovasz.number.proofs.handover import proof_arrays
from lovasz.verification import check_proof
from lovasz.verification.checker import CLIQUE, CORE, EXACT_UP_TO, JOIN, REGULAR, SUM

GRAPHS = {
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(6),
    "complete": nx.complete_graph(6),
    "a tree": nx.random_labeled_tree(40, seed=1),
    "an odd cycle": nx.cycle_graph(9),
    "a pentagon and a tree": nx.disjoint_union(nx.cycle_graph(5), nx.star_graph(4)),
    "a join": nx.complement(nx.disjoint_union(nx.cycle_graph(7), nx.cycle_graph(9))),
    "a join in a union": nx.disjoint_union(
        nx.complement(nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(7))), nx.cycle_graph(7)
    ),
    "random": nx.gnp_random_graph(70, 0.3, seed=2),
    "random, small": nx.gnp_random_graph(25, 0.4, seed=2),
    "random, sparse": nx.gnm_random_graph(400, 1200, seed=1),
    "caveman": nx.connected_caveman_graph(6, 5),
    "bipartite": nx.bipartite.random_graph(12, 15, 0.3, seed=1),
}


def checked(graph, path, **options):
    """Solve, save, and check; return the result and what is proven."""
    result = lovasz.theta(graph, **options)
    result.save(path)
    claim = check_proof(graph, path, weights=options.get("weights"))
    assert claim.lower <= result.lower <= result.upper <= claim.upper
    loose = (result.lower - claim.lower) + (claim.upper - result.upper)
    assert loose <= 0.02 * (result.upper - result.lower) + 1e-9 * result.upper
    return result, claim


@pytest.mark.parametrize("name", GRAPHS)
def test_the_whole_interval_is_handed_over(name, tmp_path) -> None:
    graph = GRAPHS[name]
    for options in ({}, {"complement": True}) if len(graph) < 100 else ({},):
        result, claim = checked(graph, tmp_path / "p.npz", **options)
        # The checker proves singular matrices semidefinite only where it computes exactly.
        assert claim.exact == result.exact_number or (
            claim.exact is None and len(graph) >= EXACT_UP_TO
        )


@pytest.mark.parametrize("name", ["a tree", "a join in a union", "random, small", "random, sparse"])
def test_weights_are_handed_over(name, tmp_path) -> None:
    graph, rng = GRAPHS[name], np.random.default_rng(1)
    for weights in (rng.uniform(0.1, 10, len(graph)), rng.integers(1, 9, len(graph)) * 1.0)[
        : 1 if len(graph) > 100 else 2
    ]:
        checked(graph, tmp_path / "p.npz", weights=weights)


@pytest.mark.parametrize("variant", ["schrijver", "szegedy"])
@pytest.mark.parametrize("name", ["a pentagon and a tree", "random", "random, small", "a join"])
def test_variants_are_handed_over(name, variant, tmp_path) -> None:
    _, claim = checked(GRAPHS[name], tmp_path / "p.npz", variant=variant)
    assert claim.variant == variant


def test_the_tree_follows_the_computation() -> None:
    kinds = {}
    for name in ("a tree", "an odd cycle", "a pentagon and a tree", "a join"):
        arrays = proof_arrays(lovasz.theta(GRAPHS[name]).material)
        kinds[name] = set(arrays["kind"].tolist())
    assert kinds["a tree"] == {CLIQUE, SUM}
    assert kinds["an odd cycle"] == {CORE}
    assert kinds["a pentagon and a tree"] == {CLIQUE, REGULAR, SUM}
    assert kinds["a join"] == {CORE, JOIN}


def test_an_interrupted_search_can_be_handed_over(tmp_path) -> None:
    graph = gnp(150, 0.5, seed=1)
    result = lovasz.theta(graph, stop=lambda: True)
    assert result.status.startswith("interrupted")
    result.save(tmp_path / "p.npz")
    claim = check_proof(graph, tmp_path / "p.npz")
    assert (claim.lower, claim.upper) == (result.lower, result.upper)


def test_a_result_that_went_through_a_pickle_can_be_saved(tmp_path) -> None:
    graph = as_graph(GRAPHS["random, small"])
    result = pickle.loads(pickle.dumps(lovasz.theta(graph)))
    result.save(tmp_path / "p.npz")
    assert lovasz.verify(graph, tmp_path / "p.npz")


def test_a_result_without_material_says_so(tmp_path) -> None:
    from dataclasses import replace

    bare = replace(lovasz.theta(nx.path_graph(3)), material=None)
    with pytest.raises(LovaszError, match="nothing was kept"):
        bare.save(tmp_path / "p.npz")


EXACT = {
    "sqrt(5)": nx.cycle_graph(5),
    "sqrt(13)": nx.paley_graph(13).to_undirected(),
    "4": nx.petersen_graph(),
    "2+sqrt(5)": nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(3)),
    "7+2*sqrt(5)": nx.disjoint_union_all(
        [nx.cycle_graph(5), nx.star_graph(7), nx.complement(nx.cycle_graph(5))]
    ),
    "3": nx.complement(nx.disjoint_union(nx.cycle_graph(5), nx.complete_graph(3))),
}


@pytest.mark.parametrize("text", EXACT)
def test_exact_values_are_recognised_and_proven(text, tmp_path) -> None:
    result, claim = checked(EXACT[text], tmp_path / "p.npz")
    assert result.exact == str(claim.exact) == text
    assert f"exactly {text}" in repr(result)


def test_what_is_not_proven_is_not_exact() -> None:
    assert lovasz.theta(nx.cycle_graph(7)).exact is None
    mixed = nx.disjoint_union(nx.cycle_graph(5), nx.paley_graph(13).to_undirected())
    assert lovasz.theta(mixed).exact is None  # √5 + √13 is no number a + b√d
    assert lovasz.theta(nx.path_graph(2), weights=[0.1, 0.2]).exact_number in (None, Fraction(0.2))


def test_vectors_of_more_coordinates_than_nodes(tmp_path):
    """Low-rank sweeps begin with more coordinates than a small graph has nodes."""
    graph = nx.complement(nx.cycle_graph(9))
    lovasz.theta(graph, solver="low-rank").save(tmp_path / "proof.npz")
    assert np.load(tmp_path / "proof.npz")["rank"].max() > 9
    assert lovasz.verify(graph, tmp_path / "proof.npz")
