"""Checks of arrays whose rows are probability distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError

__all__ = ["check_distributions"]

ROW_SUM_TOLERANCE = 1e-6
"""Far above the rounding of a sum of millions of doubles, far below any wrong normalisation."""


def check_distributions(name: str, value: Any) -> Floats:
    """Return ``value`` as a matrix of doubles with one distribution per row, or say why not."""
    try:
        rows = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} is a {type(value).__name__} that is not a matrix of numbers: give one "
            "probability distribution per row."
        ) from error
    if rows.ndim != 2 or rows.size == 0:
        raise InputError(
            f"{name} has the shape {rows.shape}: give a matrix with one probability distribution "
            "per row."
        )
    sums = rows.sum(axis=1)
    # One look at all numbers will do where nothing is wrong: what is not finite shows in the sums.
    if not (np.isfinite(sums).all() and rows.min() >= 0):
        allowed = np.isfinite(rows) & (rows >= 0)
        row, column = (int(i) for i in np.argwhere(~allowed)[0])
        raise InputError(
            f"{name}[{row}, {column}]={rows[row, column]} is not a probability: give finite "
            "numbers from 0 to 1."
        )
    wrong = np.abs(sums - 1) > ROW_SUM_TOLERANCE
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"row {row} of {name} sums to {sums[row]:.6g}, not to 1: divide every row by its sum."
        )
    return rows
