"""The HTML of a report: safe with any names, self-contained, and of bounded size."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.pages.report_samples import (
    GCN,
    LCN,
    Reader,
    figure,
    make_page,
    marks,
)

from lovasz.graphs import Graph
from lovasz.pages.report import render_report
from lovasz.pages.style import PALETTE
from lovasz.pages.viewer import viewer_script


@pytest.fixture(scope="module")
def html():
    return render_report(make_page())


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
    html = render_report(page)
    html.encode("utf-8")
    reader = Reader(html)
    assert "img" not in {tag for tag, _ in reader.tags}
    data, code = reader.scripts
    assert code == viewer_script()
    assert json.loads(data)["names"][0] == EVIL[0] and json.loads(data)["classes"] == [*EVIL[:3]]
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


def test_long_names_are_cut_and_kept_in_a_title():
    classes = ("x" * 3000, "<b>" * 1000, "short")
    nodes = [f"{k}" + "n" * 2999 for k in range(24)]
    ring = np.arange(24)
    graph = Graph.from_edges(ring, (ring + 1) % 24, nodes=nodes)
    note = f"Class {classes[0]} has only 2 given labels."
    reader = Reader(render_report(make_page(classes=classes, graph=graph, notes=(note,))))
    assert max(map(len, reader.text.split())) <= 60
    titles = {attributes.get("title") for _, attributes in reader.tags}
    assert {*classes[:2]} <= titles
    assert titles & set(nodes)
    assert "short" not in titles
    assert f"Class {'x' * 59}… has only 2 given labels." in reader.text


def test_text_of_figures_is_text_in_a_font_the_browser_picks():
    names = ("日本語", "中文类别", "한국어")
    html = render_report(make_page(classes=names))
    for name in names:
        assert f">{name}</text>" in figure(html, "confusion")
    inline = re.findall(r'<svg[^>]*role="img"[^>]*>', html)
    assert len(inline) == 7
    for svg in inline:
        assert re.search('font-family="[^"]*, sans-serif"', svg)
    assert not re.search(
        "font-family|DejaVu|<glyph", re.sub(r"<svg[^>]*>", "", html[html.index("<main") :])
    )


def test_given_labels_are_solid_in_their_colour_and_predictions_hollow():
    labels = np.full(24, -1)
    labels[:3] = 2
    probabilities = np.tile([0.6, 0.3, 0.1], (24, 1))  # the model contradicts every label
    html = render_report(make_page(labels=labels, probabilities=probabilities))
    seen = marks(figure(html, "embedding"))
    assert seen == {(PALETTE[2], "var(--paper)"): 3, ("var(--paper)", PALETTE[0]): 21}
    everything = marks(figure(render_report(make_page(labelled=24)), "embedding"))
    assert everything == {(hue, "var(--paper)"): 8 for hue in PALETTE[:3]}


def test_large_graphs_are_whole_in_the_viewer_of_a_page_of_bounded_size():
    n = 50_000
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, n, 2 * n), rng.integers(0, n, 2 * n), n=n)
    page = make_page(n=n, graph=graph, methods=())
    html = render_report(page)
    reader = Reader(html)
    assert "1,000 of 50,000 nodes" in reader.text, "the drawing for browsers without script"
    assert json.loads(reader.scripts[0])["n"] == n
    assert len(html) < 2_000_000


def test_dense_graphs_are_drawn_as_a_matrix():
    i, j = np.triu_indices(40, 1)
    page = make_page(n=40, graph=Graph.from_edges(i, j, n=40))
    assert "Adjacency matrix of the graph" in render_report(page)
    assert "would not be readable" in Reader(render_report(page)).text
