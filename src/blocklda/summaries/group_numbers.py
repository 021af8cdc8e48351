"""Numbers as groups: each by itself, or in bins of equal width."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["as_numbers", "bins"]


N_BINS = 20
"""Approximate number of bins, so that each has enough documents."""

# Not 007, which is a name.
NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


def as_numbers(values: Sequence[Any]) -> Floats | None:
    """Return the values as numbers if there are some and all of them are, else None."""
    if not values:
        return None
    if all(isinstance(value, str) for value in values):
        if not all(NUMBER.fullmatch(value.strip()) for value in values):
            return None
    elif not all(_is_number(value) for value in values):
        return None
    numbers = np.array([_double(value) for value in values])
    if not np.isfinite(numbers).all():
        value = values[int(np.argmin(np.isfinite(numbers)))]
        raise InputError(
            f"groups has the number {value!r:.80}, which cannot be ordered: give finite numbers "
            "below 1e308, and None for a missing value.",
            parameter="groups",
            value=values,
        )
    return numbers


def bins(numbers: Floats, most: int) -> tuple[list[str], list[float], Ints]:
    """Return labels and middles of groups in ascending order, and the group of each number.

    Each number is a group if there are at most ``most`` different ones; else they go into bins
    whose ends are round numbers. Bins without a number are left out.
    """
    different, of_number = np.unique(numbers, return_inverse=True)
    if len(different) <= most:
        return _labels(different), different.tolist(), of_number
    width = _round_width(different[-1] / N_BINS - different[0] / N_BINS)
    # What lies on an end but for rounding, as 0.3 / 0.1 does, belongs to the bin that begins there.
    places, of_number = np.unique(np.floor(numbers / width + 1e-9), return_inverse=True)
    lows = places * width
    if width >= 1 and all(map(_is_short_whole, different.tolist())):
        labels = [f"{int(low)} to {int(low + width) - 1}" for low in lows]
        return labels, (lows + (width - 1) / 2).tolist(), of_number
    labels = [f"{low:.15g} to {low + width:.15g}" for low in lows]
    return labels, (lows + width / 2).tolist(), of_number


def _labels(different: Floats) -> list[str]:
    """Return numbers in as few digits as tell them apart."""
    labels: list[str] = []
    for digits in (6, 15, 17):
        labels = [
            str(int(value)) if _is_short_whole(value) else f"{value:.{digits}g}"
            for value in different.tolist()
        ]
        if len(set(labels)) == len(labels):
            break
    return labels


def _round_width(width: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is no smaller."""
    power = math.floor(math.log10(width))
    for factor in (1, 2, 5):
        # 10**-3 is rounded once, as 0.001 is; 1e-3 * 5 would be rounded twice.
        rounded = float(f"{factor}e{power}")
        if rounded >= width * (1 - 1e-9):
            return rounded
    return float(f"1e{power + 1}")


def _is_short_whole(value: float) -> bool:
    return value == int(value) and abs(value) < 1e15


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.bool_)


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
