"""The pictures of ``lovasz label``: the karate club, labelled by keyboard in a headless Chromium.

    python docs/scripts/label_pictures.py

It writes ``label-light.png``, ``label-dark.png`` and ``label-phone.png`` to docs/images.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

IMAGES = Path(__file__).parents[1] / "images"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
LABELS = 24
LEARNED = 18  # from here on every label is learned before the next one, for a smooth curve
PATIENCE_MS = 120_000
MOVED = "row => document.getElementById('work').dataset.row !== row"


def write_club(folder: Path) -> dict[str, str]:
    """Write the edges of the karate club; return the club that each member joined."""
    import networkx as nx

    club = nx.karate_club_graph()
    with open(folder / "karate.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["source", "target"])
        rows.writerows([f"member {a + 1}", f"member {b + 1}"] for a, b in club.edges)
    return {f"member {k + 1}": club.nodes[k]["club"] for k in club}


def label_members(page: Any, truth: dict[str, str]) -> None:
    """Label by keyboard, about as fast as a person who knows the members."""
    page.wait_for_selector("#card .name", timeout=PATIENCE_MS)
    for number in range(LABELS):
        row = page.get_attribute("#work", "data-row")
        wanted = truth[page.inner_text("#card .name")]
        known = [b.get_attribute("data-class") for b in page.query_selector_all("button.class")]
        if wanted in known:
            page.keyboard.press(str(known.index(wanted) + 1))
        else:
            page.keyboard.press("n")
            page.keyboard.type(wanted)
            page.keyboard.press("Enter")
        page.wait_for_function(MOVED, arg=row)
        if number >= LEARNED:
            page.wait_for_selector("#progress", state="hidden", timeout=PATIENCE_MS)
        time.sleep(1)
    page.wait_for_selector("svg.curve", timeout=PATIENCE_MS)
    page.wait_for_selector("#progress", state="hidden", timeout=PATIENCE_MS)
    page.wait_for_selector("#evidence li", timeout=PATIENCE_MS)
    page.wait_for_selector("#toast:not(.shown)", state="attached", timeout=PATIENCE_MS)
    time.sleep(1)


def main() -> None:
    if CHROMIUM is None:
        sys.exit("no Chromium found; install one or name it in $CHROMIUM")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        truth = write_club(folder)
        command = [sys.executable, "-m", "lovasz", "label", "karate.csv", "--no-browser"]
        server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        address = (server.stdout.readline() if server.stdout else "").strip()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 1180})
        page.goto(address)
        label_members(page, truth)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            time.sleep(1)
            page.screenshot(path=IMAGES / f"label-{scheme}.png")
        page.close()
        phone = {"width": 390, "height": 844}
        page = browser.new_page(
            viewport=phone, has_touch=True, is_mobile=True, device_scale_factor=2
        )
        page.goto(address)
        page.wait_for_selector("#evidence li", state="attached", timeout=PATIENCE_MS)
        page.screenshot(path=IMAGES / "label-phone.png")
        browser.close()
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
