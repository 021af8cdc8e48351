"""The largest of many numbers."""

from __future__ import annotations

import numpy as np

from blocklda.support.arrays import Floats, Ints

__all__ = ["largest"]


def largest(values: Floats, n: int) -> Ints:
    """Return the places of the n largest values, or of all there are; of equals the first ones.

    The same as the first n of a stable sort, but only those that can be among them are sorted.
    """
    n = min(n, len(values))
    if n == 0:
        return np.empty(0, dtype=np.int64)
    candidates = np.flatnonzero(values >= np.partition(values, -n)[-n])
    return candidates[np.argsort(-values[candidates], kind="stable")[:n]]
