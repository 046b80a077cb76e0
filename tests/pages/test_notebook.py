"""What notebooks show."""

import json
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from tests.pages.report_samples import Reader

import lovasz
from lovasz.pages import notebook

EVIL = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def karate():
    return lovasz.as_graph(nx.karate_club_graph(), weights="drop")


@pytest.fixture(scope="module")
def fitted(karate):
    model = lovasz.LCNClassifier("ls", random_state=0, epochs=30)
    return model.fit(karate, {0: EVIL, 1: EVIL, 32: "officer", 33: "officer"})


@pytest.fixture(scope="module")
def results(karate, fitted):
    return {
        "graph": karate,
        "theta": lovasz.theta(karate),
        "kernel": lovasz.kernel(karate, "ls"),
        "communities": lovasz.communities(karate, 2, random_state=0),
        "coloring": lovasz.coloring(karate),
        "cover": lovasz.clique_cover(karate),
        "classifier": fitted,
    }


SAID = {
    "graph": "Graph: 34 nodes, 78 edges",
    "theta": "ϑ = 20",
    "kernel": "Kernel ls: 34 nodes",
    "communities": "2 communities of 34 nodes, 78 edges",
    "coloring": "5 colours for 34 nodes, 78 edges",
    "cover": "20 cliques for 34 nodes, 78 edges",
    "classifier": "LCNClassifier: 34 nodes, 2 classes",
}


@pytest.mark.parametrize("kind", SAID)
def test_every_result_shows_itself_and_has_a_repr_of_one_line(results, kind):
    shown = results[kind]
    reader = Reader(shown._repr_html_())
    assert SAID[kind] in reader.text
    assert "img" not in {tag for tag, _ in reader.tags}
    assert not any(key.startswith("on") for _, attributes in reader.tags for key in attributes)
    if kind not in ("theta", "kernel"):
        assert json.loads(reader.scripts[0])["n"] == 34
    assert "\n" not in repr(shown) and len(repr(shown)) <= 120


def test_large_graphs_are_described_and_not_drawn():
    n = notebook.NOTEBOOK_NODES + 1
    graph = lovasz.Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    reader = Reader(graph._repr_html_())
    assert "It is too large for a cell" in reader.text and not reader.scripts
    assert "Graph: 0 nodes" in lovasz.Graph.from_edges([], [])._repr_html_()


def test_an_interval_is_drawn_with_its_ends():
    drawn = notebook.draw_interval(2.0, 2.25, 3.0)
    assert ">2</text>" in drawn and ">3</text>" in drawn and 'cx="100.0"' in drawn
    assert "2, exactly" in notebook.draw_interval(2.0, 2.0, 2.0)
    close = notebook.draw_interval(2.0, 2.0 + 1e-14, 2.0 + 1e-13)
    assert "2, proven to ten digits" in close and "<path" not in close


def test_a_kernel_is_drawn_with_a_square_per_entry(karate):
    K = lovasz.kernel(karate, "ls")
    assert notebook.draw_matrix(K).count("h1v1h-1z") == K.nnz
    signed = sparse.csr_array([[2.0, -1.0], [-1.0, 1e-15]])  # the last entry is too small to see
    blue, orange = notebook.draw_matrix(signed).split("<path")[1:]
    assert blue.count("M") == 1 and "M0,0" in blue and 'fill-opacity="1.0"' in blue
    assert orange.count("M") == 2 and "M1,0" in orange and "M0,1" in orange
    assert "<path" not in notebook.draw_matrix(sparse.csr_array((3, 3)))


def test_a_large_kernel_is_drawn_by_blocks_of_neighbours():
    n = 10 * notebook.KERNEL_CELLS
    path = lovasz.as_graph(nx.path_graph(n))
    shuffled = lovasz.as_graph(nx.relabel_nodes(path.to_networkx(), lambda i: 7 * i % n))
    assert shuffled.nodes != path.nodes
    drawn = notebook.draw_matrix(lovasz.kernel(shuffled, "adjacency"))
    cells = notebook.KERNEL_CELLS
    assert drawn.count("h1v1h-1z") == 3 * cells - 2  # the diagonal and its neighbours
    assert "rows are ordered" in lovasz.kernel(shuffled, "adjacency")._repr_html_()


def test_models_that_are_not_fitted_show_the_diagram_of_scikit_learn(fitted):
    assert "sk-" in lovasz.LCNClassifier()._repr_html_()
    bundle = fitted._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"} and "lovasz-show" in bundle["text/html"]


def test_frames_have_one_row_per_node(results, fitted):
    frame = fitted.to_frame()
    assert frame.columns.tolist() == [
        "node", "class", "probability", "given", "runner_up", "runner_up_probability",
    ]  # fmt: skip
    assert frame["node"].tolist() == [*range(34)]
    assert frame["class"].tolist() == fitted.predict().tolist()
    assert frame["given"].sum() == 4
    assert (frame["class"] != frame["runner_up"]).all()
    np.testing.assert_allclose(frame["probability"] + frame["runner_up_probability"], 1)
    found = results["communities"].to_frame()
    assert found["community"].tolist() == results["communities"].membership.tolist()
    colors = results["coloring"].to_frame()
    assert colors["witness"].sum() == len(results["coloring"].witness)


def test_networkx_graphs_have_the_answers_as_attributes(karate, results, fitted):
    graph = fitted.to_networkx()
    assert nx.utils.graphs_equal(nx.Graph(graph.edges), nx.Graph(nx.karate_club_graph().edges))
    assert graph.nodes[0]["class"] == EVIL and graph.nodes[0]["given"] is True
    assert set(nx.get_node_attributes(results["communities"].to_networkx(), "community")) == set(
        range(34)
    )
    painted = results["coloring"].to_networkx()
    assert all(painted.nodes[a]["color"] != painted.nodes[b]["color"] for a, b in painted.edges)
    weighted = lovasz.Graph.from_edges([0], [1], weights=[2.5]).to_networkx()
    assert weighted.edges[0, 1] == {"weight": 2.5}
    with pytest.raises(lovasz.LovaszError, match="color has 2 values; the graph has 34 nodes"):
        karate.to_networkx(color=[1, 2])


def test_a_model_without_a_graph_says_so(fitted, tmp_path):
    with pytest.raises(lovasz.LovaszError, match=r"has no graph; call fit"):
        lovasz.LCNClassifier().to_networkx()
    fitted.save(tmp_path / "model")
    loaded = lovasz.LCNClassifier.load(tmp_path / "model")
    assert loaded.to_frame()["class"].tolist() == fitted.predict().tolist()
    assert "34 nodes, 2 classes" in Reader(loaded._repr_html_()).text


def test_pandas_is_named_if_it_is_missing(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'to_frame needs pandas; pip install "lovasz\[pandas\]"'):
        results["coloring"].to_frame()


def test_importing_lovasz_imports_no_page():
    code = "import sys, lovasz; print([m for m in sys.modules if 'pages' in m or m == 'numpy'])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
