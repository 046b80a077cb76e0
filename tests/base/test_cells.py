"""Cells that spreadsheets do not run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lovasz.base.cells import FORMULA, guard_cell, unguard_cell


@given(st.text(alphabet="=+-@'\t\r1.eab ", max_size=6))
def test_guarding_can_be_taken_back_and_leaves_no_formula(text):
    cell = guard_cell(text)
    assert unguard_cell(cell) == text
    assert cell[:1] not in FORMULA or cell == "" or float(cell) == float(text)


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_every_character_that_begins_a_formula_is_guarded(first):
    assert guard_cell(f"{first}SUM(A1)") == f"'{first}SUM(A1)"
