"""Clusterings compared: how far two are apart, and which one stands for many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blocklda.support.arrays import AnyInts, Floats, Ints

__all__ = ["representative", "variation_of_information"]

MAX_TABLE = 2**22
"""Cells of a contingency table that are counted directly; of larger ones only those in use."""


def variation_of_information(first: AnyInts, second: AnyInts) -> float:
    """Return H(first | second) + H(second | first) of two clusterings, in nats: 0 if they agree."""
    if len(first) == 0:
        return 0.0
    joint = _entropy(_contingency(first, second))
    return max(0.0, 2 * joint - _entropy(np.bincount(first)) - _entropy(np.bincount(second)))


def representative(clusterings: Sequence[AnyInts]) -> int:
    """Return which clustering has the least mean variation of information to all others.

    Of a posterior sample this is the draw of least expected loss (Wade & Ghahramani 2018); ties:
    the last wins.
    """
    n = len(clusterings)
    distances: Floats = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            distances[i, j] = variation_of_information(clusterings[i], clusterings[j])
    total = (distances + distances.T).sum(axis=1)
    return n - 1 - int(np.argmin(total[::-1]))


def _contingency(first: AnyInts, second: AnyInts) -> Ints:
    """Return how many documents each pair of components shares, those without any left out."""
    width = int(second.max()) + 1
    cells = first.astype(np.int64) * width + second
    if (int(first.max()) + 1) * width <= MAX_TABLE:
        return np.asarray(np.bincount(cells))
    return np.asarray(np.unique(cells, return_counts=True)[1])


def _entropy(counts: Ints) -> float:
    shares = counts[counts > 0] / counts.sum()
    return -float((shares * np.log(shares)).sum())
