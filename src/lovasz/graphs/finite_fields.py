"""Finite fields, as far as Paley graphs need them: prime powers and squares."""

from __future__ import annotations

from itertools import product

WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Bases for which the test of Miller and Rabin is a proof up to 3.3 · 10²⁴."""


def prime_power(q: int) -> tuple[int, int] | None:
    """Return (p, e) with q = pᵉ and p prime, or None if there is none.

    >>> prime_power(25), prime_power(12), prime_power(10**9 + 7)
    ((5, 2), None, (1000000007, 1))
    """
    for e in range(q.bit_length(), 0, -1):
        p = round(q ** (1 / e)) if e > 1 else q
        for near in (p - 1, p, p + 1):
            if near > 1 and near**e == q and is_prime(near):
                return near, e
    return None


def is_prime(n: int) -> bool:
    """Whether n is prime, by the test of Miller and Rabin; see :data:`WITNESSES`."""
    if n < 2 or any(n % p == 0 for p in WITNESSES):
        return n in WITNESSES
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for a in WITNESSES:
        x = pow(a, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def nonzero_squares(p: int, degree: int) -> set[tuple[int, ...]]:
    """Return the nonzero squares of the field of p^degree elements, as tuples of residues.

    >>> sorted(nonzero_squares(5, 1))
    [(1,), (4,)]
    """
    modulus = _irreducible(p, degree)
    elements = (a for a in product(range(p), repeat=degree) if any(a))
    return {_multiply(a, a, modulus, p) for a in elements}


def _irreducible(p: int, degree: int) -> tuple[int, ...]:
    """The lower coefficients, highest first, of a monic polynomial without a proper factor."""
    if degree == 1:
        return (0,)
    tails = product(range(p), repeat=degree)
    return next(tail for tail in tails if not _has_factor(tail, p))


def _has_factor(tail: tuple[int, ...], p: int) -> bool:
    """Whether a monic polynomial has a monic factor of at most half its degree."""
    whole = (1, *tail)
    for degree in range(1, len(tail) // 2 + 1):
        for low in product(range(p), repeat=degree):
            rest = list(whole)
            for i in range(len(rest) - degree):
                lead = rest[i]
                for k, c in enumerate((1, *low)):
                    rest[i + k] = (rest[i + k] - lead * c) % p
            if not any(rest):
                return True
    return False


def _multiply(
    a: tuple[int, ...], b: tuple[int, ...], tail: tuple[int, ...], p: int
) -> tuple[int, ...]:
    """The product modulo the monic polynomial with the lower coefficients ``tail``."""
    d = len(tail)
    wide = [0] * (2 * d - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            wide[i + j] += x * y
    for i in range(d - 1):
        lead = wide[i]
        for k, c in enumerate(tail):
            wide[i + 1 + k] -= lead * c
    return tuple(x % p for x in wide[d - 1 :])
