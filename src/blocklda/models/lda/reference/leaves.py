"""The leaves of a block: q_k(n) = a^(n) b^(n) / (n! c^(n)) for every topic k and n = 0..C.

All arrays are stored by degree, shape (C + 1, K): row n holds the coefficient of x^n.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from blocklda.models.lda.reference.blocks import Block, BlockTooLargeError
from blocklda.support.arrays import Floats

__all__ = ["ALWAYS_IN_RANGE", "in_range", "raw_leaves", "tilted_leaves", "tilted_products"]


ALWAYS_IN_RANGE = 16
"""Blocks up to this size can neither overflow nor underflow, whatever the counts; see
`native/dense/leaves.hpp` for the bounds."""

SMALLEST_SHARE = 1e-270
"""How much smaller than the largest one a wanted coefficient may be."""

SMALLEST_BY_FFT = 1e-7
"""The error of an FFT is about 1e-16 of the largest coefficient, and tilted leaves sum to 1: below
this value of the wanted coefficient the error could be seen."""

BIG, SMALL = 2.0**256, 2.0**-256
MAX_STEPS = 200


class HasNormaliser(Protocol):
    """Products of leaves that know h_{1:K}(C)."""

    @property
    def normaliser(self) -> float:
        """The coefficient of x^C of the product of all leaves."""
        ...


Products = TypeVar("Products", bound=HasNormaliser)


def raw_leaves(block: Block) -> Floats:
    """Return q_k(n); q_k(0) = 1 and each further term is the one before times a ratio."""
    leaves = np.ones((block.size + 1, len(block.a)))
    for n in range(1, block.size + 1):
        leaves[n] = leaves[n - 1] * block.ratio(n)
    return leaves


def in_range(normaliser: Floats) -> bool:
    """Return True if raw coefficients kept everything that matters.

    ``normaliser`` is h_{1:K}(0..C). No other coefficient of the same degree exceeds it, because
    all constant terms are 1.
    """
    if len(normaliser) - 1 <= ALWAYS_IN_RANGE:
        return True
    if not (normaliser < np.inf).all():
        return False
    return bool(normaliser[-1] >= normaliser.max() * SMALLEST_SHARE)


def tilted_leaves(block: Block) -> Floats:
    """Return p_k(n) ∝ q_k(n) s^−n, summing to 1 for each topic.

    Any s leaves the conditional of a block as it is, since the degrees of its topics always add up
    to C. The s chosen here makes C the mean total. That is a typical total too, unless topics of
    two kinds meet in one block, those that take few tokens each and empty ones that would take all
    or none: C may then lie in a valley between two modes, as low as e^(−0.37 C). So callers of
    tilted leaves look at h(C): see `tilted_products`.
    """
    terms, total, _, _ = _series(block, _saddle_point(block))
    return terms / total


def tilted_products(
    block: Block, by_fft: bool, multiply: Callable[[Floats, bool], Products]
) -> Products:
    """Multiply tilted leaves, by FFT only where that is exact enough.

    ``multiply(leaves, by_fft)`` returns something with the ``normaliser`` h_{1:K}(C).
    """
    leaves = tilted_leaves(block)
    if by_fft:
        products = multiply(leaves, True)
        if products.normaliser >= SMALLEST_BY_FFT:
            return products
    products = multiply(leaves, False)
    if not products.normaliser >= SMALLEST_SHARE:
        raise BlockTooLargeError
    return products


def _saddle_point(block: Block) -> float:
    """Return s with (E − C)² ≤ Var for the total degree, by bisection; E falls in s.

    The first guess is right when every q_k is a Poisson series.
    """
    s = _running_total(block.ratio(1)) / block.size
    low = high = 0.0
    for _ in range(MAX_STEPS):
        _, _, means, variances = _series(block, s)
        mean, variance = _running_total(means), _running_total(variances)
        if (mean - block.size) * (mean - block.size) <= variance:
            break
        if mean > block.size:
            low = s
        else:
            high = s
        if low > 0 and high > 0:
            s = math.sqrt(low) * math.sqrt(high)
        else:
            s = s * 4.0 if mean > block.size else s / 4.0
    return s


def _series(block: Block, s: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return q_k(n) s^−n up to a power of two per topic, with total, mean and variance of n.

    Powers of 2^256 are carried in ``exponents``: the terms of one topic may span more than the
    range of a double on the way from one of its modes to the other.
    """
    n_topics = len(block.a)
    terms = np.ones((block.size + 1, n_topics))
    exponents = np.zeros((block.size + 1, n_topics), dtype=np.int64)
    for n in range(1, block.size + 1):
        term = terms[n - 1] * (block.ratio(n) / s)
        too_big, too_small = term > BIG, term < SMALL
        terms[n] = np.where(too_big, term * SMALL, np.where(too_small, term * BIG, term))
        exponents[n] = exponents[n - 1] + too_big - too_small
    below = exponents.max(axis=0) - exponents
    for i in range(5):
        terms = np.where(below > i, terms * SMALL, terms)
    total, first, second = np.zeros(n_topics), np.zeros(n_topics), np.zeros(n_topics)
    for n in range(block.size + 1):
        total = total + terms[n]
        first = first + n * terms[n]
        second = second + n * (n * terms[n])
    mean = first / total
    return terms, total, mean, second / total - mean * mean


def _running_total(values: Floats) -> float:
    return float(np.add.accumulate(values)[-1])
