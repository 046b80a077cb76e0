"""CSV tables on terminals, in files and in spreadsheets."""

import csv
import io

from lovasz.base.tables import write_table
from lovasz.base.text import printable

ROWS = [["node", "value"], ["a\x1b[31mb", -0.5], ["=1+1", "-0.5"], ["x\u202ey", 3]]


class Terminal(io.StringIO):
    """A file that says that it is a terminal."""

    def isatty(self):
        return True


def test_a_file_keeps_its_names_and_runs_no_formula():
    file = io.StringIO(newline="")
    write_table(file, ROWS)
    rows = list(csv.reader(io.StringIO(file.getvalue(), newline="")))
    assert rows == [["node", "value"], ["a\x1b[31mb", "-0.5"], ["'=1+1", "-0.5"], ["x\u202ey", "3"]]


def test_a_terminal_is_sent_no_escape_sequence():
    screen = Terminal()
    write_table(screen, ROWS)
    shown = screen.getvalue()
    assert "\x1b" not in shown and "\u202e" not in shown
    assert "a\\x1b[31mb,-0.5\n" in shown and "x\\u202ey,3\n" in shown


def test_printable_text_is_left_alone():
    for text in ("naïve ϑ ≤ 3, 日本", "two\nlines\tand a tab", ""):
        assert printable(text) == text
    assert printable("bell\a \x9b31m\x7f\u2066") == "bell\\x07 \\x9b31m\\x7f\\u2066"
