"""The documentation: every code block runs, every picture exists, every public name has an example.

The site itself is built and opened in a browser by ``make site``.
"""

import re
import runpy
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if not {"_build", "api", "gallery"} & set(page.relative_to(DOCS).parts)
]
BLOCK = re.compile(r"^```(python|console|text|csv)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)
SKIPPED = "<!-- not run"
"""A comment before a block that cannot run here; it says why."""


def blocks(page):
    """Yield the language, the file name if one is given, and the text of each block to run.

    Empty lines before Python code make the line numbers of an error those of the page.
    """
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        if not text[: found.start()].rstrip().rpartition("\n")[2].startswith(SKIPPED):
            language, name, code = found.groups()
            before = text.count("\n", 0, found.start(3))
            yield language, name, "\n" * before + code if language == "python" else code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_the_code_of_a_page_runs(page, run, monkeypatch):
    """The blocks of a page share their names and an empty folder, as for a reader."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {"__name__": "__page__"}
    for language, name, text in blocks(page):
        if name is not None:  # the reader saves this file
            Path(name).write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, str(page), "exec"), names)
        elif language == "console":
            for line in text.replace("\\\n", " ").splitlines():
                if line.startswith("lovasz "):
                    code, out, err = run(*shlex.split(line, comments=True)[1:])
                    assert code == 0, f"{line}\n{out}\n{err}"


def test_every_public_name_has_an_example():
    pages = runpy.run_path(str(DOCS / "_ext/api_pages.py"))
    names = [name for group in pages["full_names"]().values() for name in group]
    assert [name for name in names if not pages["has_example"](name)] == []
    assert len(names) > 60


def test_every_file_that_a_page_links_to_exists():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        targets = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
        for target in targets + re.findall(r"include\} (\S+)", text):
            if not target.startswith(("gallery", "../gallery", "api", "../api")):
                assert (page.parent / target).exists(), f"{page}: {target}"
