"""The report says what its inputs say and claims no more."""

import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.pages.report_samples import (
    GCN,
    LCN,
    Reader,
    drawn,
    figure,
    make_method,
    make_page,
)

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.pages.report import SuspiciousLabel, render_report
from lovasz.pages.report.accuracy_charts import paint_validation_accuracy
from lovasz.pages.report.statistics import bin_by_confidence, count_confusion, score


@pytest.fixture(scope="module")
def html():
    return render_report(make_page())


def test_every_section_is_there(html):
    ids = set(Reader(html).ids)
    wanted = (
        "headline accuracy graph held-out training doubts classes notes protocol settings command"
    )
    assert set(wanted.split()) <= ids


def test_the_headline_equals_numbers_computed_here(html):
    text = Reader(html).text
    a, b = 100 * LCN.accuracy, 100 * GCN.accuracy
    assert f"{a.mean():.1f} % ± {a.std(ddof=1):.1f}" in text
    assert f"{b.mean():.1f} % ± {b.std(ddof=1):.1f}" in text
    assert (
        f"LCN is {(a - b).mean():.1f} points more accurate than GCN; LCN won 4 of 4 splits." in text
    )
    assert "nodes 24 edges 24 labelled 6 classes 3" in text
    baseline = 100 * np.bincount(LCN.truth).max() / LCN.truth.size
    assert f"always answering the commonest class would score {baseline:.1f} %" in text


def test_the_table_of_methods_holds_mean_sd_range_and_splits(html):
    text = Reader(html).text
    for m in (LCN, GCN):
        a = 100 * m.accuracy
        row = f"{m.name} {a.mean():.1f} {a.std(ddof=1):.1f} {a.min():.1f} {a.max():.1f} 4"
        assert row in text


def test_the_confusion_matrix_counts_every_pair(html):
    counts = count_confusion(LCN, 3)
    by_hand = np.zeros((3, 3), dtype=int)
    for truth, predicted in zip(LCN.truth, LCN.predicted, strict=True):
        by_hand[truth, predicted] += 1
    np.testing.assert_array_equal(counts, by_hand)
    figure = re.search(r'<svg[^>]*aria-label="Confusion.*?</svg>', html, re.S)[0]
    written = [int(t) for t in re.findall(r"<text[^>]*>(\d+)</text>", figure)]
    assert written == by_hand.ravel().tolist()


def test_calibration_error_is_the_weighted_gap(html):
    bins = np.minimum((LCN.confidence * 10).astype(int), 9)
    right = LCN.truth == LCN.predicted
    error = sum(
        (bins == b).mean() * abs(right[bins == b].mean() - LCN.confidence[bins == b].mean())
        for b in set(bins.tolist())
    )
    assert bin_by_confidence(LCN).error == pytest.approx(100 * error)
    assert f"Expected calibration error: LCN {100 * error:.1f}," in Reader(html).text


def test_least_certain_nodes_are_the_unlabelled_ones_with_the_lowest_maximum():
    page = make_page(n=60)
    best = page.probabilities.max(axis=1)
    expected = sorted((i for i in range(60) if page.labels[i] < 0), key=lambda i: best[i])[:15]
    text = Reader(render_report(page)).text
    table = text[text.index("Most in doubt") : text.index("Class counts")]
    shown = re.findall(r"(\d+) (\w+) ([\d.]+) % (\w+) ([\d.]+) %", table)
    assert [int(row[0]) for row in shown] == expected
    for node, first, p, second, q in shown:
        order = np.argsort(-page.probabilities[int(node)])
        assert (first, second) == (page.classes[order[0]], page.classes[order[1]])
        assert float(p) == pytest.approx(100 * page.probabilities[int(node), order[0]], abs=0.051)
        assert float(q) == pytest.approx(100 * page.probabilities[int(node), order[1]], abs=0.051)


def test_class_counts_of_given_and_predicted(html):
    page = make_page()
    found = np.bincount(page.probabilities.argmax(axis=1), minlength=3)
    for k, name in enumerate(page.classes):
        row = f"{name} {(page.labels == k).sum()} {found[k]} {100 * found[k] / 24:.1f} %"
        assert row in Reader(html).text


def test_notes_protocol_settings_and_command_are_quoted(html):
    text = Reader(html).text
    for piece in ("dropped 2 self-loops", "Four splits at random.", "kernel ls seed 7",
                  "lovasz classify ring.csv --seed 7"):  # fmt: skip
        assert piece in text


def test_wording_when_lcn_loses():
    text = Reader(
        render_report(make_page(methods=(replace(GCN, name="LCN"), replace(LCN, name="GCN"))))
    ).text
    assert "points less accurate than GCN; LCN won 0 of 4 splits." in text
    assert "For this graph GCN is the better choice." in text
    assert "more accurate" not in text


def test_wording_of_a_tie_and_of_a_difference_within_the_noise():
    same = Reader(render_report(make_page(methods=(LCN, replace(LCN, name="GCN"))))).text
    assert "LCN and GCN have the same mean accuracy; LCN won 0 of 4 splits, 4 tied." in same
    rival = replace(LCN, name="GCN", accuracy=np.array([0.8, 0.98, 0.9, 0.99]))
    near = Reader(render_report(make_page(methods=(LCN, rival)))).text
    assert "Too close to call" in near
    assert "more accurate" not in near


def test_one_split_claims_no_spread():
    one, other = make_method("LCN", [0.9]), make_method("GCN", [0.8], seed=3)
    assert score(one).sd is None
    text = Reader(render_report(make_page(methods=(one, other)))).text
    assert "one split cannot tell a difference from luck" in text
    assert "±" not in text


def test_one_method_alone_is_compared_with_nothing():
    text = Reader(render_report(make_page(methods=(LCN,)))).text
    assert "92.5 %" in text
    assert "Difference" not in text


def test_without_methods_no_accuracy_is_claimed():
    why = "No comparison was asked for."
    reader = Reader(render_report(make_page(methods=(), protocol=why)))
    assert f"No accuracy was measured. {why}" in reader.text
    assert reader.text.count(why) == 1
    assert "too few labels" not in reader.text
    assert "the accuracy above" not in reader.text
    assert not {"accuracy", "held-out", "training"} & set(reader.ids)
    assert {"graph", "doubts", "classes", "settings"} <= set(reader.ids)


def test_the_same_page_gives_the_same_bytes(html):
    assert render_report(make_page()) == html


@pytest.mark.parametrize("size", [2, 11, 13, 45])
def test_any_number_of_classes(size):
    names = tuple(f"a class with a long name, number {k}" for k in range(size))
    methods = (make_method("LCN", [0.5, 0.6], size), make_method("GCN", [0.4, 0.6], size, seed=5))
    reader = Reader(render_report(make_page(n=100, classes=names, methods=methods)))
    assert ("mistakes" in reader.ids) == (size > 12)
    assert ("smaller classes" in reader.text) == (size > 16)


def test_one_label_no_edges_one_node_one_class():
    Reader(render_report(make_page(labelled=1, methods=())))
    empty = Graph.from_edges([], [], n=24)
    assert "edges 0" in Reader(render_report(make_page(graph=empty))).text
    for classes in (("only",), ("yes", "no")):
        alone = make_page(n=1, classes=classes, labelled=0, methods=())
        alone = replace(alone, graph=Graph.from_edges([], [], n=1))
        assert "nodes 1 edges 0 labelled 0" in Reader(render_report(alone)).text


def test_all_nodes_labelled_leaves_none_to_ask_for():
    text = Reader(render_report(make_page(labelled=24))).text
    assert "there is no answer to doubt" in text
    assert "label was given" not in text


def test_curves_of_splits_that_stopped_early():
    curve = LCN.train_loss.copy()
    curve[20:] = np.nan
    short = replace(LCN, train_loss=curve, validation_loss=curve, validation_accuracy=curve)
    assert "training" in Reader(render_report(make_page(methods=(short, GCN)))).ids
    none = np.zeros((0, 4))
    bare = replace(LCN, train_loss=none, validation_loss=none, validation_accuracy=none)
    html = render_report(make_page(methods=(bare,)))
    assert "No curves are drawn, as no epoch of the training was recorded." in html
    assert not {"losses", "curve"} & drawn(html)


def test_the_band_of_the_validation_accuracy_ends_at_100_percent():
    curve = np.tile([1.0, 1.0, 1.0, 0.5], (30, 1))
    figure = Figure()
    paint_validation_accuracy(figure, [replace(LCN, validation_accuracy=curve)])
    (band,) = figure.axes[0].collections
    assert band.get_paths()[0].get_extents().ymax == 100


def test_only_answers_that_overrule_given_labels_are_compared_with_them():
    page = make_page()
    given = page.labels >= 0
    kept = np.where(given[:, None], np.eye(3)[page.labels], page.probabilities)
    assert "given label" not in Reader(render_report(replace(page, probabilities=kept))).text
    kept[0] = np.roll(kept[0], 1)
    text = Reader(render_report(replace(page, probabilities=kept))).text
    assert "The model contradicts 1 of the 6 given labels." in text


def test_without_validation_nodes_there_is_no_empty_chart():
    nan = np.full_like(LCN.train_loss, np.nan)
    blind = [replace(m, validation_loss=nan, validation_accuracy=nan) for m in (LCN, GCN)]
    html = render_report(make_page(methods=blind))
    assert "No validation curves are drawn, as no split had validation nodes." in html
    assert "losses" in drawn(html)
    assert "curve" not in drawn(html)
    assert ", validation" not in html
    assert "overfitting" not in html
    assert {"losses", "curve"} <= drawn(render_report(make_page(methods=(blind[0], GCN))))


def test_the_embedding_is_not_offered_as_evidence(html):
    text = Reader(html).text
    assert (
        "nodes is the model’s own answer, so separation here is not evidence of being right; "
        "the accuracy above is." in text
    )
    assert "easy to tell apart" not in text
    whole = Reader(render_report(make_page(labelled=24))).text
    assert "Colour is the class each node was given." in whole
    assert "hollow" not in whole


def test_the_kernels_that_the_splits_chose_are_counted():
    def said(*chosen):
        page = make_page(methods=(replace(LCN, chosen=chosen), GCN))
        return Reader(render_report(page)).text

    assert "LCN chose ls in 3 splits and ls normalized in 1." in said(
        "ls", "ls normalized", "ls", "ls"
    )
    assert "LCN used ls in every split." in said("ls", "ls", "ls", "ls")
    assert "LCN chose b in 2 splits, a in 1 and c in 1." in said("a", "b", "c", "b")
    assert not re.search("LCN (chose|used)", said())


@pytest.mark.parametrize(("count", "more"), [(20, None), (21, 11), (62, 52)])
def test_many_notes_are_folded(count, more):
    html = render_report(make_page(notes=tuple(f"note number {k}" for k in range(count))))
    folded = re.search(r"<details>.*</details>", html, re.S)
    if more is None:
        assert folded is None
    else:
        assert f"<summary>and {more} more</summary>" in folded[0]
        assert folded[0].count("<li>") == more
    assert html.count("<li>note number") == count


def test_tables_of_many_classes_sum_up_the_small_ones():
    size, n = 60, 600
    code = np.minimum(np.random.default_rng(0).geometric(0.05, n) - 1, size - 1)
    labels = np.where(np.arange(n) < 90, code, -1)
    probabilities = np.full((n, size), 0.1 / size)
    probabilities[np.arange(n), code] += 0.9
    methods = (make_method("LCN", [0.5, 0.6], size, held_out=200),)
    page = make_page(
        n=n, classes=[f"name{k}" for k in range(size)], methods=methods,
        labels=labels, probabilities=probabilities,
    )  # fmt: skip
    html = render_report(page)
    given = np.bincount(labels[labels >= 0], minlength=size)
    found = np.bincount(code, minlength=size)
    kept = np.sort(np.argsort(-(given + found), kind="stable")[:15])
    rest = np.setdiff1d(np.arange(size), kept)
    text = Reader(html).text
    table = text[text.index("Class counts") :]
    rows = re.findall(r"name(\d+) (\d+) (\d+) [\d.]+ %", table)
    assert [tuple(map(int, row)) for row in rows] == [(k, given[k], found[k]) for k in kept]
    share = 100 * found[rest].sum() / n
    assert f"45 smaller classes {given[rest].sum()} {found[rest].sum()} {share:.1f} %" in table
    names = re.findall(r">(name\d+|45 others)</text>", figure(html, "confusion"))
    assert names == 2 * [*(f"name{k}" for k in kept), "45 others"]


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(LovaszError, match=r"labels has shape \(3,\)"):
        render_report(make_page(labels=np.zeros(3, dtype=int)))
    with pytest.raises(LovaszError, match="no nodes"):
        render_report(make_page(graph=Graph.from_edges([], [], n=0)))


def test_what_the_answer_rests_on_and_the_first_labels_to_check():
    labels = tuple(SuspiciousLabel(f"v{k}", 0, 1, 0.99 - k / 100) for k in range(12))
    page = make_page(rests_on="The answer rests on ls (60 %) and gcn (40 %).", suspicious=labels)
    read = Reader(render_report(page))
    assert {"rests-on", "suspicious"} <= set(read.ids)
    assert "The answer rests on ls (60 %) and gcn (40 %)." in read.text
    assert "12 given labels may be wrong" in read.text
    assert "The 10 most doubtful are shown." in read.text
    assert "v9 red green 90.0 %" in read.text and "v10 red" not in read.text
    assert not {"rests-on", "suspicious"} & set(Reader(render_report(make_page())).ids)


def test_folds_are_called_folds():
    methods = [replace(m, folds=True) for m in (LCN, GCN)]
    text = Reader(render_report(make_page(methods=methods))).text
    assert "Each dot is one fold of the labels" in text and "of 4 folds" in text
    assert "split" not in text.replace("Four splits at random.", "")
