"""The picture of the quick start: the top of the demo's report page, as a browser shows it.

    python docs/scripts/report_picture.py

Runs ``lovasz demo`` into a temporary folder and takes the screenshot with headless Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "images"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def main() -> None:
    if CHROMIUM is None:
        sys.exit("no Chromium found; install one or name it in $CHROMIUM")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([sys.executable, "-m", "lovasz", "demo", "--out", folder], check=True)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 1640})
        page.goto(Path(folder, "report.html").as_uri())
        page.screenshot(path=IMAGES / "report.png")
        browser.close()
    print(IMAGES / "report.png")


if __name__ == "__main__":
    main()
