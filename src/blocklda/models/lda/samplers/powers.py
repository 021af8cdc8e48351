"""Powers of the likelihood in annealed sweeps: b in sixteenths, so that roots make x^b."""

from __future__ import annotations

import numpy as np

from blocklda.support.arrays import Floats

__all__ = ["FIRST_SIXTEENTHS", "N_LEVELS", "WHOLE", "power", "sixteenths"]

WHOLE = 16
"""b = 1: sweeps of the posterior."""

FIRST_SIXTEENTHS = 8
"""b begins at 8/16. On KOS, K = 32, first powers from 0.4 to 0.7 gave the same log posterior within
the noise of two chains, and 0.8 a lower one."""

N_LEVELS = WHOLE - FIRST_SIXTEENTHS
"""b rises in steps of 1/16, so that x^b is a product of square roots, which every machine rounds
alike."""


def sixteenths(sweep: int, n_sweeps: int) -> int:
    """Return 16 b of a sweep, counted from 0, of a chain whose first ``n_sweeps`` are annealed."""
    return WHOLE if sweep >= n_sweeps else FIRST_SIXTEENTHS + N_LEVELS * sweep // n_sweeps


def power(x: Floats, sixteenths: int) -> Floats:
    """Return x^(sixteenths / 16) as a product of repeated square roots, largest first."""
    root = x
    product = x if sixteenths >= WHOLE else np.ones_like(x)
    for bit in (8, 4, 2, 1):
        root = np.sqrt(root)
        if sixteenths & bit:
            product = product * root
    return product
