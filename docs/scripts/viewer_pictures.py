"""The pictures of the viewer: light, dark and on a phone, as a browser shows them.

    python docs/scripts/viewer_pictures.py

Fits a classifier to Les Misérables, which comes with networkx, with two labels for each of four
groups of characters that we named, and pins a node as a person would.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "images"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
LABELS = {
    "Enjolras": "barricade",
    "Gavroche": "barricade",
    "Thenardier": "inn",
    "MmeThenardier": "inn",
    "Myriel": "bishop",
    "MlleBaptistine": "bishop",
    "Fantine": "Paris 1817",
    "Tholomyes": "Paris 1817",
}
"""The labels that the classifier learns from."""
PINNED = "Valjean"
SHOTS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1100, "height": 1010}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1100, "height": 1010}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 1500}},
}
"""What each picture asks of the browser."""


def make_page() -> str:
    """Return the page of a classified graph."""
    import networkx as nx
    import numpy as np

    import lovasz
    from lovasz.pages.viewer import classifier_view

    graph = lovasz.as_graph(nx.les_miserables_graph(), weights="drop")
    model = lovasz.LCNClassifier("ls", random_state=0).fit(graph, LABELS)
    frame = model.to_frame()
    codes = [model.classes_.tolist().index(name) for name in frame["class"]]
    given = [code if known else -1 for code, known in zip(codes, frame["given"], strict=True)]
    view = classifier_view(
        graph,
        model.classes_.tolist(),
        np.array(given),
        model.predict_proba(),
        title="Les Misérables",
    )
    return view.to_html(standalone=True)


def main() -> None:
    """Take the pictures."""
    if CHROMIUM is None:
        sys.exit("no Chromium found; install one or name it in $CHROMIUM")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        file = Path(folder, "page.html")
        file.write_text(make_page(), encoding="utf-8")
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, options in SHOTS.items():
            tab = browser.new_page(**options, reduced_motion="reduce")
            tab.goto(file.as_uri())
            tab.get_by_label("Find a node by name").fill(PINNED)
            tab.keyboard.press("Enter")
            tab.get_by_label("Find a node by name").fill("")
            tab.get_by_label("Show all").click()
            tab.wait_for_timeout(1500)
            tab.screenshot(path=IMAGES / f"viewer-{name}.png")
            print(IMAGES / f"viewer-{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
