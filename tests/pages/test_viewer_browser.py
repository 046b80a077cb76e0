"""The viewer in a real browser, driven as a person does: mouse, keys, files, themes, a phone."""

import csv
import io
import time
from pathlib import Path

import numpy as np
import pytest
from tests.waiting import LONGEST

from lovasz.graphs import Graph
from lovasz.pages.viewer import graph_view

pytestmark = pytest.mark.browser

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "<!-- <script>",
    "\u202egpj.exe",
    "a,b \"c\" 'd'",
    "=HYPERLINK(1)",
    "\u2028next line",
    "日本語",
)
SIDE = 5
VIEWER = "document.querySelector('.lovasz-viewer').lovaszViewer"


def grid_view(names=None, **changes):
    """A grid of 5 x 5 nodes; the first column was given, the others are predicted."""
    n = SIDE * SIDE
    each = np.arange(n)
    right, down = each[each % SIDE < SIDE - 1], each[: n - SIDE]
    graph = Graph.from_edges(
        [*right, *down], [*(right + 1), *(down + SIDE)], nodes=names or [f"node {k}" for k in each]
    )
    known = {
        "positions": np.stack([each % SIDE, -(each // SIDE)], axis=1).astype(float),
        "labels": each % SIDE // 2,
        "classes": ("red", "green", "blue"),
        "given": each % SIDE == 0,
        "confidence": np.where(each % SIDE == 0, 1, 0.5 + each / 100),
        "runner_up": (each % SIDE // 2 + 1) % 3,
        "runner_up_confidence": np.where(each % SIDE == 0, 0, 0.4 - each / 100),
        "title": "A grid",
    }
    return graph_view(graph, **(known | changes))


def page_of(view, folder):
    file = Path(folder) / "page.html"
    file.write_text(view.to_html(standalone=True), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    view = grid_view(cards={"node 7": ["label of node 6: +12 points", "<b>edge</b>"]})
    return page_of(view, tmp_path_factory.mktemp("grid"))


@pytest.fixture
def open_page(browser):
    """Open a page; whatever it says on the console or asks for outside fails the test."""
    contexts, said, asked = [], [], []

    def open_it(address, **options):
        context = browser.new_context(
            **{"viewport": {"width": 1100, "height": 900}, "reduced_motion": "reduce"} | options
        )
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(address)
        tab.wait_for_selector(".lv-on canvas")
        settle(tab)
        return tab

    yield open_it
    for context in contexts:
        context.close()
    assert said == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    assert len({url for url in asked if url.startswith("file:")}) <= 1


def wait_for(tab, condition):
    """Wait for a condition. Playwright's own wait evaluates text, which the page forbids."""
    end = time.monotonic() + LONGEST
    while not tab.evaluate(condition):
        assert time.monotonic() < end, f"still not: {condition}"
        tab.wait_for_timeout(25)


def settle(tab):
    """Wait until the picture is finished."""
    wait_for(tab, f"!{VIEWER}.painter.job && !{VIEWER}.pending")


def place(tab, row):
    """Where a node is on the screen."""
    box = tab.locator("canvas").bounding_box()
    x, y = tab.evaluate(
        f"(v => [v.camera.screenX(v.graph.x[{row}]), v.camera.screenY(v.graph.y[{row}])])({VIEWER})"
    )
    return box["x"] + x, box["y"] + y


def node_names(tab):
    return tab.locator(".lv-rows tbody tr:not(.lv-spacer) td:first-child").all_inner_texts()


def pixels(tab, *rows):
    """The colours of the picture in the middle of some nodes."""
    return tab.evaluate(
        f"""(rows) => {{const v = {VIEWER}, r = v.painter.ratio, c = v.canvas;
        const image = v.painter.context.getImageData(0, 0, c.width, c.height);
        return rows.map((row) => {{
            const x = Math.round(v.camera.screenX(v.graph.x[row]) * r);
            const at = 4 * (Math.round(v.camera.screenY(v.graph.y[row]) * r) * c.width + x);
            return [...image.data.slice(at, at + 3)];}});}}""",
        list(rows),
    )


def test_hover_says_name_class_probability_and_runner_up(open_page, address):
    tab = open_page(address)
    tab.mouse.move(*place(tab, 7))
    tip = tab.locator(".lv-tip").inner_text()
    assert "node 7" in tip and "green" in tip and "57.0 %" in tip.replace("\xa0", " ")
    assert "predicted" in tip and "runner-up" in tip and "blue 33.0 %" in tip.replace("\xa0", " ")
    tab.mouse.move(*place(tab, 5))
    assert "given" in tab.locator(".lv-tip").inner_text()
    tab.mouse.move(5, 5)
    assert not tab.locator(".lv-tip").is_visible()


def test_a_click_pins_a_card_whose_neighbours_are_links(open_page, address):
    tab = open_page(address)
    tab.mouse.click(*place(tab, 7))
    card = tab.locator(".lv-card")
    assert card.locator("h4").inner_text() == "node 7"
    assert card.locator(".lv-lines li").all_inner_texts() == [
        "label of node 6: +12 points",
        "<b>edge</b>",
    ]
    links = card.locator(".lv-links button")
    assert set(links.all_inner_texts()) == {"node 2", "node 6", "node 8", "node 12"}
    links.get_by_text("node 12").click()
    assert card.locator("h4").inner_text() == "node 12"
    card.get_by_label("Close the card").click()
    assert card.count() == 0


def test_drag_pans_and_the_wheel_zooms_where_the_pointer_is(open_page, address):
    tab = open_page(address)
    x, y = place(tab, 12)
    tab.mouse.move(x + 30, y + 30)
    tab.mouse.down()
    tab.mouse.move(x + 80, y + 50, steps=4)
    tab.mouse.up()
    assert place(tab, 12) == pytest.approx((x + 50, y + 20), abs=2)
    before = place(tab, 12)
    other = np.subtract(place(tab, 13), before)
    tab.mouse.move(*before)
    tab.mouse.wheel(0, -200)
    wait_for(tab, f"{VIEWER}.camera.k > {VIEWER}.camera.home * 1.2")
    settle(tab)
    assert place(tab, 12) == pytest.approx(before, abs=2)
    assert np.subtract(place(tab, 13), before)[0] > 1.2 * other[0]
    tab.get_by_label("Show all").click()
    settle(tab)
    assert tab.evaluate(f"{VIEWER}.camera.k === {VIEWER}.camera.home")


def test_search_finds_by_part_of_the_name_and_by_keys_alone(open_page, address):
    tab = open_page(address)
    tab.get_by_label("Find a node by name").fill("DE 1")
    matches = tab.locator(".lv-matches li")
    assert matches.count() == 8 and matches.first.inner_text() == "node 1"
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    assert tab.locator(".lv-card h4").inner_text() == "node 10"
    tab.get_by_label("Find a node by name").fill("nobody")
    assert tab.locator(".lv-matches").inner_text() == "no node has this name"


def test_filters_by_class_probability_and_kind(open_page, address):
    tab = open_page(address)
    tab.locator(".lv-boxes label", has_text="red").locator("input").uncheck()
    assert tab.locator(".lv-count").inner_text() == "15 of 25 nodes"
    tab.get_by_label("Lowest probability, in percent").fill("70")
    assert tab.locator(".lv-count").inner_text() == "3 of 25 nodes"
    assert node_names(tab) == ["node 22", "node 23", "node 24"]
    tab.mouse.move(*place(tab, 7))
    assert not tab.locator(".lv-tip").is_visible(), "what is filtered out is not picked"
    tab.get_by_label("Lowest probability, in percent").fill("0")
    tab.locator(".lv-classes button", has_text="all").click()
    tab.locator(".lv-kinds label", has_text="given").locator("input").check()
    assert tab.locator(".lv-count").inner_text() == "5 of 25 nodes"
    tab.locator(".lv-classes button", has_text="none").click()
    assert tab.locator(".lv-count").inner_text() == "0 of 25 nodes"


def test_a_lasso_makes_a_list_that_is_saved_as_csv(open_page, address):
    tab = open_page(address)
    tab.get_by_label("Select nodes by drawing around them").click()
    (left, top), (right, bottom) = place(tab, 0), place(tab, 6)
    corners = [(left - 15, top - 15), (right + 15, top - 15), (right + 15, bottom + 15)]
    tab.mouse.move(*corners[0])
    tab.mouse.down()
    for corner in [*corners[1:], (left - 15, bottom + 15), corners[0]]:
        tab.mouse.move(*corner, steps=4)
    tab.mouse.up()
    assert tab.locator(".lv-selection h4").inner_text() == "4 nodes selected"
    with tab.expect_download() as download:
        tab.locator(".lv-selection").get_by_text("Save as CSV").click()
    assert download.value.suggested_filename == "selection.csv"
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    assert [row["node"] for row in rows] == ["node 0", "node 1", "node 5", "node 6"]
    assert rows[1] == {
        "node": "node 1", "class": "red", "probability": "0.5100", "runner_up": "green",
        "runner_up_probability": "0.3900", "given": "no",
    }  # fmt: skip


def test_the_table_is_sorted_and_searched(open_page, address):
    tab = open_page(address)
    assert node_names(tab)[:3] == ["node 0", "node 1", "node 2"]
    head = tab.locator(".lv-rows th", has_text="probability")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert node_names(tab)[:6] == ["node 0", "node 5", "node 10", "node 15", "node 20", "node 24"]
    head.locator("button").click()
    assert node_names(tab)[0] == "node 1"
    tab.get_by_label("Search the table").fill("blue")
    assert node_names(tab) == ["node 4", "node 9", "node 14", "node 19", "node 24"]
    tab.locator(".lv-rows").get_by_text("node 14").click()
    assert tab.locator(".lv-card h4").inner_text() == "node 14"


def test_a_long_table_has_few_rows_in_the_document(open_page, tmp_path):
    n = 20_000
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    tab = open_page(page_of(graph_view(graph), tmp_path))
    assert tab.locator(".lv-rows tr").count() < 60
    tab.evaluate("document.querySelector('.lv-rows').scrollTop = 10000 * 32")
    wait_for(tab, "document.querySelector('.lv-rows').innerText.includes('10005')")
    assert tab.locator(".lv-rows tr").count() < 60
    assert tab.locator(".lv-rows table").get_attribute("aria-rowcount") == str(n + 1)


def test_keys_move_zoom_and_walk_from_node_to_node(open_page, address):
    tab = open_page(address)
    canvas = tab.locator("canvas")
    assert "25 nodes, 40 edges" in canvas.get_attribute("aria-label")
    canvas.focus()
    before = place(tab, 12)
    tab.keyboard.press("ArrowRight")
    assert place(tab, 12)[0] == pytest.approx(before[0] - 60, abs=1)
    tab.keyboard.press("+")
    assert tab.evaluate(f"{VIEWER}.camera.k > {VIEWER}.camera.home")
    tab.keyboard.press("0")
    tab.keyboard.press("Enter")
    live = tab.locator("[aria-live]")
    assert live.inner_text().startswith("node 12, class green, ")
    tab.keyboard.press("Shift+ArrowRight")
    assert live.inner_text().startswith("node 13, ") and "4 neighbours" in live.inner_text()
    tab.keyboard.press("Space")
    assert tab.locator(".lv-selection h4").inner_text() == "1 node selected"
    tab.keyboard.press("Enter")
    assert tab.locator(".lv-card h4").inner_text() == "node 13"
    tab.keyboard.press("Escape")
    assert tab.locator(".lv-card").count() == 0


def test_hostile_names_are_text_everywhere(open_page, tmp_path):
    names = [*HOSTILE, *(f"plain {k}" for k in range(SIDE * SIDE - len(HOSTILE)))]
    view = grid_view(names, classes=HOSTILE[:3], title=HOSTILE[0], cards={names[0]: HOSTILE[:3]})
    tab = open_page(page_of(view, tmp_path))
    for row, name in enumerate(view.names[: len(HOSTILE)]):
        tab.mouse.move(*place(tab, row))
        assert tab.locator(".lv-tip strong").inner_text().split() == name.split()
        tab.mouse.click(*place(tab, row))
        assert tab.locator(".lv-card h4").inner_text().split() == name.split()
    assert not any("\u202e" in name or "\u2028" in name for name in view.names[3:4])
    tab.get_by_label("Find a node by name").fill("<img")
    assert tab.locator(".lv-matches li").inner_text() == HOSTILE[0]
    assert tab.locator("img").count() == 0
    assert tab.locator(".lovasz-viewer script").count() == 1, "the data and nothing else"
    with tab.expect_download() as download:
        tab.locator(".lv-table").get_by_text("Save as CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text("utf-8"))))
    assert [row["node"] for row in rows] == view.names


def test_the_picture_follows_the_theme_and_the_class(open_page, address):
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 26)")):
        tab = open_page(address, color_scheme=scheme)
        assert (
            tab.evaluate(
                "getComputedStyle(document.querySelector('.lovasz-viewer')).backgroundColor"
            )
            == paper
        )
        solid, hollow = pixels(tab, 5, 7)
        assert solid == [0, 0x72, 0xB2], "a given node has the colour of its class"
        assert hollow == [int(part) for part in paper[4:-1].split(",")]


def test_a_phone_shows_everything_below_each_other_and_pinches(open_page, address):
    tab = open_page(address, viewport={"width": 390, "height": 800}, has_touch=True)
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert tab.locator("canvas").bounding_box()["width"] > 340
    tab.touchscreen.tap(*place(tab, 7))
    assert tab.locator(".lv-card h4").inner_text() == "node 7"
    before = tab.evaluate(f"{VIEWER}.camera.k")
    tab.evaluate(
        """() => {const c = document.querySelector("canvas"), b = c.getBoundingClientRect();
        c.setPointerCapture = () => {};
        const send = (type, id, x) => c.dispatchEvent(new PointerEvent(type, {pointerId: id,
            pointerType: "touch", clientX: b.x + x, clientY: b.y + 150, bubbles: true}));
        send("pointerdown", 1, 150); send("pointerdown", 2, 200);
        send("pointermove", 2, 250);
        send("pointerup", 1, 150); send("pointerup", 2, 250);}"""
    )
    assert tab.evaluate(f"{VIEWER}.camera.k") == pytest.approx(2 * before, rel=0.01)


def test_update_focus_select_and_events_for_programs(open_page, address):
    tab = open_page(address)
    told = tab.evaluate(
        f"""() => {{const v = {VIEWER}, told = [];
        for (const name of ["select", "pin", "hover"])
            v.element.addEventListener("lovasz:" + name, (e) => told.push([name, e.detail]));
        v.options.onpin = (row) => told.push(["onpin", row]);
        v.focus("node 3"); v.select([1, "node 2"]); v.card(3, ["because"]);
        v.update({{classes: ["rot", "grün", "blau"]}});
        return told;}}"""
    )
    assert told == [["onpin", 3], ["pin", 3], ["select", [1, 2]]]
    assert tab.locator(".lv-boxes label").first.inner_text().startswith("rot")
    assert tab.locator(".lv-card h4").inner_text() == "node 3"


def test_an_update_keeps_what_a_person_has_set(open_page, address):
    tab = open_page(address)
    tab.get_by_label("Lowest probability, in percent").fill("60")
    tab.locator(".lv-boxes label", has_text="red").locator("input").uncheck()
    tab.locator(".lv-rows th", has_text="neighbours").locator("button").click()
    tab.get_by_label("Search the table").fill("node")
    rows = node_names(tab)
    tab.get_by_label("Find a node by name").fill("node 2")
    tab.evaluate(f"{VIEWER}.update({{classes: ['rot', 'grün', 'blau']}})")
    assert tab.evaluate("document.activeElement.value") == "node 2"
    assert tab.get_by_label("Lowest probability, in percent").input_value() == "60"
    assert tab.locator(".lv-range output").inner_text() == "60 – 100 %"
    assert not tab.locator(".lv-boxes label", has_text="rot").locator("input").is_checked()
    head = tab.locator(".lv-rows th", has_text="neighbours")
    assert head.get_attribute("aria-sort") == "descending"
    assert node_names(tab) == rows
    assert tab.locator(".lv-count").inner_text() == "9 of 25 nodes"


def test_two_hundred_thousand_nodes_open_as_density(open_page, tmp_path):
    n = 200_000
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    view = graph_view(graph, positions=rng.normal(size=(n, 2)))
    tab = open_page(page_of(view, tmp_path))
    assert tab.locator(".lv-note").inner_text() == (
        "edges of one node at a time; zoom in for all · colour is density"
    )
    tab.evaluate(f"{VIEWER}.focus(100000)")
    wait_for(tab, f"{VIEWER}.camera.k > 2 * {VIEWER}.camera.home")
    tab.wait_for_timeout(200)
    settle(tab)
    assert tab.locator(".lv-links button").all_inner_texts() == ["99999", "100001"]
    assert tab.locator(".lv-note").inner_text() == ""
