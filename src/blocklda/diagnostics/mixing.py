"""How well the chains of one quantity mix: R-hat, effective sample sizes, drift.

R-hat and effective sample sizes are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner
(2021), computed by arviz-stats. What is added here is what R-hat may be by chance alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from scipy.special import chdtri

from blocklda.support.arrays import Floats

__all__ = ["MIN_DRAWS", "Mixing", "drift", "effective_per_part", "measure"]


MIN_DRAWS = 20
"""Draws a chain must have before anything is computed. The estimates work on half chains; of fewer
than ten values neither a variance nor an autocorrelation is worth printing."""

FALSE_ALARM = 0.01
"""How often chains that agree may be said to disagree, over all quantities that are looked at."""

DRIFT_PARTS = 3
"""The first third of the draws is compared with the last one."""

MIN_PART_DRAWS = 6
"""Draws in such a part below which its Monte Carlo error is not worth estimating."""


@dataclass(frozen=True)
class Mixing:
    """What the draws of one quantity say; NaN where they are too few, or do not vary.

    Attributes
    ----------
    quantity
        Its name.
    mean, sd
        Over the draws of all chains.
    r_hat
        Rank-normalised split R-hat, the larger of bulk and folded; infinite if every chain stands
        still and not at the same value. NaN with one chain.
    ess_bulk, ess_tail
        Effective sample size for the centre and for the 5 % and 95 % quantiles.
    ess_per_second
        Bulk effective draws per second of sampling.
    r_hat_by_chance
        What chains that agree, as long and as slow as these, hardly exceed.
    """

    quantity: str
    mean: float
    sd: float
    r_hat: float
    ess_bulk: float
    ess_tail: float
    ess_per_second: float
    r_hat_by_chance: float = math.nan


def measure(quantity: str, draws: Any, seconds: float = math.nan, n_compared: int = 1) -> Mixing:
    """Measure one quantity, ``draws`` of shape (chains, draws), one of ``n_compared``.

    Bulk R-hat² is about 1 + (m/S) X/(m−1), where m is the number of half chains, S the number of
    effective draws within them, and X a χ² variable with m−1 degrees of freedom if all have one
    mean. ``r_hat_by_chance`` follows from the quantile of X that is exceeded once in 1/FALSE_ALARM
    times over all quantities. S is counted within half chains, since the usual estimate falls when
    chains disagree, and would excuse it.
    """
    values = np.asarray(draws, dtype=np.float64)
    mean, sd = float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else math.nan
    n_chains, n_draws = values.shape
    if n_draws < MIN_DRAWS or not np.isfinite(values).all() or np.ptp(values) == 0:
        return Mixing(quantity, mean, sd, *[math.nan] * 5)
    stats = _array_stats()
    # Where all but a few draws are equal, variances of zero are divided by.
    with np.errstate(divide="ignore", invalid="ignore"):
        ess_bulk = float(stats.ess(values, method="bulk"))
        ess_tail = float(stats.ess(values, method="tail", prob=(0.05, 0.95)))
        r_hat, by_chance = _r_hat(values, n_compared) if n_chains > 1 else (math.nan, math.nan)
    per_second = ess_bulk / seconds if seconds > 0 else math.nan
    return Mixing(quantity, mean, sd, r_hat, ess_bulk, ess_tail, per_second, by_chance)


def drift(draws: Floats) -> Floats:
    """Return how far each chain (row) moved from its first to its last third, in standard errors.

    Positive for a rise. NaN where draws are too few or do not vary.
    """
    size = draws.shape[1] // DRIFT_PARTS
    if size < MIN_PART_DRAWS:
        return np.full(len(draws), math.nan)
    first, last = draws[:, :size], draws[:, -size:]
    parts = np.vstack([first, last])
    if not (np.ptp(parts, axis=1) > 0).any():
        return np.full(len(draws), math.nan)
    moved = last.mean(axis=1) - first.mean(axis=1)
    variance = parts.var(axis=1, ddof=1).mean()
    error = math.sqrt(2 * variance / effective_per_part(parts))
    return np.asarray(moved / error)


def effective_per_part(parts: Floats) -> float:
    """Return the effective draws in one part, a row of ``parts``, regardless of their means."""
    centred = parts - parts.mean(axis=1, keepdims=True)
    return float(_array_stats().ess(centred, method="identity")) / len(parts)


def _r_hat(values: Floats, n_compared: int) -> tuple[float, float]:
    """Return R-hat and what it may be by chance."""
    half = values.shape[1] // 2
    halves = np.vstack([values[:, :half], values[:, -half:]])
    if not (np.ptp(halves, axis=1) > 0).any():
        return (math.inf if np.ptp(halves) > 0 else math.nan), 1.0
    # Bulk and folded R-hat are two chances for each quantity.
    m = len(halves)
    quantile = float(chdtri(m - 1, FALSE_ALARM / (2 * n_compared)))
    by_chance = math.sqrt(1 + quantile / (m - 1) / effective_per_part(halves))
    return float(_array_stats().rhat(values)), by_chance


def _array_stats() -> Any:
    # Imported when asked for: where xarray is installed it takes seconds.
    return import_module("arviz_stats.base").array_stats
