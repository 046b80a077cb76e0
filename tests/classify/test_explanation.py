"""Explanations: effects are what a recomputation with the evidence removed gives."""

import numpy as np
import pytest
from scipy import sparse

from lovasz import LCNClassifier, LovaszError
from lovasz.classify import explanation
from lovasz.classify.candidates import CANDIDATES, NetworkCandidate, identity
from lovasz.classify.comparisons import (
    STEPS,
    compare,
    coordinate_counts,
    make_tables,
    spectral_vectors,
    walk_matrix,
)
from lovasz.classify.explanation import (
    Piece,
    answering_names,
    choose_pieces,
    cut_entries,
    explainer_of,
    explanation_cards,
    list_pieces,
    piece_effects,
    remove,
)
from lovasz.classify.inference import network_logits
from lovasz.classify.local_answers import Removals
from lovasz.classify.problem import scale_regularly
from lovasz.classify.roles import Roles, describe_degrees
from lovasz.classify.surroundings import describe_degree, mean_matrix
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition
from lovasz.linalg.scaling import unit_rows
from lovasz.nn.networks.propagation import PROPAGATIONS, scale_kernel

BLOCKS = planted_partition(60, 2, 0.2, 0.05, seed=0)
NAMES = tuple(f"node {row}" for row in range(60))
GRAPH = Graph(BLOCKS.graph.adjacency, NAMES)
RNG = np.random.default_rng(0)
X = (np.eye(2)[BLOCKS.y] + RNG.standard_normal((60, 2))).astype(np.float32)
LABELS = {NAMES[row]: "ab"[BLOCKS.y[row]] for row in range(0, 60, 2)}
NODE = 7


@pytest.fixture(scope="module")
def fitted():
    return LCNClassifier(random_state=0, epochs=15).fit(GRAPH, LABELS, X)


@pytest.fixture(scope="module")
def explainer(fitted):
    return explainer_of(fitted)


def without(K, cut):
    """Return a kernel without some entries, by brute force."""
    dense = K.toarray()
    for i, j in cut:
        dense[i, j] = dense[j, i] = 0
    return sparse.csr_array(dense)


def beside_without(problem, cut=(), features=True):
    """Return the rows of surroundings without some entries, or the node's features."""
    P = without(mean_matrix(problem.graph), cut).toarray()
    H = problem.principal_features
    H = H if features else np.where(np.arange(problem.graph.n)[:, None] == NODE, 0, H)
    degrees = without(abs(problem.graph.adjacency), cut).toarray().sum(axis=1)
    return problem.surroundings.scale(np.hstack([H, P @ H, P @ P @ H, describe_degree(degrees)]))


def test_with_nothing_removed_the_answer_is_that_of_predict(fitted, explainer):
    for row in range(1, 60, 2):
        names = answering_names(explainer, row)
        P = remove(explainer, row, [[]], names)[0]
        np.testing.assert_allclose(P, fitted.predict_proba()[row], atol=1e-4)


@pytest.mark.parametrize("number", [0, 3, 10])
def test_networks_answer_as_with_a_kernel_without_the_entries(fitted, explainer, number):
    piece = [one for one in list_pieces(explainer, NODE) if one.kind != "features"][number]
    cut = cut_entries(explainer, piece)
    removals = Removals.of([cut], [False])
    tried = 0
    for name, weights in fitted.networks_.items():
        candidate = CANDIDATES[name]
        if not isinstance(candidate, NetworkCandidate):
            continue
        problem = fitted._problem
        table = beside_without(problem, cut) if candidate.surroundings else problem.features
        K = identity(60)
        if candidate.kernel is not None:
            K = problem.kernels.get(candidate.kernel, candidate.options)
        if candidate.propagation != "hop":  # the scale of S is held fixed, so cut S and undo it
            scale = PROPAGATIONS[candidate.propagation].scale
            S = without(scale_kernel(K, scale), cut).toarray()
            top = 1.0
            if scale == "symmetric":
                top = 2 / (scale_kernel(K, scale) + identity(60)).toarray()[0, 0]
                S = top / 2 * (S + np.eye(60))
            cut_kernel = S
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(
                    "lovasz.nn.networks.propagation.largest_eigenvalue_bound", lambda K, t=top: t
                )
                expected = network_logits(
                    cut_kernel, candidate.propagation, weights, table, layers=2
                )
        else:
            layers = candidate.changes.get("layers", 2)
            expected = network_logits(without(K, cut), "hop", weights, table, layers=layers)
        found = explainer.answers[name].logits(NODE, removals)
        np.testing.assert_allclose(found[:, 0], expected[:, NODE], atol=1e-4, err_msg=name)
        tried += 1
    assert tried >= 6


def test_spreading_answers_as_with_the_entry_cut(fitted, explainer):
    problem, local = fitted._problem, explainer.answers["spreading"]
    cut = [(NODE, int(GRAPH.adjacency[[NODE]].indices[0]))]
    S = without(local.S, cut)
    Y = local.H[:, 0]
    F = Y
    for _ in range(50):
        F = 0.9 * (S @ F) + 0.1 * Y
    found = local.logits(NODE, Removals.of([np.array(cut)], [False]))
    np.testing.assert_allclose(found[0, 0], np.log(F[NODE] + local.floor))
    assert problem.graph.n == 60


def test_comparisons_answer_as_with_tables_made_without_the_evidence(fitted, explainer):
    problem, taught = fitted._problem, fitted._taught
    cut = [(NODE, int(GRAPH.adjacency[[NODE]].indices[0]))]
    removals = Removals.of([np.array(cut), np.empty((0, 2))], [False, True])

    def expect(name, with_cut, without_features):
        candidate = CANDIDATES[name]
        tables = make_tables(problem, candidate.kind)
        number, model = compare(tables, taught, problem, linear=candidate.linear)
        rows = [with_cut(number), without_features(number, tables[number])]
        found = explainer.answers[name].logits(NODE, removals)
        assert found.shape == (1, 2, 2)
        np.testing.assert_allclose(found[0], model(np.stack(rows)), atol=1e-6, err_msg=name)

    def as_before(number, table):
        return table[NODE]

    roles, A = Roles.of(GRAPH), without(abs(GRAPH.adjacency), cut)
    columns = describe_degrees(np.asarray(A.sum(axis=1)).ravel(), lambda values: A @ values)
    changed = ((columns - roles.mean) / roles.deviation)[NODE]
    expect("similar roles", lambda number: changed, as_before)

    S = without(scale_regularly(GRAPH.adjacency), cut)
    counts = coordinate_counts(problem)
    expect(
        "spectral",
        lambda number: unit_rows((S @ spectral_vectors(problem))[[NODE], : counts[number]])[0],
        as_before,
    )

    H = problem.principal_features
    alone = np.where(np.arange(60)[:, None] == NODE, 0, H)
    walk = walk_matrix(problem).toarray()
    shorter = without(walk_matrix(problem), cut).toarray()

    def surroundings(S, rows, beside):
        averages = [np.linalg.matrix_power(S, steps) @ rows for steps in STEPS]
        return lambda number, *_: [*averages, beside][number][NODE]

    expect(
        "similar surroundings",
        surroundings(shorter, H, beside_without(problem, cut)),
        surroundings(walk, alone, beside_without(problem, features=False)),
    )
    beside = explainer._beside(lambda rows: rows[None])
    rows = beside.logits(NODE, removals)[0]
    np.testing.assert_allclose(rows[0], beside_without(problem, cut)[NODE], atol=1e-5)
    np.testing.assert_allclose(rows[1], beside_without(problem, features=False)[NODE], atol=1e-5)
    for name in ("similar rows", "linear", "linear, other scale"):
        [table] = make_tables(problem, CANDIDATES[name].kind)
        expect(name, lambda number, rows=table: rows[NODE], lambda number, rows: 0 * rows[NODE])


def test_on_a_tree_a_block_model_answers_as_if_inferred_without_the_edge():
    """With parameters held fixed, messages on a tree are exact; here all of them are short."""
    from lovasz.classify.local_answers import LocalBlocks
    from lovasz.clustering.block_model import BlockPosterior

    # 0 - 1 - 2, where 2 is labelled class 0.
    A = Graph.from_edges([0, 1], [1, 2]).adjacency
    w = np.array([[0.6, 0.2], [0.2, 0.6]])

    def normal(row):
        return row / row.sum()

    to_one = w @ [1.0, 0.0]  # 2 -> 1
    from_one = normal(to_one)  # 1 -> 0
    messages = np.array([from_one, [0.5, 0.5], [1.0, 0.0], normal(to_one)])
    marginal = normal(w @ from_one)
    found = BlockPosterior(np.array([marginal, from_one, [1, 0]]), w, 1, messages, np.zeros((3, 2)))
    local = LocalBlocks(A, [found], np.array([False, False, True]))
    cuts = [np.array([[1, 2]]), np.array([[0, 1]]), np.empty((0, 2), dtype=int)]
    P = np.exp(local.logits(0, Removals.of(cuts, [False] * 3)))[0]
    np.testing.assert_allclose(P, [[0.5, 0.5], [0.5, 0.5], marginal])


def test_effects_are_differences_and_the_largest_come_first(fitted, explainer):
    found = fitted.explain(NAMES[NODE], top=8)
    assert found.node == NAMES[NODE] and len(found.evidence) == 8
    assert found.answer == fitted.predict()[NODE] != found.runner_up
    assert found.probability == fitted.predict_proba()[NODE].max()
    sizes = [round(abs(one.effect), 6) for one in found.evidence]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 0.001
    assert found.explained_share == pytest.approx(1)
    best = found.evidence[0]
    rows = tuple(GRAPH.positions[name] for name in best.nodes)
    names = answering_names(explainer, NODE)
    P = remove(explainer, NODE, [[], [Piece(best.kind, rows)]], names)
    code = fitted.classes_.tolist().index(found.answer)
    assert best.effect == pytest.approx(P[0, code] - P[1, code])


def test_pieces_for_the_answer_are_chosen_together(fitted, explainer):
    names, code = answering_names(explainer, NODE), int(fitted.predict_proba()[NODE].argmax())
    pieces = list_pieces(explainer, NODE)
    effects = piece_effects(explainer, NODE, code, pieces, names)
    jointly, alone = (
        choose_pieces(explainer, NODE, code, pieces, effects, names, 10, joint=joint)[:3]
        for joint in (True, False)
    )
    assert alone == np.argsort(-effects, kind="stable")[:3].tolist()
    removed = [[pieces[k] for k in chosen] for chosen in (jointly, alone)]
    first, second = remove(explainer, NODE, removed, names)[:, code]
    assert first <= second + 1e-12


def test_an_explanation_can_be_read_and_is_the_same_every_time(fitted):
    found = fitted.explain(NAMES[NODE])
    assert found == fitted.explain(NAMES[NODE])
    kinds = {one.kind for one in found.evidence}
    assert "label" in kinds
    text = str(found)
    assert text.startswith(f"{NAMES[NODE]} is {found.answer!r}") and "labelled" in text
    frame = found.to_frame()
    assert list(frame.columns) == ["kind", "nodes", "effect", "text"] and len(frame) == 10


def test_a_labelled_node_is_explained_by_its_label(fitted):
    found = fitted.explain(NAMES[0])
    [only] = found.evidence
    assert only.kind == "label" and only.nodes == (NAMES[0],)
    assert 0 <= only.effect <= 1 and "own label" in only.text


def test_many_pieces_are_cut_to_those_that_walks_pass_most(fitted, explainer, monkeypatch):
    every = list_pieces(explainer, NODE)
    monkeypatch.setattr(explanation, "MOST_PIECES", 5)
    assert list_pieces(explainer, NODE) == every[:5]


def test_cards_are_lines_of_text_for_every_node(fitted):
    cards = dict(explanation_cards(fitted, NAMES[:4]))
    assert list(cards) == list(NAMES[:4])
    assert all(1 <= len(lines) <= 3 for lines in cards.values())


def test_a_network_on_a_named_kernel_and_islands_are_explained():
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "x"), ("x", "y"), ("y", "z"), ("z", "x")]
    clf = LCNClassifier("ls", random_state=0, epochs=20).fit(edges, {"a": 0, "z": 1})
    found = clf.explain("b")
    assert {one.nodes for one in found.evidence} >= {("a",), ("b", "c")}
    lonely = LCNClassifier(random_state=0, epochs=5).fit(
        [*edges, ("p", "q")], {"a": 0, "z": 1, "b": 0}
    )
    found = lonely.explain("p")
    assert found.evidence == () and found.explained_share == 0


def test_bad_calls_are_refused_in_one_line(fitted):
    with pytest.raises(LovaszError, match="fit"):
        LCNClassifier().explain("a")
    with pytest.raises(LovaszError, match="'nobody' is not a node"):
        fitted.explain("nobody")
    with pytest.raises(LovaszError, match="top"):
        fitted.explain(NAMES[1], top=0)


def test_a_loaded_model_explains_as_before(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    again = LCNClassifier.load(tmp_path / "model").explain(NAMES[NODE])
    before = fitted.explain(NAMES[NODE])
    assert [one.nodes for one in again.evidence] == [one.nodes for one in before.evidence]
    np.testing.assert_allclose(
        [one.effect for one in again.evidence], [one.effect for one in before.evidence], atol=1e-6
    )
