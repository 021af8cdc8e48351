"""Numbers of any size: mantissa and exponent apart.

The likelihood of a long document is far below the smallest double. Powers of two are exact, so
these numbers round as doubles would if their exponents had no end. The kernel may therefore take
plain doubles wherever they suffice: the bits are the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import frexp, ldexp

__all__ = [
    "ONE",
    "ZERO",
    "Scaled",
    "aligned",
    "divided",
    "draw_place",
    "product",
    "rising",
    "scaled",
    "total",
]

Scaled = tuple[float, int]
"""A number ≥ 0 that is mantissa · 2^exponent, with a mantissa from 0.5 to 1."""

LOWEST = -(2**40)
"""The exponent of 0: below that of every other number."""

ZERO: Scaled = (0.0, LOWEST)
ONE: Scaled = (0.5, 1)

NEGLIGIBLE = -1000
"""Numbers this many powers of two below the largest of a sum do not change it."""

FAR_FROM_ONE = 2.0**256
"""Products beyond it are brought back to the range of mantissas."""


def scaled(number: float, exponent: int = 0) -> Scaled:
    """Return number · 2^exponent."""
    mantissa, own = frexp(number)
    return (mantissa, own + exponent) if mantissa else ZERO


def product(a: Scaled, b: Scaled) -> Scaled:
    """Return a · b."""
    return scaled(a[0] * b[0], a[1] + b[1])


def divided(a: Scaled, b: Scaled) -> Scaled:
    """Return a / b."""
    return scaled(a[0] / b[0], a[1] - b[1])


def rising(b: float, n: int) -> Scaled:
    """Return b (b + 1) … (b + n − 1)."""
    mantissa, exponent = 1.0, 0
    for i in range(n):
        mantissa *= b + float(i)
        if mantissa > FAR_FROM_ONE:
            mantissa, more = frexp(mantissa)
            exponent += more
    return scaled(mantissa, exponent)


def aligned(numbers: Sequence[Scaled]) -> tuple[list[float], int]:
    """Return numbers as doubles, divided by a power of two, and its exponent; all are below 1."""
    top = max(exponent for _, exponent in numbers)
    return [
        ldexp(mantissa, exponent - top) if exponent - top >= NEGLIGIBLE else 0.0
        for mantissa, exponent in numbers
    ], top


def total(numbers: Sequence[Scaled]) -> Scaled:
    """Return the sum, added from the first to the last."""
    doubles, exponent = aligned(numbers)
    sum_so_far = 0.0
    for number in doubles:  # sum() of some versions of Python rounds only once
        sum_so_far += number
    return scaled(sum_so_far, exponent)


def draw_place(weights: Sequence[Scaled], uniform: float) -> int:
    """Draw a place with probability proportional to its weight, by inversion."""
    doubles, _ = aligned(weights)
    ends = list(accumulate(doubles))
    place = bisect_right(ends, uniform * ends[-1])
    # Rounding may leave a point at the end: it belongs to the last place with weight.
    while place == len(ends) or doubles[place] == 0.0:
        place -= 1
    return place
