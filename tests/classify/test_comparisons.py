"""Tables whose rows are compared: roles, spectra, averages; and which of them the labels choose."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz.classify import comparisons, ridge
from lovasz.classify.comparisons import (
    STEPS,
    compare,
    coordinate_counts,
    make_tables,
    table_of_features,
    walk_matrix,
)
from lovasz.classify.problem import make_problem
from lovasz.classify.ridge import Ridge
from lovasz.classify.roles import Roles
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(60, 2, 0.3, 0.05, seed=0)
X = np.eye(2)[BLOCKS.y] + np.random.default_rng(0).standard_normal((60, 2))


def problem_of(graph, y, features=None):
    return make_problem(graph, np.unique(y), y, features, "auto")


def test_roles_do_not_depend_on_names_and_are_equal_for_equal_surroundings():
    graph = lovasz.as_graph(nx.disjoint_union(nx.star_graph(4), nx.star_graph(4)))
    table = Roles.of(graph).table
    np.testing.assert_allclose(table[:5], table[5:])
    order = np.random.default_rng(1).permutation(graph.n)
    moved = lovasz.as_graph(graph.adjacency[order][:, order])
    np.testing.assert_allclose(Roles.of(moved).table, table[order], atol=1e-12)


def test_the_roles_of_a_regular_graph_say_nothing():
    assert not Roles.of(lovasz.as_graph(nx.cycle_graph(7))).table.any()


def test_surroundings_are_powers_of_the_normalised_matrix_or_features_beside_averages():
    problem = problem_of(BLOCKS.graph, BLOCKS.y, X)
    S, H = walk_matrix(problem).toarray(), problem.principal_features
    *powers, beside = make_tables(problem, "surroundings")
    for steps, table in zip(STEPS, powers, strict=True):
        np.testing.assert_allclose(table, np.linalg.matrix_power(S, steps) @ H, atol=1e-6)
    np.testing.assert_array_equal(beside, problem.surrounding_rows())


def test_spectra_have_unit_rows_and_more_coordinates_come_second():
    problem = problem_of(BLOCKS.graph, BLOCKS.y)
    tables = make_tables(problem, "spectrum")
    assert [table.shape[1] for table in tables] == coordinate_counts(problem) == [6, 12]
    np.testing.assert_allclose(np.linalg.norm(tables[0], axis=1), 1)


def test_the_labels_choose_the_table():
    problem = problem_of(BLOCKS.graph, BLOCKS.y)
    noise, signal = np.random.default_rng(2).standard_normal((60, 1)), np.eye(2)[BLOCKS.y]
    known = np.arange(0, 60, 3)
    number, model = compare([noise, signal], known, problem)
    assert number == 1 and (model(signal).argmax(1) == BLOCKS.y).all()
    assert compare([signal, signal], known, problem)[0] == 0


def test_sparse_features_are_compared_by_main_coordinates_or_by_all_columns():
    words = sparse.csr_array((np.random.default_rng(0).random((60, 80)) < 0.1).astype(np.float32))
    problem = problem_of(BLOCKS.graph, BLOCKS.y, words)
    few, all_ = make_tables(problem, "features")
    np.testing.assert_array_equal(few, problem.principal_features)
    assert all_ is problem.features and sparse.issparse(all_)
    [dense] = make_tables(problem_of(BLOCKS.graph, BLOCKS.y, X), "features")
    assert dense.shape == (60, 2)


def test_how_many_words_a_row_has_is_found_where_main_coordinates_miss_it():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    words = (rng.random((300, 400)) < np.where(y, 0.06, 0.02)[:, None]).astype(float)
    problem = problem_of(planted_partition(300, 2, 0.1, 0.1, seed=0).graph, y, words)
    known = np.arange(0, 300, 3)
    number, model = compare(make_tables(problem, "features"), known, problem)
    answers = model(make_tables(problem, "features")[number]).argmax(1)
    assert number == 1 and (answers == y).mean() > 0.95


def test_the_chosen_table_is_compared_with_more_rows(monkeypatch):
    problem = problem_of(BLOCKS.graph, BLOCKS.y, X)
    monkeypatch.setattr(ridge, "LANDMARKS", 5)
    known = np.arange(0, 60, 3)
    noise = np.random.default_rng(2).standard_normal((60, 1))
    number, model = compare([noise, X], known, problem)
    assert number == 1 and len(model.landmarks) == len(known)
    fitted = []
    one = Ridge.of
    monkeypatch.setattr(
        Ridge, "of", lambda *args, **most: fitted.append(most) or one(*args, **most)
    )
    assert compare([X], known, problem)[0] == 0 and fitted == [{"most": len(known)}]
    monkeypatch.setattr(comparisons, "PAIRS", 10 * problem.graph.n)
    assert len(compare([noise, X], known, problem)[1].landmarks) == 10
    monkeypatch.setattr(comparisons, "PAIRS", 0)
    assert len(compare([noise, X], known, problem)[1].landmarks) == 5


def test_there_is_no_table_of_features_without_features():
    problem = problem_of(BLOCKS.graph, BLOCKS.y)
    assert table_of_features(problem, "scaled features") is None
    assert table_of_features(problem, "features, other scale") is None


def test_labels_that_go_with_degrees_are_found():
    graph = lovasz.as_graph(nx.barabasi_albert_graph(300, 2, seed=0))
    degrees = np.asarray(graph.adjacency.sum(axis=1)).ravel()
    y = (degrees > np.median(degrees)).astype(int)
    known = np.arange(300) % 5 == 0
    clf = lovasz.LCNClassifier(fast=True, random_state=0).fit(graph, np.where(known, y, -1))
    assert (clf.predict() == y)[~known].mean() > 0.95
    assert clf.chosen_ == "similar roles"


@pytest.mark.parametrize("kind", ["features", "surroundings", "roles", "spectrum"])
def test_tables_have_one_row_per_node(kind):
    for table in make_tables(problem_of(BLOCKS.graph, BLOCKS.y, X), kind):
        assert len(table) == 60 and np.isfinite(table).all()
