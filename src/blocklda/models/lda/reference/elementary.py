"""The functions of native/shared/elementary.hpp in Python, operation by operation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

__all__ = ["LogProduct", "exp", "log", "log_gamma", "polynomial"]

LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
INVERSE_ROOT_2 = float.fromhex("0x1.6a09e667f3bcdp-1")
INVERSE_LN_2 = float.fromhex("0x1.71547652b82fep+0")
HALF_LOG_2_PI = float.fromhex("0x1.d67f1c864beb5p-1")

LOG_SERIES = [1 / (2 * i + 1) for i in range(12)]
EXP_SERIES = [1 / math.factorial(i) for i in range(14)]
STIRLING_SERIES = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156]


def polynomial(series: Sequence[float], x: float) -> float:
    """Return series[0] + series[1] x + series[2] x² + …, by Horner's rule."""
    total = series[-1]
    for coefficient in reversed(series[:-1]):
        total = total * x + coefficient
    return total


def log(x: float) -> float:
    """Return log x for 0 < x < ∞."""
    m, exponent = math.frexp(x)
    if m < INVERSE_ROOT_2:
        m, exponent = 2 * m, exponent - 1
    t = (m - 1) / (m + 1)
    return exponent * LN2_HIGH + (exponent * LN2_LOW + 2 * t * polynomial(LOG_SERIES, t * t))


def exp(x: float) -> float:
    """Return exp x for x ≤ 700, and 0 from −700 down."""
    if not x > -700:
        return 0.0
    k = math.floor(x * INVERSE_LN_2 + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    return math.ldexp(polynomial(EXP_SERIES, r), k)


@lru_cache(maxsize=10_000)
def log_gamma(x: float) -> float:
    """Return log Γ(x) for 0 < x < ∞."""
    product = 1.0
    while x < 10:
        product, x = product * x, x + 1
    inverse = 1 / x
    rest = inverse * polynomial(STIRLING_SERIES, inverse * inverse)
    stirling = ((x - 0.5) * log(x) - x) + (HALF_LOG_2_PI + rest)
    return stirling if product == 1 else stirling - log(product)


class LogProduct:
    """The logarithm of a product: mantissas are multiplied, exponents added."""

    def __init__(self) -> None:
        self.product, self.exponent = 1.0, 0

    def multiply(self, x: float) -> None:
        """Multiply by a positive number."""
        self.product = self.within_bounds(self.product * self.within_bounds(x))

    def within_bounds(self, x: float) -> float:
        """Return x, or its mantissa if it is far from 1."""
        if 2.0**-256 < x < 2.0**256:
            return x
        x, exponent = math.frexp(x)
        self.exponent += exponent
        return x

    def log(self) -> float:
        """Return the logarithm of the product."""
        e = float(self.exponent)
        return e * LN2_HIGH + (e * LN2_LOW + log(self.product))
