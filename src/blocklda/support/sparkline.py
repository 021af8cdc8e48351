"""A series of numbers as one short line of blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from blocklda.support.arrays import Floats

__all__ = ["ASCII_BLOCKS", "BLOCKS", "sparkline"]

BLOCKS = "▁▂▃▄▅▆▇█"
ASCII_BLOCKS = "_.-=+*%#"

NOISE_HEIGHT = 8.0
"""The line is at least so many usual steps from one value to the next high, so that the noise of a
series at rest looks small."""


def sparkline(
    values: ArrayLike | Sequence[float], width: int = 24, *, ascii_only: bool = False
) -> str:
    """Draw a series that rises and comes to rest, such as log posteriors, at most ``width`` long.

    Longer series are averaged in pieces. The height goes from the highest point down to as far
    below the median as that is below the highest; what lies deeper stands at the bottom. So a
    steady climb takes the whole height, and a steep start does not flatten what follows. Values
    that are not finite are left out.
    """
    series = np.asarray(values, dtype=np.float64).ravel()
    series = series[np.isfinite(series)]
    if not series.size or width < 1:
        return ""
    points = _resampled(series, width)
    top = points.max()
    height = 2 * (top - np.median(points))
    if len(series) > width:
        height = max(height, NOISE_HEIGHT * float(np.median(np.abs(np.diff(series)))))
    height = height or top - points.min()
    blocks = ASCII_BLOCKS if ascii_only else BLOCKS
    if height <= 0:
        return blocks[0] * len(points)
    shares = np.clip((points - top) / height + 1, 0, 1)
    steps = np.rint(shares * (len(blocks) - 1)).astype(int)
    return "".join(blocks[step] for step in steps)


def _resampled(series: Floats, width: int) -> Floats:
    """Return means of ``width`` pieces of nearly equal lengths, or a shorter series as it is."""
    if len(series) <= width:
        return series
    starts = np.arange(width) * len(series) // width
    sizes = np.diff(np.append(starts, len(series)))
    means: Floats = np.add.reduceat(series, starts) / sizes
    return means
