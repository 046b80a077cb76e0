"""What a release consists of agrees with itself: version, citation, changelog, bounds."""

import re
import tomllib
from pathlib import Path

import lovasz

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_citation_has_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE).group(1) == lovasz.__version__


def test_the_changelog_has_the_usual_sections():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert all(
        re.fullmatch(r"Unreleased|\d+\.\d+\.\d+( - \d{4}-\d\d-\d\d)?", name) for name in releases
    )
    known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for release in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        sections = re.findall(r"^### (.*)$", release, re.MULTILINE)
        assert sections == [name for name in known if name in sections]  # each once, in order


def test_every_dependency_has_a_lower_bound():
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    for line in PROJECT["dependencies"] + extras:
        assert re.fullmatch(r"[\w-]+>=[\d.]+|lovasz\[[a-z,]+\]", line), line


def test_the_type_checkers_are_told():
    assert (Path(lovasz.__file__).parent / "py.typed").exists()
