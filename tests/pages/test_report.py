"""The page says what its inputs say, claims no more, and survives names that others chose."""

import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.pages.drawings import edge_density, principal_plane
from lovasz.pages.layout import neighbourhood, place_names, spring
from lovasz.pages.report import Method, Page, render
from lovasz.pages.report.charts import accuracy_range
from lovasz.pages.report.summary import calibration, compare, confusion, merge_others, score
from lovasz.pages.style import PALETTE, shorten


def make_method(name, accuracy, classes=3, held_out=20, seed=0):
    rng = np.random.default_rng(seed)
    splits = len(accuracy)
    truth = rng.integers(0, classes, splits * held_out)
    right = rng.random(truth.size) < np.repeat(accuracy, held_out)
    predicted = np.where(right, truth, (truth + 1) % classes)
    curve = np.linspace(1, 0.2, 30)[:, None] + rng.normal(0, 0.02, (30, splits))
    confidence = rng.uniform(1 / classes, 1, truth.size)
    return Method(
        name, np.asarray(accuracy), truth, predicted, confidence, curve, curve + 0.1, 1 - curve / 2
    )


LCN = make_method("LCN", [0.9, 0.95, 0.85, 1.0], seed=1)
GCN = make_method("GCN", [0.7, 0.75, 0.6, 0.65], seed=2)


def make_page(n=24, classes=("red", "green", "blue"), labelled=6, methods=(LCN, GCN), **changes):
    rng = np.random.default_rng(0)
    ring = np.arange(n)
    probabilities = rng.dirichlet(np.ones(len(classes)), n)
    labels = np.where(ring < labelled, ring % len(classes), -1)
    page = Page(
        title="A ring",
        graph=Graph.from_edges(ring, (ring + 1) % n, n=n),
        classes=tuple(classes),
        labels=labels,
        probabilities=probabilities,
        embedding=rng.normal(size=(n, 4)),
        methods=tuple(methods),
        protocol="Four splits at random.",
        settings={"kernel": "ls", "seed": "7"},
        command="lovasz classify ring.csv --seed 7",
        notes=("dropped 2 self-loops",),
    )
    return replace(page, **changes)


FIGURES = {
    "losses": "Loss by epoch",
    "curve": "Validation accuracy by epoch",
    "embedding": "Learned embedding",
    "confusion": "Confusion",
}


def figure(html, name):
    found = re.search(rf'<svg[^>]*aria-label="{FIGURES[name]}.*?</svg>', html, re.S)
    return found and found[0]


def drawn(html):
    return {name for name in FIGURES if figure(html, name)}


class Reader(HTMLParser):
    """Tags, ids, addresses and visible text of a page."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.ids, self.addresses, self.text, self.hidden = [], [], [], [], None
        self.feed(html)
        self.text = re.sub(r"\s+", " ", " ".join(self.text)).replace("\N{NO-BREAK SPACE}", " ")

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.hidden = tag if tag == "style" else self.hidden
        for key, value in attrs:
            if key == "id":
                self.ids.append(value)
            if key in ("href", "src", "xlink:href", "action", "data", "srcset"):
                self.addresses.append(value)

    def handle_endtag(self, tag):
        self.hidden = None if tag == self.hidden else self.hidden

    def handle_data(self, data):
        if self.hidden is None:
            self.text.append(data)


@pytest.fixture(scope="module")
def html():
    return render(make_page())


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
    counts = confusion(LCN, 3)
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
    assert calibration(LCN).error == pytest.approx(100 * error)
    assert f"Expected calibration error: LCN {100 * error:.1f}," in Reader(html).text


def test_least_certain_nodes_are_the_unlabelled_ones_with_the_lowest_maximum():
    page = make_page(n=60)
    best = page.probabilities.max(axis=1)
    expected = sorted((i for i in range(60) if page.labels[i] < 0), key=lambda i: best[i])[:15]
    text = Reader(render(page)).text
    table = text[text.index("Label these next") : text.index("Class counts")]
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
        render(make_page(methods=(replace(GCN, name="LCN"), replace(LCN, name="GCN"))))
    ).text
    assert "points less accurate than GCN; LCN won 0 of 4 splits." in text
    assert "For this graph GCN is the better choice." in text
    assert "more accurate" not in text


def test_wording_of_a_tie_and_of_a_difference_within_the_noise():
    same = Reader(render(make_page(methods=(LCN, replace(LCN, name="GCN"))))).text
    assert "LCN and GCN have the same mean accuracy; LCN won 0 of 4 splits, 4 tied." in same
    rival = replace(LCN, name="GCN", accuracy=np.array([0.8, 0.98, 0.9, 0.99]))
    near = Reader(render(make_page(methods=(LCN, rival)))).text
    assert "Too close to call" in near
    assert "more accurate" not in near


def test_a_lead_on_nine_splits_of_ten_is_called_even_when_it_varies():
    base = np.full(10, 0.5)
    gain = np.array([0.3, *[0.01] * 8, -0.001])
    result = compare(replace(LCN, accuracy=base + gain), replace(GCN, accuracy=base))
    assert abs(result.difference) < result.spread
    assert result.outcome == "ahead"


def test_one_split_claims_no_spread():
    one, other = make_method("LCN", [0.9]), make_method("GCN", [0.8], seed=3)
    assert score(one).sd is None
    text = Reader(render(make_page(methods=(one, other)))).text
    assert "one split cannot tell a difference from luck" in text
    assert "±" not in text


def test_one_method_alone_is_compared_with_nothing():
    text = Reader(render(make_page(methods=(LCN,)))).text
    assert "92.5 %" in text
    assert "Difference" not in text


def test_without_methods_no_accuracy_is_claimed():
    why = "No comparison was asked for."
    reader = Reader(render(make_page(methods=(), protocol=why)))
    assert f"No accuracy was measured. {why}" in reader.text
    assert reader.text.count(why) == 1
    assert "too few labels" not in reader.text
    assert "the accuracy above" not in reader.text
    assert not {"accuracy", "held-out", "training"} & set(reader.ids)
    assert {"graph", "doubts", "classes", "settings"} <= set(reader.ids)


def test_the_same_page_gives_the_same_bytes(html):
    assert render(make_page()) == html


def test_importing_the_library_loads_neither_matplotlib_nor_jinja():
    code = "import sys, lovasz, lovasz.graphs; print({'matplotlib', 'jinja2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


EVIL = (
    "<script>alert(1)</script>", "$x_1$", "$\\frac$", "a & \"b\" 'c'", "日本語",
    "\x00\x1b\ud800end", 'id="graph" url(#x) #010203', "]]> --> {{ 7 * 7 }}",
)  # fmt: skip


def test_names_are_text_and_never_markup_or_mathematics():
    n = len(EVIL)
    ring = np.arange(n)
    graph = Graph.from_edges(ring[:-1], ring[1:], nodes=EVIL)
    page = make_page(
        n=n, classes=EVIL[:3], labelled=2, graph=graph, title=EVIL[0], protocol=EVIL[0],
        methods=(replace(LCN, name=EVIL[0]), replace(GCN, name="$y^2$")),
        settings={EVIL[0]: EVIL[0]}, command=EVIL[0],
        notes=(EVIL[0], "<img src=x onerror=alert(2)>"),
    )  # fmt: skip
    html = render(page)
    html.encode("utf-8")
    reader = Reader(html)
    assert not {"script", "img"} & {tag for tag, _ in reader.tags}
    assert not any(key.startswith("on") for _, attributes in reader.tags for key in attributes)
    assert "]]> --> {{ 7 * 7 }}" in reader.text
    drawing = html[html.index('aria-label="Drawing') :]
    drawing = drawing[: drawing.index("</svg>")]
    # The drawing cuts long names; what it keeps stands there as it was written.
    for name in ("$x_1$", "$\\frac$", "&lt;script&gt;", "日本語", "\ufffd\ufffd\ufffdend"):
        assert name in drawing
    assert len(reader.ids) == len(set(reader.ids))


def test_ids_are_unique_and_every_reference_finds_its_own(html):
    ids = Reader(html).ids
    assert len(ids) == len(set(ids))
    referred = re.findall(r'href="#([^"]+)"', html) + re.findall(r"url\(#([^)]+)\)", html)
    assert set(referred) <= set(ids)


def test_the_page_asks_for_nothing_outside(html):
    assert all(a.startswith(("#", "data:")) for a in Reader(html).addresses)
    outside = re.findall(r"https?://[^\s\"'<>]*", html)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in html
    assert not re.findall(r"url\((?!#)", html)


def test_figures_follow_the_theme(html):
    assert not re.findall(r"#01020[0-9]", html), "a sentinel colour was left in the page"
    assert "currentColor" in html
    # A style sheet inside an SVG would apply to the whole page.
    assert html.count("<style") == 1


@pytest.mark.parametrize("size", [2, 11, 13, 45])
def test_any_number_of_classes(size):
    names = tuple(f"a class with a long name, number {k}" for k in range(size))
    methods = (make_method("LCN", [0.5, 0.6], size), make_method("GCN", [0.4, 0.6], size, seed=5))
    reader = Reader(render(make_page(n=100, classes=names, methods=methods)))
    assert ("mistakes" in reader.ids) == (size > 12)
    assert ("smaller classes" in reader.text) == (size > 16)


def test_one_label_no_edges_one_node_one_class():
    Reader(render(make_page(labelled=1, methods=())))
    empty = Graph.from_edges([], [], n=24)
    assert "edges 0" in Reader(render(make_page(graph=empty))).text
    for classes in (("only",), ("yes", "no")):
        alone = make_page(n=1, classes=classes, labelled=0, methods=())
        alone = replace(alone, graph=Graph.from_edges([], [], n=1))
        assert "nodes 1 edges 0 labelled 0" in Reader(render(alone)).text


def test_all_nodes_labelled_leaves_none_to_ask_for():
    text = Reader(render(make_page(labelled=24))).text
    assert "there is none left to ask for" in text
    assert "label was given" not in text


def test_curves_of_splits_that_stopped_early():
    curve = LCN.train_loss.copy()
    curve[20:] = np.nan
    short = replace(LCN, train_loss=curve, validation_loss=curve, validation_accuracy=curve)
    assert "training" in Reader(render(make_page(methods=(short, GCN)))).ids
    none = np.zeros((0, 4))
    bare = replace(LCN, train_loss=none, validation_loss=none, validation_accuracy=none)
    html = render(make_page(methods=(bare,)))
    assert "No curves are drawn, as no epoch of the training was recorded." in html
    assert not {"losses", "curve"} & drawn(html)


def test_without_validation_nodes_there_is_no_empty_chart():
    nan = np.full_like(LCN.train_loss, np.nan)
    blind = [replace(m, validation_loss=nan, validation_accuracy=nan) for m in (LCN, GCN)]
    html = render(make_page(methods=blind))
    assert "No validation curves are drawn, as no split had validation nodes." in html
    assert "losses" in drawn(html)
    assert "curve" not in drawn(html)
    assert ", validation" not in html
    assert "overfitting" not in html
    assert {"losses", "curve"} <= drawn(render(make_page(methods=(blind[0], GCN))))


def marks(svg):
    """(fill, edge) -> how many markers of that look a drawing has."""
    looks = {}
    for use in re.findall(r"<use [^>]*>", svg):
        style = dict(re.findall(r"(fill|stroke): ([^;\"]+)", use))
        key = style.get("fill"), style.get("stroke")
        looks[key] = looks.get(key, 0) + 1
    return looks


def test_given_labels_are_solid_in_their_colour_and_predictions_hollow():
    labels = np.full(24, -1)
    labels[:3] = 2
    probabilities = np.tile([0.6, 0.3, 0.1], (24, 1))  # the model contradicts every label
    html = render(make_page(labels=labels, probabilities=probabilities))
    seen = marks(figure(html, "embedding"))
    assert seen == {(PALETTE[2], "var(--paper)"): 3, ("var(--paper)", PALETTE[0]): 21}
    everything = marks(figure(render(make_page(labelled=24)), "embedding"))
    assert everything == {(hue, "var(--paper)"): 8 for hue in PALETTE[:3]}


def test_the_embedding_is_not_offered_as_evidence(html):
    text = Reader(html).text
    assert (
        "nodes is the network’s own answer, so separation here is not evidence of being right; "
        "the accuracy above is." in text
    )
    assert "easy to tell apart" not in text
    whole = Reader(render(make_page(labelled=24))).text
    assert "Colour is the class each node was given." in whole
    assert "hollow" not in whole


@pytest.mark.slow
def test_the_kernels_that_the_splits_chose_are_counted():
    def said(*chosen):
        page = make_page(methods=(replace(LCN, chosen=chosen), GCN))
        return Reader(render(page)).text

    assert "LCN chose ls in 3 splits and ls normalized in 1." in said(
        "ls", "ls normalized", "ls", "ls"
    )
    assert "LCN used ls in every split." in said("ls", "ls", "ls", "ls")
    assert "LCN chose b in 2 splits, a in 1 and c in 1." in said("a", "b", "c", "b")
    assert not re.search("LCN (chose|used)", said())


def test_long_names_are_cut_and_kept_in_a_title():
    classes = ("x" * 3000, "<b>" * 1000, "short")
    nodes = [f"{k}" + "n" * 2999 for k in range(24)]
    ring = np.arange(24)
    graph = Graph.from_edges(ring, (ring + 1) % 24, nodes=nodes)
    note = f"Class {classes[0]} has only 2 given labels."
    reader = Reader(render(make_page(classes=classes, graph=graph, notes=(note,))))
    assert max(map(len, reader.text.split())) <= 60
    titles = {attributes.get("title") for _, attributes in reader.tags}
    assert {*classes[:2]} <= titles
    assert titles & set(nodes)
    assert "short" not in titles
    assert f"Class {'x' * 59}… has only 2 given labels." in reader.text


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
    ],
)
def test_names_are_cut_by_the_room_they_take(text, width, short):
    assert shorten(text, width) == short


@pytest.mark.parametrize(("count", "more"), [(20, None), (21, 11), (62, 52)])
def test_many_notes_are_folded(count, more):
    html = render(make_page(notes=tuple(f"note number {k}" for k in range(count))))
    folded = re.search(r"<details>.*</details>", html, re.S)
    if more is None:
        assert folded is None
    else:
        assert f"<summary>and {more} more</summary>" in folded[0]
        assert folded[0].count("<li>") == more
    assert html.count("<li>note number") == count


@pytest.mark.parametrize("value", [0.0, 0.003, 0.5, 0.997, 1.0])
def test_the_axis_of_accuracies_stays_within_the_possible(value):
    low, high = accuracy_range([replace(LCN, accuracy=np.full(4, value))], 35.0)
    assert 0 <= low <= 100 * value <= high <= 100
    assert low < high
    low, high = accuracy_range([replace(LCN, accuracy=np.array([0.0, 1.0]))], 35.0)
    assert (low, high) == (0, 100)


def test_a_baseline_better_than_the_methods_is_on_the_axis():
    low, high = accuracy_range([replace(LCN, accuracy=np.array([0.2, 0.4]))], 50.0)
    assert low < 50 < high


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
    html = render(page)
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


def test_merged_confusion_keeps_every_answer():
    counts = np.arange(25).reshape(5, 5)
    merged = merge_others(counts, [1, 3])
    np.testing.assert_array_equal(
        merged,
        [
            [6, 8, 5 + 7 + 9],
            [16, 18, 15 + 17 + 19],
            [1 + 11 + 21, 3 + 13 + 23, 0 + 2 + 4 + 10 + 12 + 14 + 20 + 22 + 24],
        ],
    )


def test_text_of_figures_is_text_in_a_font_the_browser_picks():
    names = ("日本語", "中文类别", "한국어")
    html = render(make_page(classes=names))
    for name in names:
        assert f">{name}</text>" in figure(html, "confusion")
    inline = re.findall(r'<svg[^>]*role="img"[^>]*>', html)
    assert len(inline) == 7
    for svg in inline:
        assert re.search('font-family="[^"]*, sans-serif"', svg)
    assert not re.search(
        "font-family|DejaVu|<glyph", re.sub(r"<svg[^>]*>", "", html[html.index("<main") :])
    )


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(LovaszError, match=r"labels has shape \(3,\)"):
        render(make_page(labels=np.zeros(3, dtype=int)))
    with pytest.raises(LovaszError, match="no nodes"):
        render(make_page(graph=Graph.from_edges([], [], n=0)))


def test_dense_graphs_are_drawn_as_a_matrix():
    i, j = np.triu_indices(40, 1)
    page = make_page(n=40, graph=Graph.from_edges(i, j, n=40))
    assert "Adjacency matrix of the graph" in render(page)
    assert "would be a blot" in Reader(render(page)).text


def test_edge_density_of_blocks_is_the_share_of_pairs():
    i, j = np.triu_indices(6, 1)
    complete = Graph.from_edges(i, j, n=6)
    np.testing.assert_allclose(edge_density(complete, np.array([0, 0, 0, 1, 1, 1]), 2), 1)
    split = Graph.from_edges([0, 1], [1, 2], n=6)
    np.testing.assert_allclose(
        edge_density(split, np.array([0, 0, 0, 1, 1, 1]), 2), [[4 / 6, 0], [0, 0]]
    )


@pytest.mark.slow
def test_large_graphs_are_drawn_in_part_on_a_page_of_bounded_size():
    n = 50_000
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, n, 2 * n), rng.integers(0, n, 2 * n), n=n)
    page = make_page(n=n, graph=graph, methods=())
    html = render(page)
    assert "1,000 of 50,000 nodes" in Reader(html).text
    assert len(html) < 2_000_000


def test_a_neighbourhood_is_connected_to_its_labels_and_fills_up():
    n = 5_000
    path = Graph.from_edges(np.arange(n - 1), np.arange(1, n), n=n)
    rows = neighbourhood(path, np.array([2_500]), 101)
    assert rows.size == 101
    isolated = Graph.from_edges([], [], n=n)
    assert neighbourhood(isolated, np.array([7]), 100).size == 100
    assert 7 in neighbourhood(isolated, np.array([7]), 100)


def test_spring_puts_neighbours_closer_than_strangers():
    two = np.kron(np.eye(2, dtype=int), np.ones((6, 6), dtype=int)) - np.eye(12, dtype=int)
    i, j = np.nonzero(np.triu(two))
    position = spring(Graph.from_edges([*i, 0], [*j, 6], n=12).adjacency)
    assert np.abs(position).max() <= 1 + 1e-6
    distance = np.linalg.norm(position[:, None] - position, axis=2)
    assert distance[two == 1].mean() < 0.6 * distance[(two == 0) & ~np.eye(12, dtype=bool)].mean()


def test_names_avoid_each_other():
    position = np.array([[0.0, 0.0], [12.0, 0.0]])
    (ax, ay), (bx, by) = place_names(position, np.array([60.0, 60.0]), 10, 5, 200)
    assert abs(ax - bx) >= 60 or abs(ay - by) >= 10


def test_principal_plane_keeps_distances_of_a_plane():
    rng = np.random.default_rng(3)
    flat = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 7))
    points, share = principal_plane(flat)
    assert share.sum() == pytest.approx(1)
    np.testing.assert_allclose(
        np.linalg.norm(points[0] - points[1]), np.linalg.norm(flat[0] - flat[1])
    )
    assert principal_plane(np.ones((5, 1)))[0].shape == (5, 2)


def test_colours_stand_out_from_both_pages():
    def luminance(hue):
        c = np.array([int(hue[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    for hue in PALETTE:
        light, dark = luminance("#ffffff"), luminance("#14171a")
        assert (light + 0.05) / (luminance(hue) + 0.05) >= 2.6
        assert (luminance(hue) + 0.05) / (dark + 0.05) >= 2.6
