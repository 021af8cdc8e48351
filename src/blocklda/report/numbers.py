"""Numbers as a page holds them: short, and None where there is none."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["short", "shorts"]

DIGITS = 4
"""Significant digits: more than a chart shows, and a third of the bytes."""


def short(value: float) -> float | int | None:
    """Return a number with few digits; None for what is not a number."""
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def shorts(values: Iterable[Any]) -> list[Any]:
    """Return numbers, in lists of lists if the array has several axes, with few digits."""
    rows = values.tolist() if isinstance(values, np.ndarray) else values
    return [shorts(one) if isinstance(one, list) else short(one) for one in rows]
