"""Portable logarithms: accurate, and the same in C++ and Python to the bit."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.special import gammaln

from blocklda import _native
from blocklda.models.lda.reference import elementary

RNG = np.random.default_rng(0)
POSITIVE = [
    5e-324,
    2.2250738585072014e-308,
    1e-300,
    0.5,
    1.0,
    math.nextafter(1.0, 2.0),
    math.nextafter(1.0, 0.0),
    2.0,
    9.999999999999998,
    10.0,
    1e300,
    1.7976931348623157e308,
    *10.0 ** RNG.uniform(-300, 300, 300),
    *10.0 ** RNG.uniform(-3, 6, 1_000),
    *RNG.uniform(0.5, 3.0, 500),
    *(np.arange(1, 300) + 0.01),
]


def exact_log(x: float) -> float:
    with localcontext() as context:
        context.prec = 40
        return float(Decimal(x).ln())


def exact_exp(x: float) -> float:
    with localcontext() as context:
        context.prec = 40
        return float(Decimal(x).exp())


def test_the_logarithm_is_exact_to_three_units_in_the_last_place():
    for x in POSITIVE:
        assert elementary.log(x) == pytest.approx(exact_log(x), rel=7e-16, abs=0)


def test_the_exponential_is_exact_to_six_units_in_the_last_place():
    for x in RNG.uniform(-699, 0, 500):
        assert elementary.exp(x) == pytest.approx(exact_exp(x), rel=1.4e-15, abs=0)
    assert (elementary.exp(-0.0), elementary.exp(-701.0)) == (1.0, 0.0)


def test_log_gamma_is_close_to_that_of_scipy():
    """SciPy's own error is some 1e-15 of the value, and its range ends above subnormal numbers."""
    x = np.array([x for x in POSITIVE if 1e-307 < x < 1e300])
    found = np.array([elementary.log_gamma(value) for value in x.tolist()])
    np.testing.assert_allclose(found, gammaln(x), rtol=4e-15, atol=2e-14)


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_c_and_python_agree_to_the_bit(isa):
    active = _native.active_instruction_set()
    _native.use_instruction_set(isa)
    try:
        for x in map(float, POSITIVE):
            expected = elementary.log(x), elementary.exp(-x), elementary.log_gamma(x)
            assert _native.elementary(x) == expected
    finally:
        _native.use_instruction_set(active)


def test_a_product_beyond_the_range_of_doubles_has_a_logarithm():
    product = elementary.LogProduct()
    factors = [1e-300, 1e-200, 1e250, 3.0, 1e300, 1e300, 1e300, 0.7]
    for x in factors:
        product.multiply(x)
    assert product.log() == pytest.approx(sum(map(exact_log, factors)), rel=1e-14)
