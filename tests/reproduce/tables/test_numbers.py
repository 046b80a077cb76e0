"""Numbers are written with the digits that mean something, and the best of a row is marked."""

import pytest

from lovasz.reproduce.tables.numbers import (
    better_of_two,
    compare_row,
    flatten,
    headline,
    mark_best,
    write_runs,
)


def test_the_better_of_two_is_chosen_on_validation_alone():
    first = {"test": [1, 1, 1], "validation": [80, 70, 70], "loss": [1, 1, 1], "setting": "aaa"}
    second = {"test": [9, 9, 9], "validation": [70, 70, 70], "loss": [0, 0.5, 1], "setting": "bbb"}
    assert better_of_two(first, second)["test"] == [1, 9, 1]
    assert better_of_two(first, second)["setting"] == ["a", "b", "a"]


def test_marks_and_numbers():
    assert write_runs([]) == "not run" and write_runs([1.26], 2) == "1.26"
    assert mark_best({"a": 1.0}, {"a": 2.0}) == {"a": ""}
    row = compare_row({"a": [1.0, 1.0], "b": None}, {"a": 3.0, "b": 2.0})
    assert (row["a"].text, row["a"].paper, row["a"].mark) == ("1.0 ± 0.0", "3.0", "paper")
    assert (row["b"].text, row["b"].paper) == ("not run", "2.0")


def test_the_headline_is_that_of_its_reading_or_nothing():
    results = {("sonar", "gcn"): {"readings": {"raw": {"test": [69.0, 71.0]}}}}
    assert headline(results, "sonar", "gcn", reading="raw") == (70.0, pytest.approx(2**0.5))
    assert headline(results, "sonar", "gcn", reading="tuned") is None
    assert headline(results, "sonar", "lcn", reading="raw") is None


def test_published_rows_are_flattened_as_far_as_they_have_columns():
    published = {"a": (1.0, 2.0, 0.5)}
    assert flatten(published, ("gcn", "lcn")) == {("a", "gcn"): 1.0, ("a", "lcn"): 2.0}
