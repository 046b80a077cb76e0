"""Whatever a template shows is text, unless it is markup already."""

from markupsafe import Markup

from lovasz.pages.template import environment


def test_text_is_escaped_and_has_no_control_characters():
    shown = environment().from_string("{{ name }}").render(name="<b>\u202ered\x07")
    assert shown.startswith("&lt;b&gt;") and shown.endswith("\N{REPLACEMENT CHARACTER}")
    assert "\u202e" not in shown and "\x07" not in shown


def test_markup_and_numbers_stay():
    page = environment().from_string("{{ bold }} {{ count | thousands }}")
    assert page.render(bold=Markup("<b>x</b>"), count=1234) == "<b>x</b> 1,234"
