"""The script and the style sheet of the viewer, as text."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

PARTS = ("decode.js", "camera.js", "painter.js", "controls.js", "table.js", "viewer.js")
"""The files that make up the script, in order."""


@cache
def viewer_script() -> str:
    """Return the script: it defines ``LovaszViewer`` and opens the viewers that a page contains."""
    parts = "\n".join(_read(name) for name in PARTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();\n'


@cache
def viewer_style() -> str:
    """Return the style sheet."""
    return _read("viewer.css")


@cache
def script_hash() -> str:
    """Return the source expression that lets a content security policy run the inline script."""
    digest = sha256(viewer_script().encode("utf-8")).digest()
    return f"sha256-{b64encode(digest).decode('ascii')}"


def _read(name: str) -> str:
    return (files("lovasz.pages.viewer") / name).read_text(encoding="utf-8")
