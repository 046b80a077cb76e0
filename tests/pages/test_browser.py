"""The page in a real browser: quiet, alone, and no wider than the screen."""

from pathlib import Path

import numpy as np
import pytest

from lovasz.graphs import Graph
from lovasz.pages.report import Method, NextLabel, Report, render_report

pytestmark = pytest.mark.browser


def long_page() -> Report:
    """Names too long for any screen, more classes than colours, and every section."""
    rng = np.random.default_rng(0)
    n, size, splits = 60, 14, 5
    truth = rng.integers(0, size, 100)
    curve = np.linspace(2, 0.5, 40)[:, None] + rng.normal(0, 0.05, (40, splits))
    methods = tuple(
        Method(name, rng.uniform(0.5, 0.9, splits), truth, (truth + (rng.random(100) < 0.3)) % size,
               rng.uniform(0.2, 1, 100), curve, curve, 1 - curve / 2)
        for name in ("LCN (a kernel with a name of some length)", "GCN")
    )  # fmt: skip
    return Report(
        title="unbreakable" * 20,
        graph=Graph.from_edges(
            rng.integers(0, n, 90),
            rng.integers(0, n, 90),
            nodes=[f"node{k}" * 12 for k in range(n)],
        ),
        classes=tuple(f"class{k}" * 15 for k in range(size)),
        labels=np.where(np.arange(n) < 20, np.arange(n) % size, -1),
        probabilities=rng.dirichlet(np.ones(size), n),
        embedding=rng.normal(size=(n, 5)),
        methods=methods,
        protocol="Five splits at random.",
        settings={"setting" * 12: "value" * 30},
        command="lovasz classify " + "a" * 300,
        notes=("note" * 60,),
        next_labels=(NextLabel("node30" * 12, f"the model says {'class3' * 15} (80%)"),),
        forecast="With 20 labels expect 80% (70% to 90%).",
        evidence={"node30" * 12: ["+0.10 <b>its neighbour</b> " + "n" * 300]},
        ask_for_evidence=f"print(model.explain({'node31' * 12!r}))",
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    file = Path(tmp_path_factory.mktemp("report")) / "page.html"
    file.write_text(render_report(long_page()), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 700, 390])
def test_the_page_is_quiet_alone_and_fits(browser, address, scheme, width):
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address)
    tab.wait_for_load_state("networkidle")
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 26)")
    tab.close()


@pytest.mark.parametrize(("script", "figures"), [(True, 6), (False, 7)])
def test_pictures_are_drawn_and_text_in_them_is_legible_on_a_phone(
    browser, address, script, figures
):
    """The viewer stands for the drawing of the graph if scripts run."""
    context = browser.new_context(
        viewport={"width": 390, "height": 800}, java_script_enabled=script
    )
    tab = context.new_page()
    tab.goto(address)
    drawn = tab.locator("figure > svg:visible")
    assert drawn.count() == figures
    assert tab.locator("canvas:visible").count() == (1 if script else 0)
    assert tab.locator("table.lv-plain:visible").count() == (0 if script else 1)
    boxes = [drawn.nth(k).bounding_box()["width"] for k in range(figures)]
    assert min(boxes) > 300
    if script:
        fonts = tab.evaluate(
            "[...document.querySelectorAll('figure text')].map(t => getComputedStyle(t).fontFamily)"
        )
        assert all(font.endswith("sans-serif") for font in fonts)
    # An axis label is 10 units of a figure 400 units wide.
    assert min(boxes) / 400 * 10 >= 8.5
    context.close()


def test_the_card_of_a_pinned_node_says_why(browser, address):
    tab = browser.new_page(viewport={"width": 390, "height": 800})
    tab.goto(address)
    tab.locator(".lv-find input").fill("node30")
    tab.locator(".lv-find input").press("Enter")
    why = tab.locator(".lv-card .lv-lines li")
    assert why.inner_text().startswith("+0.10 <b>its neighbour</b> nnn")
    assert "Why, and what each adds" in tab.locator(".lv-card").inner_text()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()
