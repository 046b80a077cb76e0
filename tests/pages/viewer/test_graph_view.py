"""What the viewer shows of a graph."""

import json
import re
from base64 import b64decode

import numpy as np
import pytest
from tests.pages.report_samples import Reader

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.pages.style import PALETTE
from lovasz.pages.viewer import classifier_view, graph_view, script_hash, viewer_script
from lovasz.pages.viewer import graph_view as module_function
from lovasz.pages.viewer.assets import PARTS


def ring(n=12, **changes):
    each = np.arange(n)
    return Graph.from_edges(each, (each + 1) % n, n=n, **changes)


def test_a_fragment_has_script_style_and_data_and_a_page_allows_only_this_script():
    view = graph_view(ring(), title="Ring")
    fragment = Reader(view.to_html())
    assert [tag for tag, _ in fragment.tags].count("style") == 1
    data, script = fragment.scripts
    assert json.loads(data)["n"] == 12 and script == viewer_script()
    page = view.to_html(standalone=True)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert f"script-src '{script_hash()}'" in policy.replace("&#39;", "'")
    assert "default-src 'none'" in policy
    assert not re.search(r"https?://(?!www.w3.org/2000/svg)", page)


def test_the_script_writes_no_html_and_evaluates_nothing():
    script = viewer_script()
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in script
    assert "</script" not in script and "<!--" not in script
    assert len(PARTS) == 6 and script.count("\n") > 900


def test_numbered_nodes_need_no_names_and_the_palette_is_that_of_the_pages():
    data = graph_view(ring()).data
    assert data["names"] is None and data["palette"] == [*PALETTE]
    named = graph_view(ring(nodes=[*"abcdefghijkl"])).data
    assert named["names"] == [*"abcdefghijkl"]


def test_directions_of_text_and_half_characters_are_taken_out_of_names():
    graph = Graph.from_edges([0], [1], nodes=["a\u202eb\u2066c", "x\ud800\ny" + "z" * 900])
    first, second = graph_view(graph).data["names"]
    assert first == "a\ufffdb\ufffdc"
    assert second.startswith("x\ufffd yz") and len(second) <= 401
    graph_view(graph).to_html().encode("utf-8")


@pytest.mark.parametrize(("along", "aspect"), [(0, 0.05), (1, 20)])
def test_nodes_on_a_line_stand_in_the_middle_of_a_strip(along, aspect):
    positions = np.zeros((12, 2))
    positions[:, along] = np.arange(12)
    data = graph_view(ring(), positions=positions).data
    shares = [np.frombuffer(b64decode(data[axis]), "<u2") / 65535 for axis in "xy"]
    assert data["aspect"] == aspect
    assert np.ptp(shares[along]) == 1
    np.testing.assert_allclose(shares[1 - along], 0.5, atol=1e-4)


def test_cards_are_found_by_node():
    graph = ring(nodes=[*"abcdefghijkl"])
    view = graph_view(graph, cards={"c": ["why\n<b>"], "nobody": ["x"]})
    assert view.data["cards"] == {"2": ["why <b>"]}


def test_wrong_sizes_and_labels_are_named():
    with pytest.raises(LovaszError, match="confidence has 3 rows; the graph has 12 nodes"):
        graph_view(ring(), confidence=np.ones(3))
    with pytest.raises(LovaszError, match="label 2 has no name; there are 1 classes"):
        graph_view(ring(), labels=np.full(12, 2), classes=["a"])


def test_large_graphs_are_shown_in_part(monkeypatch):
    monkeypatch.setitem(module_function.__globals__, "VIEWED_NODES", 10)
    labels = np.arange(40) % 2
    view = graph_view(ring(40), labels=labels, classes="ab", given=np.arange(40) == 17)
    assert view.rows.size == view.graph.n == 10 and 17 in view.rows and view.size == (40, 40)
    np.testing.assert_array_equal(view.labels, labels[view.rows])
    assert view.data["size"] == [40, 40] and view.graph.nodes[0] == view.rows[0]


def test_too_many_edges_are_left_out(monkeypatch):
    monkeypatch.setitem(module_function.__globals__, "VIEWED_EDGES", 5)
    data = graph_view(ring()).data
    assert data["edges"] is None and data["m"] == 0 and data["size"] == [12, 12]


def test_an_empty_graph_and_a_single_node():
    assert graph_view(Graph.from_edges([], [], n=0)).data["n"] == 0
    assert "lv-plain" in graph_view(Graph.from_edges([], [], n=1)).to_html()


def test_given_classes_win_over_answers_and_the_runner_up_is_another_class():
    P = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
    view = classifier_view(Graph.from_edges([0], [1]), [*"abc"], np.array([2, -1]), P)
    assert view.labels.tolist() == [2, 1] and view.given.tolist() == [True, False]
    assert view.confidence.tolist() == [0.1, 0.5] and view.runner_up.tolist() == [0, 2]
    assert view.runner_up_confidence.tolist() == [0.6, 0.3]


def test_the_plain_table_is_short():
    graph = Graph.from_edges([0], [1], n=5000)
    html = graph_view(graph, labels=np.zeros(5000, dtype=int), classes=["<b>"]).plain_table()
    assert html.count("<tr>") == 201 and "&lt;b&gt;" in html
    assert "The first 200 of 5,000 nodes" in html


def test_twenty_thousand_nodes_are_less_than_two_megabytes():
    n, m = 20_000, 45_000
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(
        rng.integers(0, n, m), rng.integers(0, n, m), nodes=[f"paper {k}" for k in range(n)]
    )
    P = rng.dirichlet(np.ones(7), n)
    given = np.full(n, -1)
    html = classifier_view(
        graph, [f"class {k}" for k in range(7)], given, P, positions=rng.normal(size=(n, 2))
    ).to_html(standalone=True)
    assert len(html.encode("utf-8")) < 2_000_000
