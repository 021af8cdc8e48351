"""How many topics a state has, in several senses."""

from __future__ import annotations

import numpy as np

from blocklda.support.arrays import Ints

__all__ = ["SHARES", "exp_entropy", "n_large", "topics_holding"]

SHARES = (95, 99)
"""Per cent of the tokens for which the largest topics are counted."""

LARGE = 0.01
"""A topic with more than this share of the tokens counts as large."""


def topics_holding(sizes: Ints, share: float) -> int:
    """Return how many of the largest topics hold this share of the tokens."""
    held = np.cumsum(np.sort(sizes)[::-1])
    return int(np.searchsorted(held, share * held[-1])) + 1


def n_large(sizes: Ints) -> int:
    """Return how many topics have more than 1 % of the tokens."""
    return int((sizes > LARGE * sizes.sum()).sum())


def exp_entropy(sizes: Ints) -> float:
    """Return exp(entropy of the topics' shares): as many topics of equal size are as diverse."""
    shares = sizes[sizes > 0] / sizes.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))
