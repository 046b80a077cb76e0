"""The app as a person uses it: in a browser, by keyboard, with accidents."""

import csv
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.waiting import LONGEST

import lovasz
from lovasz.app.project import read_project
from lovasz.graphs.families import planted_partition

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAMES = ("circle", "square")
HOSTILE_NODE = "<img src=x onerror=\"document.title='hacked'\">"
HOSTILE_CLASS = "</button><script>document.title='hacked'</script>"


class App:
    """``lovasz label`` in a process of its own."""

    def __init__(self, folder: Path):
        self.folder, self.process, self.errors = folder, None, subprocess.DEVNULL

    def start(self, browser: str = "--no-browser", **variables: str) -> str:
        """Start the server and return the address that it prints."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lovasz", "label", "graph.csv", browser],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])} | variables,
        )  # fmt: skip
        address = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{20,}", address)
        return address

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()

    def labels(self) -> dict[str, str]:
        return read_project(
            self.folder / "graph.lovasz", lovasz.as_graph(self.folder / "graph.csv")
        )


def write_edges(folder, names, graph):
    with open(folder / "graph.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows.writerow(["source", "target"])
        rows.writerows([names[i], names[j]] for i, j in zip(*graph.edges(), strict=True))


@pytest.fixture
def app(tmp_path):
    found = App(tmp_path)
    yield found
    found.kill()


@pytest.fixture
def open_window(browser):
    """Open the app in a window; at the end, nothing was said and no other server was asked."""
    said, asked, contexts = [], [], []

    def call(address, **options):
        context = browser.new_context(viewport={"width": 1200, "height": 900}, **options)
        contexts.append(context)
        window = context.new_page()
        window.on("console", lambda message: said.append(message.text))
        window.on("pageerror", lambda error: said.append(str(error)))
        window.on("request", lambda request: asked.append(request.url))
        window.goto(address)
        window.wait_for_selector("#card .name")
        return window

    call.said = said
    yield call
    for context in contexts:
        context.close()
    assert not [
        url for url in asked if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:)", url)
    ]
    assert said == []


def name_of(window):
    return window.inner_text("#card .name")


def wait_for_text(window, place, text):
    # A function, not an expression: the policy of the page forbids to evaluate text.
    window.wait_for_function(
        "([place, text]) => document.querySelector(place).textContent.includes(text)",
        arg=[place, text],
    )


def press(window, key):
    """Press a key that ends the work on this node, and wait for the next one."""
    row = window.get_attribute("#work", "data-row")
    window.keyboard.press(key)
    window.wait_for_function("row => document.getElementById('work').dataset.row !== row", arg=row)


def give_new_class(window, name):
    row = window.get_attribute("#work", "data-row")
    window.keyboard.press("n")
    window.keyboard.type(name)
    window.keyboard.press("Enter")
    window.wait_for_function("row => document.getElementById('work').dataset.row !== row", arg=row)


def label_nodes(window, truth, count):
    """Label nodes by keyboard as a person who knows them would."""
    given = {}
    for _ in range(count):
        node = name_of(window)
        buttons = window.query_selector_all("button.class")
        known = [button.get_attribute("data-class") for button in buttons]
        given[node] = truth[node]
        if truth[node] in known:
            press(window, str(known.index(truth[node]) + 1))
        else:
            give_new_class(window, truth[node])
    return given


def points(window, at_least):
    """Wait until the accuracy curve has this many points; return their number."""
    window.wait_for_function(
        "n => Number(document.querySelector('svg.curve')?.dataset.points ?? 0) >= n",
        arg=at_least,
    )
    return int(window.get_attribute("svg.curve", "data-points"))


def test_thirty_labels_by_keyboard_survive_kill_9(app, open_window):
    planted = planted_partition(60, 2, 0.4, 0.03, seed=0)
    names = [f"person {k}" for k in range(60)]
    truth = {name: NAMES[planted.y[k]] for k, name in enumerate(names)}
    write_edges(app.folder, names, planted.graph)
    window = open_window(app.start())
    given = label_nodes(window, truth, 24)
    before = points(window, 1)
    given |= label_nodes(window, truth, 6)
    assert points(window, before + 1) > before
    assert window.inner_text("#counts").startswith("30 of 60")
    window.close()
    app.kill()
    assert app.labels() == given
    window = open_window(app.start())
    wait_for_text(window, "#counts", "30 of 60")
    assert points(window, before + 1) > before
    assert name_of(window) not in given
    window.keyboard.press("u")
    wait_for_text(window, "#counts", "29 of 60")


def test_two_windows_see_each_others_labels_and_undo_their_own(app, open_window):
    write_edges(
        app.folder, [f"n{k}" for k in range(20)], planted_partition(20, 2, 0.6, 0.1, seed=0).graph
    )
    address = app.start()
    one, two = open_window(address), open_window(address)
    assert name_of(one) != name_of(two)
    first = name_of(one)
    give_new_class(one, "red")
    two.wait_for_selector("button.class[data-class=red]")
    wait_for_text(two, "#counts", "1 of")
    second = name_of(two)
    press(two, "1")
    wait_for_text(one, "#counts", "2 of")
    one.keyboard.press("u")
    wait_for_text(two, "#counts", "1 of")
    wait_for_text(one, "#card .name", first)
    assert app.labels() == {second: "red"}


def test_hostile_names_are_text_everywhere(app, open_window, tmp_path):
    names = [HOSTILE_NODE, *(f"{HOSTILE_NODE}{k}" for k in range(1, 12))]
    write_edges(app.folder, names, planted_partition(12, 2, 0.9, 0.4, seed=0).graph)
    window = open_window(app.start())
    assert name_of(window).startswith("<img")
    give_new_class(window, HOSTILE_CLASS)
    give_new_class(window, "=1+1")
    assert window.inner_text("button.class >> nth=0").split("\n")[1:2] == [HOSTILE_CLASS]
    window.wait_for_selector("#recent li >> nth=1")
    window.keyboard.press("/")
    window.keyboard.type("onerror")
    window.wait_for_selector("#map [role=option], #map .lv-matches li")
    window.wait_for_timeout(500)
    assert window.query_selector_all("body img, body script") == []
    assert window.evaluate("document.title") == "2 labelled – graph.csv"
    with window.expect_download() as download:
        window.click("#export")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "'=1+1" in text
    window.set_input_files(
        "#import", {"name": "x.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    wait_for_text(window, "#toast", "0 of them")


def test_an_interrupt_ends_quietly_while_a_window_is_open(app, browser):
    graph = planted_partition(8, 2, 0.9, 0.4, seed=0).graph
    write_edges(app.folder, [f"n{k}" for k in range(8)], graph)
    with open(app.folder / "said", "w") as app.errors:
        window = browser.new_page()
        window.goto(app.start())
        window.wait_for_selector("#card .name")
        app.process.send_signal(signal.SIGINT)
        assert app.process.wait(LONGEST) == 0
    said = (app.folder / "said").read_text()
    assert "0 labels in" in said and "Traceback" not in said and "ERROR" not in said
    window.close()


def test_a_window_without_the_token_shows_nothing_and_says_why(app, browser):
    write_edges(
        app.folder, [f"n{k}" for k in range(8)], planted_partition(8, 2, 0.9, 0.4, seed=0).graph
    )
    address = app.start()
    window = browser.new_page()
    for place in (address.partition("?")[0], address[:-1]):
        window.goto(place)
        window.wait_for_selector("#notice:not([hidden])")
        assert "lovasz label" in window.inner_text("#notice")
        assert window.query_selector("#card .name") is None
        window.evaluate("sessionStorage.clear()")
    window.close()


def test_the_browser_is_started_with_a_code_that_is_good_once(app, open_window):
    graph = planted_partition(8, 2, 0.9, 0.4, seed=0).graph
    write_edges(app.folder, [f"n{k}" for k in range(8)], graph)
    started = app.folder / "started"
    opener = app.folder / "opener"
    opener.write_text(f'#!/bin/sh\necho "$1" > {started}\n')
    opener.chmod(0o755)
    printed = app.start("--browser", BROWSER=str(opener))
    while not (started.exists() and started.read_text().strip()):
        time.sleep(0.05)
    address = started.read_text().strip()
    assert "token" not in address and printed.partition("token=")[2] not in address
    window = open_window(address)
    assert window.url == address.partition("?")[0]
    window.reload()
    window.wait_for_selector("#card .name")
    again = window.context.browser.new_page()
    again.goto(address)
    again.wait_for_selector("#notice:not([hidden])")
    again.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_fits_and_follows_the_theme(app, open_window, scheme, width):
    names = ["unbreakable" * 12 + str(k) for k in range(12)]
    write_edges(app.folder, names, planted_partition(12, 2, 0.9, 0.4, seed=0).graph)
    window = open_window(app.start(), color_scheme=scheme)
    window.set_viewport_size({"width": width, "height": 800})
    give_new_class(window, "class" * 30)
    window.wait_for_timeout(300)
    assert window.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    background = window.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 26)")
    assert "token" not in window.url
