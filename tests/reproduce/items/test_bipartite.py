import numpy as np
import pytest
from matplotlib.figure import Figure

from lovasz.classify.splits import Split
from lovasz.graphs.families import bipartite
from lovasz.pages.style import draw_svg
from lovasz.reproduce.engine.cells import Context
from lovasz.reproduce.items import bipartite as item
from lovasz.reproduce.references import matchings


@pytest.fixture(scope="module")
def results():
    """The first step and the demonstration, at quick size."""
    context = Context(quick=True, device="cpu")
    rows, methods = ("0 removed", "K(n,n)"), ("exact", "gcn", "lcn", "lcn-same", "lcn-other")
    wanted = [c for c in item.cells(True) if c.row in rows and c.method in methods]
    return {(c.row, c.method): item.measure(c, context) for c in wanted}


def test_steps_are_the_papers_and_all_cells_have_a_file_of_their_own():
    rows = [c.row for c in item.cells(False) if c.method == "gcn"]
    assert rows[:3] == ["0 removed", "250 removed", "500 removed"] and len(rows) == 11
    for quick in (True, False):
        cells = item.cells(quick)
        assert len({c.path for c in cells}) == len(cells)


@pytest.mark.parametrize("n", [2, 4])
def test_no_answer_beats_a_coin_on_complete_bipartite_graphs(n):
    found = matchings.accuracy_by_chance(n)
    assert found["least"] == found["most"] == "1/2"


def test_knowable_counts_partners():
    y, pair = np.array([0, 1, 0, 1, 0, 1, 0, 1]), np.array([0, 1, 2, 3, 0, 1, 2, 3])
    split = Split(np.array([0, 2]), np.array([1]), np.array([3, 4, 5, 6, 7]))
    found = matchings.knowable_accuracies(y, pair, [split])
    assert found["matched"] == pytest.approx(100 * (2 + 3 / 2) / 5)  # 4 and 6 have partners
    assert found["validated"] == pytest.approx(100 * (3 + 2 / 2) / 5)  # and 5
    assert found["majority"] == pytest.approx(100 * 2 / 5)  # class 0 everywhere: 4 and 6
    assert found["rarer"] == pytest.approx(100 * (1 + 4 / 2) / 5)  # left: class 1; right: a coin


def test_another_matching_is_perfect_and_within_the_graph():
    for removed in (0, 2000, 2450):
        graph, planted, _ = bipartite(50, removed, seed=0)
        pair = matchings.another_matching(graph, seed=2)
        assert (np.bincount(pair, minlength=50) == 2).all()
        A = graph.adjacency.toarray()
        assert all(A[np.flatnonzero(pair == q)[0], np.flatnonzero(pair == q)[1]] for q in range(50))
    assert (pair == planted).all()  # the bare matching has no other


def test_cells_tell_the_colourings_apart(results):
    top = {method: r for (row, method), r in results.items() if row == "0 removed"}
    assert top["lcn"]["fraction"] == 0.5
    assert top["lcn"]["theta"] == [[50, 50]]
    assert top["lcn-same"]["pairs in common"] == [1]
    assert top["lcn-other"]["pairs in common"][0] < 0.2
    shares = {method: r["shares"]["70/10/20"]["released"]["test"] for method, r in top.items()}
    assert min(shares["lcn-same"]) > 70 > np.mean(shares["lcn-other"])


def test_section_says_what_was_measured(results):
    section = item.section(results)
    text = " ".join(section.verdict)
    assert "each of the 4 answers has a mean accuracy of 1/2 over the 2 matchings" in text
    known = results["0 removed", "gcn"]["shares"]["20/20/60"]["matched"]
    assert f"{known:.1f} % on these splits" in text
    gcn = np.mean(results["0 removed", "gcn"]["shares"]["20/20/60"]["released"]["test"])
    assert section.tables[0].rows[0][2].startswith(f"{gcn:.1f} ±")
    (p,) = section.pictures
    drawn = draw_svg(p.paint, name=p.name, label=p.label, width=p.width, height=p.height)
    assert "colouring fraction" in drawn and "split 70/10/20" in drawn


def fabricated(accuracy):
    """Results of every reading with the accuracies ``accuracy(method, fraction)``."""
    scores = lambda mean: {"test": [mean - 1, mean + 1, mean, mean]}  # noqa: E731
    told = {"matched": 60.0, "validated": 70.0, "majority": 48.0, "rarer": 52.0}
    return {
        (f"{m} removed", method): {
            "fraction": fraction,
            "shares": {
                share: {"released": scores(accuracy(method, fraction)), **told}
                for share in item.SHARES
            },
        }
        for m, fraction in ((0, 0.5), (2250, 0.04))
        for method in item.METHODS
    }


def test_the_claim_is_made_only_where_the_results_show_it():
    usual = fabricated(lambda method, beta: 60 if method == "lcn-same" else 56 - 20 * beta)
    assert "only in the first case" in " ".join(item.section(usual).verdict)
    assert "GCN drops, and so do: LCN, central kernel" in " ".join(item.section(usual).verdict)
    better = fabricated(lambda method, beta: 60 if method != "gcn" else 56 - 20 * beta)
    assert "only in the first case" not in " ".join(item.section(better).verdict)


def test_section_renders_with_any_part_missing(results):
    assert item.section({}).verdict == []
    exact = {item.DEMONSTRATION: results[item.DEMONSTRATION]}
    every = {**fabricated(lambda method, beta: 50), **exact}
    for key in every:
        without = {k: r for k, r in every.items() if k != key}
        for part in ({key: every[key]}, without):
            section = item.section(part)
            assert section.verdict
            assert len({len(row) for table in section.tables for row in table.rows}) <= 1
            for picture in section.pictures:
                picture.paint(Figure(layout="constrained"))
