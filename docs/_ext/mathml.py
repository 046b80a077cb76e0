"""Mathematics as MathML, which browsers draw themselves: no script and no outside request."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

BAR = '<mo stretchy="false" lspace="0" rspace="0">|</mo>'
"""A bar of an absolute value, which browsers would set apart like a relation."""
OPERATORS = {"~": "∼", "⪰": "⪰", "⪯": "⪯", "⟂": "⊥", "⟨": "⟨", "⟩": "⟩"}
"""Signs that the converter takes for letters, and how to write them as operators."""


def draw_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    translator.body.append(as_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def draw_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    translator.body.append(f'<div class="math">{as_mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode


def as_mathml(latex: str, display: str) -> str:
    """Convert LaTeX; several lines or an ampersand make an aligned block."""
    if display == "block" and (r"\\" in latex or "&" in latex) and r"\begin" not in latex:
        latex = rf"\begin{{align*}}{latex}\end{{align*}}"
    found = str(convert(latex.strip(), display=display))
    for sign, operator in OPERATORS.items():
        letter = f"<mi>&#x{ord(sign):05X};</mi>"
        stretchy = ' stretchy="false"' if sign in "⟨⟩" else ""
        found = found.replace(letter, f"<mo{stretchy}>{operator}</mo>")
    return re.sub(r"<mo[^>]*>(&#x0007C;|\|)</mo>", BAR, found)


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (draw_inline, None), (draw_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
