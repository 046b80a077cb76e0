"""Colours and texts of the pages."""

import subprocess
import sys
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import numpy as np
import pytest

from lovasz.pages.style import PALETTE, clean, cut_text


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
    ],
)
def test_names_are_cut_by_the_room_they_take(text, width, short):
    assert cut_text(text, width) == short


def test_colours_stand_out_from_both_pages():
    def luminance(hue):
        c = np.array([int(hue[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    for hue in PALETTE:
        light, dark = luminance("#ffffff"), luminance("#14171a")
        assert (light + 0.05) / (luminance(hue) + 0.05) >= 2.6
        assert (luminance(hue) + 0.05) / (dark + 0.05) >= 2.6


def test_importing_the_library_loads_neither_matplotlib_nor_jinja():
    code = "import sys, lovasz, lovasz.graphs; print({'matplotlib', 'jinja2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_every_character_can_be_part_of_a_page():
    """All characters once, and the two that Python calls fine and XML does not."""
    text = "".join(map(chr, [*range(0x3000), *range(0xD7F0, 0x10010), 0x1FFFE, 0x10FFFF]))
    shown = clean(text)
    ElementTree.fromstring(f"<text>{escape(shown)}</text>")
    shown.encode()
    assert not set(shown) & set("\x1b\u202e\u2066\u2069\ufffe\uffff")
