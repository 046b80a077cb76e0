"""Checks of numbers and seeds: what passes, and errors that name the value."""

import numpy as np
import pytest

from lovasz.base.checks import check_whole, is_number, random_generator
from lovasz.base.errors import LovaszError


@pytest.mark.parametrize("value", [0, -1.5, np.float32(2), np.int64(3), True])
def test_finite_reals_are_numbers(value):
    assert is_number(value)


@pytest.mark.parametrize("value", [float("nan"), np.inf, "2", None, [1], 1j, np.complex64(1)])
def test_other_values_are_no_numbers(value):
    assert not is_number(value)


def test_integers_of_any_type_are_whole():
    assert [check_whole(value, "k") for value in (0, np.int64(3), True)] == [0, 3, 1]
    assert type(check_whole(np.int64(3), "k")) is int


@pytest.mark.parametrize("value", [1, 2.0, "3", None])
def test_what_is_not_whole_or_too_small_is_named(value):
    with pytest.raises(LovaszError, match=f"k={value!r}; pass a whole number of at least 2"):
        check_whole(value, "k", least=2)


def test_a_seed_gives_the_stream_of_numpy_and_a_generator_passes():
    assert random_generator(7).integers(10**9) == np.random.default_rng(7).integers(10**9)
    rng = np.random.default_rng(0)
    assert random_generator(rng) is rng


def test_no_seed_is_an_error_unless_it_is_optional():
    with pytest.raises(LovaszError, match=r"seed=None; pass a whole number of at least 0$"):
        random_generator(None)
    assert isinstance(random_generator(None, optional=True), np.random.Generator)


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_a_bad_seed_is_named(seed):
    with pytest.raises(LovaszError, match=f"random_state={seed!r}; pass .* 0, or None"):
        random_generator(seed, "random_state", optional=True)
