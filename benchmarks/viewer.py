"""The viewer of the pages: size of a page, time to open it, and frames per second while panning.

    python benchmarks/viewer.py [--nodes 2000 20000 200000]

Opens a standalone page of a block model with 2.25 edges per node in a headless Chromium without a
GPU, and drags the picture with mouse events for some seconds, once with the whole graph in view and
once four times as large, which draws other parts again and again. A frame is a call of
requestAnimationFrame. "made" is the CPU time of laying out the graph and of writing the page,
"longest" the longest time between two frames in milliseconds, and "settled" the time from the start
of loading until the whole picture is drawn. All but the first are wall-clock times, so that a busy
machine makes them worse.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from lovasz.graphs import Graph
from lovasz.pages.viewer import graph_view

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
EDGES_PER_NODE = 2.25
CLASSES = 7
MIXED = 0.1  # share of the edges whose ends are drawn from all nodes
SECONDS = 5.0
ZOOM = 4.0
VIEWER = "document.querySelector('.lovasz-viewer').lovaszViewer"
COUNT = """() => { const seen = [];
window.frames_seen = seen;
const next = (now) => { seen.push(now);
    if (window.frames_seen === seen) requestAnimationFrame(next); };
requestAnimationFrame(next); }"""


def make_page(n: int) -> tuple[str, float, int]:
    """Return a page, the CPU seconds it took to make, and its number of edges."""
    rng = np.random.default_rng(0)
    size, count = n // CLASSES, int(EDGES_PER_NODE * n)
    source = rng.integers(0, n, count)
    block = np.minimum(source // size, CLASSES - 1)
    near = np.minimum(block * size + rng.integers(0, size, count), n - 1)
    target = np.where(rng.random(count) < MIXED, rng.integers(0, n, count), near)
    graph = Graph.from_edges(source, target, n=n, nodes=[f"node {k}" for k in range(n)])
    given = rng.random(n) < 0.02
    confidence = np.where(given, 1, rng.beta(6, 2, n))
    labels = np.minimum(np.arange(n) // size, CLASSES - 1)
    started = time.process_time()
    view = graph_view(
        graph,
        labels=labels,
        classes=[f"class {k}" for k in range(CLASSES)],
        given=given,
        confidence=confidence,
        runner_up=(labels + 1) % CLASSES,
        runner_up_confidence=(1 - confidence) * 0.7,
    )
    html = view.to_html(standalone=True)
    return html, time.process_time() - started, graph.m


def measure(browser: Any, address: str) -> list[float]:
    """Return the seconds until the picture is drawn, and what ``drag`` says of two zooms."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    started = time.perf_counter()
    tab.goto(address)
    tab.wait_for_selector(".lv-on canvas")
    _settle(tab)
    found = [time.perf_counter() - started, *drag(tab)]
    tab.evaluate(f"{VIEWER}.zoomBy({ZOOM})")
    tab.wait_for_timeout(200)
    _settle(tab)
    found += drag(tab)
    tab.close()
    return found


def _settle(tab: Any) -> None:
    while not tab.evaluate(f"!{VIEWER}.painter.job && !{VIEWER}.pending"):
        tab.wait_for_timeout(20)


def drag(tab: Any) -> tuple[float, float]:
    """Drag the picture; return frames per second and the longest frame in milliseconds."""
    box = tab.locator("canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.evaluate(COUNT)
    tab.mouse.move(x, y)
    tab.mouse.down()
    begun = time.perf_counter()
    while (passed := time.perf_counter() - begun) < SECONDS:
        tab.mouse.move(x + 160 * math.sin(2 * passed), y + 90 * math.sin(3.1 * passed))
    tab.mouse.up()
    frames = np.array(tab.evaluate("window.frames_seen"))
    steps = np.diff(frames)
    return 1000 * len(steps) / (frames[-1] - frames[0]), float(steps.max())


def main() -> None:
    """Print one line per size."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[2_000, 20_000, 200_000])
    sizes = parser.parse_args().nodes
    print("                                                 whole graph      zoomed in")
    print("   nodes    edges  made s  page MB  settled s  frames/s  longest  frames/s  longest")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        for n in sizes:
            html, made, m = make_page(n)
            file = Path(folder, "page.html")
            file.write_text(html, encoding="utf-8")
            settled, *rates = measure(browser, file.as_uri())
            size = file.stat().st_size / 1e6
            print(f"{n:8,} {m:8,} {made:7.1f} {size:8.2f} {settled:10.1f}", end=" ")
            print(f"{rates[0]:9.0f} {rates[1]:8.0f} {rates[2]:9.0f} {rates[3]:8.0f}")
        browser.close()


if __name__ == "__main__":
    main()
