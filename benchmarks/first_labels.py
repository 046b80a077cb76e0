"""From an empty folder to the first labels: ``lovasz label`` driven by keyboard in Chromium.

    LOVASZ_DATA=… python benchmarks/first_labels.py

For Zachary's karate club (34 nodes, 30 labels) and Cora with its features (2,708 nodes, 40 labels)
the files are written to an empty folder, ``lovasz label`` is started, and each label is given by
key, after ``--pause`` seconds in which a person would look at the node. The columns are the wall
seconds until the first card is there, until the last label is given, and until ``lovasz classify``
with the project has written its report; then the accuracy on the nodes that were not labelled.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.datasets import load

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE_MS = 120_000
MOVED = "row => document.getElementById('work').dataset.row !== row"
CASES = {"karate": 30, "cora": 40}
"""Data set -> number of labels."""


def write_files(name: str, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Write the graph, and the features if there are any; return the words of the command."""
    data = load(name)
    names = [f"{name} {v}" for v in range(data.graph.n)]
    ends = np.argwhere(sparse.triu(data.graph.adjacency).toarray())
    with open(folder / "graph.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows((names[a], names[b]) for a, b in ends)
    words = ["graph.csv"]
    if data.features is not None:
        with open(folder / "features.csv", "w", newline="", encoding="utf-8") as file:
            X = sparse.csr_array(data.features).toarray()
            rows = csv.writer(file)
            rows.writerow(["node", *(f"word {k}" for k in range(X.shape[1]))])
            rows.writerows([names[v], *X[v].astype(int)] for v in np.unique(ends))
        words += ["--features", "features.csv"]
    return words, {name: f"class {y}" for name, y in zip(names, data.y, strict=True)}


def label(page: Any, truth: dict[str, str], count: int, pause: float) -> set[str]:
    """Give labels by key, and return the nodes."""
    given = set()
    for _ in range(count):
        row = page.get_attribute("#work", "data-row")
        node = page.inner_text("#card .name")
        wanted = truth[node]
        given.add(node)
        time.sleep(pause)
        known = [b.get_attribute("data-class") for b in page.query_selector_all("button.class")]
        if wanted in known:
            page.keyboard.press(str(known.index(wanted) + 1))
        else:
            page.keyboard.press("n")
            page.keyboard.type(wanted)
            page.keyboard.press("Enter")
        page.wait_for_function(MOVED, arg=row, timeout=PATIENCE_MS)
    return given


def measure(name: str, count: int, pause: float, browser: Any) -> str:
    """Return one row of the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        words, truth = write_files(name, folder)
        started = time.monotonic()
        command = [sys.executable, "-m", "lovasz"]
        with subprocess.Popen(
            [*command, "label", *words, "--no-browser"], cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as server:  # fmt: skip
            assert server.stdout is not None
            page = browser.new_page()
            page.goto(server.stdout.readline().strip())
            page.wait_for_selector("#card .name", timeout=PATIENCE_MS)
            first = time.monotonic() - started
            given = label(page, truth, count, pause)
            last = time.monotonic() - started
            server.terminate()
        out = ["--labels", "graph.lovasz", "--out", "found"]
        subprocess.run(
            [*command, "classify", *words, *out], cwd=folder, check=True, capture_output=True
        )
        done = time.monotonic() - started
        with open(folder / "found" / "predictions.csv", newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["node"] not in given]
        right = np.mean([truth[row["node"]] == row["class"] for row in rows])
    return f"{name:<8}{count:>7}{first:>12.1f}{last:>12.1f}{done:>12.1f}{100 * right:>10.1f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pause", type=float, default=2.0, help="seconds before each label")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {options.pause:g} s per look")
    print(f"graph    labels{'first card':>12}{'last label':>12}{'report':>12}{'right %':>10}")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, count in CASES.items():
            print(measure(name, count, options.pause, browser), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
