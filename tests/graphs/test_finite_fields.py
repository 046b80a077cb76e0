"""Prime powers and squares."""

import pytest

from lovasz.graphs.finite_fields import is_prime, nonzero_squares, prime_power


def test_primes_are_those_of_a_sieve():
    n = 2000
    sieve = {k for k in range(2, n) if all(k % d for d in range(2, int(k**0.5) + 1))}
    assert {k for k in range(n) if is_prime(k)} == sieve
    assert not is_prime(3215031751)  # a strong pseudoprime to the bases 2, 3, 5 and 7


def test_prime_powers_are_found_with_their_exponents():
    assert prime_power(3**20) == (3, 20)
    assert prime_power(2 * 3**20) is None
    assert prime_power((10**6 + 3) ** 2) == (10**6 + 3, 2)
    assert prime_power(1) is None


@pytest.mark.parametrize(("p", "degree"), [(3, 1), (3, 2), (5, 2), (3, 3), (7, 2), (3, 4)])
def test_half_of_the_nonzero_elements_are_squares(p, degree):
    assert len(nonzero_squares(p, degree)) == (p**degree - 1) // 2
