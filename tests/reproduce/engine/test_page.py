"""The page needs nothing else, says the same as its Markdown, and fits a phone."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.reproduce.samples import part_of, table_results
from tests.reproduce.small import small_item

import lovasz
from lovasz.pages.reproduction.render import numeric
from lovasz.pages.reproduction.section import Entry, Table
from lovasz.reproduce.engine.cells import Cell, Store
from lovasz.reproduce.engine.page import gather, write_page
from lovasz.reproduce.items import uci_mnist

LEFT_OUT = ("sonar", "gpnn")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A page of uci-mnist but for one cell, and of an item without any result."""
    out = tmp_path_factory.mktemp("reproduction")
    store, results = Store(out), table_results()
    for cell in uci_mnist.ITEM.cells(False):
        if (cell.row, cell.method) != LEFT_OUT:
            store.write(cell, part_of(results[cell.row, cell.method], cell.part), 30.0)
    write_page(
        store,
        [small_item(), uci_mnist.ITEM],
        out,
        command="lovasz reproduce small uci-mnist",
        reasons={Cell("uci-mnist", *LEFT_OUT): "failed: out of <memory>"},
    )
    return out


def test_the_summary_counts_what_is_published_and_measured(folder):
    page = gather(Store(folder), [uci_mnist.ITEM], command="", reasons={})
    part = page.parts[0]
    assert (part.published, len(part.differences), part.cells) == (84, 83, 324)
    assert part.near + part.above + part.below == 83
    assert part.gaps == [("not run", 1, "GPNN: sonar")]
    assert page.time == "2.7 hours" and page.versions == [lovasz.__version__]


def test_the_page_is_one_file_that_says_all(folder):
    html = (folder / "reproduction.html").read_text()
    assert "default-src 'none'" in html
    assert not re.findall(r'(?:src|href)="(?!#|data:)', html)
    assert "1 cell without a result: failed: out of &lt;memory&gt;" in html
    assert "Nothing was run. <code>lovasz reproduce small</code>" in html
    assert '<a href="#uci-mnist">' in html and '<section id="uci-mnist">' in html
    assert html.count("<table>") == 1 + 4 + 2
    assert html.count("not run</span><small>64.8</small>") == 4  # with the paper's number
    assert "quick run" not in html


def test_markdown_says_the_same_with_pictures_beside_it(folder):
    text = (folder / "reproduction.md").read_text()
    assert "| dataset | Un-Lap |" in text and "not run / 64.8" in text
    assert re.search(r"\*\*\d+\.\d ± \d+\.\d\*\* / \*87\.9\*", text)
    assert r"Small \| things" in text and r"out of \<memory\>" in text
    for name in re.findall(r"\]\((figures/.*?)\)", text):
        root = ElementTree.parse(folder / name).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and root[0].get("fill") == "#fff"
        drawn = (folder / name).read_text()
        assert "var(" not in drawn and "currentColor" not in drawn
    assert "figures/uci-mnist-accuracy.svg" in text


def test_a_row_of_parts_counts_when_all_are_there(tmp_path):
    store, item = Store(tmp_path), uci_mnist.ITEM
    results = table_results()
    parts = [c for c in item.cells(False) if (c.row, c.method) == ("mnist-500-1v2", "gcn")]
    for cell in parts[1:]:
        store.write(cell, part_of(results[cell.row, cell.method], cell.part), 1.0)
    assert len(store.measured(item)) == 4 and store.results(item) == {}
    page = gather(store, [item], command="", reasons={})
    assert page.parts[0].missing == 320 and page.parts[0].section is None
    store.write(parts[0], part_of(results["mnist-500-1v2", "gcn"], 0), 1.0)
    assert store.results(item) == {("mnist-500-1v2", "gcn"): results["mnist-500-1v2", "gcn"]}


def test_words_of_others_are_no_markup(tmp_path):
    store, item = Store(tmp_path), small_item()
    store.write(item.cells(False)[0], {"value": 1}, 0.1)
    html = write_page(store, [item], tmp_path, command="<script>").read_text()
    assert "<script>" not in html and "All is &lt;well&gt;." in html
    text = (tmp_path / "reproduction.md").read_text()
    assert r"All is \<well\>." in text and r"Counted \*by hand\*." in text


def test_a_second_page_takes_the_place_of_the_first(tmp_path):
    for _ in range(2):
        write_page(Store(tmp_path, quick=True), [small_item()], tmp_path, command="")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "reproduction.html",
        "reproduction.md",
    ]
    for name in ("reproduction.html", "reproduction.md"):
        assert "proves nothing" in (tmp_path / name).read_text()


def test_columns_of_numbers_are_known():
    rows = [["1", "2.0 ± 1", "a 1", Entry("not run")], ["2", "–", "3", "−1e-05"]]
    assert numeric(Table("", ["a", "b", "c", "d"], rows)) == [False, True, False, True]


def test_measuring_needs_neither_matplotlib_nor_scikit_learn_nor_joblib():
    code = (
        "import sys; sys.modules |= dict.fromkeys(('matplotlib', 'sklearn', 'joblib'));"
        "import lovasz.reproduce.items.uci_mnist, lovasz.reproduce.engine.run,"
        "lovasz.reproduce.engine.page"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True,
        env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    )  # fmt: skip


@pytest.mark.browser
def test_the_page_is_quiet_alone_and_fits(browser, folder):
    address = (folder / "reproduction.html").as_uri()
    for width, scheme in ((1200, "light"), (390, "dark"), (390, "light")):
        tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        said, asked = [], []
        tab.on("console", lambda message, said=said: said.append(message.text))
        tab.on("pageerror", lambda error, said=said: said.append(str(error)))
        tab.on("request", lambda request, asked=asked: asked.append(request.url))
        tab.goto(address)
        assert said == []
        assert [url for url in asked if not url.startswith("data:")] == [address]
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 26)")
        widths = tab.evaluate(
            "[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().width)"
        )
        assert widths and min(widths) > 340
        tab.close()
