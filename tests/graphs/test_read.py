"""Files as others write them: every shape of edge list, and every other format."""

import os
import re
from pathlib import Path

import networkx as nx
import pytest
import torch
from tests.graphs.samples import DATA, ENDS, Evil, read_text, saved
from torch_geometric.data import Data

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs import read_graph


@pytest.mark.parametrize(
    "text",
    [
        "ann,bob\nbob,cem\ndan,\n",
        "\ufeffann,bob\r\nbob,cem\r\ndan,\r\n",
        "ann,bob\rbob,cem\rdan,",
        "# people\n\n% more\nSource,Target\nann , bob\n bob,cem\ndan,\n",
        "ann\tbob\nbob\tcem\ndan\t\n",
        "ann;bob\nbob;cem\ndan;",
        'ann bob\n  bob   "cem" \n"dan" ""\n',
        '"ann","bob"\nbob , "cem"\n"dan",\n',
        "from,to,weight\nann,bob,1\nbob,cem,1.0\ndan,,\n",
        "ann,bob,1\nbob,cem,1\ndan,,",
        "ID_1,id_2,note\nann,bob,x\nbob,cem,\ndan,,y",
        "Source,Target,Type,Id,Weight\nann,bob,Undirected,0,1\nbob,cem,Undirected,1,1\ndan,,,,",
        "ann bob {}\nbob cem {}\ndan \"\"",
        "ann,bob\nbob,ann\nbob,cem\ncem,bob\ndan,",
    ],
)  # fmt: skip
def test_edge_lists_of_every_shape(text, tmp_path):
    graph = read_text(tmp_path, text)
    assert graph.nodes == ("ann", "bob", "cem", "dan")
    assert [e.tolist() for e in graph.edges()] == [[0, 1], [1, 2]]


def test_integer_names_are_sorted_unless_one_is_no_plain_integer(tmp_path):
    assert read_text(tmp_path, "10,9\n2,10\n").nodes == (2, 9, 10)
    assert read_text(tmp_path, "1 0\n2 1\n").nodes == range(3)
    assert read_text(tmp_path, "007,9\n2,007\n").nodes == ("007", "9", "2")


def test_words_of_a_header_are_names_elsewhere(tmp_path):
    assert read_text(tmp_path, "source,ann\n").nodes == ("source", "ann")
    assert read_text(tmp_path, "a,b\nsource,target\n").m == 2
    assert read_text(tmp_path, "source,target\n").n == 0


def test_unused_columns_and_dropped_edges_are_noted(tmp_path):
    graph = read_text(tmp_path, "source,target,year\na,b,1999\na,a,1999\na,b,2000\n")
    assert graph.notes == (
        "dropped 1 self-loop", "dropped 1 duplicate edge", "ignored the column 'year'",
    )  # fmt: skip


@pytest.mark.parametrize("sep", [",", " "])
@pytest.mark.parametrize("words", ["u v", "head tail", "start end", "from to", "src dst"])
def test_a_triangle_whose_nodes_are_called_like_columns_keeps_its_first_edge(words, sep, tmp_path):
    u, v = words.split()
    lines = [f"{u} {v}", f"{v} w", f"w {u}"]
    graph = read_text(tmp_path, "\n".join(lines).replace(" ", sep))
    assert graph.m == 3 and graph.nodes == (u, v, "w")
    assert graph.notes == (
        f"the first line '{u},{v}' was read as an edge, as '{u}' is a node; "
        "if it is a header, name the columns source,target",
    )
    lines[0] = f"{u} {v} 2"
    lines[1:] = [f"{line} 3" for line in lines[1:]]
    text = "\n".join(lines).replace(" ", sep)
    weighted = read_text(tmp_path, text, weights="keep")
    assert weighted.m == 3 and weighted.adjacency[0, 1] == 2 and weighted.notes == ()


def test_a_header_whose_names_are_no_nodes_is_none_of_the_edges(tmp_path):
    for head in ("u,v", "from,to", "Head,Tail", "start,end,weight", "source,target"):
        tail = ",1" * (head.count(",") - 1)
        graph = read_text(tmp_path, f"{head}\nv1,u2{tail}\nu2,x{tail}\n")
        assert graph.m == 2 and graph.notes == ()


def test_names_of_more_columns_and_those_of_the_writer_stay_a_header(tmp_path):
    flow = lovasz.as_graph([("source", "a"), ("a", "target")])
    lovasz.write_graph(flow, tmp_path / "flow.csv")
    back = lovasz.read_graph(tmp_path / "flow.csv")
    assert back.nodes == flow.nodes and back.m == 2
    assert back.notes == (
        "the first line 'source,target' was read as a header, though 'source' is a node; "
        "if it is an edge, put the header source,target above it",
    )
    assert read_text(tmp_path, "u,v,weight\nu,b,1\nb,v,1\n").m == 2
    again = "source,target\n" + (tmp_path / "flow.csv").read_text()
    assert read_text(tmp_path, again).m == 3


@pytest.mark.parametrize("sep", [",", ";", "\t", " "])
@pytest.mark.parametrize("head", ["source target", "u v weight", "head tail kind year"])
def test_a_header_that_is_an_edge_is_one_below_the_header_of_the_note(head, sep, tmp_path):
    first, *rest = head.split()
    lines = [head, " ".join(["b", first, *["1"] * (len(rest) - 1)])]
    text = "\n".join(lines).replace(" ", sep) + "\n"
    *_, note = read_text(tmp_path, text).notes
    remedy = note.removesuffix(" above it").partition("put the header ")[2]
    graph = read_text(tmp_path, f"{remedy}\n{text}")
    assert graph.m == 2 and set(graph.nodes) == {first, rest[0], "b"}


def test_a_header_with_a_year_is_a_header_and_an_edge_with_a_weight_is_an_edge(tmp_path):
    graph = read_text(tmp_path, "from,to,2020\na,b,3\nb,c,yes\n")
    assert graph.nodes == ("a", "b", "c") and graph.notes == ("ignored the column '2020'",)
    for text in ("u,v,2\n", "u,v,2\nw,\n", "u v {}\nu b {}\n", "u,v,2\na,b,2\nb,v,2\n"):
        graph = read_text(tmp_path, text, weights="drop")
        assert graph.nodes[:2] == ("u", "v") and graph.notes == ()


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("person_a,person_b\nann,bob\nbob,cem\n", True),
        ("# people\nperson_a person_b\nann bob\n", True),
        ("Person A;Person B\n1;2\n2;3\n", True),
        ("person_a,person_b\nann,person_a\n", False),
        ("person_a,person_b\nperson_b,ann\n", False),
        ("person_a,person_b\nann,bob\nperson_b,\n", False),
        ("dan,\nperson_a,person_b\nann,bob\n", False),
        ("person_a,person_b\n", False),
        ("source,target\nann,bob\ncem,dan\n", False),
        ("1,2\n3,4\n", False),
        ("ann,bob,1\ncem,dan,1\n", False),
    ],
)
def test_a_first_line_that_may_be_a_header_is_noted(text, noted, tmp_path):
    notes = read_text(tmp_path, text).notes
    assert len(notes) == noted
    if noted:
        assert re.fullmatch(
            r"the first line '(?i:person[_ ]a,person[_ ]b)' was read as an edge; "
            "if it is a header, name the columns source,target",
            notes[0],
        )


def test_weights_are_kept_or_dropped_as_told(tmp_path):
    text = "a\tb\t2.5\nb\tc\t1e-3\n"
    assert read_text(tmp_path, text, weights="keep").adjacency[0, 1] == 2.5
    assert not read_text(tmp_path, text, weights="drop").weighted


def test_dimacs_keeps_its_numbers_and_mistrusts_the_edge_count(tmp_path):
    text = "c a comment\nc\np col 4 2\ne 1 2\ne 2 1\ne 3 2\ne 2 3\n"
    graph = read_text(tmp_path, text, "g.txt")
    assert list(graph.nodes) == [1, 2, 3, 4]
    assert graph.degrees.tolist() == [1, 2, 1, 0]
    assert graph.notes == ()


def test_dimacs_with_fewer_edges_than_announced_has_a_note(tmp_path):
    (note,) = read_text(tmp_path, "p edge 5 5\ne 1 2\n", "g.col").notes
    assert note.startswith("it has 1 edge line, and its header announces 5; if it was cut")
    assert read_text(tmp_path, "p edge 5 4\ne 1 2\ne 2 1\ne 2 3\n", "g.col").notes
    for header in ("p edge 5 2", "p edge 5 1", "p edge 5 4", "p edge 5", "p edge 5 x"):
        assert read_text(tmp_path, f"{header}\ne 1 2\ne 3 2\n", "g.col").notes == ()


def test_node_weights_of_dimacs_are_ignored_with_a_note(tmp_path):
    (note,) = read_text(tmp_path, "p edge 3 1\nn 1 4\nn 2 5\ne 1 2\n", "g.col").notes
    assert note.startswith("ignored the node weights on 2 lines 'n i weight'")


@pytest.mark.data
def test_no_real_file_of_dimacs_seems_cut():
    folder = Path(os.environ["LOVASZ_DATA"]) / "graphs"
    sizes = {path: path.stat().st_size for path in folder.glob("*/*.col.gz")}
    small = [path for path, size in sizes.items() if size < 10**5]
    half = folder / "coloring" / "DSJC500.9.col.gz"  # its header counts both directions
    for path in [*small, half]:
        assert not [note for note in read_graph(path).notes if "announces" in note], path


def test_gset(tmp_path):
    graph = read_text(tmp_path, "4 2\n1 2 1\n2 3 -1\n", "G1", weights="keep")
    assert list(graph.nodes) == [1, 2, 3, 4]
    assert graph.adjacency[1, 2] == -1
    with pytest.raises(LovaszError, match="G1 line 1: it declares 4 edges, but 2"):
        read_text(tmp_path, "3 4\n1 2 1\n2 3 -1\n", "G1")


@pytest.mark.parametrize(
    ("head", "entries"),
    [
        ("coordinate pattern symmetric", "3 3 2\n2 1\n3 2"),
        ("coordinate pattern symmetric", "%c\n" * 1000 + "3 3 2\r\n2 1\r\n3 2\r\n"),
        ("array integer symmetric", "3 3\n0\n1\n0\n0\n1\n0"),
        ("array integer general", "3 3\n0\n1\n0\n1\n0\n1\n0\n1\n0"),
    ],
)
def test_matrix_market_files_as_short_as_they_can_be(head, entries, tmp_path):
    graph = read_text(tmp_path, f"%%MatrixMarket matrix {head}\n{entries}", "g")
    assert graph.degrees.tolist() == [1, 2, 1]


def test_graph6_without_header_from_nauty(tmp_path):
    assert read_text(tmp_path, "DqK\n", "five").m == 5
    assert read_text(tmp_path, b":" + nx.to_sparse6_bytes(nx.path_graph(70))[12:], "g.s6").m == 69


@pytest.mark.parametrize(
    ("five", "one", "names"),
    [
        ('label "five"', 'label "é"', ["five", "é"]),
        ("label 50", "label 10", [50, 10]),
        ("", "", [5, 1]),
    ],
)
def test_gml_labels_or_ids_and_repeated_edges(five, one, names, tmp_path):
    text = f"""Creator "me"
Graph
[
  node [ id 5 {five} ]
  node [ id 1 {one} ]
  edge [ source 5 target 1 ]
  edge [ source 1 target 5 ]
]
"""
    graph = read_text(tmp_path, text, "g")
    assert list(graph.nodes) == names
    assert graph.notes == ("dropped 1 duplicate edge",)


def test_graphml_of_networkx_keeps_its_ids(tmp_path):
    nx.write_graphml(
        nx.relabel_nodes(nx.path_graph(3), {0: "a b", 1: "é", 2: "<c>"}), tmp_path / "g"
    )
    assert read_graph(tmp_path / "g").nodes == ("a b", "é", "<c>")


DIRECTED = {
    "g.csv": b"Source,Target,Type\na,b,Directed\n",
    "g.gml": b'graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] '
    b"edge [ source 0 target 1 ] ]",
    "g.graphml": b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    b'<graph edgedefault="directed"><edge source="a" target="b"/></graph></graphml>',
    "g.mtx": b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
}


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_files_need_symmetrize(name, tmp_path):
    with pytest.raises(LovaszError, match=rf"{name}: .*symmetrize=True"):
        read_text(tmp_path, DIRECTED[name], name)
    assert read_text(tmp_path, DIRECTED[name], name, symmetrize=True).m == 1


@pytest.mark.parametrize(
    "content",
    [
        {"edge_index": ENDS, "num_nodes": 3},
        {"edge_index": ENDS, "edge_weight": torch.ones(2), "num_nodes": torch.tensor(3)},
        torch.tensor([[0, 1, 2, 2], [1, 0, 2, 2]]),
        DATA,
        (DATA.to_dict(), None, Data),
        (DATA.to_dict(), {"edge_index": torch.tensor([0, 2])}, Data),
    ],
)
def test_torch_files(content, tmp_path):
    graph = read_text(tmp_path, saved(content), "g.pt")
    assert (graph.n, graph.m) == (3, 1)


def test_torch_files_run_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LovaszError, match="run code"):
        read_text(tmp_path, saved({"edge_index": ENDS, "evil": Evil()}), "g.pt")
    assert not (tmp_path / "ran").exists()
