"""Check a built site: links, and every page opened in a browser.

    python docs/scripts/check_site.py docs/_build/html [--screenshots FOLDER]

Every link to a page, a place on a page, a picture or a download must lead somewhere. In a headless
Chromium every page is opened from its file, light, dark and on a phone: there must be no error on
the console, no request to anything but files, and nothing wider than the phone. The search must
find a word without a server. Exits with 1 and one line per fault.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
VIEWS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}
"""What each way of looking at a page asks of the browser."""
WORD = "dominance"
"""A word that the search must find."""


class Links(HTMLParser):
    """The links of a page, and the places that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, and the addresses of links, pictures, scripts and styles."""
        for name, value in attrs:
            if name == "id" and value:
                self.places.add(value)
            elif name in ("href", "src") and value and not (tag == "link" and "://" in value):
                self.targets.append(value)


def broken_links(site: Path) -> Iterator[str]:
    """Yield one line for each link inside the site that leads nowhere."""
    pages = {
        path.resolve(): Links(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")
    }
    for path, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not file.is_file():
                yield f"{path.relative_to(site.resolve())}: no file {target}"
            elif place and file in pages and place not in pages[file].places:
                yield f"{path.relative_to(site.resolve())}: no place {target}"


def faults_in_browser(site: Path, pictures: Path | None) -> Iterator[str]:
    """Yield one line for each fault of a page in the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        for view, options in VIEWS.items():
            page = browser.new_page(**options)
            seen: list[str] = []
            page.on("console", lambda said, seen=seen: note_error(said, seen))
            page.on("pageerror", lambda problem, seen=seen: seen.append(str(problem)))
            page.on("request", lambda request, seen=seen: note_request(request.url, seen))
            for path in sorted(site.rglob("*.html")):
                name = str(path.relative_to(site))
                page.goto(path.resolve().as_uri(), wait_until="load")
                yield from (f"{name} ({view}): {text}" for text in seen)
                seen.clear()
                if view == "phone" and (wide := overflow(page)):
                    yield f"{name}: {wide} pixels wide on a phone"
                if pictures is not None:
                    shot = pictures / f"{name.replace('/', '-').removesuffix('.html')}-{view}.png"
                    page.screenshot(path=shot)
            page.close()
        page = browser.new_page()
        page.goto(f"{(site / 'search.html').resolve().as_uri()}?q={WORD}")
        try:
            page.wait_for_selector("#search-results ul.search li", timeout=20_000)
        except Exception:
            yield f"search.html: finds no {WORD!r} from a file"
        browser.close()


def note_error(said: Any, seen: list[str]) -> None:
    """Note an error on the console."""
    if said.type == "error":
        seen.append(said.text)


def note_request(url: str, seen: list[str]) -> None:
    """Note a request that leaves the machine."""
    if not url.startswith(("file:", "data:", "blob:", "about:")):
        seen.append(f"asks for {url}")


def overflow(page: Any) -> int:
    """The width of a page if it is wider than its window, else 0."""
    width = int(page.evaluate("document.documentElement.scrollWidth"))
    return width if width > VIEWS["phone"]["viewport"]["width"] + 1 else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--screenshots", type=Path)
    arguments = parser.parse_args()
    if arguments.screenshots is not None:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    faults = list(broken_links(arguments.site))
    if CHROMIUM is None:
        print("no Chromium found; pages were not opened. Install one or name it in $CHROMIUM")
    else:
        faults += faults_in_browser(arguments.site, arguments.screenshots)
    pages = len(list(arguments.site.rglob("*.html")))
    print(*faults, f"{pages} pages, {len(faults)} faults", sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
